/** `npm run transitions`: writes the table of an issue's steps into docs/issues.md, from the program's own. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { legalTransitions, transitions } from "../src/core/issue/transitions.ts";
import type { TransitionName } from "../src/core/issue/transitions.ts";
import { stages, statuses } from "../src/core/issue/vocabulary.ts";
import { commandFor } from "../src/views/hint.ts";

const path = join(import.meta.dirname, "..", "docs", "issues.md");
const begin = "<!-- transitions:begin (written by npm run transitions) -->";
const end = "<!-- transitions:end -->";

/** The page with its table as the source is now. */
export function withTransitions(page: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  return `${page.slice(0, before + begin.length)}\n\n${table()}\n\n${page.slice(after)}`;
}

function table(): string {
  const states = statuses.flatMap((status) => stages.map((stage) => ({ status, stage })));
  const rows = (Object.keys(transitions) as TransitionName[]).map((name) => {
    const from = states.filter((state) => legalTransitions(state).includes(name));
    const changes = Object.entries(transitions[name].changes).map(([key, value]) =>
      value === undefined ? `no \`${key}\`` : `\`${key}: ${value}\``,
    );
    return `| \`${commandFor(name, "ID")}\` | ${inWords(from)} | ${changes.join(", ")} |`;
  });
  return ["| command | from | sets |", "| --- | --- | --- |", ...rows].join("\n");
}

/** A status whose every stage is among them is told alone. */
function inWords(states: readonly { status: string; stage: string }[]): string {
  return statuses
    .flatMap((status) => {
      const own = states.filter((state) => state.status === status).map(({ stage }) => stage);
      if (own.length === 0) return [];
      return own.length === stages.length ? [status] : [`${status}: ${own.join(", ")}`];
    })
    .join("; ");
}

if (process.argv[1] === import.meta.filename)
  writeFileSync(path, withTransitions(readFileSync(path, "utf8")));
