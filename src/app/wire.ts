/** Sets up the relay for the issue and the folder of a command. */
import type { News } from "../core/session/news.ts";
import { commitOf } from "../git/repository.ts";
import { writeDurably } from "../store/durable.ts";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "../core/text/shell.ts";
import type { HomeAhead } from "../core/home/home-files.ts";
import { isSandbox } from "../core/report/sandbox.ts";
import { agentSettings } from "../core/settings/agent-entry.ts";
import { checkCommands } from "../core/settings/check-schema.ts";
import { placeOf } from "../core/settings/layers.ts";
import type { Settled } from "../core/settings/layers.ts";
import { roles } from "../core/settings/agent-kinds.ts";
import type { Settings } from "../core/settings/settings.ts";
import { agentsHere, versionHere } from "./agents.ts";
import { othersHere, placesFor } from "./here.ts";
import type { Here } from "./here.ts";
import { shellFor } from "../agents/shell.ts";
import { loadTemplates, readOwnOrShipped } from "./documents.ts";
import { earlierOf } from "./overview/escapes-here.ts";
import { issuePathsAt, issuePathsNaming } from "../git/issues.ts";
import type { Repository } from "../git/repository.ts";
import { systemClock } from "../relay/clock.ts";
import type { Control, RelaySetup, RunnerSetup, Templates } from "../relay/relay.ts";
import { lentProfile } from "../relay/home/profile-login.ts";
import { containmentBy, hiddenFrom } from "../relay/sandbox.ts";
import { fallbacksRefused, installedPlayers } from "../relay/choose-agent.ts";
import { findOnBase } from "../relay/open.ts";
import type { FoundIssue, Terms } from "../relay/open.ts";
import { idOfName } from "../store/issue-folder.ts";
import { repositoryPlaces } from "../store/places.ts";
import { spendingsReader } from "../store/spendings.ts";
import { io } from "../io/io.ts";

/** `[node, cli]`: the command line of this very monoco. */
export function monocoCommand(): string[] {
  const built = import.meta.url.endsWith(".js");
  return [process.execPath, fileURLToPath(new URL(built ? "../cli.js" : "../cli.ts", import.meta.url))];
}

type Listen = { control: Control; onProgress(progress: News): void };

/** The setup of the relay of `issue`; nothing is made, opened or locked yet. */
export function setUpRelay(here: Here, issue: string, listen: Listen): RelaySetup {
  return { ...setUpRunner(here, listen), issue, places: placesFor(here, issue) };
}

/** The setup of a runner outside any relay. */
export function setUpRunner(here: Here, listen: Listen): RunnerSetup {
  const places = repositoryPlaces(here.repository.root, io().env);
  return {
    ...systemClock,
    run: here.run,
    repository: here.repository,
    repositoryPlaces: places,
    agents: agentsHere(),
    templates: loadedOnce((language) => loadTemplates(here.repository.worktree, language)),
    control: listen.control,
    spendings: spendingsReader(places.relays, othersHere(here)),
    earlier: async (...of) => earlierOf(here, ...of),
    jitter: Math.random(),
    env: io().env,
    host: hostname(),
    versionOf: (entry) => versionHere(entry, here.repository.checkout),
    monoco: monocoCommand(),
    binFolder: join(places.clones, "bin"),
    onProgress: listen.onProgress,
  };
}

/** Loads templates once: a half-written change during a run would end it, so changes count from the next run. */
function loadedOnce(load: RelaySetup["templates"]): RelaySetup["templates"] {
  const loaded: Partial<Record<Settings["language"], Templates>> = {};
  return (language) => (loaded[language] ??= load(language));
}

/** Prepares the repository for any relay: git ignores the folder, and the agents find monoco. */
export function layOut(here: Here): void {
  excludeRuntime(here.repository);
  const { clones } = repositoryPlaces(here.repository.root, io().env);
  makeBinFolder(clones, join(clones, "bin"));
}

