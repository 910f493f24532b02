/** The sandbox of what a relay starts: which one is in force by its settings, and what a session or a check sees in it. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { AgentKind } from "../agents/agent.ts";
import { probeContainment } from "../agents/containment.ts";
import type { Containment } from "../agents/containment.ts";
import { bubblewrap, hasBubblewrap } from "../agents/sandbox.ts";
import { walker } from "../agents/mounts.ts";
import type { Known, View, Walker } from "../agents/mounts.ts";
import { statePlaces } from "../agents/state.ts";
import { cachePlaces, toolchainsIn } from "../agents/toolchains.ts";
import { lentBy } from "../git/copy-objects.ts";
import { attempt } from "../core/error/attempt.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import type { Role } from "../core/settings/agent-kinds.ts";
import { sandboxOf } from "../core/settings/settings.ts";
import type { Settings } from "../core/settings/settings.ts";
import { temporaryRoot } from "../io/io.ts";
import { stateFolder } from "../store/places.ts";
import { isSandbox } from "../core/report/sandbox.ts";
import { settingsOf } from "./relay.ts";
import type { Relay, RunnerSetup } from "./relay.ts";

type SandboxSettings = Pick<Settings, "network" | "roles" | "sandbox">;

/** What a view is made from. */
type Around = Pick<RunnerSetup, "env" | "monoco" | "binFolder"> & {
  repository: Pick<RunnerSetup["repository"], "root" | "commonDir">;
  repositoryPlaces: Pick<RunnerSetup["repositoryPlaces"], "monoco" | "packages" | "clones">;
};
type Shown = Pick<Settings, "clones" | "sandboxRead" | "sandboxWrite">;

/**
 * What holds the sessions of a role, and the checks and set-ups on its behalf. Throws `input` where the sandbox that is
 * asked for does not work here: nothing goes on without it in silence.
 */
export function containmentBy(settings: SandboxSettings, role: Role): Containment {
  const sandbox = sandboxOf(settings, role);
  if (sandbox === "none" || (sandbox === "auto" && !hasBubblewrap())) {
    const { network } = settings;
    if (network === "full") return probeContainment();
    throw new MonocoError("input", t`network: ${network} needs a sandbox, and none is in force`, {
      hint: t`set sandbox: bwrap, which needs bubblewrap (0.8 or newer) and user namespaces; or network: full`,
    });
  }
  if (hasBubblewrap()) return "bubblewrap";
  throw new MonocoError("input", t`sandbox: bwrap does not work on this machine`, {
    hint: t`install bubblewrap (0.8 or newer) and allow user namespaces, or set sandbox: auto, which goes on without one and says so`,
  });
}

/** Whose package caches can be written; all others are thrown away with the sandbox. */
export type Caches = "sessions" | "trusted" | "none";

/** `read` and `write`: what this session or check needs besides the system, its programs and what the settings name. */
type Needs = { read: readonly string[]; write: readonly string[]; caches: Caches };

/** What every view of a relay shows, whoever it is for. */
type Surroundings = Required<Pick<View, "hidden" | "scratch" | "read" | "write" | "secret" | "known">> & {
  caches: [name: string, at: string][];
};

/**
 * Hidden: temporary and home folders, what runs on the machine (sockets below /run), the person's repository with the
 * journals of all relays, and the clones of all others. The programs on the PATH stay to be seen, and monoco itself.
 */
export function viewOf(runner: Around, settings: Shown, needs: Needs): View {
  const { read, write, caches, ...seen } = surroundingsOf(runner, settings);
  const kept = needs.caches === "none" ? undefined : cachesAt(runner, needs.caches);
  const placed = caches.map(([name, at]): [string | undefined, string] => [
    kept && attempt(() => madeFolder(join(kept, name)), undefined),
    at,
  ]);
  return {
    ...seen,
    read: [...read, ...needs.read],
    write: [...write, ...needs.write, ...(kept === undefined ? [] : [kept])],
    placed,
  };
}

