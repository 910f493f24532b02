/** The one place that spells a hint: as the commands that a person types, and in words. */
import type { Hint, Step } from "../core/journal/hint-schema.ts";
import { openingCommand } from "../core/issue/name.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { resumeCommand } from "./resume-command.ts";

/** `issue`: where no relay is open. */
type Known = Pick<RelayState, "opening"> & { issue?: string };

/** `A, then B; or C`. A step that only tries again comes last. */
export function hintWords(hint: Hint, state: Known): string {
  return hint.map((way) => way.map((step) => stepWords(step, state)).join(", then ")).join("; or ");
}

/** The way that comes first, on one line, without notes. A verdict is given after a look, which names the commands that give it. */
export function firstWay(hint: Hint, state: Known): string {
  const [way = []] = hint;
  if (way[0]?.do === "judge") return `monoco issue review ${state.issue ?? state.opening?.issue ?? "ID"}`;
  return way.map((step) => commandsOf(step, state)[0] ?? stepWords(step, state)).join(", then ");
}

/** The command that deals with many at once. */
export const manyAtOnce = {
  approval: "monoco issue review --next",
  idle: "monoco inbox --idle --ids | xargs monoco resume",
  all: "monoco inbox --all",
  ready: "monoco run --all",
  lint: "monoco issue lint",
} as const;

/** The commands of a step, one of which is to be run, as a shell takes them; none where it is done by hand. */
export function commandsOf(step: Step, state: Known): string[] {
  const issue = state.issue ?? state.opening?.issue ?? "ID";
  switch (step.do) {
    case "resume":
    case "retry":
      return [resumeCommand(state)];
    case "judge":
      return step.verdicts.map((verdict) => `monoco issue review ${issue} ${verdictFlags[verdict]}`);
    case "answer":
      return [`monoco relay answer ${issue} "…"`];
    case "say":
      return [`monoco relay say ${issue} "…"`];
    case "submit":
      return [`monoco issue submit ${issue}`];
    case "clear":
      return [`monoco relay clear ${issue}`];
    case "open":
      return [openingCommand(issue)];
    case "raise":
    case "by_hand":
      return [];
  }
}

const verdictFlags = { approve: "--approve", request_changes: '--request-changes -m "…"' } as const;

function stepWords(step: Step, state: Known): string {
  const [command = ""] = commandsOf(step, state);
  switch (step.do) {
    case "judge": {
      const flags = step.verdicts.map((verdict) => verdictFlags[verdict]).join(" or ");
      return `monoco issue review ${state.opening?.issue ?? "ID"} --show, then ${flags}`;
    }
    case "raise":
      return `raise ${step.where}`;
    case "by_hand":
      return step.what;
    default:
      return "note" in step && step.note !== undefined ? `${command} (${step.note})` : command;
  }
}
