/** What is wrong with a repository and its relays: by what its journal says, and what lies beside it. One row a rule. */
import { expect, test } from "vitest";
import { diagnose, exitStatusOf, fixOf, isSafe } from "../../../src/core/doctor/doctor.ts";
import type {
  CloneFacts,
  MachineFacts,
  RelayFacts,
  RepositoryFacts,
} from "../../../src/core/doctor/facts.ts";
import { headOf } from "../../../src/core/doctor/repository.ts";
import { cachesBytesMax } from "../../../src/core/limits.ts";
import { replay } from "../../../src/core/journal/state.ts";
import {
  cleared,
  commit,
  executor,
  finished,
  journal,
  merged,
  opened,
  openedLoop,
  prepared,
  requested,
  review,
  submitted,
  worked,
} from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const machine: MachineFacts = {
  node: "24.1.0",
  git: "2.43.0",
  containment: "pid-namespace",
  missing: [],
  sandbox: { asked: "none", works: true },
  folders: [],
  temporaries: [],
};
const sound: RepositoryFacts = {
  settings: { base: "main", baseThere: true },
  ignored: true,
  tracked: false,
  exclude: "/r/.git/info/exclude",
  locks: { paths: [], atWork: [] },
  issues: { files: 2, faulty: 0, twins: 0 },
  relays: [],
  damaged: [],
  clones: [],
};
const issue = "FEAT-0001";
const ref = `refs/monoco/${issue}/head`;
const branch = `monoco/${issue}`;

/** Where the refs stand as the journal says. */
function relayOf(steps: readonly Step[], more: Partial<RelayFacts> = {}): RelayFacts {
  const state = replay(journal(steps));
  const head = state.opening && headOf(state.opening).commit;
  return {
    issue,
    state,
    runner: "none",
    session: { held: false, pids: [], stopped: null },
    tornBytes: 0,
    letters: 0,
    head,
    branch: head,
    ahead: 0,
    issueThere: "open",
    offBase: false,
    ...more,
  };
}

function told(facts: Partial<RepositoryFacts>): object {
  const findings = diagnose({ machine, repository: { ...sound, ...facts } });
  const wrong = findings.filter(({ state, rule }) => state !== "good" && rule !== "sandbox_none");
  expect(wrong.every((one) => fixOf(one) !== undefined && fixOf(one) !== "")).toBe(true);
  return [exitStatusOf(findings), ...wrong];
}

test("a torn last line is a note, unless its runner may be writing it", () => {
  const torn = (runner: RelayFacts["runner"]): object =>
    told({ relays: [relayOf([opened], { tornBytes: 9, runner })] });
  expect(torn("none")).toEqual([0, { rule: "journal_torn", state: "note", issue, bytes: 9 }]);
  expect(torn("alive")).toEqual([0]);
});

test("a lock of git's is called left only where no git is at work", () => {
  const path = "/r/.git/index.lock";
  const of = (atWork: number[] | undefined): object => told({ locks: { paths: [path], atWork } });
  expect(of([])).toEqual([1, { rule: "git_lock", state: "bad", path }]);
  expect(of(undefined)).toEqual([0, { rule: "git_lock_unsure", state: "note", path }]);
  expect(of([7])).toEqual([0, { rule: "git_lock_used", state: "note", path, pids: [7] }]);
});

const mergedSteps: Step[] = [opened, ...submitted, ...review("approve"), prepared, merged];
const leftSteps: Step[] = [opened, ...submitted, ...review("approve"), prepared, finished];
const left = replay(journal(leftSteps)).opening!.finished!.commit;
const landed = replay(journal(mergedSteps)).opening!.merged!.commit;
const { baseCommit, contract } = replay(journal([opened])).opening!;

