/** A weekend's backlog: issues of four kinds that wait for one another, and what comes of each if nobody is there. */
import { issueName } from "../bench/project.ts";

/** `long` takes two Executor sessions; `question` asks, and nobody answers; `hopeless` fails each time. */
export type Kind = "short" | "long" | "question" | "hopeless";

export type Planned = { id: string; kind: Kind; needs: string[]; seconds: number };

/** How an issue ends: merged, left to a person, or not begun since it waits for one of those. */
export type End = "merged" | "left" | "not begun";

const hopeless = [7, 13, 22, 31];
const questions = [19, 35];

/** `seconds`: what a short session takes; the others take up to twice as long. */
export function backlogOf(count: number, seconds: number): Planned[] {
  return Array.from({ length: count }, (_, at) => {
    const n = at + 1;
    const needs = [...(n % 3 === 0 ? [n - 5] : []), ...(n % 8 === 0 ? [n - 2, n - 7] : [])];
    return {
      id: issueName(n),
      kind: kindOf(n),
      needs: needs.filter((other) => other > 0).map(issueName),
      seconds: Math.round(seconds * (1 + ((n * 7) % 5) / 4) * 100) / 100,
    };
  });
}

function kindOf(n: number): Kind {
  if (hopeless.includes(n)) return "hopeless";
  if (questions.includes(n)) return "question";
  return n % 4 === 1 ? "long" : "short";
}

/** The end of each issue. */
export function endsOf(backlog: readonly Planned[]): Map<string, End> {
  const ends = new Map<string, End>();
  // Each issue comes after those that it needs.
  for (const { id, kind, needs } of backlog) {
    const begins = needs.every((other) => ends.get(other) === "merged");
    const isDone = kind === "short" || kind === "long";
    ends.set(id, begins ? (isDone ? "merged" : "left") : "not begun");
  }
  return ends;
}

export const textOf = ({ id, kind, needs, seconds }: Planned): string => `---
id: ${id}
type: feature
title: Greeting, ${kind}, in seconds ${seconds}
status: open
stage: draft
${needs.length > 0 ? `dependencies: [${needs.join(", ")}]\n` : ""}---

## Objective

A script that greets.

## Acceptance Criteria

- [ ] \`sh greet-${id.slice(5)}.sh\` prints \`hello ${id.slice(5)}\`
`;
