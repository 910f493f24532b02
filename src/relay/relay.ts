/** One relay during its run: the journal, and the state folded from it. */
import type { News } from "../core/session/news.ts";
import { openJournal } from "../store/journal.ts";
import type { AgentKind, Agent, AgentSettings } from "../agents/agent.ts";
import { MonocoError } from "../core/error/error.ts";
import type { RelayEvent } from "../core/journal/event.ts";
import type { StopCause } from "../core/reason/ending-schema.ts";
import type { Limits } from "../core/settings/limits-schema.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { Opening, RelayState, SubmissionRecord } from "../core/journal/relay-state.ts";
import type { DossierInput } from "../core/report/dossier.ts";
import type { TemplateName } from "../core/handoff/template-names.ts";
import { evolve, replay } from "../core/journal/state.ts";
import type { Version } from "../core/session/version.ts";
import { mergeBase } from "../git/repository.ts";
import type { Repository } from "../git/repository.ts";
import type { Clock } from "./clock.ts";
import type { Journal, NewEvent } from "../store/journal.ts";
import { noteState } from "../store/spendings.ts";
import type { SpendingsReader } from "../store/spendings.ts";
import type { Places, RepositoryPlaces } from "../store/places.ts";
import { t } from "../core/language/translate.ts";

/** Signals from outside to a running relay. */
export type Control = {
  /** Aborted on the first Ctrl-C: ends the session, keeps the handoff, stops. */
  interrupt: AbortSignal;
  /** Why `interrupt` was aborted, if it was not a Ctrl-C. */
  because?(): StopCause | undefined;
  /** The time at which the run ends: a session gets no longer than that. */
  untilMs?: number | undefined;
  /** A person who has resumed the relay is at the terminal, and can be asked for a passphrase. */
  mayAsk?: boolean;
};

/** `moved`: the ref is elsewhere by now. */
export type Landed = { is: "taken" } | { is: "moved" } | { is: "refused"; said: string };

/** What a relay of a remote run does on the remote. Each call throws once another machine has taken the relay over. */
export type Shared = {
  /** The remote's name. */
  name: string;
  /** Pushes the relay as it is now, with its lease. */
  push(): Promise<void>;
  /** Brings the local base up to the remote's. */
  follow(): Promise<void>;
  /** Moves the remote's branch, from where it is expected, in one push with the relay. */
  land(move: { branch: string; from: string; to: string }): Promise<Landed>;
  /** The commit of the remote's branch; "" for none. */
  tip(branch: string): Promise<string>;
};

export type Templates = Readonly<Record<TemplateName, string>>;

/** One call of `monoco run` or `resume`: its relays' spending is counted together. */
export type Run = { id: string; startedAtMs: number };

/** Everything that stays the same while a runner works on one issue. */
export type RelaySetup = RunnerSetup & { issue: string; places: Places };

/** `RelaySetup` without an issue: a session that proposes an issue belongs to no relay. */
export type RunnerSetup = Clock & {
  repository: Repository;
  repositoryPlaces: RepositoryPlaces;
  agents: Readonly<Record<AgentKind, Agent>>;
  templates(language: Settings["language"]): Templates;
  control: Control;
  /** The remote, in a remote run. */
  shared?: Shared;
  /** The `monoco run` that this runner is part of. */
  run: Run;
  /** Reads the spending of the repository's other relays. */
  spendings: SpendingsReader;
  /** What became of the earlier merges of the Reviewer of a submission. */
  earlier(opening: Opening, submission: SubmissionRecord): Promise<DossierInput["earlier"]>;
  /** A random number from 0 to 1. */
  jitter: number;
  env: Readonly<Record<string, string | undefined>>;
  host: string;
  /** The version that an agent's program prints; asked before a session, and after one that went wrong. */
  versionOf(settings: AgentSettings): Promise<Version>;
  /** The command of monoco itself: `[node, cli.js]`. */
  monoco: readonly string[];
  /** A folder whose `monoco` program is this version. */
  binFolder: string;
  onProgress(progress: News): void;
};

export type Relay = RelaySetup & {
  state: RelayState;
  journal: Journal;
  /** Appends an event to the journal, updates the state and reports the event; the event is durable on return. */
  record(body: NewEvent): RelayEvent;
};

/** Opens the journal for writing; the caller holds the runner's lock. */
export function openRelay(setup: RelaySetup): Relay {
  const journal = openJournal(setup.places.journal);
  const state = replay(journal.events());
  const { cutBytes } = journal;
  if (cutBytes > 0)
    setup.onProgress({
      type: "warning",
      text: t`${setup.places.journal}: its last line was not written whole, and ${cutBytes} bytes were cut off; nothing acknowledged is lost`,
    });
  return {
    ...setup,
    state,
    journal,
    record: (body) => {
      const event = journal.append(state.seq, body, setup.nowMs());
      evolve(state, event);
      noteState(setup.places.journal, journal.bytes(), state);
      setup.onProgress({ type: "event", event });
      return event;
    },
  };
}

/** The opening of the relay; every action but `rest` presupposes one. */
export function openingOf(relay: Relay): Opening {
  if (!relay.state.opening) throw new MonocoError("bug", t`${relay.issue}: no relay is open`);
  return relay.state.opening;
}

/** The commit where the work of `head` begins: its merge base with the base branch. */
export async function startOf(relay: Relay, head: string): Promise<string> {
  const { base, baseCommit } = openingOf(relay);
  return (await mergeBase(relay.repository.git, `refs/heads/${base}`, head)) ?? baseCommit;
}

/** A submission of any opening, by its number. */
export function submissionOf({ state }: Relay, submission: number): SubmissionRecord {
  return state.submissions.find((record) => record.submission === submission)!;
}

export function settingsOf(relay: Relay): Settings {
  return openingOf(relay).settings;
}

export function limitsOf(relay: Relay): Limits {
  return settingsOf(relay).limits;
}
