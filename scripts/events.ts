/** `npm run events`: writes the table of all events into docs/journal.md, from their schemas. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bodySchema } from "../src/core/journal/event.ts";

const path = join(import.meta.dirname, "..", "docs", "journal.md");
const begin = "<!-- events:begin (written by npm run events) -->";
const end = "<!-- events:end -->";

/** The page with its table as the source is now. Throws where an event does not say what happened. */
export function withEvents(page: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`docs/journal.md has no ${begin} … ${end}`);
  return `${page.slice(0, before + begin.length)}\n\n${table()}\n\n${page.slice(after)}`;
}

function table(): string {
  const rows = bodySchema.options.map(({ description, shape }) => {
    const type = shape.type.value;
    if (description === undefined) throw new Error(`the schema of ${type} does not say what happened`);
    const keys = Object.entries(shape)
      .filter(([key]) => key !== "type")
      .map(([key, field]) => `\`${key}\`${field.isOptional() ? "?" : ""}`);
    return `| \`${type}\` | ${description} | ${keys.join(" ")} |`;
  });
  return ["| type | what happened | keys |", "| --- | --- | --- |", ...rows].join("\n");
}

if (process.argv[1] === import.meta.filename) writeFileSync(path, withEvents(readFileSync(path, "utf8")));
