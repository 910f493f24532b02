/** What lists need of an issue, read off plain lines of its front matter: a backlog of a thousand is read without a YAML parser. */
import { issueIdPattern } from "./name.ts";
import { solutions, stages, statuses } from "./vocabulary.ts";
import type { Issue } from "./issue.ts";

export type Card = Pick<
  Issue,
  "id" | "title" | "status" | "stage" | "solution" | "priority" | "parent" | "dependencies"
> & { type: string };

/** Undefined where a line is not plain (quotes with escapes, blocks, anchors): then the parser has to read it. */
export function cardOf(text: string): Card | undefined {
  const matter = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  const values = matter === undefined ? undefined : valuesOf(matter);
  if (!values) return undefined;
  const one = (key: string): string | undefined =>
    values.get(key)?.length === 1 ? values.get(key)?.[0] : undefined;
  const [id = "", title = ""] = [one("id"), one("title")];
  const status = statuses.find((word) => word === (one("status") ?? "open"));
  const stage = stages.find((word) => word === (one("stage") ?? "draft"));
  const solution = solutions.find((word) => word === one("solution"));
  if (!issueIdPattern.test(id) || title === "" || !status || !stage) return undefined;
  if (values.has("solution") && solution === undefined) return undefined;
  return {
    id,
    title,
    status,
    stage,
    type: one("type") ?? "",
    dependencies: values.get("dependencies") ?? [],
    ...(solution && { solution }),
    ...(one("priority") !== undefined && { priority: one("priority")! }),
    ...(one("parent") !== undefined && { parent: one("parent")! }),
  };
}

/** A plain scalar, or one in quotes that holds neither quotes nor escapes. */
const scalar = /^(?:"([^"\\]*)"|'([^']*)'|([\p{L}\p{N}_./(](?:(?!: | #|:$)[^[\]{}"'\n])*))$/u;

/** By key; undefined where a line is not understood, or a key stands twice. */
function valuesOf(matter: string): Map<string, string[]> | undefined {
  const values = new Map<string, string[]>();
  let list: string[] | undefined;
  for (const line of matter.split(/\r?\n/)) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const item = /^\s*- +(.*)$/.exec(line)?.[1];
    const [, key, rest = ""] = /^([\w-]+):(?: +(.*))?$/.exec(line) ?? [];
    const read = item === undefined ? scalarsOf(rest.trim()) : scalarsOf(item.trim());
    if (!read || (item === undefined ? key === undefined || values.has(key) : !list)) return undefined;
    if (item !== undefined) list!.push(...read);
    else values.set(key!, (list = read));
  }
  for (const [key, read] of values) if (read.length === 0) values.delete(key);
  return values;
}

function scalarsOf(text: string): string[] | undefined {
  if (text === "" || text === "null" || text === "~") return [];
  const inside = /^\[(.*)\]$/.exec(text)?.[1];
  const parts = inside === undefined ? [text] : inside.split(",").map((part) => part.trim());
  const read = parts.filter((part) => part !== "").map((part) => scalar.exec(part));
  if (read.includes(null)) return undefined;
  return read.map((found) => (found?.[1] ?? found?.[2] ?? found?.[3] ?? "").trim());
}
