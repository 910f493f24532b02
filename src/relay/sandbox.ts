/** Chooses the sandbox of sessions and checks by the settings, and what is visible in it. */
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { AgentSettings } from "../agents/agent.ts";
import { probeContainment } from "../agents/containment.ts";
import type { Containment } from "../agents/containment.ts";
import { bubblewrap, hasBubblewrap } from "../agents/sandbox.ts";
import { walker } from "../agents/mounts.ts";
import type { Entries, View, Walker } from "../agents/mounts.ts";
import { certificatesIn } from "../agents/environment.ts";
import { cachePlaces, toolchainsIn } from "../agents/toolchains.ts";
import { gitDirsBelow } from "../git/folders.ts";
import { lentBy } from "../git/copy-objects.ts";
import { shownBeside } from "../git/siblings.ts";
import { attempt } from "../core/error/attempt.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import type { Role } from "../core/settings/agent-kinds.ts";
import { sandboxOf } from "../core/settings/settings.ts";
import type { Settings } from "../core/settings/settings.ts";
import { isSandbox } from "../core/report/sandbox.ts";
import type { CheckResult } from "../core/review/check-result.ts";
import type { Hidden } from "../core/home/home-files.ts";
import type { CloneSource } from "../git/clone/workspace.ts";
import { refs } from "../git/refs.ts";
import { needsOf } from "./home/agent-home.ts";
import { hiddenOf } from "./home/hidden.ts";
import { emptied, homeOf, inHome, isFile, isFolder, isIn, statOr } from "./home/emptied.ts";
import { openingOf, settingsOf } from "./relay.ts";
import type { Relay, RunnerSetup } from "./relay.ts";

type SandboxSettings = Pick<Settings, "network" | "roles" | "sandbox" | "siblings">;

/** The facts from which a view is made. */
type Around = Pick<RunnerSetup, "env" | "monoco" | "binFolder"> & {
  repository: Pick<RunnerSetup["repository"], "root" | "commonDir">;
  repositoryPlaces: Pick<RunnerSetup["repositoryPlaces"], "monoco" | "packages" | "clones">;
};
type Shown = Pick<Settings, "clones" | "sandboxRead" | "sandboxWrite" | "siblings">;

