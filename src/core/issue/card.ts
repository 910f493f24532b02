/** What lists need of an issue, read off plain lines of its front matter: a backlog of thousands is read without a YAML parser. */
import { frontMatterCharsMax } from "../limits.ts";
import { isRecord } from "../text/record.ts";
import { oneLine } from "../text/one-line.ts";
import { issueIdPattern } from "./name.ts";
import { criticalities, issueTypes, solutions, stages, statuses, typeOfId } from "./vocabulary.ts";
import type { Criticality, IssueType, Solution, Stage, Status } from "./vocabulary.ts";

export type Card = {
  id: string;
  type: IssueType;
  title: string;
  status: Status;
  stage: Stage;
  solution?: Solution;
  priority?: string;
  criticality?: Criticality;
  parent?: string;
  dependencies: string[];
  tags: string[];
};

/** Of what a card is and how it is read: raise it with either, since cards that were read before are kept. */
export const cardVersion = 1;

/**
 * What `parseCard` says of the file. Undefined where a line is not plain (escapes, blocks, anchors, a number that YAML would
 * write otherwise), and where anything is missing or wrong: then the parser has to read it, and says why.
 */
export function cardOf(text: string): Card | undefined {
  const start = /^---\r?\n/.exec(text)?.[0].length;
  const end = text.indexOf("\n---", start);
  if (start === undefined || end === -1 || end - start > frontMatterCharsMax) return undefined;
  if (!/^\n---\r?(?:\n|$)/.test(text.slice(end, end + 6))) return undefined;
  const values = valuesOf(text.slice(start, end));
  return values && cardIn(values);
}

/** Whether a value that was read back is a card. */
export function isCard(value: unknown): value is Card {
  if (!isRecord(value)) return false;
  const { id, type, title, status, stage, solution, priority, criticality, parent } = value;
  return (
    typeof id === "string" &&
    issueIdPattern.test(id) &&
    typeof title === "string" &&
    title !== "" &&
    isOneOf(issueTypes, type) &&
    isOneOf(statuses, status) &&
    isOneOf(stages, stage) &&
    (solution === undefined || isOneOf(solutions, solution)) &&
    (criticality === undefined || isOneOf(criticalities, criticality)) &&
    [priority, parent].every((word) => word === undefined || typeof word === "string") &&
    [value["dependencies"], value["tags"]].every(
      (words) => Array.isArray(words) && words.every((word) => typeof word === "string"),
    )
  );
}

function isOneOf<T extends string>(known: readonly T[], value: unknown): value is T {
  return (known as readonly unknown[]).includes(value);
}

/** By key; what is empty or null is left out. */
type Values = Map<string, string | string[]>;

/** What the parser takes one value of. Patterns under `allows` are left to it. */
const single = ["created_at", "updated_at", "opened_at", "closed_at"] as const;

function cardIn(values: Values): Card | undefined {
  if (values.has("allows") || single.some((key) => Array.isArray(values.get(key)))) return undefined;
  const value = (key: string): object => (values.has(key) ? { [key]: values.get(key) } : {});
  const list = (key: string): string[] => [values.get(key) ?? []].flat();
  const [id, title] = [values.get("id"), values.get("title")];
  if (typeof id !== "string" || typeof title !== "string") return undefined;
  const card = {
    id,
    type: values.get("type") ?? typeOfId(id),
    title: oneLine(title),
    status: values.get("status") ?? "open",
    stage: values.get("stage") ?? "draft",
    ...value("solution"),
    ...value("priority"),
    ...value("criticality"),
    ...value("parent"),
    dependencies: list("dependencies"),
    tags: list("tags"),
  };
  return isCard(card) ? card : undefined;
}

/** Undefined where a line is not understood, or a key stands twice. */
function valuesOf(matter: string): Values | undefined {
  const values: Values = new Map();
  const keys = new Set<string>();
  /** The list that the lines are of, and how far they are indented. */
  let open: { list: string[]; key: string; indent?: string } | undefined;
  for (const whole of matter.split("\n")) {
    const line = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
    if (line.includes("\r")) return undefined;
    if (/^ *(?:#.*)?$/.test(line)) continue;
    const [, indent, item] = /^( *)- +(.*)$/.exec(line) ?? [];
    if (item !== undefined) {
      const value = scalarIn(bare(item), block);
      if (!open || value === undefined || (open.indent ?? indent) !== indent) return undefined;
      open.list.push(value);
      open.indent = indent!;
      values.set(open.key, open.list);
      continue;
    }
    const [, key, rest = ""] = /^([A-Za-z][\w-]*):(?: +(.*))?$/.exec(line) ?? [];
    if (key === undefined || keys.has(key) || reserved.test(key)) return undefined;
    keys.add(key);
    open = rest === "" ? { list: [], key } : undefined;
    const value = valueIn(bare(rest));
    if (value === undefined) return undefined;
    if (value !== null) values.set(key, value);
  }
  return values;
}

/** Without the blanks around it: all else that JavaScript would trim, YAML keeps. */
function bare(text: string): string {
  return text.replace(/^ +|(?<! ) +$/g, "");
}

/** Undefined for what is not plain. */
function valueIn(text: string): string | string[] | null | undefined {
  if (text === "" || text === "null" || text === "~") return null;
  const inside = /^\[(.*)\]$/.exec(text)?.[1];
  if (inside === undefined) return scalarIn(text, block);
  const parts = bare(inside) === "" ? [] : inside.split(",").map((part) => scalarIn(bare(part), flow));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** Characters that stand for themselves. Those of other scripts take longer to tell from what YAML cannot hold. */
const ascii = /^[ -~]*$/;
const printable = /^(?:[^\p{C}\p{Z}]| )*$/u;
/** A value on one line: quoted without escapes, or plain text that begins with a letter, a digit, `_`, `/` or `(`. */
const block = /^(?:"([^"\\]*)"|'([^']*)'|((?:[A-Za-z0-9_/(]|[^ -~]).*))$/u;
/** The same between brackets, where some marks more have a meaning. */
const flow = /^(?:"([^"\\]*)"|'([^']*)'|((?:[A-Za-z0-9_/(]|[^ -~])[^[\]{}"'`,?]*))$/u;
/** What ends words: a value follows, or a remark. */
const mark = /:(?: |$)| #/;

/** What YAML takes for no text. */
const reserved = /^(?:null|true|false)$/i;
/** What YAML reads as a number; one that is written as YAML would write it is the same text again. */
const numeric = /^(?:\d+|0o[0-7]+|0x[\da-f]+|\d+\.\d*|\d+(?:\.\d*)?e[-+]?\d+)$/i;
const canonical = /^(?:0|[1-9]\d{0,14})$/;

function scalarIn(text: string, pattern: RegExp): string | undefined {
  if (!ascii.test(text) && !printable.test(text)) return undefined;
  const [, double, one, plain] = pattern.exec(text) ?? [];
  if (plain === undefined) return double ?? one;
  if (mark.test(plain) || reserved.test(plain) || (numeric.test(plain) && !canonical.test(plain)))
    return undefined;
  return plain;
}
