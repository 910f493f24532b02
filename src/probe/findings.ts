/** The findings of a probe's runs, from the CLI's own updates and from the requests that reached the model. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentUpdate } from "../core/session/update.ts";
import type { Finding, Findings } from "../core/session/probe.ts";
import type { Bench, ProbeRun } from "./run.ts";
import { t } from "../core/language/translate.ts";

/** The texts that the findings look for. */
export const texts = {
  prompt: "The work of the probe: write one.txt, then two.txt.",
  criterion: "the probe's open criterion is met",
  note: "A note from the probe in the middle of the work.",
  mark: "the probe says that the end is near",
} as const;

export const yes = (evidence: string): Finding => ({ found: "yes", evidence });
export const no = (evidence: string): Finding => ({ found: "no", evidence });
export const unknown = (evidence: string): Finding => ({ found: "unknown", evidence });

/** The run with the work, and whether the adapter passed the message on. */
export type Work = { run: ProbeRun; takesMessages: boolean };

type FromWork = Omit<
  Findings,
  "resume" | "structuredVerdict" | "usageLimitEvent" | "diesOnTerm" | "diesOnKill"
>;

export function fromWork({ agent, folder }: Bench, { run, takesMessages }: Work): FromWork {
  const { updates, requests } = run;
  const worked = existsSync(join(folder, "workspace", "two.txt"));
  const tails = requests.map(({ tail }) => tail);
  const within = tails.slice(1, 3).join("\n");
  const after = tails.slice(3).join("\n");
  // If the work was not done, a "no" proves nothing.
  const onceItWorked = (finding: Finding): Finding =>
    worked || finding.found === "yes" ? finding : unknown(t`the work was not done: ${lastWords(run)}`);
  return {
    headless:
      worked && !run.late && endOf(updates)?.ending === "completed"
        ? yes(t`ran its tools unasked, and ended`)
        : no(lastWords(run)),
    structuredOutput: onceItWorked(structured(updates)),
    ownSessionId: onceItWorked(
      idOf(updates) === undefined ? no(t`named no session`) : yes(t`told which session it is`),
    ),
    liveUsage: onceItWorked(usageFound(updates)),
    window: onceItWorked(windowFound(updates)),
    stopHook: onceItWorked(
      after.includes(texts.criterion)
        ? yes(t`was held back with what was left to do`)
        : no(hooksSeen(updates) ? t`stopped all the same` : t`its hooks were not seen to be loaded`),
    ),
    contextInjection: onceItWorked(
      within.includes(texts.mark)
        ? yes(t`a hook's words reached the model within the turn`)
        : no(
            agent.capabilities.contextByHook
              ? t`a hook's words did not reach the model`
              : t`no hook of ours is called after a tool`,
          ),
    ),
    messageOnInput: onceItWorked(noteFound(takesMessages, within, after)),
  };
}

function structured(updates: readonly AgentUpdate[]): Finding {
  const kinds = new Set(updates.map(({ type }) => type));
  return kinds.has("message") && (kinds.has("tool") || kinds.has("command"))
    ? yes(t`messages and tools are told apart`)
    : no(t`it told ${[...kinds].join(", ") || t`nothing`}`);
}

function usageFound(updates: readonly AgentUpdate[]): Finding {
  const end = updates.findIndex(({ type }) => type === "ended");
  const live = updates
    .slice(0, end < 0 ? updates.length : end)
    .flatMap((update) => (update.type === "usage" && update.contextTokens > 0 ? [update.contextTokens] : []));
  const figures = [...new Set(live)];
  return figures.length > 1
    ? yes(t`${figures.join(", ")} tokens`)
    : no(t`told ${figures[0] ?? t`none`} before its end`);
}

function windowFound(updates: readonly AgentUpdate[]): Finding {
  const sizes = updates.flatMap((update) =>
    update.type === "usage" && update.windowTokens !== undefined ? [update.windowTokens] : [],
  );
  return sizes.length > 0 ? yes(t`${sizes.at(-1)} tokens`) : no(t`not told; set windowTokens in monoco.yaml`);
}

function noteFound(takes: boolean, within: string, after: string): Finding {
  if (!takes) return no(t`its adapter has no way to give it one`);
  if (within.includes(texts.note)) return yes(t`reached the model within the turn`);
  return no(
    after.includes(texts.note) ? t`reached the model only after its turn` : t`never reached the model`,
  );
}

function hooksSeen(updates: readonly AgentUpdate[]): boolean {
  return updates.some(({ type }) => type === "hooks_proved");
}

export function idOf(updates: readonly AgentUpdate[]): string | undefined {
  return updates.find((update) => update.type === "identified")?.agentSessionId;
}

export function endOf(updates: readonly AgentUpdate[]) {
  return updates.findLast((update) => update.type === "ended");
}

/** How a run ended, in one line. */
export function lastWords({ updates, exit, late, stderrTail }: ProbeRun): string {
  if (exit.spawnError !== undefined) return t`could not be started: ${exit.spawnError}`;
  const end = endOf(updates);
  const parts = [
    ...(late ? [t`killed: it did not end in time`] : []),
    ...(end ? [`${end.ending}: ${end.evidence}`] : [`exit ${exit.signal ?? exit.exitCode}`]),
    stderrTail.split("\n").at(-1) ?? "",
  ];
  return parts.filter((word) => word !== "").join("; ");
}
