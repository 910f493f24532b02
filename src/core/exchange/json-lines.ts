/** Reads lists of records: JSON Lines, and the lists in a JSON file that is no plan. */
import { getNodeValue } from "jsonc-parser";
import { faultError } from "../error/fault.ts";
import { withSections } from "./criteria.ts";
import type { Reading } from "./import-item.ts";
import { lineAt, memberOf, parseJson } from "./json-places.ts";
import { planIn, readingOf } from "./prd.ts";
import { readRecords } from "./record.ts";
import type { Placed } from "./record.ts";
import type { Language } from "../language/handoff-words.ts";
import { t } from "../language/translate.ts";

const example = '{"id": "T-1", "title": "…", "description": "…", "criteria": ["…"]}';

/** Throws `input` with the line of the first fault. */
export function readJsonLines(text: string, file: string): Reading {
  const records = text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((source, index) => {
      if (source.trim() === "") return [];
      const parsed = parseJson(source);
      if ("fault" in parsed) throw faultError({ ...parsed.fault, line: index + 1 }, file);
      return [{ record: getNodeValue(parsed.root) as unknown, line: index + 1 }];
    });
  if (records.length === 0)
    throw faultError(
      { line: 1, message: t`nothing to import`, hint: t`one object a line: ${example}` },
      file,
    );
  return readList(records, file);
}

/** The names of lists of issues: `gh`'s and other tools', and that of GitHub's search. */
const listNames = ["issues", "items"];

/** A JSON file: a list, an object with one, a single issue of GitHub, or a plan. Throws `input` with file and line for the first fault. */
export function readJson(text: string, of: { file: string; language: Language }): Reading {
  const parsed = parseJson(text);
  if ("fault" in parsed) throw faultError(parsed.fault, of.file);
  const { root } = parsed;
  const lists = [root, ...listNames.map((name) => memberOf(root, name))];
  const list = lists.find((node) => node?.type === "array");
  const isOne = memberOf(root, "title") && memberOf(root, "number");
  if (!list && !isOne) return readingOf(planIn(root, text, of));
  const nodes = list?.children ?? (isOne ? [root] : []);
  const line = lineAt(text, (list ?? root).offset);
  if (nodes.length === 0)
    throw faultError(
      { line, message: t`nothing to import`, hint: t`a list of objects: [${example}]` },
      of.file,
    );
  const records = nodes.map((node): Placed => {
    return { record: getNodeValue(node), line: lineAt(text, node.offset) };
  });
  return readList(records, of.file);
}

/** The records' items, with criteria and tasks taken from their descriptions. */
export function readList(records: readonly Placed[], file: string): Reading {
  const { items, remarks } = readRecords(records, { file });
  return { items: items.map(withSections), remarks };
}
