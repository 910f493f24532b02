/** One session, from its preparation to its recorded end: prepare, launch, watch, stop, classify. */
import { writeAtomically } from "../../store/durable.ts";
import { removeAside } from "../../git/folders.ts";
import { tryLock } from "../../store/lock.ts";
import type { ConversationReason } from "../../core/reason/conversation-schema.ts";
import { hash, randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Agent, AgentSettings } from "../../agents/agent.ts";
import { askedAgain, continuityOf, costBefore } from "../../core/relay/continuity.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Role } from "../../core/settings/agent-kinds.ts";
import { stopBlocksMax } from "../../core/limits.ts";
import type { Live } from "../../core/session/live.ts";
import { priceOf } from "../../core/settings/price.ts";
import type { SessionPlaces } from "../../store/places.ts";
import { allowanceNow, decideNow } from "../around.ts";
import { besideAgent } from "./beside.ts";
import { chooseAgent } from "../choose-agent.ts";
import { collect } from "./collect.ts";
import type { Left } from "./work.ts";
import { askForHandoff } from "./last-words.ts";
import { giveHandoff } from "./own-handoff.ts";
import { askWhetherDone } from "./closing-question.ts";
import { startAgent } from "./launch.ts";
import { whoRan } from "./who-ran.ts";
import type { Starting } from "./launch.ts";
import { reserveStatus } from "../../agents/sandbox.ts";
import { networkRecorded, withNetworkOf } from "../network.ts";
import { profileLogin } from "../home/profile-login.ts";
import { suspendForPerson, whatIsOld } from "../suspensions.ts";
import { containmentBy } from "../sandbox.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { contractNow } from "../contract.ts";
import { composeFor } from "./briefing.ts";
import type { SessionPlan } from "./briefing.ts";
import { nothingSeen } from "../../core/session/observations.ts";
import { makeTemporary } from "../temporary.ts";
import { watchSession } from "./watch.ts";
import { waitForLock } from "../wait-for-lock.ts";
import type { NewEvent } from "../../store/journal.ts";
import { t } from "../../core/language/translate.ts";

/** A clone, the commit at which its work begins, and the base's commit in it. */
export type Workspace = { folder: string; head: string; base?: string };

/** The agent of a session, with its settings and folders. */
type Player = { session: number; name: string; agent: Agent; settings: AgentSettings } & Pick<
  Starting,
  "places" | "containment" | "login"
>;

/** Runs the next session to its recorded end; none if its agent lacks a login or a newer program. The workspace is ready, and no process of an earlier session is alive. */
export async function runSession(relay: Relay, plan: SessionPlan, workspace: Workspace): Promise<void> {
  const session = relay.state.sessions.length + 1;
  const chosen = chooseAgent(relay, settingsOf(relay), { role: plan.role, names: plan.agents });
  const containment = containmentBy(settingsOf(relay), plan.role);
  const found =
    (await whatIsOld(relay, chosen)) ??
    (await profileLogin(relay, settingsOf(relay), { ...chosen, containment }));
  if ("lacks" in found) return suspendForPerson(relay, chosen.name, found);
  const places = relay.places.session(session, plan.role);
  const player = { session, ...chosen, ...found, places, containment };
  const lock = tryLock(relay.places.sessionLock);
  if (!lock) {
    throw new MonocoError("conflict", t`${relay.issue}: an earlier session's processes are still alive`, {
      hint: t`monoco status ${relay.issue} shows them; run again when they are gone`,
    });
  }
  const temporary = makeTemporary(relay);
  let tidied: Promise<void> | undefined;
  const tidy = (): Promise<void> => (tidied ??= removeAside(temporary));
  try {
    reserveStatus(lock.fd);
    await play(relay, player, { plan, workspace, lockFd: lock.fd, temporary, tidy });
  } finally {
    lock.release();
    await tidy();
  }
}