test.for<[string, Partial<RepositoryFacts>, number, ...object[]]>([
  ["a sound repository", {}, 0],
  [
    "settings that cannot be read",
    { settings: { refused: { said: "monoco.yaml:3: no", hint: "fix it" } } },
    1,
    { rule: "settings_refused", state: "bad", said: "monoco.yaml:3: no", hint: "fix it" },
  ],
  [
    "no base",
    { settings: { base: "trunk", baseThere: false } },
    1,
    { rule: "base_missing", state: "bad", base: "trunk" },
  ],
  [
    "git sees .monoco",
    { ignored: false },
    1,
    { rule: "runtime_seen", state: "bad", exclude: "/r/.git/info/exclude" },
  ],
  ["there is no .monoco yet", { ignored: undefined }, 0],
  ["git has .monoco", { ignored: false, tracked: true }, 1, { rule: "runtime_tracked", state: "bad" }],
  [
    "broken issues",
    { issues: { files: 4, faulty: 1, twins: 2 } },
    1,
    { rule: "issues_faulty", state: "bad", faulty: 1, twins: 2 },
  ],
  [
    "a damaged journal",
    { damaged: [{ issue, said: "journal.jsonl:3: damaged", hint: "restore it" }] },
    1,
    { rule: "journal_damaged", state: "bad", issue, said: "journal.jsonl:3: damaged", hint: "restore it" },
  ],
])("%s", ([, facts, status, ...wrong]) => {
  expect(told(facts)).toEqual([status, ...wrong]);
});

const held = { held: true, pids: [7], stopped: null };

test.for<[string, RelayFacts, number, ...object[]]>([
  ["an open relay that rests", relayOf([opened, ...worked]), 0],
  [
    "a session that runs",
    relayOf([opened, executor], { runner: "alive", session: { ...held, pids: [] } }),
    0,
  ],
  ["a cut-off session", relayOf([opened, executor]), 1, { rule: "cut_off", state: "bad", issue, session: 1 }],
  [
    "a session without its runner: it is cut off once it is ended",
    relayOf([opened, executor], { session: held }),
    1,
    { rule: "orphan", state: "bad", issue, pids: [7] },
  ],
  [
    "processes of a session that has ended",
    relayOf([opened, ...worked], { session: held }),
    1,
    { rule: "orphan", state: "bad", issue, pids: [7] },
  ],
  [
    "a stopped runner",
    relayOf([opened, ...worked], { runner: { stopped: 8 } }),
    1,
    { rule: "runner_stopped", state: "bad", issue, pid: 8 },
  ],
  [
    "a stopped session",
    relayOf([opened, executor], { runner: "alive", session: { ...held, stopped: { pid: 9, group: 9 } } }),
    1,
    { rule: "session_stopped", state: "bad", issue, pid: 9, group: 9, session: 1 },
  ],
  [
    "messages that nobody takes",
    relayOf([opened], { letters: 2 }),
    1,
    { rule: "messages", state: "bad", issue, messages: 2 },
  ],
  ["messages that the runner will take", relayOf([opened], { letters: 2, runner: "alive" }), 0],
  [
    "no head",
    relayOf([opened, ...worked], { head: undefined }),
    1,
    { rule: "head_missing", state: "bad", issue, ref, commit: commit(1) },
  ],
  [
    "no head before the first session",
    relayOf([opened], { head: undefined }),
    1,
    { rule: "head_missing", state: "bad", issue, ref, commit: baseCommit },
  ],
  [
    "a head that was moved",
    relayOf([opened, ...worked], { head: commit(5) }),
    1,
    { rule: "head_moved", state: "bad", issue, ref, commit: commit(1), found: commit(5) },
  ],
  [
    "a head that a running session moves",
    relayOf([opened, executor], { head: commit(5), runner: "alive" }),
    0,
  ],
  [
    "a head at a person's submission",
    relayOf([opened, ...worked, (state) => ({ ...requested()(state), by: "person", head: commit(8) })], {
      head: commit(8),
    }),
    0,
  ],
  [
    "no branch while the work goes on: it is made again",
    relayOf([opened, ...worked], { branch: undefined }),
    0,
  ],
  [
    "commits on the branch that nobody submitted",
    relayOf([opened, ...worked], { ahead: 2 }),
    0,
    { rule: "branch_ahead", state: "note", issue, branch, commits: 2 },
  ],
  [
    "no branch where the work was left",
    relayOf(leftSteps, { branch: undefined, offBase: true }),
    0,
    { rule: "branch_missing", state: "note", issue, branch, commit: left },
  ],
  ["no branch where the base has the work", relayOf(leftSteps, { branch: undefined }), 0],
  ["a merged relay", relayOf(mergedSteps, { issueThere: "closed" }), 0],
  [
    "a merge that the base has lost",
    relayOf(mergedSteps, { offBase: true }),
    0,
    { rule: "merge_gone", state: "note", issue, base: "main", commit: landed },
  ],
  [
    "an issue that is open again",
    relayOf(mergedSteps),
    0,
    { rule: "issue_open", state: "note", issue, base: "main" },
  ],
  [
    "an issue that was closed meanwhile",
    relayOf([opened, ...worked], { issueThere: "closed" }),
    1,
    { rule: "issue_closed", state: "bad", issue, base: "main" },
  ],
  [
    "an issue that is gone",
    relayOf([opened, ...worked], { issueThere: "gone" }),
    1,
    { rule: "issue_gone", state: "bad", issue, base: "main", path: contract.path, commit: baseCommit },
  ],
  ["a loop has no issue", relayOf([openedLoop(), ...worked], { issueThere: "gone" }), 0],
  [
    "a cleared relay needs no refs",
    relayOf([opened, ...worked, cleared], { head: undefined, issueThere: "gone" }),
    0,
  ],
])("%s", ([, relay, status, ...wrong]) => {
  expect(told({ relays: [relay] })).toEqual([status, ...wrong]);
});

