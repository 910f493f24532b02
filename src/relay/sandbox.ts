/** The sandbox of what a relay starts: which one is in force by its settings, and what a session or a check sees in it. */
import { existsSync as isThere, mkdirSync, readFileSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { AgentKind } from "../agents/agent.ts";
import { probeContainment } from "../agents/child.ts";
import type { Containment } from "../agents/child.ts";
import { hasBubblewrap } from "../agents/sandbox.ts";
import type { View } from "../agents/sandbox.ts";
import { statePlaces } from "../agents/state.ts";
import { attempt } from "../core/error/attempt.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import type { Settings } from "../core/settings/settings.ts";
import { temporaryRoot } from "../io/io.ts";
import { stateFolder } from "../store/places.ts";
import type { RunnerSetup } from "./relay.ts";

type SandboxSettings = Pick<Settings, "sandbox" | "sandboxRead" | "sandboxWrite">;

/** Throws `input` where the sandbox that is asked for does not work here: nothing goes on without it in silence. */
export function containmentBy({ sandbox }: SandboxSettings): Containment {
  if (sandbox === "none" || (sandbox === "auto" && !hasBubblewrap())) return probeContainment();
  if (hasBubblewrap()) return "bubblewrap";
  throw new MonocoError("input", t`sandbox: bwrap does not work on this machine`, {
    hint: t`install bubblewrap (0.8 or newer) and allow user namespaces, or set sandbox: auto, which goes on without one and says so`,
  });
}

/** `read` and `write`: what this session or check needs besides the system, its programs and what the settings name. */
type Needs = { read: readonly string[]; write: readonly string[] };

/**
 * Hidden: temporary and home folders, what runs on the machine (sockets below /run), the person's repository with the
 * journals of all relays, and the clones of all others. The programs on the PATH stay to be seen, and monoco itself.
 */
export function viewOf(runner: RunnerSetup, settings: SandboxSettings, needs: Needs): View {
  const { env, repository, repositoryPlaces } = runner;
  const home = homeOf(runner);
  const inHome = (path: string): string => resolve(home, path.replace(/^~\//, ""));
  const { root, commonDir } = repository;
  const scratch = [..."/tmp /var/tmp /dev/shm".split(" "), temporaryRoot(), home].filter(isThere);
  const worktrees = linkedWorktrees(commonDir);
  const hidden = [
    ..."/run /home /root".split(" "),
    root,
    commonDir,
    ...worktrees,
    stateFolder(env),
    repositoryPlaces.monoco,
  ].filter(isThere);
  const isHidden = (path: string): boolean =>
    [...scratch, ...hidden].some((folder) => `${path}/`.startsWith(`${folder}/`));
  const tools = [...programsOf(runner), ...foldersOn(env["PATH"] ?? "", home), resolver()].filter(isHidden);
  return {
    hidden,
    scratch,
    read: [...tools, ...borrowedObjects(commonDir), ...settings.sandboxRead.map(inHome), ...needs.read],
    write: [...settings.sandboxWrite.map(inHome), ...needs.write],
  };
}

/** What an agent's CLI writes of its own. Its folders are made: in a home that is thrown away its conversations would be lost. */
export function agentNeeds(
  runner: RunnerSetup,
  kind: AgentKind,
  own: Readonly<Record<string, string>>,
): Needs {
  const { folders, files, kept } = statePlaces(kind, {
    home: homeOf(runner),
    env: { ...runner.env, ...own },
  });
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  return { read: kept, write: [...folders, ...files] };
}

/** The words of a command line that are files: an agent of the person's own, or its script. */
export function filesIn(argv: readonly string[]): string[] {
  return argv.filter((word) => isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile());
}

function homeOf({ env }: RunnerSetup): string {
  return env["HOME"] || homedir();
}

/** Node, monoco with its packages, and the folder that calls it. */
function programsOf({ monoco, binFolder, env, repositoryPlaces }: RunnerSetup): string[] {
  const [node = "", cli = ""] = monoco;
  const own = dirname(dirname(cli));
  const modules = own.lastIndexOf("/node_modules/");
  const packages = modules < 0 ? own : own.slice(0, modules + "/node_modules".length);
  const compiled = env["NODE_COMPILE_CACHE"] || join(repositoryPlaces.clones, "compiled");
  return [node, packages, binFolder, compiled];
}

/** The PATH's folders; of a `bin` beside a `lib`, as Node's version managers make them, both. */
function foldersOn(path: string, home: string): string[] {
  return path
    .split(":")
    .filter((folder) => folder.startsWith("/") && isThere(folder))
    .map((folder) => {
      const above = dirname(folder);
      const isPrefix = basename(folder) === "bin" && isThere(join(above, "lib"));
      return isPrefix && above !== home && above !== join(home, ".local") ? above : folder;
    });
}

/** Where names are resolved: a link into /run on many systems. */
function resolver(): string {
  return isThere("/etc/resolv.conf") ? realpathSync("/etc/resolv.conf") : "/etc/resolv.conf";
}

/** Where other worktrees of the repository lie: each is named by a file of git's. */
function linkedWorktrees(commonDir: string): string[] {
  const folder = join(commonDir, "worktrees");
  if (!isThere(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => linesOf(join(folder, name, "gitdir")))
    .map(dirname);
}

/** The objects that the repository borrows, and each of its clones with it. */
function borrowedObjects(commonDir: string): string[] {
  return linesOf(join(commonDir, "objects", "info", "alternates")).filter((line) => isAbsolute(line));
}

function linesOf(path: string): string[] {
  return attempt(() => readFileSync(path, "utf8"), "")
    .split("\n")
    .filter((line) => line !== "");
}
