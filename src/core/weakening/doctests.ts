/** Examples in a source's documentation that its checks run, and that expect something else, or are gone. */
import type { Weakening } from "./schema.ts";

type Example = { line: number; call: string; expected: string };

const prompt = /^\s*(?:>>>|iex(?:\(\d+\))?>|julia>)\s?(.*)$/;
const goesOn = /^\s*(?:\.\.\.)(?:\s(.*))?$/;

/** Whether a file may hold some, by its name. */
export function mayHoldExamples(path: string): boolean {
  return /\.(?:pyi?|pyx|exs?|jl)$/.test(path);
}

/** Each call that was there with its output, against what follows the same call now, in their order. */
export function changedExamples(path: string, before: string, after: string): Weakening[] {
  const now = Map.groupBy(examplesIn(after), ({ call }) => call);
  return examplesIn(before).flatMap(({ call, expected, line }): Weakening[] => {
    const is = now.get(call)?.shift();
    if (is?.expected === expected) return [];
    if (!is) return [{ file: path, kind: "tests removed", text: `- >>> ${call}`.slice(0, textCharsMax) }];
    const text = `>>> ${call}: ${expected} → ${is.expected}`.slice(0, textCharsMax);
    return [{ file: path, line: is.line || line, kind: "expectation", text }];
  });
}

const textCharsMax = 160;

function examplesIn(text: string): Example[] {
  const found: Example[] = [];
  let open: Example | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    const [, call] = prompt.exec(line) ?? [];
    const more = open?.expected === "" ? goesOn.exec(line) : null;
    if (call !== undefined) {
      open = { line: at + 1, call: call.trim(), expected: "" };
      found.push(open);
    } else if (open && more) open.call += ` ${more[1]?.trim() ?? ""}`;
    else if (/^\s*(?:(?:"""|''')\s*)?$/.test(line)) open = undefined;
    else if (open) open.expected = `${open.expected} ${line.trim()}`.trim();
  }
  return found;
}
