/** A plan in one JSON file, Ralph's prd.json or Task Master's tasks.json: an epic, and an item for each story. */
import { getNodeValue } from "jsonc-parser";
import { faultError } from "../error/fault.ts";
import { importedTitle, importedWord, objectiveOf } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { lineAt, memberOf, parseJson } from "./json-places.ts";
import type { JsonNode } from "./json-places.ts";
import { readRecords } from "./record.ts";
import { sentences } from "../language/handoff-words.ts";
import type { Language } from "../language/handoff-words.ts";
import { t } from "../language/translate.ts";

/** The names of the lists, and the form of their entries. */
const lists = [
  ["userStories", "prd"],
  ["tasks", "taskMaster"],
] as const;
const example =
  '{"project": "…", "userStories": [{"id": "US-001", "title": "…", "acceptanceCriteria": ["…"]}]}';

/** A story, and its node in the JSON. */
export type Story = { item: ImportItem; node: JsonNode };
export type Prd = { form: "prd" | "taskMaster"; epic: ImportItem; stories: Story[]; remarks: string[] };

/** Throws `input` with file and line for the first fault; the stories keep the order of the file. */
export function readPrd(text: string, { file, language }: { file: string; language: Language }): Prd {
  const parsed = parseJson(text);
  if ("fault" in parsed) throw faultError(parsed.fault, file);
  const { root } = parsed;
  const storyList = lists
    .map(([key, form]) => ({ form, list: memberOf(root, key) }))
    .find(({ list }) => list?.type === "array");
  const nodes = storyList?.list?.children ?? [];
  if (!storyList || nodes.length === 0) {
    const message = storyList ? t`the list of stories is empty` : t`no list of stories`;
    const hint = t`it should be ${example}; docs/exchange.md has lines of jq for other JSON`;
    throw faultError({ line: lineAt(text, (storyList?.list ?? root).offset), message, hint }, file);
  }
  const { form } = storyList;
  const records = nodes.map((node) => ({
    record: getNodeValue(node) as unknown,
    line: lineAt(text, node.offset),
  }));
  const { items, remarks } = readRecords(records, { form, file });
  const stories = items.map((item, index) => ({ item, node: nodes[index]! }));
  return { form, epic: epicOf(root, { file, language, line: lineAt(text, root.offset) }), stories, remarks };
}

/** The plan as items: the epic first. */
export function readingOf({ epic, stories, remarks }: Prd): Reading {
  return { items: [epic, ...stories.map(({ item }) => item)], remarks };
}

function epicOf(root: JsonNode, of: { file: string; language: Language; line: number }): ImportItem {
  const { file, language, line } = of;
  const textOf = (key: string): string => {
    const value: unknown = memberOf(root, key)?.value;
    return typeof value === "string" ? value : "";
  };
  const project = importedTitle(textOf("project")) === "" ? file : textOf("project");
  const branch = importedWord(textOf("branchName"));
  return {
    key: "",
    line,
    type: "epic",
    title: importedTitle(project),
    objective: objectiveOf(project, [textOf("description")]),
    criteria: [sentences.allMerged[language](file)],
    tasks: [],
    tags: [],
    dependencies: [],
    ...(branch !== "" && { branch }),
  };
}