const clone = (more: Partial<CloneFacts>): CloneFacts => ({
  issue,
  part: "work",
  relay: "over",
  path: "/c",
  bytes: 9,
  ...more,
});

test.for<[string, CloneFacts, object | undefined, boolean]>([
  ["of an open relay", clone({ relay: "open" }), undefined, false],
  ["of a relay that is over", clone({}), { rule: "clone_left", relay: "over" }, false],
  ["of no relay", clone({ relay: "none" }), { rule: "clone_left", relay: "none" }, false],
  ["for a review that is over", clone({ part: "spare" }), { rule: "spare_left" }, true],
  ["for a review under way", clone({ part: "spare", relay: "open" }), undefined, false],
  [
    "that was kept, also of an open relay",
    clone({ part: "kept", relay: "open" }),
    { rule: "clone_kept" },
    false,
  ],
])("a clone %s", ([, one, found, safe]) => {
  const expected = found === undefined ? [] : [{ state: "note", issue, path: "/c", bytes: 9, ...found }];
  expect(told({ clones: [one] })).toEqual([0, ...expected]);
  const findings = diagnose({ machine, repository: { ...sound, clones: [one] } });
  expect(findings.some(isSafe)).toBe(safe);
});

test("package caches are told of where they are large", () => {
  const caches = { path: "/c", bytes: cachesBytesMax };
  expect(told({ caches })).toEqual([0]);
  const large = { ...caches, bytes: cachesBytesMax + 1 };
  expect(told({ caches: large })).toEqual([0, { rule: "caches_large", state: "note", ...large }]);
});

test.for<[boolean, number, string, string]>([
  [true, 0, "no_repository", "note"],
  [false, 1, "repository_refused", "bad"],
])("no repository, outside of one: %s", ([outside, status, rule, state]) => {
  const refused = { said: "said", hint: "hint" };
  const findings = diagnose({ machine, repository: { refused, outside } });
  expect(findings.at(-1)).toEqual({ rule, state, ...refused });
  expect(exitStatusOf(findings)).toBe(status);
});
