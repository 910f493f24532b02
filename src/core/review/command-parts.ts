/** What is left of `grep … && node …` without the parts that only read: whether they pass is not what shows behaviour. */
import { natureOf } from "./command-nature.ts";

/**
 * The command without its reading parts: those before the first that runs something, and later ones that name one of `paths`, as
 * others may look at what has run. The whole command where anything but `&&` joins parts.
 */
export function withoutReading(command: string, paths: readonly string[]): string {
  const parts = partsOf(command);
  if (parts.length < 2) return command;
  const first = parts.findIndex((part) => natureOf(part) === "runs");
  const left = parts.filter(
    (part, at) =>
      !onlyReads(part) || (at > first && !paths.some((path) => part.includes(path.replace(/^.*\//, "")))),
  );
  return left.map((part) => part.trim()).join(" && ");
}

function onlyReads(part: string): boolean {
  return natureOf(part) === "reads" && !writes.test(part) && !/^\s*(?:\w+=\S*\s+)*cd\s/.test(part);
}

/** It leaves something to those after it. */
const writes =
  />(?!\s*\/dev\/null|&)|\btee\b|\bsed\s+-\w*i|\ssort\b.*\s-\w*o|\s-(?:delete|exec|ok|fprint)|\bgit\s+(?!log\b|diff\b|show\b|status\b|rev-|ls-|cat-file\b|grep\b|blame\b)/;

/** Between each `&&` that stands in no quotes or brackets; one part where any other operator joins them. */
function partsOf(command: string): string[] {
  const parts = [""];
  let quote = "";
  let depth = 0;
  for (let at = 0; at < command.length; at += 1) {
    const mark = command[at]!;
    const outside = quote === "" && depth === 0;
    if (mark === "\\" && quote !== "'") {
      parts.push(`${parts.pop()}${command.slice(at, at + 2)}`);
      at += 1;
      continue;
    }
    if (outside && command.startsWith("&&", at)) {
      parts.push("");
      at += 1;
      continue;
    }
    const isOperator = /[;\n{}]/.test(mark) || command.startsWith("||", at) || isBackground(command, at);
    if (outside && isOperator) return [command];
    if (quote === mark) quote = "";
    else if (quote === "" && /['"`]/.test(mark)) quote = mark;
    else if (quote === "" && mark === "(") depth += 1;
    else if (quote === "" && mark === ")") depth -= 1;
    parts.push(`${parts.pop()}${mark}`);
  }
  return parts;
}

/** `&` that belongs to no redirection. */
function isBackground(command: string, at: number): boolean {
  return command[at] === "&" && command[at - 1] !== ">" && command[at + 1] !== ">";
}
