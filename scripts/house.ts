/**
 * `npm run house`: lines, tokens and module-level mutable state of src, by wing; `--against REV` compares with the merge base,
 * `--json` is for programs. It stores nothing. test/tidy.test.ts holds the rules of the house.
 */
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { parseSync, Visitor } from "oxc-parser";
import type { Statement } from "oxc-parser";
import { root, textOf } from "./source.ts";

/** `lines`: without blanks and comments. `state`: variables of a module that change as it runs. */
type Figures = { lines: number; tokens: number; state: number };
type Wing = { wing: string; now: Figures; before?: Figures };

const none: Figures = { lines: 0, tokens: 0, state: 0 };
const names = ["lines", "tokens", "state"] as const;

export function figuresOf(path: string, text: string): Figures {
  const { program, comments } = parseSync(path, text);
  // Each string, pattern and stretch of a template is one token.
  const whole: { start: number; end: number }[] = [];
  new Visitor({
    Literal: (node) => void whole.push(node),
    TemplateElement: (node) => void whole.push(node),
  }).visit(program);
  const code = replaced(text, comments, "");
  const words = replaced(text, [...comments.map((one) => ({ ...one, with: " " })), ...whole], " x ");
  return {
    lines: code.split("\n").filter((line) => line.trim() !== "").length,
    tokens: [...words.matchAll(token)].length,
    state: program.body.flatMap(changing).length,
  };
}

const token =
  /[\p{L}\p{N}_$]+|=>|\.{3}|[=!]==?|\?\.|\?\?=?|&&=?|\|\|=?|\*\*=?|\+\+|--|<<=?|>>>?=?|[-+*/%&|^<>]=|[^\s]/gu;

type Cut = { start: number; end: number; with?: string };

function replaced(text: string, cuts: readonly Cut[], by: string): string {
  const inOrder = cuts.toSorted((one, other) => one.start - other.start);
  const parts = inOrder.map((cut, at) => text.slice(inOrder[at - 1]?.end ?? 0, cut.start) + (cut.with ?? by));
  return [...parts, text.slice(inOrder.at(-1)?.end ?? 0)].join("");
}

/** What is no `const`, and a collection that is empty at first. */
function changing(statement: Statement): string[] {
  if (statement.type === "ExportNamedDeclaration")
    return statement.declaration ? changing(statement.declaration) : [];
  if (statement.type !== "VariableDeclaration") return [];
  const { kind, declarations } = statement;
  return declarations.flatMap(({ init }) => {
    if (kind !== "const") return [kind];
    if (init?.type === "ArrayExpression") return init.elements.length === 0 ? ["[]"] : [];
    if (init?.type === "ObjectExpression") return init.properties.length === 0 ? ["{}"] : [];
    if (init?.type !== "NewExpression" || init.callee.type !== "Identifier") return [];
    const { name } = init.callee;
    const isEmpty = /^(?:Weak)?(?:Map|Set)$/.test(name) && init.arguments.length === 0;
    return isEmpty ? [name] : [];
  });
}

/** `core/session`, for the folders below it too. */
function wingOf(path: string): string {
  return dirname(path).split("/").slice(1, 3).join("/") || "(src)";
}

function byWing(texts: ReadonlyMap<string, string>): Map<string, Figures> {
  const wings = new Map<string, Figures>();
  for (const [path, text] of texts)
    wings.set(wingOf(path), sum(wings.get(wingOf(path)) ?? none, figuresOf(path, text)));
  return wings;
}

function sum(one: Figures, other: Figures): Figures {
  return {
    lines: one.lines + other.lines,
    tokens: one.tokens + other.tokens,
    state: one.state + other.state,
  };
}

/** The sources where the branch has left `revision`. */
function textsAt(revision: string): Map<string, string> {
  const git = (args: string[], input = ""): Buffer =>
    execFileSync("git", args, { cwd: root, input, maxBuffer: 256 * 1024 * 1024 });
  const base = git(["merge-base", revision, "HEAD"]).toString().trim();
  const paths = git(["ls-tree", "-r", "-z", "--name-only", base, "src"])
    .toString()
    .split("\0")
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"));
  let rest = git(["cat-file", "--batch"], paths.map((path) => `${base}:${path}\n`).join(""));
  return new Map(
    paths.map((path) => {
      const begins = rest.indexOf("\n") + 1;
      const ends = begins + Number(rest.subarray(0, begins).toString().trim().split(" ").at(-1));
      const text = rest.subarray(begins, ends).toString();
      rest = rest.subarray(ends + 1);
      return [path, text];
    }),
  );
}

function wings(against: string | undefined): Wing[] {
  const now = byWing(textOf);
  const before = against === undefined ? undefined : byWing(textsAt(against));
  const all = [...new Set([...now.keys(), ...(before?.keys() ?? [])])].toSorted();
  const rowOf = (wing: string): Wing => ({
    wing,
    now: now.get(wing) ?? none,
    ...(before && { before: before.get(wing) ?? none }),
  });
  const total = (figures: Map<string, Figures>): Figures => [...figures.values()].reduce(sum, none);
  return [...all.map(rowOf), { wing: "all", now: total(now), ...(before && { before: total(before) }) }];
}

function linesOf(rows: readonly Wing[]): string[] {
  const head = ["", ...names];
  const cells = rows.map(({ wing, now, before }) => [
    wing,
    ...names.map((name) => `${now[name]}${before ? difference(now[name] - before[name]) : ""}`),
  ]);
  return [head, ...cells].map(([wing = "", ...figures]) =>
    [wing.padEnd(20), ...figures.map((one) => one.padStart(18))].join(""),
  );
}

function difference(by: number): string {
  return by === 0 ? "" : ` (${by > 0 ? "+" : "−"}${Math.abs(by)})`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { against: { type: "string" }, json: { type: "boolean", default: false } },
  });
  const rows = wings(values.against);
  process.stdout.write(`${values.json ? JSON.stringify(rows, null, 2) : linesOf(rows).join("\n")}\n`);
}
