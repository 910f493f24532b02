/** The table of an issue's steps, from the program's own. */
import { legalTransitions, transitions } from "../../src/core/issue/transitions.ts";
import type { TransitionName } from "../../src/core/issue/transitions.ts";
import { stages, statuses } from "../../src/core/issue/vocabulary.ts";
import { commandFor } from "../../src/views/hint.ts";
import { code, table } from "./markdown.ts";

/** A row for each command that changes an issue. */
export function transitionsTable(): string {
  const states = statuses.flatMap((status) => stages.map((stage) => ({ status, stage })));
  const rows = (Object.keys(transitions) as TransitionName[]).map((name) => {
    const from = states.filter((state) => legalTransitions(state).includes(name));
    const changes = Object.entries(transitions[name].changes).map(([key, value]) =>
      value === undefined ? `no ${code(key)}` : code(`${key}: ${value}`),
    );
    return [code(commandFor(name, "ID")), inWords(from), changes.join(", ")];
  });
  return table(["command", "from", "sets"], rows);
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
