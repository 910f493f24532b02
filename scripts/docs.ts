/** `npm run docs`: writes the pages, tables and the JSON Schema that are made from the source. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandsPage, exitCodesPage } from "./docs/commands.ts";
import { eventsTable } from "./docs/events.ts";
import { recordSchemaText, schemaText } from "./docs/schema.ts";
import { settingsTables } from "./docs/settings.ts";
import { transitionsTable } from "./docs/transitions.ts";
import { truthTable } from "./docs/truth-table.ts";
import { figuresTable } from "./endings.ts";
import { root } from "./source.ts";

/** Each file by its path, as the source is now. */
export function pages(): Map<string, string> {
  return new Map([
    ["docs/commands.md", commandsPage()],
    ["docs/exit-codes.md", exitCodesPage()],
    ["docs/settings.md", filled("docs/settings.md", { settings: settingsTables() })],
    ["docs/journal.md", filled("docs/journal.md", { events: eventsTable() })],
    ["docs/issues.md", filled("docs/issues.md", { transitions: transitionsTable() })],
    [
      "docs/exit-detection.md",
      filled("docs/exit-detection.md", { "truth-table": truthTable(), figures: figuresTable() }),
    ],
    ["schema/merge.v1.schema.json", recordSchemaText()],
    ["schema/monoco.schema.json", schemaText()],
  ]);
}

/** The page at `path`, with each of these texts between the comments that name it. */
function filled(path: string, texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts).reduce(
    (page, [name, text]) => {
      const begin = `<!-- ${name}:begin (written by npm run docs) -->`;
      const [before, after] = [page.indexOf(begin), page.indexOf(`<!-- ${name}:end -->`)];
      if (before < 0 || after < before) throw new Error(`${path} has no ${begin} … <!-- ${name}:end -->`);
      return `${page.slice(0, before + begin.length)}\n\n${text.trimEnd()}\n\n${page.slice(after)}`;
    },
    readFileSync(join(root, path), "utf8"),
  );
}

if (import.meta.main) for (const [path, text] of pages()) writeFileSync(join(root, path), text);
