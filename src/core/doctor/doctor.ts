/** Judges the gathered facts: the machine, its agents, the repository, and the leftovers of relays. */
import { exitCodes } from "../error/error.ts";
import { freeBytesMin, gitLeast } from "../limits.ts";
import { isOlder } from "../session/version.ts";
import { roles } from "../settings/agent-kinds.ts";
import type { AgentFacts, Facts, FolderFacts, MachineFacts, RepositoryFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { withRunner } from "./runner.ts";

/** All findings, by area. */
export function diagnose({ machine, repository, runner }: Facts): Finding[] {
  const all = [
    ...ofPrograms(machine),
    ...machine.folders.map(ofFolder),
    ...(machine.agents ? ofAgents(machine.agents) : []),
    ...(repository ? ofRepository(repository) : []),
  ];
  return runner ? withRunner(all, runner) : all;
}

/** The exit status of a diagnosis; notes do not count. */
export function exitStatusOf(findings: readonly Finding[]): number {
  const bad = findings.filter(({ state }) => state === "bad");
  if (bad.some(({ rule }) => rule === "role_unplayed")) return exitCodes.agent;
  return bad.length > 0 ? exitCodes.person : 0;
}

function ofPrograms({ node, onPath, git, containment, sandbox }: MachineFacts): Finding[] {
  return [
    { rule: "node", state: "good", version: node },
    ...(onPath ? [] : [{ rule: "off_path", state: "note" } as const]),
    git === undefined
      ? { rule: "git_missing", state: "bad", least: gitLeast }
      : isOlder(git, gitLeast)
        ? { rule: "git_old", state: "bad", version: git, least: gitLeast }
        : { rule: "git", state: "good", version: git },
    containment === "pid-namespace"
      ? { rule: "processes", state: "good", containment }
      : { rule: "processes_loose", state: "note" },
    ofSandbox(sandbox),
  ];
}

/** A role that requires a sandbox which does not work comes first, then a role without a sandbox. */
function ofSandbox({ asked, works }: MachineFacts["sandbox"]): Finding {
  if (!works && asked.includes("bwrap")) return { rule: "sandbox_broken", state: "bad" };
  const none = asked.includes("none") ? "none" : works ? undefined : "auto";
  return none ? { rule: "sandbox_none", state: "note", asked: none } : { rule: "sandbox", state: "good" };
}

function ofFolder({ folder, path, refused, freeBytes }: FolderFacts): Finding {
  if (refused !== undefined) return { rule: "folder_refused", state: "bad", folder, path, said: refused };
  return freeBytes !== undefined && freeBytes < freeBytesMin
    ? { rule: "room", state: "bad", folder, path, freeBytes, least: freeBytesMin }
    : { rule: "folder", state: "good", folder, path, freeBytes: freeBytes ?? null };
}

/** A role needs one agent that is found; its other agents only replace that one. */
function ofAgents(agents: readonly AgentFacts[]): Finding[] {
  const of = (role: string): AgentFacts[] => agents.filter((one) => one.roles.includes(role));
  const unplayed = roles.filter((role) => !of(role).some(({ found }) => found));
  return [
    ...unplayed.map((role): Finding => {
      const install = of(role).flatMap((one) => one.install ?? []);
      return { rule: "role_unplayed", state: "bad", role, agents: of(role).map(({ name }) => name), install };
    }),
    ...agents.flatMap((one): Finding[] => {
      const { name: agent, version, least, login, loginBy, install } = one;
      if (one.found && least) {
        const isAlone = one.roles.some((role) => !of(role).some((other) => other.found && !other.least));
        const state = isAlone ? "bad" : "note";
        return [{ rule: "agent_old", state, agent, version, least, install: install ?? "" }];
      }
      if (one.found && one.unused) return [{ rule: "agent_unused", state: "note", agent, why: one.unused }];
      if (one.found)
        return loginBy !== undefined && login === null
          ? [{ rule: "login_unseen", state: "note", agent, loginBy }]
          : [{ rule: "agent", state: "good", agent, version, login }];
      // A role without any agent has a finding of its own.
      return one.roles.every((role) => unplayed.some((other) => other === role))
        ? []
        : [{ rule: "agent_missing", state: "note", agent, install: install ?? "" }];
    }),
  ];
}

function ofRepository(facts: NonNullable<Facts["repository"]>): Finding[] {
  if ("outside" in facts)
    return [
      facts.outside
        ? { rule: "no_repository", state: "note", ...facts.refused }
        : { rule: "repository_refused", state: "bad", ...facts.refused },
    ];
  const { locks, relays, refs, damaged, orphans, clones } = facts;
  return [
    ...ofSettings(facts),
    ...(facts.behind ? [{ rule: "base_behind", state: "note", ...facts.behind } as const] : []),
    ...ofRemote(facts),
    ...ofBaseline(facts),
    ...ofHome(facts),
    ...ofLocks(locks),
    ...damaged.map((one): Finding => ({ rule: "journal_damaged", state: "bad", ...one })),
    ...orphans.map((one): Finding => ({ rule: "orphan", state: "bad", ...one })),
    ...clones
      .filter(({ part, relay }) => part === "kept" || relay !== "open")
      .map((one): Finding => ({ rule: "clone_left", state: "note", ...one })),
    ...(relays > 0 ? [{ rule: "relays", state: "good", relays } as const] : []),
    ...(refs > 0 ? [{ rule: "refs", state: "good", refs } as const] : []),
  ];
}

function ofRemote({ remote }: RepositoryFacts): Finding[] {
  if (!remote) return [];
  const { name, said } = remote;
  return said === undefined
    ? [{ rule: "remote", state: "good", remote: name }]
    : [{ rule: "remote_refuses", state: "note", remote: name, said }];
}

function ofBaseline({ baseline }: RepositoryFacts): Finding[] {
  if (!baseline || baseline.is === "off" || baseline.is === "unknown") return [];
  const { base, commit, failed, is } = baseline;
  if (is === "green") return [{ rule: "baseline", state: "good", base, commit }];
  const runs = is === "red";
  return [{ rule: "baseline_red", state: runs ? "note" : "bad", base, commit, failed, runs }];
}

function ofHome({ home }: RepositoryFacts): Finding[] {
  if (!home) return [];
  if ("refused" in home) return [{ rule: "hidden_refused", state: "bad", ...home.refused }];
  return [
    ...home.hidden.map((one): Finding => ({ rule: "hidden", state: "note", ...one })),
    ...home.fallbacks.map((one): Finding => ({ rule: "fallback_refused", state: "note", ...one })),
  ];
}

/** A lock that a running git may hold is only a note. */
function ofLocks({ paths, left, remedy }: RepositoryFacts["locks"]): Finding[] {
  return paths.length > 0 ? [{ rule: "git_lock", state: left ? "bad" : "note", paths, remedy }] : [];
}

function ofSettings({ settings }: RepositoryFacts): Finding[] {
  if ("refused" in settings) return [{ rule: "settings_refused", state: "bad", ...settings.refused }];
  const { base, baseThere, given, unset } = settings;
  return [
    baseThere ? { rule: "settings", state: "good", base } : { rule: "base_missing", state: "bad", base },
    ...(given === "" ? [] : [{ rule: "given", state: "good", words: given } as const]),
    ...(unset.length > 0 ? [{ rule: "given_unset", state: "note", names: unset } as const] : []),
  ];
}
