/** The life cycle of an issue: the states in which each step is legal, and its changes. */
import { MonocoError } from "../error/error.ts";
import type { FrontMatterChanges } from "../text/front-matter-edit.ts";
import type { Issue } from "./issue.ts";
import { stages } from "./vocabulary.ts";
import type { Solution, Stage, Status } from "./vocabulary.ts";
import { t } from "../language/translate.ts";

interface Transition {
  from: { status: readonly Status[]; stage: readonly Stage[] };
  changes: FrontMatterChanges;
}

const anyStage = stages;
const closed = (solution: Solution): FrontMatterChanges => ({ status: "closed", stage: "done", solution });

export const transitions = {
  start: { from: { status: ["open"], stage: ["draft"] }, changes: { stage: "doing" } },
  stop: { from: { status: ["open"], stage: ["doing"] }, changes: { stage: "draft" } },
  submit: { from: { status: ["open"], stage: ["doing"] }, changes: { stage: "review" } },
  request_changes: { from: { status: ["open"], stage: ["review"] }, changes: { stage: "doing" } },
  accept: { from: { status: ["open"], stage: ["review"] }, changes: closed("implemented") },
  cancel: { from: { status: ["open"], stage: anyStage }, changes: closed("cancelled") },
  wontfix: { from: { status: ["open"], stage: anyStage }, changes: closed("wontfix") },
  duplicate: { from: { status: ["open"], stage: anyStage }, changes: closed("duplicate") },
  push: {
    from: { status: ["open"], stage: ["draft", "doing", "freezed"] },
    changes: { status: "backlog", stage: "freezed" },
  },
  pull: { from: { status: ["backlog"], stage: anyStage }, changes: { status: "open", stage: "draft" } },
  reopen: {
    from: { status: ["closed"], stage: anyStage },
    changes: { status: "open", stage: "draft", solution: undefined, closed_at: undefined },
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

/** The changes of a legal step; an illegal one is refused with the list of legal ones. */
export function transition(issue: Issue, name: TransitionName): FrontMatterChanges {
  const legal = legalTransitions(issue);
  if (legal.includes(name)) return transitions[name].changes;
  const what = name === "accept" ? "close" : name;
  throw new MonocoError("input", t`${issue.id} is ${issue.status}, ${issue.stage}: ${what} is not possible`, {
    hint: legal.map((by) => [{ do: "move", by, issue: issue.id }]),
  });
}

export function legalTransitions(issue: Pick<Issue, "status" | "stage">): TransitionName[] {
  const table: Record<TransitionName, Transition> = transitions;
  const isLegal = ({ from }: Transition): boolean =>
    from.status.includes(issue.status) && from.stage.includes(issue.stage);
  return transitionNames.filter((name) => isLegal(table[name]));
}

const transitionNames: readonly TransitionName[] = [
  "start",
  "stop",
  "submit",
  "request_changes",
  "accept",
  "cancel",
  "wontfix",
  "duplicate",
  "push",
  "pull",
  "reopen",
];
