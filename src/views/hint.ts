/** The only place that spells a hint: as commands for a person to type, and in words. */
import type { Advice, Hint, Step, Way } from "../core/error/hint-schema.ts";
import { loopPrefix } from "../core/issue/name.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { shellWord } from "../core/text/shell.ts";
import { t } from "../core/language/translate.ts";

/** `issue` names the issue if no relay is open; `remote`: the relay is on the remote. */
type HintContext = Pick<RelayState, "opening"> & { issue?: string; remote?: boolean };

/** `A, then B; or C`. A step that only tries again comes last. */
export function hintWords(hint: Hint, state: HintContext): string {
  return hint.map((way) => wayWords(way, state)).join(t`; or `);
}

/** Approving work resumes its relay, and `--request-changes` prints the command that does. So the hint mentions `resume` only if there is nothing to approve. */
function wayWords(way: Way, state: HintContext): string {
  const [first, second] = way;
  const [words = "", ...others] = way.map((step) => stepWords(step, state));
  if (first?.do !== "judge" || second?.do !== "resume") return [words, ...others].join(t`, then `);
  return first.verdicts.includes("approve") ? words : t`${words} and ${others.join(t`, then `)}`;
}

/** An error's advice, for a person. */
export function adviceWords(advice: Advice): string {
  return typeof advice === "string" ? advice : hintWords(advice, {});
}

/** The first way, on one line, without notes. For a verdict it is the look, which names the commands that give one. */
export function firstWay(hint: Hint, state: HintContext): string {
  const [way = []] = hint;
  if (asksToJudge(hint))
    return `monoco issue review ${state.issue ?? state.opening?.issue ?? "ID"}${thereFlag(state)}`;
  return way.map((step) => commandsOf(step, state)[0] ?? stepWords(step, state)).join(t`, then `);
}

/** The command that resumes a relay. What its last run set by flags stays with it; a policy file is read again. */
export function resumeCommand({ opening }: Pick<RelayState, "opening">): string {
  const policy = opening?.policy === undefined ? "" : ` --policy ${shellWord(opening.policy)}`;
  return `monoco resume ${opening?.issue ?? "ID"}${policy}`;
}

/** Whether the first way is a verdict: monoco issue review. */
export function asksToJudge(hint: Hint): boolean {
  return hint[0]?.[0]?.do === "judge";
}

/** The command that handles many issues at once. */
export const manyAtOnce = {
  approval: "monoco issue review --next",
  idle: "monoco inbox --idle --ids | xargs monoco resume",
  all: "monoco inbox --all",
  ready: "monoco run --all",
  lint: "monoco issue lint",
} as const;

/** The alternative commands of a step, quoted for a shell; empty for a step that a person does by hand. */
export function commandsOf(step: Step, state: HintContext): string[] {
  const issue = ("issue" in step ? step.issue : undefined) ?? state.issue ?? state.opening?.issue ?? "ID";
  const there = thereFlag(state);
  const resume = state.opening ? resumeCommand(state) : `monoco resume ${issue}`;
  switch (step.do) {
    case "judge":
      return step.verdicts.map((verdict) => `monoco issue review ${issue}${there} ${verdictFlags[verdict]}`);
    case "open":
      return [issue.startsWith(loopPrefix) ? "monoco loop PROMPT.md" : `monoco run ${issue}${there}`];
    case "move":
      return [commandFor(step.by, issue)];
    case "import":
      return [`monoco import ${step.from}${step.as === undefined ? "" : ` --as ${step.as}`}`];
    case "init_ci":
      return [`monoco init --ci ${step.service}`];
    case "raise":
    case "by_hand":
      return [];
    case "resume":
    case "retry":
      return [state.remote ? `monoco run ${issue}${there}` : resume];
    default:
      return [simple[step.do](issue, there)];
  }
}

const thereFlag = ({ remote }: HintContext): string => (remote ? " --remote" : "");

const simple = {
  answer: (issue: string, there: string): string => `monoco answer ${issue}${there} "…"`,
  say: (issue: string, there: string): string => `monoco say ${issue}${there} "…"`,
  submit: (issue: string, there: string): string => `monoco issue submit ${issue}${there}`,
  clear: (issue: string): string => `monoco relay clear ${issue}`,
  log: (issue: string): string => `monoco log ${issue}`,
  create: (): string => "monoco issue create",
  init: (): string => "monoco init",
  list_settings: (): string => "monoco config show",
  lint: (): string => "monoco issue lint",
  heal: (): string => "monoco doctor --fix",
  update: (): string => "monoco run --update",
} as const;

/** The command for each step of an issue without an open relay; an open relay handles submissions and verdicts itself. */
export function commandFor(step: string, id: string): string {
  if (step === "submit") return `monoco issue submit ${id} --by-hand`;
  if (step === "request_changes") return `monoco issue review ${id} ${verdictFlags.request_changes}`;
  return `monoco issue ${step === "accept" ? "close" : step} ${id}`;
}

const verdictFlags = { approve: "--approve", request_changes: '--request-changes -m "…"' } as const;

function stepWords(step: Step, state: HintContext): string {
  const [command = ""] = commandsOf(step, state);
  switch (step.do) {
    case "judge": {
      const flags = step.verdicts.map((verdict) => verdictFlags[verdict]).join(t` or `);
      return t`monoco issue review ${state.opening?.issue ?? "ID"} ${state.remote ? "--remote" : "--show"}, then ${flags}`;
    }
    case "raise":
      return t`raise ${step.where}`;
    case "by_hand":
      return step.what;
    default:
      return "note" in step && step.note !== undefined ? t`${command} (${step.note})` : command;
  }
}
