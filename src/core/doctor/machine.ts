/** Judges the machine: its programs, its folders, the agents on it. */
import { freeBytesMin, freeInodesMin, gitLeast, nodeLeast } from "../limits.ts";
import { roles } from "../settings/agent-kinds.ts";
import type { AgentFacts, FolderFacts, MachineFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";

export function diagnoseMachine(machine: MachineFacts): Finding[] {
  return [
    ...programs(machine),
    ...machine.folders.flatMap(ofFolder),
    ...machine.temporaries.map(({ path, bytes }): Finding => ({
      rule: "temporary_left",
      state: "note",
      path,
      bytes,
    })),
    ...(machine.agents ? ofAgents(machine.agents) : []),
  ];
}

function programs({ node, git, containment, missing, sandbox }: MachineFacts): Finding[] {
  return [
    isOlder(node, nodeLeast)
      ? { rule: "node_old", state: "bad", version: node, least: nodeLeast }
      : { rule: "node", state: "good", version: node },
    git === undefined
      ? { rule: "git_missing", state: "bad", least: gitLeast }
      : isOlder(git, gitLeast)
        ? { rule: "git_old", state: "bad", version: git, least: gitLeast }
        : { rule: "git", state: "good", version: git },
    containment === "pid-namespace"
      ? { rule: "processes", state: "good", containment }
      : { rule: "processes_loose", state: "note", missing },
    ofSandbox(sandbox),
  ];
}

function ofSandbox({ asked, works }: MachineFacts["sandbox"]): Finding {
  if (asked !== "none" && works) return { rule: "sandbox", state: "good", asked };
  return asked === "bwrap"
    ? { rule: "sandbox_broken", state: "bad", asked }
    : { rule: "sandbox_none", state: "note", asked };
}

function ofFolder(facts: FolderFacts): Finding[] {
  const { refused, locks, shared, freeBytes, freeInodes } = facts;
  const where = { folder: facts.folder, path: facts.path };
  if (refused !== undefined) return [{ rule: "folder_refused", state: "bad", ...where, said: refused }];
  const found: Finding[] = [
    ...(locks ? [] : [{ rule: "locks_missing", state: "bad", ...where } as const]),
    ...(shared === undefined
      ? []
      : [{ rule: "shared_disk", state: "note", ...where, kind: shared } as const]),
    ...(freeBytes !== undefined && freeBytes < freeBytesMin
      ? [{ rule: "room", state: "bad", ...where, freeBytes, least: freeBytesMin } as const]
      : []),
    ...(freeInodes !== undefined && freeInodes < freeInodesMin
      ? [{ rule: "inodes", state: "bad", ...where, freeInodes, least: freeInodesMin } as const]
      : []),
  ];
  return found.length > 0
    ? found
    : [{ rule: "folder", state: "good", ...where, freeBytes: freeBytes ?? null }];
}

/** A role needs one agent that is found; the others are of use when that one cannot go on. */
function ofAgents(agents: readonly AgentFacts[]): Finding[] {
  const playing = agents.filter((one) => one.roles.length > 0);
  const of = (role: string): AgentFacts[] => playing.filter((one) => one.roles.includes(role));
  const unplayed = roles.filter((role) => !of(role).some(({ found }) => found));
  return [
    ...unplayed.map((role): Finding => {
      const [names, install] = [
        of(role).map(({ name }) => name),
        of(role).flatMap((one) => one.install ?? []),
      ];
      return { rule: "role_unplayed", state: "bad", role, agents: names, install };
    }),
    ...playing.flatMap((one) => (one.found ? ofAgent(one) : missing(one, unplayed))),
  ];
}

/** Where a role that names it has nobody, that is told instead. */
function missing({ name, install, roles: named }: AgentFacts, unplayed: readonly string[]): Finding[] {
  if (named.every((role) => unplayed.includes(role))) return [];
  return [{ rule: "agent_missing", state: "note", agent: name, install: install ?? "" }];
}

function ofAgent({ name, version, measuredOn, login, loginBy }: AgentFacts): Finding[] {
  const found: Finding[] = [];
  if (measuredOn !== undefined && version === null)
    found.push({ rule: "agent_mute", state: "note", agent: name });
  if (measuredOn !== undefined && version !== null && isOlder(version, measuredOn))
    found.push({ rule: "agent_old", state: "note", agent: name, version, measuredOn });
  if (loginBy !== undefined && login === null)
    found.push({ rule: "login_unseen", state: "note", agent: name, loginBy });
  return found.length > 0 ? found : [{ rule: "agent", state: "good", agent: name, version, login }];
}

/** By the first numbers in it, as `git version 2.39.5` has them; what has none is not older. */
export function isOlder(version: string, least: string): boolean {
  const [own, other] = [numbersIn(version), numbersIn(least)];
  if (!own || !other) return false;
  const at = other.findIndex((number, index) => number !== (own[index] ?? 0));
  return at >= 0 && (own[at] ?? 0) < other[at]!;
}

function numbersIn(version: string): number[] | undefined {
  return /\d+(?:\.\d+)+/.exec(version)?.[0].split(".").map(Number);
}