/** The minutes of the budgets, or less where the run ends before: a minute is left for the handover. */
function minutesLeft(
  { control: { untilMs }, nowMs }: Relay,
  minutes: number | undefined,
): number | undefined {
  if (untilMs === undefined) return minutes;
  return Math.max(1, Math.min(minutes ?? Infinity, (untilMs - nowMs()) / 60_000 - 1));
}

type Stage = {
  plan: SessionPlan;
  workspace: Workspace;
  lockFd: number;
  temporary: string;
  /** Removes the temporary folder. */
  tidy(): Promise<void>;
};

async function play(relay: Relay, player: Player, stage: Stage): Promise<void> {
  const { session, name, agent, settings, places, containment, login } = player;
  const { plan, workspace, lockFd, temporary, tidy } = stage;
  const { role } = plan;
  const { folder } = workspace;
  makeSessionFolder(places, relay.nowMs());
  if (role === "executor") writeFileSync(relay.places.workspaceUsed, "");
  const handoff = role === "executor" ? openingOf(relay).handoff : undefined;
  if (handoff) giveHandoff(folder, handoff.text);
  const may = allowanceNow(relay);
  const given = handoff?.text ?? "";
  const minutes = minutesLeft(relay, may.minutes);
  const live = liveOf(relay, { session, minutes, role, agent, folder, given });
  const prompt = await composeFor(relay, { plan, session, live, agent });
  writeFileSync(places.prompt, prompt);
  const talk = conversationOf(relay, plan, { name, agent });
  const begun = await reserve(relay, plan, {
    type: "session.started",
    session,
    role,
    agent: name,
    host: relay.host,
    run: relay.run.id,
    head: workspace.head,
    ...(workspace.base === undefined ? {} : { base: workspace.base }),
    ...(handoff ? { handoff: { session: handoff.session, sha256: handoff.sha256 } } : {}),
    ...(plan.submission === undefined ? {} : { submission: plan.submission }),
    ...talk.recorded,
    containment,
    ...networkRecorded(settingsOf(relay)),
    reason: { ...plan.reason, ...talk.reason },
  });
  if (!begun) return rmSync(places.folder, { recursive: true, force: true });
  live.startedAtMs = relay.nowMs();
  live.deadlineMs = live.startedAtMs + live.sessionMinutes * 60_000;
  writeAtomically(places.live, JSON.stringify(live));
  const { agentSessionId } = talk;
  const starting = {
    session,
    role,
    agent,
    settings,
    places,
    folder,
    agentSessionId,
    lockFd,
    temporary,
    containment,
    login,
    isAskedAgain: plan.reason.rule === "verdict_not_counted",
  };
  const turn = { prompt, resume: talk.resume, live, allowance: may };
  const ran = await withNetworkOf(relay, { agent: settings, session, log: places.stderr }, (view) =>
    runAgent(relay, { ...starting, network: view }, turn),
  );
  // No process that uses the folder is alive.
  void tidy();
  await collect(relay, {
    session,
    role,
    folder,
    places,
    ...ran,
    hooksMissing: agent.capabilities.stopHook && !ran.seen.hooksProved,
    cutShort: agent.capabilities.tellsEnd && !ran.seen.agent,
    begun: ran.seen.agentSessionId !== undefined,
    who: () => whoRan(relay, player),
  });
}

/** Runs the agent's process to its end, with the turns that may follow. */
async function runAgent(
  relay: Relay,
  starting: Starting,
  turn: { prompt: string; resume: boolean; live: Live; allowance: ReturnType<typeof allowanceNow> },
): Promise<Pick<Left, "seen" | "exit" | "stderrTail">> {
  const { session, places, agent, settings } = starting;
  const { live, allowance } = turn;
  const seen = nothingSeen(costBefore(relay.state, session), priceOf(settingsOf(relay), settings.model));
  const { windowTokens } = settings;
  const watcher = watchSession(relay, { session, places, agent, live, seen, windowTokens, allowance });
  const { onUpdates, onFlood } = watcher;
  const child = startAgent(relay, starting, { ...turn, onUpdates, onFlood });
  watcher.begin(child);
  const beside = besideAgent(relay, watcher.fail);
  const [exit] = await Promise.all([child.exited, beside.done]);
  beside.end();
  const handedOver = await askForHandoff(relay, starting, watcher.finish());
  const seenAll = exit.exitCode === 0 ? await askWhetherDone(relay, starting, handedOver) : handedOver;
  return { seen: seenAll, exit, stderrTail: child.stderrTail() };
}

