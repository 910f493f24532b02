/** The result of a run of one relay: its lines at a terminal or its JSON, and its exit code. */
import { timeOf } from "../../core/text/figures.ts";
import { exitCodes } from "../../core/error/error.ts";
import { hintWords, resumeCommand } from "../../views/hint.ts";
import { plainHint, plainLine } from "../../core/text/sanitize.ts";
import { becauseOf } from "../../core/reason/reason.ts";
import { becauseIn } from "../../core/report/report.ts";
import { tellingOf } from "../../views/status.ts";
import { settingsOf } from "../../relay/relay.ts";
import type { Relay } from "../../relay/relay.ts";
import type { RunEnd } from "../../relay/run-relay.ts";
import type { RunFlags } from "./run-flags.ts";
import { printJson } from "../../views/json.ts";
import type { Screen } from "../../views/terminal.ts";
import { t } from "../../core/language/translate.ts";
import { named } from "../../core/language/names.ts";

export type RunContext = { flags: RunFlags; screen: Screen };

export function tell(relay: Relay, end: RunEnd, { flags, screen }: RunContext): number {
  const { issue } = relay;
  const code = codeOf(end);
  const report = tellingOf(relay.state, { runnerAlive: false, nowMs: relay.nowMs() });
  // The decision also used facts outside the journal, which `report` does not have.
  const rest = end.end === "rest" && {
    because: becauseIn(relay.state, end.rest.reason),
    rule: end.rest.reason.rule,
    hint: hintWords(end.rest.hint, relay.state),
  };
  if (flags.json) printJson({ ...report, ...rest, exitCode: code });
  if (end.end !== "rest") screen.line({ tone: "plain", text: `${issue}  ${endWords(end, relay)}` });
  else {
    const { phase, reason, hint } = end.rest;
    // The block was already reported when it was journaled.
    if (phase !== "blocked") {
      const because = plainLine(becauseIn(relay.state, reason), 800);
      const said = t`${named(phase)}: ${because}` + verifyWords(relay, end.rest);
      screen.line({ tone: tones[phase], text: `${issue}  ${said}` });
    }
    if (hint.length > 0)
      screen.line({ tone: "dim", text: t`${issue}  hint: ${plainHint(hintWords(hint, relay.state))}` });
  }
  return code;
}

/** Names the command that anybody can run on the merge, where it was merged here, is on the base and has a record. */
function verifyWords(relay: Relay, { reason }: Extract<RunEnd, { end: "rest" }>["rest"]): string {
  if (reason.rule !== "merged" || reason.missing !== undefined) return "";
  if (relay.state.opening?.pulled !== undefined || settingsOf(relay).attest === "off") return "";
  return t`; monoco verify ${reason.commit.slice(0, 8)} runs its evidence again`;
}

const tones = {
  none: "bad",
  done: "good",
  pull_request: "plain",
  paused: "bad",
  cancelled: "bad",
} as const;

function endWords(end: Exclude<RunEnd, { end: "rest" }>, { state }: Relay): string {
  const goesOn = resumeCommand(state);
  if (end.end === "interrupted") return t`interrupted; nothing is lost: ${goesOn}`;
  if (end.end === "closed") return t`the time of --until has come: ${goesOn} goes on`;
  if (end.end === "once") return t`one session has run: ${goesOn} goes on`;
  return t`${becauseOf(end.reason)}: try again at ${timeOf(end.untilMs, Date.now())} (or use --wait)`;
}

/** The exit code. A relay whose agents need a person has that of an agent that is not installed. */
function codeOf(end: RunEnd): number {
  if (end.end === "interrupted") return exitCodes.interrupted;
  if (end.end === "later" || end.end === "closed") return exitCodes.later;
  if (end.end === "once") return exitCodes.person;
  if (end.rest.phase === "done") return 0;
  const { reason } = end.rest;
  if (reason.rule === "pull_request") return reason.seen?.pending.length ? exitCodes.later : 0;
  if (end.rest.phase === "none") return exitCodes.input;
  return reason.rule === "needs_person" ? exitCodes.agent : exitCodes.person;
}
