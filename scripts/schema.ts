/** `npm run schema`: writes schema/monoco.schema.json, for editors, from the records of the settings. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { abouts } from "../src/core/settings/setting.ts";
import type { About } from "../src/core/settings/setting.ts";
import { projectSchema } from "../src/core/settings/settings.ts";
import { root } from "./source.ts";

export const schemaPath = join(root, "schema", "monoco.schema.json");

/** The text of the schema file as the source is now. */
export function schemaText(): string {
  const schema = z.toJSONSchema(projectSchema, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const words = abouts.get(zodSchema);
      if (words) jsonSchema.description = plainText(words);
    },
  });
  const title = "monoco.yaml: the settings of monoco, a relay orchestrator for coding agents";
  return `${JSON.stringify({ title, ...schema }, null, 2)}\n`;
}

/** Without Markdown. */
function plainText({ about, unit }: About): string {
  const plain = about.replaceAll("`", "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return unit === undefined ? plain : `${plain} (${unit})`;
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync(dirname(schemaPath), { recursive: true });
  writeFileSync(schemaPath, schemaText());
}
