/** The settings as tables, from their records. */
import { agentSchema } from "../../src/core/settings/agent-schema.ts";
import { inWords } from "../../src/core/settings/change.ts";
import { allKeys, schemaAt } from "../../src/core/settings/keys.ts";
import { abouts } from "../../src/core/settings/setting.ts";
import { projectSchema, settingsSchema } from "../../src/core/settings/settings.ts";
import { valueAt } from "../../src/core/settings/values.ts";
import { code, table } from "./markdown.ts";

/** Maps with a table of their own. */
const maps = ["limits", "exit", "breaker", "budgets"];

/** The tables of docs/settings.md. */
export function settingsTables(): string {
  const keys = allKeys(projectSchema);
  const mapOf = (key: string): string => maps.find((map) => key.startsWith(`${map}.`)) ?? "";
  const sections = ["", ...maps].map((map) => {
    const rows = keys.filter((key) => mapOf(key) === map).map(settingRow);
    const head = table(["key", "default", "unit", "what it is"], rows);
    return map === "" ? head : `### ${code(`${map}:`)}\n\n${head}`;
  });
  const entry = Object.entries(agentSchema.shape).map(([key, schema]) => [
    code(key),
    abouts.get(schema)!.about,
  ]);
  const agents = `### Agents\n\nAn agent, under \`agents:\` by its name:\n\n${table(["key", "what it is"], entry)}`;
  return [...sections, agents].join("\n");
}

function settingRow(key: string): string[] {
  const { about, unit = "" } = abouts.get(schemaAt(projectSchema, key.split("."))!)!;
  const value = valueAt(settingsSchema.parse({}), key.split("."));
  const words = Array.isArray(value) ? `[${value.join(", ")}]` : inWords(value);
  return [code(key), value === undefined ? "none" : code(words), unit, about];
}