/** Makes a folder for the agents' PATH with a `monoco` that runs this very one, by this very Node. */
function makeBinFolder(clones: string, folder: string): void {
  const [node, cli] = monocoCommand();
  mkdirSync(folder, { recursive: true });
  // Each session has a new TMPDIR, and with it an empty cache of Node's compiled code, which would double the time of commands in a session. A cache set
  // by the person is used.
  const cache = `NODE_COMPILE_CACHE=\${NODE_COMPILE_CACHE:-${shellWord(join(clones, "compiled"))}}`;
  const text = `#!/bin/sh\n${cache} exec ${shellWord(node!)} ${shellWord(cli!)} "$@"\n`;
  const path = join(folder, "monoco");
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o111) !== 0 && readFileSync(path, "utf8") === text) return;
  writeDurably(path, text, 0o755);
}

/** Makes git ignore `.monoco/` and RALPH.md without changing a tracked file. */
export function excludeRuntime(repository: Repository): boolean {
  const path = join(repository.commonDir, "info", "exclude");
  const before = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const lines = before.toString("latin1").split("\n");
  const missing = ["/.monoco/", "/RALPH.md"].filter((line) => !lines.includes(line));
  if (missing.length === 0) return false;
  // Works on bytes: the person's own patterns may be in any encoding.
  const gap = before.length === 0 || before.at(-1) === 10 ? "" : "\n";
  writeDurably(path, Buffer.concat([before, Buffer.from(`${gap}${missing.join("\n")}\n`)]));
  return true;
}

/** The settings and roles of a relay that opens or resumes now. Templates, sandbox and shell are only checked, so that faults are reported now. */
export function loadTerms(here: Here, settled: Settled): Terms {
  const { settings } = settled;
  const suffix = settings.language === "zh" ? ".zh.md" : ".md";
  const role = (name: string): string =>
    readOwnOrShipped(here.repository.worktree, "roles", [`${name}${suffix}`]).text;
  loadTemplates(here.repository.worktree, settings.language);
  for (const one of roles) containmentBy(settings, one);
  const { shell: at } = settled.origins;
  shellFor(settings.shell, io().env, at && placeOf(at));
  return { settled, roleTexts: { executor: role("executor"), reviewer: role("reviewer") } };
}

/**
 * What of the home sandboxes hide here although set-up, checks or the installed agents name it, and the agents that are refused for
 * theirs. Throws if the first of a role's agents is.
 */
export function homeAhead(here: Here, settings: Settings): HomeAhead {
  const held = roles.filter((role) => isSandbox(containmentBy(settings, role)));
  const interrupt = new AbortController().signal;
  const runner = setUpRunner(here, { control: { interrupt }, onProgress: () => undefined });
  const fallbacks = fallbacksRefused(runner, settings);
  if (held.length === 0) return { hidden: [], fallbacks, profiles: [] };
  const players = installedPlayers(runner, settings);
  const names = [...new Set(held.flatMap((role) => players[role]))];
  const hidden = hiddenFrom(runner, settings, {
    commands: [...settings.setup, ...checkCommands(settings.checks)],
    agents: names.map((name) => agentSettings(settings, name)),
  });
  const profiles = names.flatMap((name) => {
    const own = agentSettings(settings, name);
    const profile = lentProfile(runner, settings, { agent: runner.agents[own.kind], settings: own });
    return profile === undefined ? [] : [{ agent: name, profile }];
  });
  return { hidden, fallbacks, profiles };
}

/** The issue's file on the base branch. */
export async function findIssueOnBase(here: Here, issue: string, base: string): Promise<FoundIssue> {
  const { git } = here.repository;
  const ref = `refs/heads/${base}`;
  const there = (await commitOf(git, ref)) !== undefined;
  const byName = there ? (await issuePathsAt(git, ref)).filter((path) => idOfName(path) === issue) : [];
  const paths = byName.length > 0 || !there ? byName : await issuePathsNaming(git, ref, issue);
  return findOnBase(git, { issue, base, paths });
}
