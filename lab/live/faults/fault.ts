/** The faults that a session with a real CLI meets, and the form of what is expected of one: a cell of the table vendor × fault. */
import type { AgentSettings, StopReason } from "../../../src/index.ts";
import type { Conversation, ModelRequest, Turn } from "../../../src/probe/scripted-model.ts";
import type { Setup } from "../subject.ts";

/** Those of every vendor, as the title of a test tells them. */
export const faults = {
  busy: "whose server is busy", // TRAP 14
  "busy-for-long": "whose server names a time until which it is busy",
  "server-error": "whose server breaks", // TRAP 11
  overloaded: "whose server is overloaded",
  "connection-cut": "whose stream is cut again and again",
  "no-server": "whose server is not there",
  "never-answers": "whose model never answers",
  "silent-stream": "whose model falls silent in the middle of an answer",
  unauthorized: "whose login is refused", // TRAP 15
  "not-logged-in": "without a login", // TRAP 15
  forbidden: "that may not do what it asks", // TRAP 15
  "no-credit": "without credit", // TRAP 15
  "no-such-model": "with a model that is not there", // TRAP 15
  "usage-limit": "whose plan is used up", // TRAP 14
  "context-full": "whose context is full", // TRAP 13
  "cut-answer": "whose answer is cut off at its most tokens", // TRAP 11
  refusal: "whose answer a filter withholds",
  denied: "to which a person's rule denies a tool",
  terminated: "that a TERM from outside ends", // TRAP 11
  killed: "that a KILL from outside ends", // TRAP 7
  orphan: "that leaves a grandchild behind", // TRAP 7
  background: "with a command in the background", // TRAP 7
} as const;
export type Fault = keyof typeof faults;

/** One session of one vendor, and its end. */
export type Cell<
  T extends Turn = Turn,
  Config = unknown,
  R extends ModelRequest = ModelRequest,
> = Setup<Config> & {
  turns: Turns<T, R>;
  /** The reason, and parts of its evidence in this order. */
  ends: readonly [StopReason, ...ReadonlyArray<string | RegExp>];
  /** Requests that reached the model: how many, or the least and the most. */
  asked?: number | readonly [number, number];
  /** More of its entry in monoco.yaml; undefined takes a setting away. */
  agent?: { [Key in keyof AgentSettings]?: AgentSettings[Key] | undefined };
  env?: Record<string, string>;
  limits?: object;
  /** Files of the project. */
  files?: Record<string, string>;
  /** Nobody listens where the model should be. */
  unreachable?: true;
  /** When its limit is over: at a time, or so long after its end. */
  resetsAtMs?: number;
  resetsInMs?: number;
  /** In a request to the model. */
  told?: string | RegExp;
  /** Tools that were denied, as far as the agent tells. */
  denied?: string[];
  /** Files of its workspace, and what they say. */
  made?: Record<string, RegExp>;
  /** Paths from its workspace at which nothing is. */
  missing?: string[];
  /** On a machine where no namespace can be made. */
  uncontained?: true;
  /** Whether the evidence says so (TRAP 4); "either" where it depends on who is quicker. */
  hooksMissing?: true | "either";
  secondsMax?: number;
  /** Its stream is kept for the offline suite, by this name; none: by the fault's, where there is such a stream. */
  as?: string;
};

type More<T extends Turn, Config, R extends ModelRequest> = Omit<Cell<T, Config, R>, "turns" | "ends">;
type Part = string | RegExp;
type Turns<T extends Turn, R extends ModelRequest> = Conversation<T, R>["turns"];

