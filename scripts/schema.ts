/** `npm run schema`: writes schema/monoco.schema.json, for editors, from the settings' own zod schema and the README's words. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { projectSchema } from "../src/core/settings/settings.ts";

const root = join(import.meta.dirname, "..");
export const schemaPath = join(root, "schema", "monoco.schema.json");

type Node = { properties?: Record<string, Node>; anyOf?: Node[]; description?: string };

/** The text of the schema file as the source is now. */
export function schemaText(): string {
  const schema = z.toJSONSchema(projectSchema, { io: "input" }) as Node;
  for (const [key, words] of descriptions()) {
    const node = nodeAt(schema, key);
    if (node) node.description = words;
  }
  const title = "monoco.yaml: the settings of monoco, a relay orchestrator for coding agents";
  return `${JSON.stringify({ title, ...schema }, null, 2)}\n`;
}

/** What stands for a key like `limits.sessionsMax`; where a map may be written in another way too, in the map. */
export function nodeAt(schema: Node, key: string): Node | undefined {
  return key.split(".").reduce<Node | undefined>((above, name) => {
    const maps = above ? [above, ...(above.anyOf ?? [])] : [];
    return maps.flatMap((map) => map.properties?.[name] ?? []).at(0);
  }, schema);
}

/** What the tables of the README and of the docs say of each key. */
function descriptions(): [string, string][] {
  const read = (name: string): string => readFileSync(join(root, name), "utf8");
  return [
    ...rowsBelow(read("README.md"), "| key | default | what it is |").map(row("", 2)),
    ...rowsBelow(read("README.md"), "| key | unit | default | why |").map(row("limits.", 3)),
    ...rowsBelow(read("docs/budgets.md"), "| key | unit | what is counted |").map(row("", 2)),
    ...rowsBelow(read("docs/exit-detection.md"), "| key | default | what it is |").map(row("exit.", 2)),
  ];
}

function rowsBelow(text: string, header: string): string[][] {
  const lines = text.slice(text.indexOf(header)).split("\n");
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines
    .slice(2, end)
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));
}

/** The key of a row, and its words without Markdown. */
function row(above: string, column: number): (cells: string[]) => [string, string] {
  return (cells) => [
    `${above}${cells[0]!.replaceAll("`", "")}`,
    cells[column]!.replaceAll("`", "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"),
  ];
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync(dirname(schemaPath), { recursive: true });
  writeFileSync(schemaPath, schemaText());
}
