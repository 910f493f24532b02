/** The JSON Schemas of monoco.yaml, for editors, from the records of the settings, and of the record of a merge. */
import { z } from "zod";
import { statementSchema } from "../../src/core/attest/statement-schema.ts";
import { abouts } from "../../src/core/settings/setting.ts";
import type { About } from "../../src/core/settings/setting.ts";
import { projectSchema } from "../../src/core/settings/settings.ts";

/** The text of schema/merge.v1.schema.json: the record of a merge. */
export function recordSchemaText(): string {
  const title = "the record of a merge that monoco made: an in-toto Statement";
  return `${JSON.stringify({ title, ...z.toJSONSchema(statementSchema, { io: "input" }) }, null, 2)}\n`;
}

/** The text of schema/monoco.schema.json. */
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