/** The cells of one vendor, by the reason of their end: turns, parts of the evidence in their order, what else holds. */
export function cellsOf<T extends Turn, Config = unknown, R extends ModelRequest = ModelRequest>() {
  type Given = Turns<T, R> | Turns<T, R>[number];
  const endsBy =
    (reason: StopReason) =>
    (turns: Given, evidence: Part | readonly Part[], more: More<T, Config, R> = {}): Cell<T, Config, R> => ({
      turns: isList(turns) ? turns : [turns],
      ends: [reason, ...[evidence].flat()],
      ...more,
    });
  const bySilence = endsBy("silent");
  const byItself = endsBy("completed_without_submit");
  return {
    failure: endsBy("failure"),
    needsLogin: endsBy("needs_login"),
    usageLimit: endsBy("usage_limit"),
    contextLimit: endsBy("context_limit"),
    budget: endsBy("budget"),
    unknown: endsBy("unknown"),
    /** monoco's patience ends first. */
    silent: (turns: Given, silenceMinutes: number, more?: More<T, Config, R>) =>
      bySilence(turns, `no output for ${silenceMinutes} minutes`, { limits: { silenceMinutes }, ...more }),
    stopped: (
      turns: Given,
      more?: More<T, Config, R>,
      evidence = "it ended by itself and neither submitted",
    ) => byItself(turns, evidence, more),
  };
}

function isList<One>(given: One | readonly One[]): given is readonly One[] {
  return Array.isArray(given);
}

/** All cells of a vendor; text says why there is none. Further faults are its own, and their names say what they are. */
export type Column<T extends Turn, Config = unknown, R extends ModelRequest = ModelRequest> = Record<
  Fault,
  Cell<T, Config, R> | string
> &
  Record<string, Cell<T, Config, R> | string>;

export const issue = "FEAT-0001";

/** The one issue of the project. */
export function issueFile(criterion = "a"): Record<string, string> {
  return {
    [`issues/${issue}-a.md`]: `---\nid: ${issue}\ntitle: A\nstatus: open\nstage: draft\n---\n\n## Objective\n\nA.\n\n## Acceptance Criteria\n\n- [ ] ${criterion}\n`,
  };
}

/** For a limit that names no end: the settings' own. */
export const untoldLimitMs = 60 * 60_000;

/** What stops too early is asked to go on. */
export const stops = [{ text: "I stop." }, { text: "I stop." }, { text: "I stop." }];

/** Lives until it is ended, and has said so. */
export const stays = "sh -c 'echo $$ > left.pid; exec sleep 6000'";
/** Goes on when it has left its session, and lives. */
export const leave = `setsid nohup ${stays} > /dev/null 2>&1 & until [ -s left.pid ]; do sleep 0.1; done`;
/** For a later tool: keeps what was left if that is alive. */
export const lookAtLeft = "read pid < left.pid && kill -0 $pid && cp left.pid left.alive";
export const wasAlive = { "left.alive": /^\d+\n$/ };
/** In its home: in its workspace that would be work, and who has worked is not put off. */
export const leaveAtHome = `(cd; ${leave}; ${lookAtLeft})`;
export const wasAliveAtHome = { "../../../../home/left.alive": wasAlive["left.alive"] };

/** What a vendor whose agent has a driver of ours leaves behind, or not: whoever is signalled takes its agent and its tools along. */
export function leftBehind<T extends Turn>(
  shell: (command: string) => T,
  { driver, terminated }: { driver: string; terminated: string },
) {
  const { failure, stopped } = cellsOf<T, never>();
  const made = { "signalled.txt": new RegExp(driver) };
  const killed = failure(shell(signalDriver("KILL")), "killed by", { asked: 1, made });
  const orphan = stopped([shell(leave), shell(lookAtLeft), ...stops] as T[], {
    asked: [4, 5],
    made: wasAlive,
  });
  return {
    "driver-terminated": failure(shell(signalDriver("TERM")), terminated, { asked: 1, made }),
    "driver-killed": killed,
    "driver-killed-uncontained": { ...killed, uncontained: true },
    orphan,
    "orphan-uncontained": { ...orphan, uncontained: true },
  } as const;
}

/** Signals the driver, the parent of the agent that runs this, and keeps the driver's command line. */
function signalDriver(signal: "TERM" | "KILL"): string {
  const find = `read _ _ _ driver _ < /proc/$PPID/stat`;
  return `${find}; tr '\\0' ' ' < /proc/$driver/cmdline > signalled.txt; kill -${signal} $driver; sleep 6000`;
}