/** Records the session's start, unless another relay has used up the room. The lock's holder sees every earlier start. */
async function reserve(
  relay: Relay,
  plan: SessionPlan,
  started: Extract<NewEvent, { type: "session.started" }>,
): Promise<boolean> {
  const lock = await waitForLock(relay, "spending", t`interrupted while waiting to start a session`);
  try {
    const action = await decideNow(relay);
    if (action.do !== "start" || action.role !== plan.role) return false;
    relay.record(started);
    return true;
  } finally {
    lock.release();
  }
}

/** The id of the conversation, and whether it continues an earlier one. */
function conversationOf(
  relay: Relay,
  { role, reason: { rule }, submission }: SessionPlan,
  { name, agent }: { name: string; agent: Agent },
): {
  agentSessionId: string;
  resume: boolean;
  recorded: { agentSessionId?: string; continues?: number };
  reason: { conversation?: ConversationReason };
} {
  const { resume, takesSessionId, reserveTokens } = agent.capabilities;
  const next = { agent: name, resume, reserveTokens, nowMs: relay.nowMs() };
  const opening = openingOf(relay);
  const conversation =
    role === "executor"
      ? continuityOf(opening, next)
      : rule === "verdict_not_counted"
        ? askedAgain(opening, { ...next, submission })
        : undefined;
  const agentSessionId = conversation?.agentSessionId ?? randomUUID();
  const continues = conversation?.session;
  return {
    agentSessionId,
    resume: continues !== undefined,
    recorded: {
      ...(continues !== undefined || takesSessionId ? { agentSessionId } : {}),
      ...(continues === undefined ? {} : { continues }),
    },
    reason: conversation ? { conversation: conversation.reason } : {},
  };
}

/** Moves aside whatever is at this path: an earlier session may have planted messages or a link. */
function makeSessionFolder({ folder, outbox }: SessionPlaces, nowMs: number): void {
  if (lstatSync(folder, { throwIfNoEntry: false })) renameSync(folder, `${folder}.found-${nowMs}`);
  mkdirSync(outbox, { recursive: true });
}

function liveOf(
  relay: Relay,
  session: {
    session: number;
    role: Role;
    agent: Agent;
    folder: string;
    given: string;
    /** The minutes left of the budgets. */
    minutes: number | undefined;
  },
): Live {
  const { base, branch, contract, title, loop } = openingOf(relay);
  const { language, shell, env, limits } = settingsOf(relay);
  const { minutes = Infinity } = session;
  return {
    v: 1,
    issue: relay.issue,
    title,
    session: session.session,
    role: session.role,
    language,
    workspace: session.folder,
    base,
    branch,
    contractPath: contract.path,
    checks: contractNow(relay).checks,
    checkMinutes: limits.checkMinutes,
    ...(shell !== undefined && { shell }),
    env: env.checks,
    handoffGiven: session.given === "" ? "" : hash("sha256", session.given),
    startedAtMs: 0,
    deadlineMs: 0,
    sessionMinutes: Math.min(limits.sessionMinutes, minutes),
    minutesMax: Math.min(2 * limits.sessionMinutes, minutes),
    toolCalls: 0,
    verdictBySchema: session.agent.capabilities.verdictBySchema,
    stopBlocksMax,
    ...(loop ? { loop: { prompt: loop.prompt, promise: loop.promise } } : {}),
  };
}
