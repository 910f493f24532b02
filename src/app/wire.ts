/** Composition: sets the relay up, for the issue and the folder that a command is about. */
import type { News } from "../core/session/news.ts";
import { commitOf } from "../git/repository.ts";
import { writeDurably } from "../store/durable.ts";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "../core/text/shell.ts";
import type { Settled } from "../core/settings/layers.ts";
import { roles } from "../core/settings/agent-kinds.ts";
import type { Settings } from "../core/settings/settings.ts";
import { agentsHere, versionHere } from "./agents.ts";
import { othersHere, placesFor } from "./here.ts";
import type { Here } from "./here.ts";
import { loadTemplates, readOwnOrShipped } from "./documents.ts";
import { issuePathsAt, issuePathsNaming } from "../git/issues.ts";
import type { Repository } from "../git/repository.ts";
import { systemClock } from "../relay/clock.ts";
import type { Control, RelaySetup, RunnerSetup, Templates } from "../relay/relay.ts";
import { containmentBy } from "../relay/sandbox.ts";
import { findOnBase } from "../relay/open.ts";
import type { Found, Terms } from "../relay/open.ts";
import { idOfName } from "../store/issue-folder.ts";
import { repositoryPlaces } from "../store/places.ts";
import { spendingsReader } from "../store/spendings.ts";
import { io } from "../io/io.ts";

/** `[node, cli]`: how this very monoco is called again. */
export function monocoCommand(): string[] {
  const built = import.meta.url.endsWith(".js");
  return [process.execPath, fileURLToPath(new URL(built ? "../cli.js" : "../cli.ts", import.meta.url))];
}

type Listen = { control: Control; onProgress(progress: News): void };

/** What the relay of `issue` is set up with; nothing is made, opened or locked yet. */
export function setUpRelay(here: Here, issue: string, listen: Listen): RelaySetup {
  return { ...setUpRunner(here, listen), issue, places: placesFor(here, issue) };
}

/** The same for what belongs to no relay. */
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
    jitter: Math.random(),
    env: io().env,
    host: hostname(),
    versionOf: (entry) => versionHere(entry, here.repository.root),
    monoco: monocoCommand(),
    binFolder: join(places.clones, "bin"),
    onProgress: listen.onProgress,
  };
}

/** What a person changes in a template while a relay runs counts from the next run on: half-written, it would end this one. */
function loadedOnce(load: RelaySetup["templates"]): RelaySetup["templates"] {
  const loaded: Partial<Record<Settings["language"], Templates>> = {};
  return (language) => (loaded[language] ??= load(language));
}

/** What every relay of the repository needs beside its own files: git leaves them alone, and the agents find monoco. */
export function layOut(here: Here): void {
  excludeRuntime(here.repository);
  const { clones } = repositoryPlaces(here.repository.root, io().env);
  makeBinFolder(clones, join(clones, "bin"));
}

/** A folder for the agents' PATH with a `monoco` that is this one, run by this very Node. */
function makeBinFolder(clones: string, folder: string): void {
  const [node, cli] = monocoCommand();
  mkdirSync(folder, { recursive: true });
  // A session's TMPDIR is new each time, and with it Node's cache of compiled code: without a cache that lasts, commands in
  // a session take twice as long. One that the person has set is used.
  const cache = `NODE_COMPILE_CACHE=\${NODE_COMPILE_CACHE:-${shellWord(join(clones, "compiled"))}}`;
  const text = `#!/bin/sh\n${cache} exec ${shellWord(node!)} ${shellWord(cli!)} "$@"\n`;
  const path = join(folder, "monoco");
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o111) !== 0 && readFileSync(path, "utf8") === text) return;
  writeDurably(path, text, 0o755);
}

/** `.monoco/` and RALPH.md stay out of git, without touching a tracked file. */
export function excludeRuntime(repository: Repository): boolean {
  const path = join(repository.commonDir, "info", "exclude");
  const before = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const lines = before.toString("latin1").split("\n");
  const missing = ["/.monoco/", "/RALPH.md"].filter((line) => !lines.includes(line));
  if (missing.length === 0) return false;
  // Byte for byte: the person's own patterns may be in any encoding.
  const gap = before.length === 0 || before.at(-1) === 10 ? "" : "\n";
  writeDurably(path, Buffer.concat([before, Buffer.from(`${gap}${missing.join("\n")}\n`)]));
  return true;
}

/** Settings and roles in force for a relay that opens or goes on now. Templates and sandbox are only looked at: what does not work is told now. */
export function loadTerms(here: Here, settled: Settled): Terms {
  const { settings } = settled;
  const suffix = settings.language === "zh" ? ".zh.md" : ".md";
  const role = (name: string): string =>
    readOwnOrShipped(here.repository.worktree, "roles", [`${name}${suffix}`]).text;
  loadTemplates(here.repository.worktree, settings.language);
  for (const one of roles) containmentBy(settings, one);
  return { settled, roleTexts: { executor: role("executor"), reviewer: role("reviewer") } };
}

/** The issue's file on the base branch. */
export async function findIssueOnBase(here: Here, issue: string, base: string): Promise<Found> {
  const { git } = here.repository;
  const ref = `refs/heads/${base}`;
  const there = (await commitOf(git, ref)) !== undefined;
  const named = there ? (await issuePathsAt(git, ref)).filter((path) => idOfName(path) === issue) : [];
  const paths = named.length > 0 || !there ? named : await issuePathsNaming(git, ref, issue);
  return findOnBase(git, { issue, base, paths });
}
