/** prd.json as the loops of Ralph keep it, in the shapes that are found in the wild: an epic, and an item for each story. */
import { faultError } from "./fault.ts";
import type { Fault } from "./fault.ts";
import { importedTitle, importedWord, objectiveOf } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { itemKeys } from "./item-keys.ts";
import { elementsAt, lineAt, membersAt, parseJson, rootOf } from "./json-places.ts";
import { itemOfRecord } from "./tracker-record.ts";
import { words } from "./words.ts";
import type { Language } from "./words.ts";

/** Where the list of stories is, by the names that it goes by. */
const lists = ["userStories", "user_stories", "stories", "features", "requirements", "tasks", "items"];
const shape =
  'it should be {"project": "…", "userStories": [{"id": "US-001", "title": "…", "acceptanceCriteria": ["…"]}]}, or a list of such items';

/** A story, and where its object begins in the text. */
export type Story = { item: ImportItem; start: number };
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
  const root = planOf(text, rootOf(text));
  const heads = new Map(membersAt(text, root).map((member) => [member.key, member]));
  const named = lists
    .map((key) => heads.get(key))
    .find((member) => member !== undefined && text[member.start] === "[");
  const listStart = text[root] === "[" ? root : named?.start;
  const at = (offset: number, message: string, hint: string): { fault: Fault } => ({
    fault: { line: lineAt(text, offset), message, hint },
  });
  if (listStart === undefined) return at(root, "no list of stories", shape);
  const places = elementsAt(text, listStart);
  if (places.length === 0) return at(listStart, "the list of stories is empty", shape);
  const textOf = (key: string): string => {
    const member = heads.get(key);
    const value: unknown = member && JSON.parse(text.slice(member.start, member.end));
    return typeof value === "string" ? value : "";
  };
  const stories: Story[] = [];
  const unknown = new Set<string>();
  for (const { start, end } of places) {
    const read = itemOfRecord(JSON.parse(text.slice(start, end)), lineAt(text, start));
    if ("fault" in read) return read;
    stories.push({ item: read.item, start });
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
      line: lineAt(text, root),
      type: "epic",
      title: importedTitle(title ?? described[0] ?? file),
      objective: objectiveOf(title ?? file, described),
      criteria: [words.allMerged[language](file)],
      tasks: [],
      tags: [],
      dependencies: [],
      ...(branch !== "" && { branch }),
    },
    stories: keyed.items.map((item, index) => ({ item, start: stories[index]!.start })),
    remarks: unknown.size === 0 ? [] : [`passed over in the stories: ${[...unknown].join(", ")}`],
  };
}

/** Some wrap the whole in `{"prd": …}`. */
function planOf(text: string, root: number): number {
  const members = membersAt(text, root);
  const wrapped = members.find(({ key }) => key === "prd");
  return wrapped && !members.some(({ key }) => lists.includes(key)) ? wrapped.start : root;
}
