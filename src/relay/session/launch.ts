/** Starts an agent's process for a session: in its clone, with its marker and lock, and a scrubbed environment. */
import { scrubbedEnvironment, secretsIn } from "../../agents/environment.ts";
import { writeAtomically } from "../../store/durable.ts";
import { markOf } from "../../store/mark.ts";
import { spawnChild } from "../../agents/child.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent, AgentSettings, Answer, Launch } from "../../agents/agent.ts";
import { hidesWords } from "../../core/home/home-files.ts";
import { t } from "../../core/language/translate.ts";
import { isSandbox } from "../../core/report/sandbox.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import type { Child } from "../../agents/child.ts";
import type { Containment } from "../../agents/containment.ts";
import type { Role } from "../../core/settings/agent-kinds.ts";
import { streamBytesMax } from "../../core/limits.ts";
import type { SessionPlaces } from "../../store/places.ts";
import { criteriaNow } from "../contract.ts";
import { settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import type { NetworkView } from "../../agents/network/words.ts";
import type { View } from "../../agents/mounts.ts";
import { hiddenBy } from "../home/hidden.ts";
import { agentNeeds, keepLinks } from "../home/agent-home.ts";
import { secretsOf, withLogin } from "../home/profile-login.ts";
import type { ProfileLogin } from "../home/profile-login.ts";
import { filesIn, viewOf } from "../sandbox.ts";

/** The part of a start that stays the same when the conversation is continued. */
export type Starting = {
  session: number;
  role: Role;
  agent: Agent;
  settings: AgentSettings;
  places: SessionPlaces;
  folder: string;
  agentSessionId: string;
  /** The session's lock, held by its processes as long as any is alive. */
  lockFd: number;
  /** The session's own TMPDIR. */
  temporary: string;
  containment: Containment;
  login: ProfileLogin | undefined;
  network: NetworkView | undefined;
  /** The Reviewer is asked again about a verdict that does not count yet. */
  isAskedAgain: boolean;
};

export type Turn = {
  prompt: string;
  resume: boolean;
  /** The answer to expect, by a schema if the agent supports one. */
  answer?: Answer;
  onUpdates(updates: AgentUpdate[]): void;
  onFlood(): void;
};

/** An agent process that takes messages. */
export type RunningAgent = Child & {
  /** Sends the agent a message now, if it takes any. */
  tell(text: string): void;
};

/** Starts the agent; its process identity is durable on return. */
export function startAgent(relay: Relay, starting: Starting, turn: Turn): RunningAgent {
  const { agent, places, session, role } = starting;
  const launch = agent.launch({
    role,
    session,
    sessionOfRole: relay.state.sessions.filter((record) => record.role === role).length,
    prompt: turn.prompt,
    workspace: starting.folder,
    sessionDir: places.folder,
    agentSessionId: starting.agentSessionId,
    resume: turn.resume,
    ...(turn.answer === undefined ? {} : { answer: turn.answer }),
    monoco: relay.monoco,
    settings: starting.settings,
  });
  for (const file of launch.files) writeFileSync(file.path, file.text);
  const dialogue = agent.dialogue(turn.prompt);
  const env = withLogin(environmentOf(relay, starting, launch.env), starting.login);
  const isHeld = isSandbox(starting.containment);
  const keep = isHeld ? keepLinks(relay, { ...starting.settings, env }) : <T>(exit: T): T => exit;
  const view = isHeld ? viewFor(relay, starting, { ...launch, env }) : undefined;
  const child = spawnChild({
    argv: launch.argv,
    cwd: starting.folder,
    env,
    stdin: launch.stdin,
    keepStdinOpen: launch.keepStdinOpen,
    lockFd: starting.lockFd,
    marker: markerOf(relay),
    containment: starting.containment,
    view,
    stdoutFile: places.stream,
    stderrFile: places.stderr,
    bytesMax: streamBytesMax,
    masked: [...secretsIn(relay.env, settingsOf(relay).env), ...secretsOf(starting.login)],
    onLine: (line) => {
      const updates = dialogue.read(line);
      for (const update of updates) if (update.type === "reply") child.write(update.text);
      turn.onUpdates(updates);
    },
    onFlood: turn.onFlood,
  });
  try {
    writeAtomically(places.identity, JSON.stringify(child.identity ?? {}));
  } catch (error) {
    // The disk may be full; without a record nobody would watch the process.
    void child.stop(0);
    throw error;
  }
  const tell = (text: string): void => {
    const line = dialogue.message(text);
    if (line !== undefined) child.write(line);
  };
  const exited = child.exited.then((exit) => {
    const hidden = view && exit.exitCode !== 0 ? hiddenBy(relay, view, child.stderrTail()) : [];
    const text = t`session ${session} failed${hidesWords(hidden)}`;
    if (hidden.length > 0) relay.onProgress({ type: "warning", text });
    return keep(exit);
  });
  return { ...child, exited, tell };
}

/**
 * An agent's view: clone, outbox and its CLI's folders are writable; of monoco's files only the session's folder is visible.
 */
function viewFor(
  relay: Relay,
  { role, settings, places, folder, temporary, network }: Starting,
  { argv, env }: Launch,
): View {
  const own = { ...settings, env };
  const { read, write, secret } = agentNeeds(relay, settingsOf(relay), own);
  const homes = join(places.folder, "gemini-home");
  if (settings.kind === "gemini") mkdirSync(homes, { recursive: true });
  const view = viewOf(relay, settingsOf(relay), {
    read: [...filesIn(argv, env), places.folder, ...read],
    write: [folder, places.outbox, temporary, homes, ...write],
    secret,
    caches: role === "executor" ? "sessions" : "none",
    clone: folder,
  });
  return { ...view, network };
}

/** The variable that marks every process of a session for the sweep, also its checks, which see nothing of monoco. */
export function markerOf(relay: Relay): string {
  const { name, value } = markOf(relay.places.relay);
  return `${name}=${value}`;
}

function environmentOf(
  relay: Relay,
  { agent, folder, temporary, role, session, places, isAskedAgain }: Starting,
  launch: Readonly<Record<string, string>>,
): Record<string, string> {
  const { name, value } = markOf(relay.places.relay);
  return scrubbedEnvironment(relay.env, {
    names: [...agent.passEnv, ...settingsOf(relay).env.checks],
    binFolder: relay.binFolder,
    clone: folder,
    own: {
      TMPDIR: temporary,
      ...launch,
      MONOCO_ISSUE: relay.issue,
      MONOCO_ROLE: role,
      MONOCO_SESSION: String(session),
      ...(role === "reviewer" ? { MONOCO_CRITERIA: String(criteriaNow(relay).length) } : {}),
      ...(isAskedAgain && { MONOCO_ASKED_AGAIN: "1" }),
      MONOCO_SESSION_DIR: places.folder,
      [name]: value,
    },
  });
}
