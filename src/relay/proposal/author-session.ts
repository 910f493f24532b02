/** Runs one session that proposes an issue: an agent in a temporary clone of the base, asked for one answer. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Agent, AgentSettings } from "../../agents/agent.ts";
import { spawnChild } from "../../agents/child.ts";
import type { Child } from "../../agents/child.ts";
import { scrubbedEnvironment } from "../../agents/environment.ts";
import { isSandbox } from "../../core/report/sandbox.ts";
import type { StopReason } from "../../core/journal/event.ts";
import {
  interruptGraceMs,
  proposalMs,
  stopBlocksMax,
  streamBytesMax,
  termGraceMs,
} from "../../core/limits.ts";
import type { Amounts } from "../../core/relay/budget.ts";
import type { Live } from "../../core/session/live.ts";
import { nothingSeen, see } from "../../core/session/observations.ts";
import type { Seen } from "../../core/session/observations.ts";
import { classify } from "../../core/session/outcome.ts";
import { priceOf } from "../../core/settings/price.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { writeAtomically } from "../../store/durable.ts";
import { freshMark } from "../../store/mark.ts";
import type { SessionPlaces } from "../../store/places.ts";
import type { NetworkView } from "../../agents/network/words.ts";
import type { View } from "../../agents/mounts.ts";
import { withNetwork } from "../network.ts";
import { agentNeeds, keepLinks } from "../home/agent-home.ts";
import { secretsOf, withLogin } from "../home/profile-login.ts";
import type { ProfileLogin } from "../home/profile-login.ts";
import { containmentBy, filesIn, viewOf } from "../sandbox.ts";
import type { RunnerSetup } from "../relay.ts";
import type { Evidence, StopCause } from "../../core/reason/ending-schema.ts";

export type AuthorSession = {
  agent: Agent;
  entry: AgentSettings;
  settings: Settings;
  prompt: string;
  /** The number of this session among those for the same issue, from 1. */
  attempt: number;
  places: SessionPlaces;
  /** The clone, and the session's own TMPDIR. */
  workspace: string;
  temporary: string;
  agentSessionId: string;
  login: ProfileLogin | undefined;
  /** The amounts left of the budgets. */
  may: Omit<Amounts, "sessions">;
};

/** The session's answer, its usage, and how it ended. */
export type AuthorEnd = { seen: Seen; reason: StopReason; evidence: readonly Evidence[] };

/** Resolves when no process of the session is alive. */
export async function runAuthor(runner: RunnerSetup, session: AuthorSession): Promise<AuthorEnd> {
  const { entry, settings, places, temporary } = session;
  mkdirSync(places.outbox, { recursive: true });
  mkdirSync(temporary, { recursive: true });
  const makeFolder = (): string => mkdtempSync(join(temporary, "network-"));
  const opening = { settings, env: runner.env, agent: entry, log: places.stderr, makeFolder };
  return withNetwork(opening, (network) => play(runner, { ...session, network }));
}

type Playing = AuthorSession & { network: NetworkView | undefined };

async function play(runner: RunnerSetup, session: Playing): Promise<AuthorEnd> {
  const { agent, entry, settings, places, may } = session;
  writeFileSync(places.prompt, session.prompt);
  const minutes = Math.min(settings.limits.sessionMinutes, may.minutes ?? Infinity);
  const msMax = Math.min(proposalMs, minutes * 60_000);
  const nowMs = runner.nowMs();
  writeAtomically(places.live, JSON.stringify(liveOf(session, { nowMs, msMax })));
  let seen = nothingSeen(0, priceOf(settings, entry.model));
  const stop = (because: StopCause, reason: StopReason, graceMs = termGraceMs): void => {
    if (seen.stoppedBy) return;
    seen = { ...seen, stoppedBy: { reason, because } };
    void child.stop(graceMs);
  };
  const dialogue = agent.dialogue(session.prompt);
  const child: Child = spawn(runner, session, {
    onLine: (line) => {
      for (const update of dialogue.read(line)) {
        if (update.type === "reply") child.write(update.text);
        if (update.type === "ended") child.endInput();
        seen = see(seen, update);
      }
      if (isOver(seen, may)) stop({ rule: "budget_spent" }, "budget");
    },
    onFlood: () => stop({ rule: "flooded", megabytesMax: streamBytesMax / 1024 ** 2 }, "failure"),
  });
  const minutesMax = Math.round(msMax / 60_000);
  const late: StopCause = { rule: "time_mark", usedMinutes: minutesMax, allowedMinutes: minutesMax };
  const timer = setTimeout(() => stop(late, "timeout"), msMax);
  const { interrupt } = runner.control;
  const interrupted = (): void => stop({ rule: "interrupted" }, "user_interrupt", interruptGraceMs);
  interrupt.addEventListener("abort", interrupted);
  if (interrupt.aborted) interrupted();
  const exit = await child.exited;
  interrupt.removeEventListener("abort", interrupted);
  clearTimeout(timer);
  const outcome = classify({
    ...exit,
    role: "executor",
    stoppedBy: seen.stoppedBy,
    submitted: false,
    handedOver: false,
    question: seen.question,
    verdict: "none",
    agent: seen.agent,
    cutShort: agent.capabilities.tellsEnd && !seen.agent,
    limitText: seen.limit?.text,
    compacted: seen.compacted,
    stderrTail: child.stderrTail(),
  });
  return { seen, ...outcome };
}

