/** The library's interface to a loop: a prompt, an agent, a check; `run` resolves when the loop is done or cannot go on. */
import { endingWords } from "../core/reason/ending-rows.ts";
import type { News } from "../core/session/news.ts";
import { becauseOf } from "../core/reason/reason.ts";
import type { AgentSettings } from "../agents/agent.ts";
import { MonocoError } from "../core/error/error.ts";
import type { StopReason } from "../core/journal/event.ts";
import type { Role } from "../core/settings/agent-kinds.ts";
import { loopOf } from "../core/prompt/loop.ts";
import { settle } from "../core/settings/layers.ts";
import type { Settled } from "../core/settings/layers.ts";
import { keepJournalCopy } from "../relay/journal-copy.ts";
import type { Relay } from "../relay/relay.ts";
import { runRelay } from "../relay/run-relay.ts";
import { openHere } from "./here.ts";
import { openLoop } from "./loop-relay.ts";
import { currentSession, refuseFromWithin } from "./session-context.ts";
import { settledHere } from "./settings.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

export type RelayOptions = {
  /** The task. */
  prompt: string;
  /** A folder in the repository; by default the current one. */
  folder?: string;
  /** An agent by its name, or an entry of its own; by default the Executor's agent in monoco.yaml. */
  agent?: string | AgentSettings;
  /** Commands that must pass, besides the checks of monoco.yaml. */
  verify?: string | readonly string[];
  /** The word in `<promise>…</promise>`; by default COMPLETE. */
  promise?: string;
  /** The most sessions; by default 20. */
  max?: number;
  /** Review and merge the work; by default it is left on a branch. */
  review?: boolean;
  /** Wait for limits and back-offs: by default true. False ends the run with reason `later`. */
  wait?: boolean;
  /** Called after each session; true ends the run, which can go on later. */
  stopWhen?(sessions: readonly RelaySession[]): boolean | Promise<boolean>;
  onSessionStart?(session: { session: number; role: Role; agent: string; because: string }): void;
  /** Called after each session; the next session waits for it. */
  onSessionEnd?(session: RelaySession): void | Promise<void>;
};

export type RelaySession = {
  session: number;
  role: Role;
  agent: string;
  reason: StopReason;
  evidence: readonly string[];
  /** The agent's text after its last tool call. */
  text: string;
  commits: number;
  progress: boolean;
  durationMs: number;
  costUsd?: number;
};

export type RelayResult = {
  /** The last Executor's answer. */
  text: string;
  /** The sessions of this run. */
  sessions: RelaySession[];
  /** `stopped`: `stopWhen` returned true; `later`: a limit, and `wait` is false. All but `done` and `cancelled` can go on. */
  reason: "done" | "stopped" | "blocked" | "paused" | "cancelled" | "interrupted" | "later";
  because: string;
  issue: string;
  branch: string;
  /** The commit of the finished work: on the branch, or with a review the merged one. */
  commit?: string;
};

/** Nothing happens before `run`. After an early end, `run` of the same relay goes on. */
export function createRelay(options: RelayOptions): {
  run(more?: { signal?: AbortSignal }): Promise<RelayResult>;
} {
  return { run: ({ signal } = {}) => run(options, signal) };
}

async function run(options: RelayOptions, signal: AbortSignal | undefined): Promise<RelayResult> {
  if (currentSession()) {
    throw new MonocoError("input", t`a session cannot run relays`, { hint: t`do the work, or hand over` });
  }
  const here = await openHere(options.folder ?? io().cwd);
  refuseFromWithin(here.repository);
  const listener = listen(options);
  const interrupt = AbortSignal.any([listener.broken, ...(signal ? [signal] : [])]);
  const loop = loopOf({ ...options, verify: [options.verify ?? []].flat() });
  const { relay, lock } = await openLoop(
    here,
    { loop, settled: withAgent(settledHere(here), options.agent) },
    { control: { interrupt }, onProgress: () => listener.tell },
  );
  try {
    return await runToEnd(relay, options, listener);
  } finally {
    await keepJournalCopy(relay);
    lock.release();
  }
}

