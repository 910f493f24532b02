/** A plan in one JSON file, Ralph's prd.json or Task Master's tasks.json: an epic, and an item for each story. */
import { getNodeValue } from "jsonc-parser";
import { faultError } from "../error/fault.ts";
import { importedTitle, importedWord, objectiveOf, tagsOf } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { lineAt, memberOf, parseJson } from "./json-places.ts";
import type { JsonNode } from "./json-places.ts";
import { readRecords } from "./record.ts";
import type { Placed } from "./record.ts";
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
  return planIn(parsed.root, text, { file, language });
}

/** The plan in the value of a JSON text. */
export function planIn(root: JsonNode, text: string, of: { file: string; language: Language }): Prd {
  const { file } = of;
  const plans = listsIn(root);
  const [first] = plans;
  const read = plans.map(({ form, tag, list }) => {
    const nodes = list.children ?? [];
    const records = nodes.map((node): Placed => {
      return { record: getNodeValue(node), line: lineAt(text, node.offset) };
    });
    const { items, remarks } = readRecords(records, { form, file });
    return { remarks, stories: items.map((item, at) => ({ item: tagged(item, tag), node: nodes[at]! })) };
  });
  const stories = read.flatMap((one) => one.stories);
  if (!first || stories.length === 0) {
    const message = first ? t`the list of stories is empty` : t`no list of stories`;
    const hint = t`it should be ${example}; docs/exchange.md has lines of jq for other JSON`;
    throw faultError({ line: lineAt(text, (first?.list ?? root).offset), message, hint }, file);
  }
  const epic = epicOf(root, { ...of, line: lineAt(text, root.offset) });
  const remarks = [...new Set(read.flatMap((one) => one.remarks))];
  return { form: first.form, epic, stories, remarks };
}

type List = { form: Prd["form"]; tag: string; list: JsonNode };

/** The plan's list; in Task Master's newer files each tag has one. */
function listsIn(root: JsonNode): List[] {
  const of = (object: JsonNode, tag: string): List[] =>
    lists.flatMap(([key, form]) => {
      const list = memberOf(object, key);
      return list?.type === "array" ? [{ form, tag, list }] : [];
    });
  const plain = of(root, mainTag).slice(0, 1);
  if (plain.length > 0 || root.type !== "object") return plain;
  const members = (root.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key && value ? of(value, importedWord(String(key.value))) : [],
  );
  return members.filter(({ form }) => form === "taskMaster");
}

/** The tag of Task Master's own; a file without tags becomes one with it. */
const mainTag = "master";

/** An item of another tag: its tasks are numbered from 1, too. */
function tagged(item: ImportItem, tag: string): ImportItem {
  if (tag === mainTag) return item;
  const under = (key: string): string => `${tag}:${key}`;
  return {
    ...item,
    key: under(item.key),
    dependencies: item.dependencies.map(under),
    tags: [...new Set([...item.tags, ...tagsOf([tag])])],
  };
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