function isOver({ tokens, costUsd }: Seen, may: AuthorSession["may"]): boolean {
  return (tokens ?? 0) > (may.tokens ?? Infinity) || (costUsd ?? 0) > (may.costUsd ?? Infinity);
}

function spawn(
  runner: RunnerSetup,
  { agent, entry, settings, prompt, attempt, places, workspace, temporary, ...session }: Playing,
  listen: { onLine(line: string): void; onFlood(): void },
): Child {
  const { agentSessionId, network, login } = session;
  const launch = agent.launch({
    role: "executor",
    session: attempt,
    sessionOfRole: attempt,
    prompt,
    workspace,
    sessionDir: places.folder,
    agentSessionId,
    resume: false,
    answer: "proposal",
    monoco: runner.monoco,
    settings: entry,
  });
  for (const file of launch.files) writeFileSync(file.path, file.text);
  const mark = freshMark();
  const passed = scrubbedEnvironment(runner.env, {
    names: agent.passEnv,
    binFolder: runner.binFolder,
    clone: workspace,
    own: {
      TMPDIR: temporary,
      ...launch.env,
      MONOCO_ROLE: "author",
      MONOCO_SESSION: String(attempt),
      MONOCO_SESSION_DIR: places.folder,
      [mark.name]: mark.value,
    },
  });
  const env = withLogin(passed, login);
  const containment = containmentBy(settings, "executor");
  const view = (): View => {
    const { read, write, secret } = agentNeeds(runner, settings, { ...entry, env });
    const seen = viewOf(runner, settings, {
      read: [...filesIn(launch.argv, env), places.folder, ...read],
      write: [workspace, places.outbox, temporary, join(places.folder, "gemini-home"), ...write],
      secret,
      caches: "sessions",
      clone: workspace,
    });
    return { ...seen, network };
  };
  const isHeld = isSandbox(containment);
  const keep = isHeld ? keepLinks(runner, { ...entry, env }) : <T>(exit: T): T => exit;
  const child = spawnChild({
    argv: launch.argv,
    cwd: workspace,
    env,
    stdin: launch.stdin,
    keepStdinOpen: launch.keepStdinOpen,
    marker: `${mark.name}=${mark.value}`,
    containment,
    view: isHeld ? view() : undefined,
    stdoutFile: places.stream,
    stderrFile: places.stderr,
    bytesMax: streamBytesMax,
    masked: secretsOf(login),
    ...listen,
  });
  return { ...child, exited: child.exited.then(keep) };
}

/** The live file for the session's commands and hooks; the session may stop once it has answered. */
function liveOf(
  { settings, places, workspace }: AuthorSession,
  { nowMs, msMax }: { nowMs: number; msMax: number },
): Live {
  const minutes = msMax / 60_000;
  return {
    v: 1,
    issue: basename(places.folder),
    title: "",
    session: 1,
    role: "executor",
    language: settings.language,
    workspace,
    base: settings.base,
    branch: settings.base,
    contractPath: join("issues", "none.md"),
    checks: [],
    checkMinutes: settings.limits.checkMinutes,
    handoffGiven: "",
    startedAtMs: nowMs,
    deadlineMs: nowMs + msMax,
    sessionMinutes: minutes,
    minutesMax: minutes,
    toolCalls: 0,
    verdictBySchema: false,
    letStop: "it was asked for an answer, and for no work",
    stopBlocksMax,
  };
}
