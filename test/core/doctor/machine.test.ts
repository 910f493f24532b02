/** What is wrong with a machine, by its figures: one row a rule. */
import { expect, test } from "vitest";
import { diagnose, exitStatusOf } from "../../../src/core/doctor/doctor.ts";
import type { AgentFacts, FolderFacts, MachineFacts } from "../../../src/core/doctor/facts.ts";
import type { Finding } from "../../../src/core/doctor/finding.ts";

const folder: FolderFacts = {
  folder: "state",
  path: "/state",
  freeBytes: 5e9,
};
const agent: AgentFacts = {
  name: "claude",
  roles: ["executor", "reviewer"],
  found: true,
  install: null,
  version: "2.1.400 (Claude Code)",
  login: "~/.claude/.credentials.json",
  loginBy: "claude auth login",
};
const sound: MachineFacts = {
  node: "24.1.0",
  onPath: true,
  git: "2.43.0",
  containment: "pid-namespace",
  sandbox: { asked: ["none"], works: true },
  folders: [folder],
  agents: [agent],
};
const oldSaid = { version: "1.0.0", least: "2.0.45", install: "npm install -g x" };
const old = { ...oldSaid, login: null };
const gone = { found: false, install: "npm install -g x", version: null, login: null };

/** What is not good, and the status that it comes to. */
function told(facts: Partial<MachineFacts>): object {
  const findings = diagnose({ machine: { ...sound, ...facts } });
  const wrong = findings.filter(({ state, rule }) => state !== "good" && rule !== "sandbox_none");
  return [exitStatusOf(findings), ...wrong];
}

const none = (asked: string): object => ({ rule: "sandbox_none", state: "note", asked });

test.for<[asked: MachineFacts["sandbox"]["asked"], works: boolean, found: object]>([
  [["bwrap", "bwrap"], true, { rule: "sandbox", state: "good" }],
  [["auto", "bwrap"], true, { rule: "sandbox", state: "good" }],
  [["none", "auto"], true, none("none")],
  [["auto", "auto"], false, none("auto")],
  [["auto", "none"], false, none("none")],
  [["none", "bwrap"], false, { rule: "sandbox_broken", state: "bad" }],
])("sandbox: the roles ask for %s, which works: %s", ([asked, works, expected]) => {
  const findings = diagnose({ machine: { ...sound, sandbox: { asked, works } } });
  expect(findings.filter(({ rule }) => rule.startsWith("sandbox"))).toEqual([expected]);
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
  ["no git", { git: undefined }, 1, { rule: "git_missing", state: "bad", least: "2.38" }],
  ["just the git that is needed", { git: "2.38.0" }, 0],
  ["an old git", { git: "2.34.1" }, 1, { rule: "git_old", state: "bad", version: "2.34.1", least: "2.38" }],
  ["git of another build", { git: "2.38.5 (Apple Git-154)" }, 0],
  ["a git that does not say its version", { git: "unknown" }, 0],
  ["no PID namespace", { containment: "process-group" }, 0, { rule: "processes_loose", state: "note" }],
  [
    "a folder that cannot be written, whatever else is said of it",
    { folders: [{ ...folder, refused: "the file system is read-only", freeBytes: 1 }] },
    1,
    { rule: "folder_refused", state: "bad", ...at, said: "the file system is read-only" },
  ],
  [
    "a disk that is nearly full",
    { folders: [{ ...folder, freeBytes: 999_999_999 }] },
    1,
    { rule: "room", state: "bad", ...at, freeBytes: 999_999_999, least: 1e9 },
  ],
  ["just enough room", { folders: [{ ...folder, freeBytes: 1e9 }] }, 0],
  ["a disk that tells nothing", { folders: [{ ...folder, freeBytes: undefined }] }, 0],
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
    "one of two agents is too old",
    { agents: [agent, { ...agent, ...old, name: "codex" }] },
    0,
    { rule: "agent_old", state: "note", agent: "codex", ...oldSaid },
  ],
  [
    "the only agent of a role is too old",
    {
      agents: [
        { ...agent, roles: ["executor"] },
        { ...agent, ...old, name: "codex", roles: ["reviewer"] },
      ],
    },
    1,
    { rule: "agent_old", state: "bad", agent: "codex", ...oldSaid },
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