/** The containment of a role's sessions, checks and set-ups. Throws `input` if the required sandbox does not work here. */
export function containmentBy(settings: SandboxSettings, role: Role): Containment {
  const sandbox = sandboxOf(settings, role);
  if (sandbox === "none" || (sandbox === "auto" && !hasBubblewrap())) {
    const { network, siblings } = settings;
    if (siblings.length > 0)
      throw new MonocoError(
        "input",
        t`siblings: ${siblings[0]} needs a sandbox to be shown in, and none is in force`,
        {
          hint: t`set sandbox: bwrap, which needs bubblewrap (0.8 or newer) and user namespaces; or take siblings out`,
        },
      );
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

/** The package caches that a sandbox can write; writes to all others are discarded with it. */
export type Caches = "sessions" | "trusted" | "none";

/** `read` and `write`: paths for this session or check, besides the system, its programs and the settings' paths. */
type Needs = {
  read: readonly string[];
  write: readonly string[];
  caches: Caches;
  /** What is shown empty of the folders to read. */
  secret?: readonly string[];
  /** The clone beside which the settings' siblings are shown. */
  clone?: string;
};

/** The parts of a view that are the same for a whole relay. */
type Surroundings = Required<Pick<View, "hidden" | "scratch" | "read" | "write" | "secret" | "entries">> & {
  caches: [name: string, at: string][];
};

/**
 * The view of a sandbox. Hidden are temporary folders, homes, sockets below /run, the person's repository with all journals,
 * and the other clones. Programs on the PATH and monoco itself stay visible.
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
    secret: [...seen.secret, ...(needs.secret ?? [])],
    read: [...read, ...needs.read],
    write: [...write, ...needs.write, ...(kept === undefined ? [] : [kept])],
    shown: needs.clone === undefined ? [] : shownBeside(runner.repository, settings.siblings, needs.clone),
    placed,
  };
}

/** What of the home a sandbox hides although the commands, their programs or the settings of the agents' CLIs name it. */
export function hiddenFrom(
  runner: Around,
  settings: Shown,
  { commands, agents = [] }: { commands: readonly string[]; agents?: readonly AgentSettings[] },
): Hidden[] {
  const needs = agents.map((own) => needsOf(runner, settings, own));
  const read = needs.flatMap((one) => one.read);
  const write = needs.flatMap((one) => one.write);
  const view = viewOf(runner, settings, { read, write, caches: "none" });
  // A CLI that monoco knows writes its own state.
  const shared = write.length > 0 ? projectSettings.map((name) => join(runner.repository.root, name)) : [];
  const files = [...needs.flatMap((one) => one.settings), ...shared.filter(isFile)];
  return hiddenOf(view, homeOf(runner), { commands, settings: files });
}

/** A repository's own settings of the CLIs: an agent may have written them, so what they name is not shown by itself. */
const projectSettings =
  ".claude/settings.json .mcp.json .codex/config.toml .codex/hooks.json .gemini/settings.json opencode.json opencode.jsonc".split(
    " ",
  );

/** The paths of the home that the sandbox of set-up and checks hides, though a failed command or its output names them. */
export function hiddenFromFailed(relay: Relay, failed: CheckResult): { hidden?: string[] } {
  const settings = settingsOf(relay);
  if (!isSandbox(containmentBy(settings, "reviewer"))) return {};
  const named = hiddenFrom(relay, settings, { commands: [failed.command] }).map(({ path }) => path);
  const hidden = [...new Set([...named, ...(failed.hidden ?? [])])];
  return hidden.length > 0 ? { hidden } : {};
}

/** The source of the Executor's clone, at the relay's head; with `ref`, of a clone that a review rests on. */
export function cloneSource(relay: Relay, ref?: string): CloneSource {
  const { base, branch, settings } = openingOf(relay);
  return {
    root: relay.repository.root,
    base,
    branch,
    ref: ref ?? refs.head(relay.issue),
    clones: settings.clones,
    filters: settings.filters,
    sandboxed: isSandbox(containmentBy(settings, ref === undefined ? "executor" : "reviewer")),
    hold: { base: refs.base(relay.issue), remotes: refs.remotes(relay.issue) },
    stop: relay.control.interrupt,
  };
}

/** The sandbox command for a git that reads an Executor's clone, in which agents have worked; empty without a sandbox. */
export function gitWithin(relay: Relay, folder: string): string[] {
  const settings = settingsOf(relay);
  if (!isSandbox(containmentBy(settings, "executor"))) return [];
  // A clone that borrows nothing fetches the base from the repository.
  const read = settings.clones === "copied" ? [relay.repository.commonDir] : [];
  return bubblewrap(viewOf(relay, settings, { read, write: [folder], caches: "none" }), folder);
}

function surroundingsOf(runner: Around, settings: Shown): Surroundings {
  const { env, repository } = runner;
  const { home, scratch, hidden, worktrees } = emptied(runner);
  const { root, commonDir } = repository;
  const entries: Entries = new Map();
  const walked = walker(entries);
  const real = (path: string): string => (walked(path).isThere ? walked(path).real : path);
  const out = [...new Set([...scratch, ...hidden].flatMap((folder) => [folder, real(folder)]))];
  const isOut = (path: string): boolean => out.some((folder) => isIn(path, folder));
  const isHidden = (path: string): boolean => isOut(path) || isOut(real(path));
  // A PATH entry that contains the home or the repository would show it, and one for a toolchain would show more than needed.
  const toolchains = toolchainsIn(home, env);
  const covers = (path: string): boolean => out.some((folder) => isIn(folder, real(path)));
  const shows = (path: string): boolean => toolchains.roots.includes(path) || covers(path);
  const onPath = [...new Set((env["PATH"] ?? "").split(":"))].filter(isHidden);
  const write = settings.sandboxWrite.map((path) => inHome(path, home));
  const bounds = [root, ...worktrees, ...write];
  const programs = onPath.flatMap((path) => foldersOn(path, walked, bounds)).filter((path) => !shows(path));
  const tools = [
    ...certificatesIn(env).filter((path) => !covers(path)),
    ...programsOf(runner),
    ...programs,
    ...toolchains.read.filter((path) => !covers(path)),
    // The resolver's configuration is a link into /run on many systems.
    real("/etc/resolv.conf"),
  ].filter(isHidden);
  const read = settings.sandboxRead.map((path) => inHome(path, home));
  return {
    hidden,
    scratch,
    read: [...tools, ...objectsFor(settings, commonDir), ...read],
    write,
    secret: toolchains.secret.filter((path) => ![...read, ...write].includes(path)),
    caches: cachePlaces(home, env),
    entries,
  };
}

/** Makes a folder, but fails on anything else that a session may have put there. */
function madeFolder(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return path;
  if (stat) rmSync(path, { force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * The folder of a cache. Executors' sessions share a cache that no other sees, since a session could plant something there.
 * Trusted set-ups have a cache of their own, since their results may be kept for all.
 */
const cachesAt = ({ repositoryPlaces }: Around, caches: Caches): string =>
  join(repositoryPlaces.packages, caches);

/** The files that a command line and its environment name: a person's own agent or script, certificates, keys. */
export function filesIn(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const [program = ""] = argv;
  const files = [...argv, ...Object.values(env)].filter((word) => word !== undefined && isFile(word));
  return [...files.filter((word) => word !== undefined), ...programFiles(program, env["PATH"] ?? "")];
}

/** A program's real file; for one from npm, the packages around it. */
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

/** Node, monoco with its packages, and the folder of its launcher. */
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
 * A folder of the PATH with the targets of its links, since npm and the agents' installers put programs elsewhere; for a `bin`,
 * also the `lib` next to it (Node's version managers). In folders that sessions or merges may change, only links to programs
 * inside these folders are shown.
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

/** The object folders that clones borrow: those of the repository and its submodules, and those that these borrow. */
function objectsFor({ clones }: Shown, commonDir: string): string[] {
  const objects = [commonDir, ...gitDirsBelow(commonDir, "modules")].map((at) => join(at, "objects"));
  const own = clones === "borrowed" ? objects : [];
  return [...own, ...objects.flatMap(lentBy).filter((line) => isAbsolute(line))];
}
