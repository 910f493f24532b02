/** prd.json as the loops of Ralph keep it, in the shapes that are found in the wild: an epic, and an item for each story. */
import { getNodeValue } from "jsonc-parser";
import { faultError } from "../error/fault.ts";
import type { Fault } from "../error/fault.ts";
import { importedTitle, importedWord, objectiveOf } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { itemKeys } from "./item-keys.ts";
import { lineAt, memberOf, parseJson } from "./json-places.ts";
import type { JsonNode } from "./json-places.ts";
import { itemOfRecord } from "./tracker-record.ts";
import { words } from "../language/handoff-words.ts";
import type { Language } from "../language/handoff-words.ts";
import { t } from "../language/translate.ts";

/** The names under which the list of stories may be. */
const lists = ["userStories", "user_stories", "stories", "features", "requirements", "tasks", "items"];
const example =
  '{"project": "…", "userStories": [{"id": "US-001", "title": "…", "acceptanceCriteria": ["…"]}]}';

/** A story, and its object in the text. */
export type Story = { item: ImportItem; node: JsonNode };
export type Prd = { epic: ImportItem; stories: Story[]; remarks: string[] };

/** The epic first, then the stories, in the order of the file. Throws `input` with file and line for the first fault. */
export function readPrd(text: string, { file, language }: { file: string; language: Language }): Prd {
  const read = inspectPrd(text, { file, language });
  if ("fault" in read) throw faultError(read.fault, file);
  return read;
}

export function readingOf({ epic, stories, remarks }: Prd): Reading {
  return { items: [epic, ...stories.map(({ item }) => item)], remarks };
}

function inspectPrd(
  text: string,
  { file, language }: { file: string; language: Language },
): Prd | { fault: Fault } {
  const parsed = parseJson(text);
  if ("fault" in parsed) return parsed;
  const root = planOf(parsed.root);
  const named = lists.map((key) => memberOf(root, key)).find((value) => value?.type === "array");
  const list = root.type === "array" ? root : named;
  const at = (node: JsonNode, message: string, hint: string): { fault: Fault } => ({
    fault: { line: lineAt(text, node.offset), message, hint },
  });
  const shape = t`it should be ${example}, or a list of such items`;
  if (list === undefined) return at(root, t`no list of stories`, shape);
  if (!list.children?.length) return at(list, t`the list of stories is empty`, shape);
  const textOf = (key: string): string => {
    const value: unknown = memberOf(root, key)?.value;
    return typeof value === "string" ? value : "";
  };
  const stories: Story[] = [];
  const unknown = new Set<string>();
  for (const node of list.children) {
    const read = itemOfRecord(getNodeValue(node), lineAt(text, node.offset));
    if ("fault" in read) return read;
    stories.push({ item: read.item, node });
    for (const key of read.unknown) unknown.add(importedWord(key));
  }
  const keyed = itemKeys(stories.map(({ item }) => item));
  if ("fault" in keyed) return keyed;
  const title = ["project", "name", "feature", "title"]
    .map(textOf)
    .find((told) => importedTitle(told) !== "");
  const branch = importedWord(textOf("branchName"));
  const described = ["description", "overview", "goal"].map(textOf).filter((told) => told.trim() !== "");
  return {
    epic: {
      key: "",
      line: lineAt(text, root.offset),
      type: "epic",
      title: importedTitle(title ?? described[0] ?? file),
      objective: objectiveOf(title ?? file, described),
      criteria: [words.allMerged[language](file)],
      tasks: [],
      tags: [],
      dependencies: [],
      ...(branch !== "" && { branch }),
    },
    stories: keyed.items.map((item, index) => ({ item, node: stories[index]!.node })),
    remarks: unknown.size === 0 ? [] : [t`passed over in the stories: ${[...unknown].join(", ")}`],
  };
}

/** Some wrap the whole in `{"prd": …}`. */
function planOf(root: JsonNode): JsonNode {
  const hasList = lists.some((key) => memberOf(root, key) !== undefined);
  return (hasList ? undefined : memberOf(root, "prd")) ?? root;
}
