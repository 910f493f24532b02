/** What is so of this machine: its programs, the folders that monoco writes to, the agents. What is tried there is gone when this returns. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { probeContainment } from "../../agents/containment.ts";
import { loginPlaces } from "../../agents/logins.ts";
import { agents } from "../../agents/registry.ts";
import { hasBubblewrap } from "../../agents/sandbox.ts";
import type { AgentFacts, FolderFacts, MachineFacts } from "../../core/doctor/facts.ts";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { systemRefusal } from "../../core/error/system-error.ts";
import { agentsKnown } from "../../core/settings/agent-entry.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import { sandboxOf } from "../../core/settings/settings.ts";
import type { Sandbox, Settings } from "../../core/settings/settings.ts";
import { gitIn } from "../../git/git.ts";
import { io, temporaryRoot } from "../../io/io.ts";
import { isThere } from "../../store/document.ts";
import { writeDurably } from "../../store/durable.ts";
import { sharedFileSystem } from "../../store/file-system.ts";
import { tryLock } from "../../store/lock.ts";
import { stateFolder } from "../../store/places.ts";
import type { RepositoryPlaces } from "../../store/places.ts";
import { findProgram } from "../agents.ts";
import { agentReports } from "./agent-reports.ts";

type Asked = {
  /** Where programs with a relative path are. */
  root: string;
  places?: RepositoryPlaces | undefined;
  settings?: Settings | undefined;
};

/** `temporaries` are looked for by whoever knows the relays. */
export async function machineFacts({
  root,
  places,
  settings,
}: Asked): Promise<Omit<MachineFacts, "temporaries">> {
  const containment = probeContainment();
  const helpers = containment === "pid-namespace" ? [] : ["setpriv", "unshare"];
  return {
    node: process.versions.node,
    git: await gitVersion(),
    containment,
    sandbox: sandboxFacts(settings),
    missing: helpers.filter((name) => findProgram(name, root) === undefined),
    folders: [
      folderFacts("temporary", temporaryRoot()),
      folderFacts("state", places?.clones ?? stateFolder(io().env)),
      ...(places ? [folderFacts("runtime", places.monoco)] : []),
    ],
    agents: settings && (await agentFacts(settings, root).catch(nobodyKnows)),
  };
}

/** Of both roles: one that insists on a sandbox that does not work counts, then one without a sandbox. */
function sandboxFacts(settings: Settings | undefined): MachineFacts["sandbox"] {
  const asked = settings ? roles.map((role) => sandboxOf(settings, role)) : (["auto"] as const);
  const tried = asked.map((one) => trySandbox(one));
  const [first = trySandbox("auto")] = tried;
  const broken = tried.find((one) => !one.works && one.asked === "bwrap");
  return broken ?? tried.find((one) => one.asked === "none") ?? first;
}

function trySandbox(asked: Sandbox): MachineFacts["sandbox"] {
  return { asked, works: attempt(hasBubblewrap, false) };
}

async function gitVersion(): Promise<string | undefined> {
  try {
    const told = await gitIn(io().cwd)(["--version"]);
    return told.trim().replace(/^git version /, "");
  } catch (error) {
    if (error instanceof MonocoError) return undefined;
    throw error;
  }
}

/** Asking an agent for its version needs a temporary folder. If none can be made, the finding about that folder says so. */
function nobodyKnows(error: unknown): undefined {
  if (!systemRefusal(error)) throw error;
}

async function agentFacts(settings: Settings, root: string): Promise<AgentFacts[]> {
  const known = agentsKnown(settings);
  const named = new Set(roles.flatMap((role) => settings.roles[role].agents));
  const reports = await agentReports(settings, root, (name) => named.has(name));
  const unknown = [...named].filter((name) => !Object.hasOwn(known, name));
  return [
    ...reports.map(({ name, roles: played, found, install, version, login }): AgentFacts => {
      const entry = known[name]!;
      const agent = agents[entry.kind];
      const needsLogin = loginPlaces(entry.kind).files.length > 0;
      return {
        name,
        roles: played,
        found,
        install,
        version,
        login,
        measuredOn: entry.run === undefined ? agent.measuredOn : undefined,
        loginBy: needsLogin ? (agent.program(entry)?.login ?? "") : undefined,
      };
    }),
    ...unknown.map((name): AgentFacts => {
      const played = roles.filter((role) => settings.roles[role].agents.includes(name));
      return { name, roles: played, found: false, install: null, version: null, login: null };
    }),
  ];
}

function folderFacts(folder: FolderFacts["folder"], path: string): FolderFacts {
  // Nobody makes a temporary folder that is missing.
  const there = folder === "temporary" ? path : nearest(path);
  const disk = attempt(() => statfsSync(there), undefined);
  return {
    folder,
    path,
    ...tryOut(there),
    shared: sharedFileSystem(there),
    freeBytes: disk && disk.bavail * disk.bsize,
    // Some file systems make them as they are needed, and count none.
    freeInodes: disk && disk.files > 0 ? disk.ffree : undefined,
  };
}

/** The folder itself, or the one that it would be made in. */
function nearest(path: string): string {
  return isThere(path) || path === dirname(path) ? path : nearest(dirname(path));
}

/** Writes and renames a file and a folder there, and takes a lock twice, which only the first may get. */
function tryOut(path: string): Pick<FolderFacts, "refused" | "locks"> {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(path, ".monoco-doctor-"));
    const at = (name: string): string => join(folder!, name);
    for (const text of ["one", "two"]) writeDurably(at("file"), text);
    mkdirSync(at("folder"));
    renameSync(at("folder"), at("renamed"));
    const [first, second] = [tryLock(at("lock")), tryLock(at("lock"))];
    first?.release();
    second?.release();
    return { locks: first !== undefined && second === undefined };
  } catch (error) {
    return { refused: systemRefusal(error)?.says ?? wordsOf(error), locks: true };
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