/** The words before a git that reads an Executor's clone, in which agents have worked: those of its sandbox; none without one. */
export function gitWithin(relay: Relay, folder: string): string[] {
  const settings = settingsOf(relay);
  if (!isSandbox(containmentBy(settings, "executor"))) return [];
  // Where a clone borrows nothing, the base is fetched into it.
  const read = settings.clones === "copied" ? [relay.repository.commonDir] : [];
  return bubblewrap(viewOf(relay, settings, { read, write: [folder], caches: "none" }), folder);
}

function surroundingsOf(runner: Around, settings: Shown): Surroundings {
  const { env, repository, repositoryPlaces } = runner;
  const home = homeOf(runner);
  const inHome = (path: string): string => resolve(home, path.replace(/^~\//, ""));
  const { root, commonDir } = repository;
  const scratch = [..."/tmp /var/tmp /dev/shm".split(" "), temporaryRoot(), home].filter(isFolder);
  const worktrees = linkedWorktrees(commonDir);
  const hidden = [
    ..."/run /home /root".split(" "),
    root,
    commonDir,
    ...worktrees,
    stateFolder(env),
    repositoryPlaces.monoco,
  ].filter(isFolder);
  const known: Known = new Map();
  const walked = walker(known);
  const real = (path: string): string => (walked(path).isThere ? walked(path).real : path);
  const out = [...new Set([...scratch, ...hidden].flatMap((folder) => [folder, real(folder)]))];
  const isOut = (path: string): boolean => out.some((folder) => isIn(path, folder));
  const isHidden = (path: string): boolean => isOut(path) || isOut(real(path));
  // A PATH that names the home or the repository itself would show it; one that names a toolchain, more than its row does.
  const toolchains = toolchainsIn(home, env);
  const covers = (path: string): boolean => out.some((folder) => isIn(folder, real(path)));
  const shows = (path: string): boolean => toolchains.roots.includes(path) || covers(path);
  const onPath = [...new Set((env["PATH"] ?? "").split(":"))].filter(isHidden);
  const write = settings.sandboxWrite.map(inHome);
  const bounds = [root, ...worktrees, ...write];
  const programs = onPath.flatMap((path) => foldersOn(path, walked, bounds)).filter((path) => !shows(path));
  const tools = [
    ...programsOf(runner),
    ...programs,
    ...toolchains.read.filter((path) => !covers(path)),
    // Where names are resolved: a link into /run on many systems.
    real("/etc/resolv.conf"),
  ].filter(isHidden);
  const read = settings.sandboxRead.map(inHome);
  return {
    hidden,
    scratch,
    read: [...tools, ...objectsFor(settings, commonDir), ...read],
    write,
    secret: toolchains.secret.filter((path) => ![...read, ...write].includes(path)),
    caches: cachePlaces(home, env),
    known,
  };
}

/** A session may have put something else in its place. */
function madeFolder(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return path;
  if (stat) rmSync(path, { force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * An Executor's sessions share caches that only they see: what is put there could be meant for the next one. Set-ups of
 * clones in which nothing is an agent's have their own: what comes out of them may be kept for all.
 */
const cachesAt = ({ repositoryPlaces }: Around, caches: Caches): string =>
  join(repositoryPlaces.packages, caches);

/** What an agent's CLI writes of its own. Its folders are made: in a home that is thrown away its conversations would be lost. */
export function agentNeeds(
  runner: Around,
  kind: AgentKind,
  own: Readonly<Record<string, string>>,
): Omit<Needs, "caches"> {
  const { folders, files, kept } = statePlaces(kind, {
    home: homeOf(runner),
    env: { ...runner.env, ...own },
  });
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const link = kept.find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link !== undefined) {
    const message = t`${link} is a link: in a sandbox an agent could put another in its place`;
    throw new MonocoError("input", message, {
      hint: t`put the file or folder itself there, or set sandbox: none`,
    });
  }
  return { read: kept, write: [...folders, ...files] };
}

/** The files that a command line and its environment name: an agent of the person's own or its script, certificates, keys. */
export function filesIn(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const [program = ""] = argv;
  const named = [...argv, ...Object.values(env)].filter((word) => word !== undefined && isFile(word));
  return [...named.filter((word) => word !== undefined), ...programFiles(program, env["PATH"] ?? "")];
}

/** A program, by where its links lead: from npm with the packages around it. */
function programFiles(program: string, path: string): string[] {
  const places = program.includes("/") ? [program] : path.split(":").map((folder) => join(folder, program));
  const real = attempt(() => realpathSync(places.find(isFile) ?? ""), undefined);
  return real === undefined ? [] : [packagesAround(real) ?? real];
}

function packagesAround(path: string): string | undefined {
  const pnpm = path.indexOf("/node_modules/.pnpm/");
  const modules = pnpm < 0 ? path.lastIndexOf("/node_modules/") : pnpm;
  return modules < 0 ? undefined : path.slice(0, modules + "/node_modules".length);
}

/** An error is slow. */
const statOr = (path: string) => attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);

const isFile = (path: string): boolean => isAbsolute(path) && statOr(path)?.isFile() === true;

/** `/` itself can be no empty folder: a container's user may have it as a home. */
const isFolder = (path: string): boolean => path !== "/" && statOr(path)?.isDirectory() === true;

const isIn = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`);

const homeOf = ({ env }: Around): string => env["HOME"] || homedir();

/** Node, monoco with its packages, and the folder that calls it. */
function programsOf({ monoco, binFolder, env, repositoryPlaces }: Around): string[] {
  const [node = "", cli = ""] = monoco;
  const own = dirname(dirname(cli));
  const parts = "dist src node_modules templates roles schema package.json".split(" ");
  const around = packagesAround(own);
  const packages = around === undefined ? parts.map((name) => join(own, name)) : [around];
  const compiled = env["NODE_COMPILE_CACHE"] || join(repositoryPlaces.clones, "compiled");
  return [node, ...packages, binFolder, compiled];
}

/**
 * A folder of the PATH and where its links lead: npm and the agents' own installers put programs elsewhere. Of a `bin` also the
 * `lib` beside it, as Node's version managers have it. Where a session may write, or merged work comes, a link leads to a
 * program within those bounds, or nothing is shown of it.
 */
function foldersOn(folder: string, walked: Walker, changeable: readonly string[]): string[] {
  if (!isAbsolute(folder) || !isFolder(folder)) return [];
  const { real } = walked(folder);
  const within = changeable.find((one) => isIn(folder, one) || isIn(real, walked(one).real));
  const bounds = within === undefined ? undefined : walked(within).real;
  const isFine = (path: string): boolean => {
    if (bounds === undefined) return true;
    const { real, links } = walked(path);
    return isIn(real, bounds) && (isProgram(path) || links.every(([at]) => !isIn(at, bounds)));
  };
  const links = attempt(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => join(folder, name))
    .filter((path) => walked(path).isThere && isFine(path));
  const led = links.map((path) => walked(path).real).map((path) => packagesAround(path) ?? path);
  const modules = basename(folder) === "bin" ? [join(dirname(folder), "lib", "node_modules")] : [];
  return [folder, ...modules.filter(existsSync), ...links, ...new Set(led)].filter(isFine);
}

const isProgram = (path: string): boolean => ((statOr(path)?.mode ?? 0) & 0o111) !== 0 && isFile(path);

/** Where other worktrees of the repository lie: each is named by a file of git's. */
function linkedWorktrees(commonDir: string): string[] {
  const folder = join(commonDir, "worktrees");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const text = attempt(() => readFileSync(join(folder, name, "gitdir"), "utf8").trimEnd(), "");
    return text === "" ? [] : [dirname(resolve(folder, name, text))];
  });
}

/** The objects that its clones borrow: the repository's own, and those that it borrows itself. */
function objectsFor({ clones }: Shown, commonDir: string): string[] {
  const objects = join(commonDir, "objects");
  const own = clones === "borrowed" ? [objects] : [];
  return [...own, ...lentBy(objects).filter((line) => isAbsolute(line))];
}
