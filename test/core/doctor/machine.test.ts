/** What is wrong with a machine, by its figures: one row a rule. */
import { expect, test } from "vitest";
import { diagnose, exitStatusOf } from "../../../src/core/doctor/doctor.ts";
import type { AgentFacts, FolderFacts, MachineFacts } from "../../../src/core/doctor/facts.ts";
import type { Finding } from "../../../src/core/doctor/finding.ts";
import { isOlder } from "../../../src/core/doctor/machine.ts";

const folder: FolderFacts = {
  folder: "state",
  path: "/state",
  locks: true,
  freeBytes: 5e9,
  freeInodes: 1e6,
};
const agent: AgentFacts = {
  name: "claude",
  roles: ["executor", "reviewer"],
  found: true,
  install: null,
  version: "2.1.400 (Claude Code)",
  measuredOn: "2.1.329",
  login: "~/.claude/.credentials.json",
  loginBy: "claude auth login",
};
const sound: MachineFacts = {
  node: "24.1.0",
  git: "2.43.0",
  containment: "pid-namespace",
  missing: [],
  sandbox: { asked: "none", works: true },
  folders: [folder],
  agents: [agent],
  temporaries: [],
};
const gone = { found: false, install: "npm install -g x", version: null, login: null };

/** What is not good, and the status that it comes to. */
function told(facts: Partial<MachineFacts>): object {
  const findings = diagnose({ machine: { ...sound, ...facts } });
  const wrong = findings.filter(({ state, rule }) => state !== "good" && rule !== "sandbox_none");
  return [exitStatusOf(findings), ...wrong];
}

test.for<[asked: MachineFacts["sandbox"]["asked"], works: boolean, told: object]>([
  ["bwrap", true, [0]],
  ["auto", true, [0]],
  ["bwrap", false, [1, { rule: "sandbox_broken", state: "bad", asked: "bwrap" }]],
])("sandbox: %s, which works: %s", ([asked, works, expected]) => {
  expect(told({ sandbox: { asked, works } })).toEqual(expected);
});

test("a sound machine: nothing is bad, and the missing sandbox is no secret", () => {
  const findings = diagnose({ machine: sound });
  expect(findings).toEqual<Finding[]>([
    { rule: "node", state: "good", version: "24.1.0" },
    { rule: "git", state: "good", version: "2.43.0" },
    { rule: "processes", state: "good", containment: "pid-namespace" },
    { rule: "sandbox_none", state: "note", asked: "none" },
    { rule: "folder", state: "good", folder: "state", path: "/state", freeBytes: 5e9 },
    { rule: "agent", state: "good", agent: "claude", version: agent.version, login: agent.login },
  ]);
  expect(exitStatusOf(findings)).toBe(0);
});

const at = { folder: "state", path: "/state" };

test.for<[string, Partial<MachineFacts>, number, ...object[]]>([
  [
    "an old Node",
    { node: "22.17.9" },
    1,
    { rule: "node_old", state: "bad", version: "22.17.9", least: "22.18" },
  ],
  ["no git", { git: undefined }, 1, { rule: "git_missing", state: "bad", least: "2.38" }],
  ["an old git", { git: "2.34.1" }, 1, { rule: "git_old", state: "bad", version: "2.34.1", least: "2.38" }],
  [
    "no setpriv",
    { containment: "process-group", missing: ["setpriv"] },
    0,
    { rule: "processes_loose", state: "note", missing: ["setpriv"] },
  ],
  [
    "a folder that cannot be written, whatever else is said of it",
    { folders: [{ ...folder, refused: "the file system is read-only", freeBytes: 1 }] },
    1,
    { rule: "folder_refused", state: "bad", ...at, said: "the file system is read-only" },
  ],
  [
    "locks that do not hold",
    { folders: [{ ...folder, locks: false }] },
    1,
    { rule: "locks_missing", state: "bad", ...at },
  ],
  [
    "a shared disk",
    { folders: [{ ...folder, shared: "NFS" }] },
    0,
    { rule: "shared_disk", state: "note", ...at, kind: "NFS" },
  ],
  [
    "a disk that is nearly full",
    { folders: [{ ...folder, freeBytes: 999_999_999 }] },
    1,
    { rule: "room", state: "bad", ...at, freeBytes: 999_999_999, least: 1e9 },
  ],
  [
    "a disk with few inodes",
    { folders: [{ ...folder, freeInodes: 9_999 }] },
    1,
    { rule: "inodes", state: "bad", ...at, freeInodes: 9_999, least: 10_000 },
  ],
  ["just enough room", { folders: [{ ...folder, freeBytes: 1e9, freeInodes: 10_000 }] }, 0],
  ["a disk that tells nothing", { folders: [{ ...folder, freeBytes: undefined, freeInodes: undefined }] }, 0],
  [
    "a folder of a killed command",
    { temporaries: [{ path: "/tmp/monoco-check-x", bytes: 7 }] },
    0,
    { rule: "temporary_left", state: "note", path: "/tmp/monoco-check-x", bytes: 7 },
  ],
  [
    "nobody for one role",
    {
      agents: [
        { ...agent, roles: ["executor"] },
        { ...agent, ...gone, name: "codex", roles: ["reviewer"] },
      ],
    },
    4,
    {
      rule: "role_unplayed",
      state: "bad",
      role: "reviewer",
      agents: ["codex"],
      install: ["npm install -g x"],
    },
  ],
  [
    "one of two agents is missing",
    { agents: [agent, { ...agent, ...gone, name: "codex" }] },
    0,
    { rule: "agent_missing", state: "note", agent: "codex", install: "npm install -g x" },
  ],
  [
    "an agent is missing that plays nothing",
    { agents: [agent, { ...agent, ...gone, name: "codex", roles: [] }] },
    0,
  ],
  [
    "an old agent",
    { agents: [{ ...agent, version: "2.0.9 (Claude Code)" }] },
    0,
    {
      rule: "agent_old",
      state: "note",
      agent: "claude",
      version: "2.0.9 (Claude Code)",
      measuredOn: "2.1.329",
    },
  ],
  [
    "an agent that does not tell its version",
    { agents: [{ ...agent, version: null }] },
    0,
    { rule: "agent_mute", state: "note", agent: "claude" },
  ],
  [
    "no login is seen",
    { agents: [{ ...agent, login: null }] },
    0,
    { rule: "login_unseen", state: "note", agent: "claude", loginBy: "claude auth login" },
  ],
  ["nobody knows who plays", { agents: undefined }, 0],
  [
    "a role that nobody plays outweighs the rest",
    { git: undefined, agents: [] },
    4,
    { rule: "git_missing", state: "bad", least: "2.38" },
    { rule: "role_unplayed", state: "bad", role: "executor", agents: [], install: [] },
    { rule: "role_unplayed", state: "bad", role: "reviewer", agents: [], install: [] },
  ],
])("%s", ([, facts, status, ...wrong]) => {
  expect(told(facts)).toEqual([status, ...wrong]);
});

test.for<[string, string, boolean]>([
  ["2.38.0", "2.38", false],
  ["2.37.9", "2.38", true],
  ["git version 2.39.5 (Apple Git-154)", "2.38", false],
  ["3.0", "2.38", false],
  ["2.1.3", "2.1.329", true],
  ["codex-cli 0.169.0", "0.169.0", false],
  ["unknown", "2.38", false],
])("%s is older than %s: %s", ([version, least, older]) => {
  expect(isOlder(version, least)).toBe(older);
});
