/** What is wrong with a repository and its relays: one row a rule. */
import { expect, test } from "vitest";
import { diagnose, exitStatusOf } from "../../../src/core/doctor/doctor.ts";
import type { LeftClone, MachineFacts, RepositoryFacts } from "../../../src/core/doctor/facts.ts";
import { rowOf } from "../../../src/core/doctor/rows.ts";

const machine: MachineFacts = {
  node: "24.1.0",
  onPath: true,
  git: "2.43.0",
  containment: "pid-namespace",
  sandbox: { asked: ["auto"], works: true },
  folders: [],
};
const sound: RepositoryFacts = {
  settings: { base: "main", baseThere: true, given: "", unset: [] },
  locks: { paths: [], left: true, remedy: "" },
  relays: 2,
  refs: 0,
  damaged: [],
  orphans: [],
  clones: [],
};
const issue = "FEAT-0001";
const lock = { paths: ["/r/.git/index.lock"], remedy: "rm /r/.git/index.lock" };

/** What is not good, and the status that it comes to. */
function told(facts: Partial<RepositoryFacts>): object {
  const findings = diagnose({ machine, repository: { ...sound, ...facts } });
  const wrong = findings.filter(({ state }) => state !== "good");
  expect(wrong.every((one) => (rowOf(one).fix ?? "") !== "")).toBe(true);
  return [exitStatusOf(findings), ...wrong];
}

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
    { settings: { base: "trunk", baseThere: false, given: "", unset: [] } },
    1,
    { rule: "base_missing", state: "bad", base: "trunk" },
  ],
  [
    "a lock of git's that is left",
    { locks: { ...lock, left: true } },
    1,
    { rule: "git_lock", state: "bad", ...lock },
  ],
  [
    "a lock of git's that a git may hold",
    { locks: { ...lock, left: false } },
    0,
    { rule: "git_lock", state: "note", ...lock },
  ],
  [
    "a damaged journal",
    { damaged: [{ issue, said: "journal.jsonl:3: damaged", hint: "restore it" }] },
    1,
    { rule: "journal_damaged", state: "bad", issue, said: "journal.jsonl:3: damaged", hint: "restore it" },
  ],
  [
    "a session without its runner",
    { orphans: [{ issue, pids: [7] }] },
    1,
    { rule: "orphan", state: "bad", issue, pids: [7] },
  ],
])("%s", ([, facts, status, ...wrong]) => {
  expect(told(facts)).toEqual([status, ...wrong]);
});

test.for<[string, Pick<LeftClone, "part" | "relay">, fix: unknown, safe: boolean]>([
  ["of a relay that is over", { part: "work", relay: "over" }, [[{ do: "clear", issue }]], false],
  ["of no relay", { part: "work", relay: "none" }, expect.stringContaining("rm -rf /c"), false],
  ["for a review that is over", { part: "spare", relay: "over" }, [[{ do: "heal" }]], true],
  [
    "that was kept, also of an open relay",
    { part: "kept", relay: "open" },
    expect.stringContaining("rm -rf /c"),
    false,
  ],
])("a clone %s", ([, values, fix, safe]) => {
  const left: LeftClone = { issue, path: "/c", bytes: 9, ...values };
  const finding = { rule: "clone_left", state: "note", ...left } as const;
  expect(told({ clones: [left] })).toEqual([0, finding]);
  expect(rowOf(finding)).toMatchObject({ fix, ...(safe && { safe }) });
});

test("a clone that an open relay uses is nothing that is left", () => {
  const left: LeftClone = { issue, path: "/c", bytes: 9, part: "work", relay: "open" };
  expect(told({ clones: [left, { ...left, part: "spare" }] })).toEqual([0]);
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