async function runToEnd(
  relay: Relay,
  options: RelayOptions,
  { texts, broken }: Listener,
): Promise<RelayResult> {
  const sessions: RelaySession[] = [];
  const before = relay.state.sessions.length;
  for (;;) {
    // One session at a time: the caller decides between two of them.
    const end = await runRelay(relay, { once: true, wait: () => options.wait !== false });
    broken.throwIfAborted();
    const ended = relay.state.sessions.slice(before + sessions.length).filter((record) => record.ended);
    for (const record of ended) {
      const session = sessionOf(record, texts.get(record.session) ?? []);
      sessions.push(session);
      await options.onSessionEnd?.(session);
    }
    const why = (reason: RelayResult["reason"], because: string): RelayResult =>
      resultOf(relay, { sessions, reason, because });
    if (end.end === "rest" && end.rest.phase !== "none")
      // Only the pull request is left, which is not monoco's to finish.
      return why(end.rest.phase === "pull_request" ? "done" : end.rest.phase, becauseOf(end.rest.reason));
    if (end.end === "interrupted") return why("interrupted", t`its signal was aborted`);
    if (ended.length > 0 && (await options.stopWhen?.(sessions))) return why("stopped", t`stopWhen said so`);
    if (end.end === "later" && options.wait === false) return why("later", becauseOf(end.reason));
  }
}

function resultOf(relay: Relay, so: Pick<RelayResult, "sessions" | "reason" | "because">): RelayResult {
  const { branch = "", finished, merged } = relay.state.opening ?? {};
  const commit = merged?.commit ?? finished?.commit;
  return {
    text: so.sessions.findLast(({ role }) => role === "executor")?.text ?? "",
    ...so,
    issue: relay.issue,
    branch,
    ...(commit === undefined ? {} : { commit }),
  };
}

function sessionOf(record: Relay["state"]["sessions"][number], said: readonly string[]): RelaySession {
  const { session, role, agent, costUsd } = record;
  const { reason, commits, progress, durationMs } = record.ended!;
  const evidence = endingWords(record.ended!.evidence);
  const text = said.join("\n");
  const cost = costUsd === undefined ? {} : { costUsd };
  return { session, role, agent, reason, evidence, text, commits, progress, durationMs, ...cost };
}

type Listener = {
  tell(news: News): void;
  /** The answer of each session so far. */
  texts: Map<number, string[]>;
  /** Aborted with the error that the caller's own function threw, so that the error does not cut off a busy runner. */
  broken: AbortSignal;
};

function listen({ onSessionStart }: RelayOptions): Listener {
  const controller = new AbortController();
  const texts = new Map<number, string[]>();
  const tell = (news: News): void => {
    if (news.type === "message") texts.set(news.session, [...(texts.get(news.session) ?? []), news.text]);
    if (news.type === "tool") texts.delete(news.session);
    if (news.type !== "event" || news.event.type !== "session.started") return;
    const { session, role, agent, reason } = news.event;
    try {
      onSessionStart?.({ session, role, agent, because: becauseOf(reason) });
    } catch (error) {
      controller.abort(error);
    }
  };
  return { tell, texts, broken: controller.signal };
}

/** The name of an agent that was given as an entry. */
const given = "given";

/** The caller's agent overrides every file. */
function withAgent(settled: Settled, agent: RelayOptions["agent"]): Settled {
  if (agent === undefined) return settled;
  const name = typeof agent === "string" ? agent : given;
  const entry = typeof agent === "string" ? {} : { agents: { [given]: agent } };
  const values = { ...entry, roles: { executor: { agents: [name] } } };
  return settle([{ values, at: () => ({ from: "flag", where: "createRelay" }) }, ...settled.given]);
}
