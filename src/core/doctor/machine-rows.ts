/** What is found of the machine and the agents on it, in words. */
import type { Advice } from "../error/hint-schema.ts";
import { diskSpace } from "../text/figures.ts";
import type { MachineValues } from "./finding.ts";
import type { Rows } from "./row.ts";
import { t, translatable, translated } from "../language/translate.ts";

const folderNames: Readonly<Record<string, string>> = translatable({
  temporary: "temporary folder",
  state: "folder of the clones",
  runtime: "folder of the journals",
});
const nameOf = (folder: string): string => translated(folderNames[folder] ?? folder);

/** A way that ends with --fix. */
export const heal = [{ do: "heal" }] as const;

export const machineRows: Rows<MachineValues> = {
  node: { area: "machine", words: ({ version }) => `Node ${version}` },
  node_old: {
    area: "machine",
    words: ({ version, least }) => t`Node ${version} is older than ${least}`,
    fix: ({ least }) => t`install Node ${least} or newer`,
  },
  git: { area: "machine", words: ({ version }) => `git ${version}` },
  git_old: {
    area: "machine",
    words: ({ version, least }) => t`git ${version} is older than ${least}`,
    fix: ({ least }) => t`install git ${least} or newer`,
  },
  git_missing: {
    area: "machine",
    words: () => t`git is not on the PATH`,
    fix: ({ least }) => t`install git ${least} or newer`,
  },
  processes: {
    area: "machine",
    words: ({ containment }) => t`a session's processes are held by ${containment}`,
  },
  processes_loose: {
    area: "machine",
    words: ({ missing }) =>
      missing.length > 0
        ? t`a session's processes are held by process-group only: ${missing.join(", ")} not found`
        : t`a session's processes are held by process-group only: this system lets nobody make a PID namespace`,
    fix: ({ missing }) =>
      missing.length > 0
        ? t`install util-linux, which has them`
        : t`allow user namespaces to unshare(1); without them a process that hides can outlive its session`,
  },
  sandbox: {
    area: "machine",
    words: () => t`sessions and checks run in bubblewrap`,
  },
  sandbox_none: {
    area: "machine",
    words: ({ asked }) =>
      asked === "auto"
        ? t`sandbox: none, since bubblewrap does not work here; an agent runs with your rights`
        : t`sandbox: none; an agent runs with your rights`,
    fix: ({ asked }) =>
      asked === "auto"
        ? t`install bubblewrap and allow user namespaces, or work in a container`
        : t`set sandbox: auto in monoco.yaml, or work in a container`,
  },
  sandbox_broken: {
    area: "machine",
    words: () => t`sandbox: bwrap does not work on this machine`,
    fix: () => t`install bubblewrap and allow user namespaces, or work in a container`,
  },
  folder: {
    area: "folders",
    words: ({ folder, freeBytes }) =>
      freeBytes === null ? nameOf(folder) : t`${nameOf(folder)} (${diskSpace(freeBytes)} free)`,
  },
  folder_refused: {
    area: "folders",
    words: ({ folder, path, said }) => t`${nameOf(folder)} ${path} cannot be written: ${said}`,
    fix: ({ folder }) => folderFix(folder),
  },
  locks_missing: {
    area: "folders",
    words: ({ folder, path }) => t`${nameOf(folder)} ${path} lies where locks do not hold`,
    fix: ({ folder }) => folderFix(folder),
  },
  shared_disk: {
    area: "folders",
    words: ({ folder, path, kind }) => t`${nameOf(folder)} ${path} lies on ${kind}`,
    fix: () => t`run monoco from one machine only: its locks may not hold for others`,
  },
  room: {
    area: "folders",
    words: ({ folder, path, freeBytes, least }) =>
      t`${nameOf(folder)} ${path} has ${diskSpace(freeBytes)} of room left, less than ${diskSpace(least)}`,
    fix: () => t`make room on that disk`,
  },
  inodes: {
    area: "folders",
    words: ({ folder, path, freeInodes, least }) =>
      t`${nameOf(folder)} ${path} has room for ${freeInodes} more files, fewer than ${least}`,
    fix: () => t`remove files on that disk: it has no inodes left for more`,
  },
  temporary_left: {
    area: "folders",
    words: ({ path, bytes }) => t`a killed command has left ${path} (${diskSpace(bytes)})`,
    fix: () => [heal],
    safe: true,
  },
  agent: {
    area: "agents",
    words: ({ agent, version, login }) =>
      [agent, ...(version === null ? [] : [version]), ...(login === null ? [] : [t`login: ${login}`])].join(
        " ",
      ),
  },
  agent_missing: {
    area: "agents",
    words: ({ agent }) => t`${agent} is not found`,
    fix: ({ install }) => install,
  },
  agent_old: {
    area: "agents",
    words: ({ agent, version, measuredOn }) =>
      t`${agent} is ${version}, older than ${measuredOn}, which monoco was tried on`,
    fix: ({ agent }) => t`update ${agent}`,
  },
  agent_mute: {
    area: "agents",
    words: ({ agent }) => t`${agent} does not tell its version`,
    fix: ({ agent }) => t`run it once by hand: it may be another program than ${agent}`,
  },
  login_unseen: {
    area: "agents",
    words: ({ agent }) => t`no login of ${agent} is seen`,
    fix: ({ loginBy }) => t`if it is not logged in: ${loginBy}`,
  },
  role_unplayed: {
    area: "agents",
    words: ({ role, agents }) => t`nobody can play the ${role}: ${agents.join(", ")} not found`,
    fix: ({ role, install }) =>
      t`${install[0] ?? t`install one`}, or name another agent under roles.${role}.agents in monoco.yaml`,
  },
};

function folderFix(folder: string): Advice {
  if (folder === "temporary") return t`set TMPDIR to a folder on a local disk that you may write`;
  if (folder === "state") return t`set XDG_STATE_HOME to a folder on a local disk that you may write`;
  return t`give yourself the right to write there, or work in a clone on a local disk`;
}
