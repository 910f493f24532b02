/** Reads a settings file: YAML to a source of settings, each fault with its line. */
import { LineCounter, isMap, isNode, isPair, isSeq, parseDocument, visit } from "yaml";
import type { Document, Node, YAMLError } from "yaml";
import type { z } from "zod";
import { MonocoError, wordsOf } from "../error/error.ts";
import type { Advice } from "../error/hint-schema.ts";
import { issuesIn, wordsOfIssue } from "./schema-errors.ts";
import { hintForKey } from "./keys.ts";
import { settle } from "./layers.ts";
import type { Origin, Source } from "./layers.ts";
import type { Values } from "./values.ts";
import { settingsSchema } from "./settings.ts";
import type { Settings } from "./settings.ts";
import { plainValue } from "../text/yaml-value.ts";
import { t } from "../language/translate.ts";

export type SettingsFile = {
  /** The file's name in errors. */
  file: string;
  text: string;
  from: Origin["from"];
  /** The schema of the file. */
  schema: z.ZodObject;
};

/**
 * The settings of one monoco.yaml alone. `file` only appears in errors.
 * Throws `input` with file, line and remedy for broken YAML, unknown keys and values of the wrong kind.
 */
export function parseSettings(text: string, file = "monoco.yaml"): Settings {
  return settle([readSettings({ text, file, from: "project", schema: settingsSchema })]).settings;
}

/** The settings in the file. Throws like `parseSettings`, except for faults that only the joined settings show. */
export function readSettings({ file, text, from, schema }: SettingsFile): Source {
  const lines = new LineCounter();
  const document = unlessTooDeep(file, () =>
    parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" }),
  );
  const broken = document.errors[0];
  if (broken) {
    const { line } = lines.linePos(broken.pos[0]);
    const { fault, hint } = faultOf(broken, document);
    throw new MonocoError("input", t`${file}:${line}: ${fault}`, { hint });
  }
  const values = unlessTooDeep(file, () => plainValue(document)) ?? {};
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    // A missing key may be present under a misspelt name.
    const issues = issuesIn(parsed.error);
    const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
    const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0]!] : issue.path;
    const line = lineOf(document, path, lines);
    throw new MonocoError(
      "input",
      t`${file}:${line}: ${path.join(".") || t`the file`}: ${wordsOfIssue(issue)}`,
      {
        hint:
          issue.code === "unrecognized_keys"
            ? hintForKey(schema, path.map(String))
            : (listHint(issue, document) ?? t`fix the line, or leave the key out: every key has a default`),
      },
    );
  }
  return {
    values: values as Values,
    at: (path) => ({ from, where: file, line: lineOf(document, path, lines) }),
  };
}

/** What is wrong with the YAML, and the remedy. */
function faultOf({ code, message, pos }: YAMLError, document: Document): { fault: string; hint: Advice } {
  if (code === "MULTIPLE_DOCS")
    return { fault: t`a second document begins here`, hint: t`keep one: take the --- out, and what follows` };
  const twice = code === "DUPLICATE_KEY" ? keyAt(document, pos[0]) : undefined;
  if (twice !== undefined) return { fault: t`the key ${twice} is there twice`, hint: t`keep one` };
  return {
    fault: message.split("\n")[0]!,
    hint: [
      [{ do: "by_hand", what: t`write plain YAML` }],
      [{ do: "init", note: t`writes a commented example` }],
    ],
  };
}

/** For one text where a list of texts is expected, the list. */
function listHint(issue: z.core.$ZodIssue, document: Document): string | undefined {
  const value = document.getIn(issue.path);
  const isOne = issue.code === "invalid_type" && issue.expected === "array" && typeof value === "string";
  return isOne ? t`write ${String(issue.path.at(-1))}: [${JSON.stringify(value)}]` : undefined;
}

/** Throws for nesting that overflows the stack, a key that is a list or a map, and aliases that expand too far. */
function unlessTooDeep<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new MonocoError("input", t`${file}:1: it cannot be read: ${wordsOf(error)}`, {
      hint: t`write plain keys, and values out instead of using aliases`,
      cause: error,
    });
  }
}

/** The line of the deepest existing node on `path`, from 1. */
function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    const next = childOf(node, key);
    if (!next) break;
    offset = next.offset;
    node = next.node;
  }
  return lines.linePos(offset).line;
}

/** The path of the first key that is at `offset` or after it, as in `limits.sessionsMax`. */
function keyAt(document: Document, offset: number): string | undefined {
  let found: string | undefined;
  visit(document, {
    Pair: (_, pair, above) => {
      if (!isNode(pair.key) || startOf(pair.key) < offset) return undefined;
      found = [...above.filter(isPair), pair].map(({ key }) => String(key)).join(".");
      return visit.BREAK;
    },
  });
  return found;
}

function childOf(node: unknown, key: PropertyKey): { node: unknown; offset: number } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isPair(item) && String(item.key) === String(key));
    return pair && { node: pair.value, offset: startOf(pair.key as Node) };
  }
  if (isSeq(node)) {
    const item = node.items[Number(key)];
    return isNode(item) ? { node: item, offset: startOf(item) } : undefined;
  }
  return undefined;
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
