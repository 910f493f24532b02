/** Judges the repository: its settings, its issues, and whether journals, refs, clones and issues say the same of each relay. */
import type { Opening } from "../journal/relay-state.ts";
import { cachesBytesMax } from "../limits.ts";
import { phaseOf, runningSession } from "../relay/phase.ts";
import type { CloneFacts, Facts, RelayFacts, RepositoryFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";

export function diagnoseRepository(facts: NonNullable<Facts["repository"]>): Finding[] {
  if ("outside" in facts) {
    const rule = facts.outside ? "no_repository" : "repository_refused";
    return [{ rule, state: facts.outside ? "note" : "bad", ...facts.refused }];
  }
  const found = facts.relays.map(ofRelay);
  const sound = found.filter((one) => one.length === 0).length;
  return [
    ...ofSettings(facts),
    ...ofRuntime(facts),
    ...ofLocks(facts),
    ofIssues(facts),
    ...facts.damaged.map((one): Finding => ({ rule: "journal_damaged", state: "bad", ...one })),
    ...found.flat(),
    ...facts.clones.flatMap(ofClone),
    ...(facts.caches && facts.caches.bytes > cachesBytesMax
      ? [{ rule: "caches_large", state: "note", ...facts.caches } as const]
      : []),
    ...(sound > 0 ? [{ rule: "relays", state: "good", relays: sound } as const] : []),
  ];
}

function ofSettings({ settings }: RepositoryFacts): Finding[] {
  if ("refused" in settings) return [{ rule: "settings_refused", state: "bad", ...settings.refused }];
  const { base, baseThere } = settings;
  return [
    { rule: "settings", state: "good" },
    baseThere ? { rule: "base", state: "good", base } : { rule: "base_missing", state: "bad", base },
  ];
}

function ofRuntime({ ignored, tracked, exclude }: RepositoryFacts): Finding[] {
  if (tracked) return [{ rule: "runtime_tracked", state: "bad" }];
  if (ignored === undefined) return [];
  return [
    ignored ? { rule: "runtime_ignored", state: "good" } : { rule: "runtime_seen", state: "bad", exclude },
  ];
}

/** Whoever may hold one keeps it from being called left. */
function ofLocks({ locks: { paths, atWork } }: RepositoryFacts): Finding[] {
  return paths.map((path): Finding => {
    if (atWork === undefined) return { rule: "git_lock_unsure", state: "note", path };
    if (atWork.length === 0) return { rule: "git_lock", state: "bad", path };
    return { rule: "git_lock_used", state: "note", path, pids: atWork };
  });
}

function ofIssues({ issues: { files, faulty, twins } }: RepositoryFacts): Finding {
  return faulty + twins > 0
    ? { rule: "issues_faulty", state: "bad", faulty, twins }
    : { rule: "issues", state: "good", files };
}

/** Where a relay stands for whoever tidies up behind it. */
export function standingOf(state: RelayFacts["state"]): CloneFacts["relay"] {
  const phase = phaseOf(state);
  if (state.opening?.cleared) return "cleared";
  return phase === "none" ? "none" : ["done", "cancelled"].includes(phase) ? "over" : "open";
}

/** Where the journal has the relay's head: `others` are commits by which it may stand instead. */
export function headOf({ baseCommit, handedOver, sessions, submissions }: Opening): {
  commit: string;
  others: string[];
} {
  const ended = sessions.filter((one) => one.role === "executor" && one.ended).map((one) => one.ended!.head);
  const byPerson = submissions.filter(({ by }) => by === "person").map(({ head }) => head);
  return { commit: ended.at(-1) ?? handedOver?.head ?? baseCommit, others: byPerson };
}

function ofRelay(relay: RelayFacts): Finding[] {
  const { opening } = relay.state;
  if (!opening || opening.cleared) return ofProcesses(relay);
  const open = standingOf(relay.state) === "open";
  return [
    ...ofProcesses(relay),
    ...ofJournal(relay),
    ...(open ? [...ofMessages(relay), ...ofHead(relay, opening)] : []),
    ...ofBranch(relay, opening),
    ...ofIssueFile(relay, opening, open),
  ];
}

function ofProcesses({ issue, state, runner, session }: RelayFacts): Finding[] {
  const running = runningSession(state);
  if (runner === "none") {
    if (session.held) return [{ rule: "orphan", state: "bad", issue, pids: session.pids }];
    return running ? [{ rule: "cut_off", state: "bad", issue, session: running.session }] : [];
  }
  const stopped: Finding[] =
    runner === "alive" ? [] : [{ rule: "runner_stopped", state: "bad", issue, pid: runner.stopped }];
  if (!running || session.stopped === null) return stopped;
  const { pid, group } = session.stopped;
  return [...stopped, { rule: "session_stopped", state: "bad", issue, pid, group, session: running.session }];
}

/** A living runner may be writing it. Whatever was acknowledged stands before it. */
function ofJournal({ issue, runner, tornBytes }: RelayFacts): Finding[] {
  if (runner !== "none" || tornBytes === 0) return [];
  return [{ rule: "journal_torn", state: "note", issue, bytes: tornBytes }];
}

/** A living runner takes them soon. */
function ofMessages({ issue, runner, letters }: RelayFacts): Finding[] {
  return runner === "none" && letters > 0
    ? [{ rule: "messages", state: "bad", issue, messages: letters }]
    : [];
}

/** What a session that is not collected has left may stand there already. */
function ofHead({ issue, state, head }: RelayFacts, opening: Opening): Finding[] {
  const { commit, others } = headOf(opening);
  const ref = `refs/monoco/${issue}/head`;
  if (head === undefined) return [{ rule: "head_missing", state: "bad", issue, ref, commit }];
  if (runningSession(state) || [commit, ...others].includes(head)) return [];
  return [{ rule: "head_moved", state: "bad", issue, ref, commit, found: head }];
}

/** The branch follows each session, and is made again where it is gone; left as the result, it is the work's name. */
function ofBranch({ issue, state, branch, ahead, runner, offBase }: RelayFacts, opening: Opening): Finding[] {
  const { finished, merged } = opening;
  if (merged) return [];
  if (branch === undefined && finished && offBase)
    return [
      { rule: "branch_missing", state: "note", issue, branch: opening.branch, commit: finished.commit },
    ];
  const rests = runner === "none" && !runningSession(state);
  if (!rests || ahead === 0 || standingOf(state) !== "open") return [];
  return [{ rule: "branch_ahead", state: "note", issue, branch: opening.branch, commits: ahead }];
}

function ofIssueFile({ issue, issueThere, offBase }: RelayFacts, opening: Opening, open: boolean): Finding[] {
  const { base, merged, contract, baseCommit } = opening;
  // What a pull request merged elsewhere comes with the next pull.
  if (merged && offBase)
    return merged.pullRequest === undefined
      ? [{ rule: "merge_gone", state: "note", issue, base, commit: merged.commit }]
      : [];
  if (merged && issueThere === "open") return [{ rule: "issue_open", state: "note", issue, base }];
  if (!open || opening.loop) return [];
  if (issueThere === "closed") return [{ rule: "issue_closed", state: "bad", issue, base }];
  if (issueThere !== "gone") return [];
  return [{ rule: "issue_gone", state: "bad", issue, base, path: contract.path, commit: baseCommit }];
}

function ofClone({ issue, part, relay, path, bytes }: CloneFacts): Finding[] {
  if (part === "kept") return [{ rule: "clone_kept", state: "note", issue, path, bytes }];
  if (relay === "open") return [];
  return [
    part === "spare"
      ? { rule: "spare_left", state: "note", issue, path, bytes }
      : { rule: "clone_left", state: "note", issue, path, bytes, relay },
  ];
}
