/** One session, from its preparation to its recorded end: prepare, launch, watch, stop, classify. */
import { hash, randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent, AgentSettings } from "../../agents/agent.ts";
import { continuityOf, costBefore } from "../../core/relay/continuity.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Role } from "../../core/settings/roles.ts";
import { stopBlocksMax } from "../../core/limits.ts";
import type { Live } from "../../core/session/live.ts";
import { priceOf } from "../../core/settings/price.ts";
import { shellWord } from "../../core/text/shell.ts";
import type { SessionPlaces } from "../../store/places.ts";
import { allowanceNow, decideNow } from "../around.ts";
import { chooseAgent } from "./choose-agent.ts";
import { collect } from "./collect.ts";
import type { WhoRan } from "./collect.ts";
import { askForHandoff } from "./last-words.ts";
import { versionWords } from "../../core/session/version.ts";
import { startAgent } from "./launch.ts";
import type { Starting } from "./launch.ts";
import { keepJournalCopy } from "../journal-copy.ts";
import { limitsOf, openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { contractNow } from "../review/contract.ts";
import { composeFor } from "./briefing.ts";
import type { SessionPlan } from "./briefing.ts";
import { nothingSeen } from "./observations.ts";
import { makeTemporary } from "./temporary.ts";
import { watchSession } from "./watch.ts";
import { waitForLock } from "../wait-for-lock.ts";
import type { NewEvent } from "../../store/journal.ts";

/** A clone, the commit that work begins from there, and where the base stands in it. */
export type Workspace = { folder: string; head: string; base?: string };

/** Runs the next session to its recorded end. The workspace is ready, and nothing of an earlier session is alive. */
export async function runSession(relay: Relay, plan: SessionPlan, workspace: Workspace): Promise<void> {
  const session = relay.state.sessions.length + 1;
  const { name, agent, settings } = chooseAgent(relay, settingsOf(relay), {
    role: plan.role,
    names: plan.agents,
  });
  const places = relay.places.session(session, plan.role);
  const lock = relay.edges.lock.tryLock(relay.places.sessionLock);
  if (!lock) {
    throw new MonocoError("conflict", `${relay.issue}: an earlier session's processes are still alive`, {
      hint: `monoco relay status ${relay.issue} shows them; run again when they are gone`,
    });
  }
  const temporary = makeTemporary(relay);
  try {
    makeSessionFolder(places, relay.nowMs());
    if (plan.role === "executor") writeFileSync(relay.places.workspaceUsed, "");
    const handoff = plan.role === "executor" ? relay.state.handoff : undefined;
    if (handoff) giveHandoff(workspace.folder, handoff.text);
    const may = allowanceNow(relay);
    const live = liveOf(relay, {
      session,
      minutes: may.minutes,
      role: plan.role,
      agent,
      folder: workspace.folder,
      given: handoff?.text ?? "",
    });
    const prompt = await composeFor(relay, { plan, session, live, agent });
    writeFileSync(places.prompt, prompt);
    const containment = relay.edges.child.probeContainment();
    const talk = conversationOf(relay, plan, { name, agent });
    const begun = await reserve(relay, plan, {
      type: "session.started",
      session,
      role: plan.role,
      agent: name,
      host: relay.host,
      run: relay.run.id,
      head: workspace.head,
      ...(workspace.base === undefined ? {} : { base: workspace.base }),
      ...(handoff ? { handoff: { session: handoff.session, sha256: handoff.sha256 } } : {}),
      ...(plan.submission === undefined ? {} : { submission: plan.submission }),
      ...talk.recorded,
      containment,
      because: plan.because + talk.because,
    });
    if (!begun) return rmSync(places.folder, { recursive: true, force: true });
    live.startedAtMs = relay.nowMs();
    live.deadlineMs = live.startedAtMs + live.sessionMinutes * 60_000;
    relay.edges.durable.writeAtomically(places.live, JSON.stringify(live));
    const seen = nothingSeen(costBefore(relay.state, session), priceOf(settingsOf(relay), settings.model));
    const watcher = watchSession({
      relay,
      session,
      places,
      agent,
      live,
      seen,
      windowTokens: settings.windowTokens,
      allowance: may,
    });
    const starting: Starting = {
      session,
      role: plan.role,
      agent,
      settings,
      places,
      folder: workspace.folder,
      agentSessionId: talk.agentSessionId,
      lockFd: lock.fd,
      temporary,
      containment,
    };
    const child = startAgent(relay, starting, {
      prompt,
      resume: talk.resume,
      onUpdates: watcher.onUpdates,
      onFlood: watcher.onFlood,
    });
    watcher.begin(child);
    const copied = keepJournalCopy(relay);
    const [exit] = await Promise.all([child.exited, copied]);
    watcher.finish();
    await askForHandoff(relay, starting, seen);
    const stderrTail = child.stderrTail();
    const hooksMissing = agent.capabilities.stopHook && !seen.hooksProved;
    await collect(relay, {
      session,
      role: plan.role,
      folder: workspace.folder,
      places,
      seen,
      exit,
      stderrTail,
      hooksMissing,
      cutShort: agent.capabilities.tellsEnd && !seen.agent,
      begun: seen.agentSessionId !== undefined,
      who: () => whoRan(relay, { name, agent, settings }),
    });
  } finally {
    lock.release();
    relay.edges.workspace.removeTree(temporary);
  }
}

/**
 * Records that the session starts, unless another relay's took the room that there was for it: whoever holds the lock sees
 * all that were started before.
 */
async function reserve(
  relay: Relay,
  plan: SessionPlan,
  started: Extract<NewEvent, { type: "session.started" }>,
): Promise<boolean> {
  const lock = await waitForLock(relay, "spending", "start a session");
  try {
    const action = await decideNow(relay);
    if (action.do !== "start" || action.role !== plan.role) return false;
    relay.record(started);
    return true;
  } finally {
    lock.release();
  }
}

/** The program behind an agent, with its version where that is known, and what to try with it; nothing of one that comes with the project. */
async function whoRan(
  relay: Relay,
  { name, agent, settings }: { name: string; agent: Agent; settings: AgentSettings },
): Promise<WhoRan | undefined> {
  const { kind, measuredOn } = agent;
  if (kind === "acp") {
    const run = [...(settings.run ?? []), ...(settings.args ?? [])].map(shellWord).join(" ");
    return { who: `${name} (${run})`, hint: "see whether it speaks the Agent Client Protocol" };
  }
  if (measuredOn === undefined) return undefined;
  const version = versionWords(await relay.versionOf(settings).catch(() => ({ said: null })));
  const login = agent.program(settings)?.login;
  // With variables of the entry's own it may be another login than a person's usual one.
  const its = Object.keys(settings.env ?? {}).length > 0 ? " with its `env`" : "";
  return {
    who: `${kind} ${version}`,
    hint: `seen on ${measuredOn}; monoco agent probe ${kind}`,
    program: login === undefined ? version : `${version}; to log in${its}: ${login}`,
  };
}

/** Under which id the agent speaks with us, and whether that is an old one. A Reviewer has none with anybody. */
function conversationOf(
  relay: Relay,
  { role }: SessionPlan,
  { name, agent }: { name: string; agent: Agent },
): {
  agentSessionId: string;
  resume: boolean;
  recorded: { agentSessionId?: string; continues?: number };
  because: string;
} {
  const { resume, takesSessionId, reserveTokens } = agent.capabilities;
  const next = { agent: name, resume, reserveTokens, nowMs: relay.nowMs() };
  const known = role === "executor" ? continuityOf(relay.state, next) : undefined;
  const agentSessionId = known?.agentSessionId ?? randomUUID();
  const continues = known?.session;
  return {
    agentSessionId,
    resume: continues !== undefined,
    recorded: {
      ...(continues !== undefined || takesSessionId ? { agentSessionId } : {}),
      ...(continues === undefined ? {} : { continues }),
    },
    because: known ? `; ${known.because}` : "",
  };
}

/** Whatever stands there already is set aside: an earlier session may have put messages, or a link, in this one's place. */
function makeSessionFolder({ folder, outbox }: SessionPlaces, nowMs: number): void {
  if (lstatSync(folder, { throwIfNoEntry: false })) renameSync(folder, `${folder}.found-${nowMs}`);
  mkdirSync(outbox, { recursive: true });
}

/** Writes RALPH.md anew: what an earlier session put in its place, a link out of the workspace say, is not followed. */
function giveHandoff(folder: string, text: string): void {
  const path = join(folder, "RALPH.md");
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, text, { flag: "wx" });
}

function liveOf(
  relay: Relay,
  session: {
    session: number;
    role: Role;
    agent: Agent;
    folder: string;
    given: string;
    /** What is left of the budgets. */
    minutes: number | undefined;
  },
): Live {
  const { base, branch, contract, title, loop } = openingOf(relay);
  const limits = limitsOf(relay);
  const { minutes = Infinity } = session;
  return {
    v: 1,
    issue: relay.issue,
    title,
    session: session.session,
    role: session.role,
    language: settingsOf(relay).language,
    workspace: session.folder,
    base,
    branch,
    contractPath: contract.path,
    checks: contractNow(relay).checks,
    checkMinutes: limits.checkMinutes,
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
