/** The facts of this machine: programs, the folders that monoco writes to, the agents. Trial files are removed. */
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { probeContainment } from "../../agents/containment.ts";
import { loginPlaces } from "../../agents/logins.ts";
import { agents } from "../../agents/registry.ts";
import { hasBubblewrap } from "../../agents/sandbox.ts";
import type { AgentFacts, FolderFacts, MachineFacts } from "../../core/doctor/facts.ts";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { systemRefusal } from "../../core/error/system-error.ts";
import { t } from "../../core/language/translate.ts";
import { findAgent } from "../../core/settings/agent-entry.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import { sandboxOf } from "../../core/settings/settings.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { gitIn } from "../../git/git.ts";
import { io, temporaryRoot } from "../../io/io.ts";
import { isThere } from "../../store/document.ts";
import { writeDurably } from "../../store/durable.ts";
import { tryLock } from "../../store/lock.ts";
import { stateFolder } from "../../store/places.ts";
import type { RepositoryPlaces } from "../../store/places.ts";
import { isFoundByOthers } from "../agents.ts";
import { agentReports } from "./agent-reports.ts";

type Asked = {
  /** The base of relative program paths. */
  root: string;
  places?: RepositoryPlaces | undefined;
  settings?: Settings | undefined;
};

export async function machineFacts({ root, places, settings }: Asked): Promise<MachineFacts> {
  return {
    node: process.versions.node,
    onPath: isFoundByOthers(),
    git: await gitVersion(),
    containment: probeContainment(),
    sandbox: {
      asked: settings ? roles.map((role) => sandboxOf(settings, role)) : ["auto"],
      works: attempt(hasBubblewrap, false),
    },
    folders: [
      // monoco never makes a missing temporary folder.
      folderFacts("temporary", temporaryRoot(), temporaryRoot()),
      folderFacts("state", places?.clones ?? stateFolder(io().env)),
      ...(places ? [folderFacts("runtime", places.monoco)] : []),
    ],
    agents: settings && (await agentFacts(settings, root).catch(nobodyKnows)),
  };
}

async function gitVersion(): Promise<string | undefined> {
  try {
    return (await gitIn(io().cwd)(["--version"])).trim().replace(/^git version /, "");
  } catch (error) {
    if (error instanceof MonocoError) return undefined;
    throw error;
  }
}

/** No version: asking for one needs a temporary folder. If none can be made, the finding about that folder says so. */
function nobodyKnows(error: unknown): undefined {
  if (!systemRefusal(error)) throw error;
}

/** The agents that roles name. */
async function agentFacts(settings: Settings, root: string): Promise<AgentFacts[]> {
  const names = [...new Set(roles.flatMap((role) => settings.roles[role].agents))];
  const reports = await agentReports(settings, root, (name) => names.includes(name));
  return names.map((name): AgentFacts => {
    const report = reports.find((one) => one.name === name);
    const entry = findAgent(settings, name);
    if (!report || !entry) {
      const played = roles.filter((role) => settings.roles[role].agents.includes(name));
      return { name, roles: played, found: false, install: null, version: null, login: null };
    }
    const needsLogin = loginPlaces(entry.kind).files.length > 0;
    return {
      ...report,
      loginBy: needsLogin ? (agents[entry.kind].program(entry)?.login ?? "") : undefined,
    };
  });
}

/** Tries the folder itself, or its nearest existing parent. */
function folderFacts(
  folder: FolderFacts["folder"],
  path: string,
  tried: string = nearest(path),
): FolderFacts {
  const disk = attempt(() => statfsSync(tried), undefined);
  return { folder, path, refused: refusalOf(tried), freeBytes: disk && disk.bavail * disk.bsize };
}

function nearest(path: string): string {
  return isThere(path) || path === dirname(path) ? path : nearest(dirname(path));
}

/** Writes a file there, and takes a lock twice: only the first attempt may succeed. */
function refusalOf(path: string): string | undefined {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(path, ".monoco-doctor-"));
    writeDurably(join(folder, "file"), "text");
    const locks = [tryLock(join(folder, "lock")), tryLock(join(folder, "lock"))];
    for (const lock of locks) lock?.release();
    return locks[0] && !locks[1] ? undefined : t`locks do not hold there`;
  } catch (error) {
    return systemRefusal(error)?.says ?? wordsOf(error);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
