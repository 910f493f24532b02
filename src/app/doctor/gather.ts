/** Everything that a diagnosis rests on, where a command is given: the machine, and the repository as far as there is one. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Facts, Refusal, RepositoryFacts } from "../../core/doctor/facts.ts";
import { standingOf } from "../../core/doctor/repository.ts";
import { unlessRefused } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { gitOr } from "../../git/git.ts";
import { locksIn } from "../../git/killed/locks.ts";
import { commitOf } from "../../git/repository.ts";
import { worktreesOf } from "../../git/worktrees.ts";
import { io } from "../../io/io.ts";
import { idOf, listIssueFiles } from "../../store/issue-folder.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { issuesOnBase } from "../base-issues.ts";
import { isOutside, openHere } from "../here.ts";
import type { Here } from "../here.ts";
import { loadOwnSettings, loadSettings } from "../settings.ts";
import { cachesLeft, clonesLeft, temporariesLeft } from "./left.ts";
import type { LeftTemporary } from "./left.ts";
import { machineFacts } from "./machine.ts";
import { relaysHere } from "./relays.ts";

/** `temporaries`, with the relay whose sessions made them. */
export type Gathered = { facts: Facts; here: Here | undefined; temporaries: LeftTemporary[] };

export async function gather(): Promise<Gathered> {
  const here = await refusable(() => openHere());
  if ("refused" in here) return withoutRepository(here.refused);
  const { root } = here.repository;
  const places = repositoryPlaces(root, io().env);
  const settings = await refusable(async () => loadSettings(here));
  const machine = await machineFacts({
    root,
    places,
    settings: "refused" in settings ? undefined : settings,
  });
  const repository = await repositoryFacts(here, settings);
  const issues = [...repository.relays, ...repository.damaged].map(({ issue }) => issue);
  const temporaries = temporariesLeft(places, [...new Set(issues)]);
  return { facts: { machine: { ...machine, temporaries }, repository }, here, temporaries };
}

/** Without git nobody can say what repository this is. */
async function withoutRepository(refused: Refusal): Promise<Gathered> {
  const settings = unlessRefused(loadOwnSettings);
  const machine = await machineFacts({ root: io().cwd, settings });
  const temporaries = temporariesLeft();
  const repository =
    machine.git === undefined ? {} : { repository: { refused, outside: isOutside(io().cwd) } };
  return { facts: { machine: { ...machine, temporaries }, ...repository }, here: undefined, temporaries };
}

async function refusable<T extends object>(make: () => Promise<T>): Promise<T | { refused: Refusal }> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    return { refused: { said: error.message, hint: error.hint ?? "" } };
  }
}

async function repositoryFacts(
  here: Here,
  settings: Settings | { refused: Refusal },
): Promise<RepositoryFacts> {
  const { git, root, commonDir } = here.repository;
  const places = repositoryPlaces(root, io().env);
  const base = "refused" in settings ? undefined : settings.base;
  const baseThere = base !== undefined && (await commitOf(git, `refs/heads/${base}`)) !== undefined;
  const onBase = baseThere ? { base, issues: await issuesOnBase(here, base) } : undefined;
  const { relays, damaged } = await relaysHere(here, onBase);
  const unread = new Set(damaged.map(({ issue }) => issue));
  const states = new Map(relays.map(({ issue, state }) => [issue, state]));
  return {
    settings: "refused" in settings ? settings : { base: settings.base, baseThere },
    ignored: existsSync(places.monoco) ? await isIgnored(here) : undefined,
    tracked: (await git(["ls-files", "-z", "--", ":(top).monoco"])) !== "",
    exclude: join(commonDir, "info", "exclude"),
    locks: locksIn(
      commonDir,
      (await worktreesOf(git)).map(({ path }) => path),
    ),
    issues: issueFacts(here),
    relays,
    damaged,
    clones: clonesLeft(places.clones, (issue) => {
      // Nobody knows what of a relay whose journal is damaged is still needed.
      if (unread.has(issue)) return "open";
      const state = states.get(issue);
      return state ? standingOf(state) : "none";
    }),
    caches: cachesLeft(places),
  };
}

async function isIgnored({ repository }: Here): Promise<boolean> {
  return (
    (await gitOr(repository.git(["check-ignore", "--quiet", "--no-index", ".monoco/relays"]), "no")) !== "no"
  );
}

/** As `issue lint` counts them: it says more. */
function issueFacts({ repository }: Here): RepositoryFacts["issues"] {
  const listed = unlessRefused(() => listIssueFiles(repository.worktree));
  if (!listed) return { files: 0, faulty: 1, twins: 0 };
  const named = listed.files.filter((file) => idOf(file) !== undefined);
  const faulty = named.filter(({ path, text }) => unlessRefused(() => parseIssue(text, path)) === undefined);
  const ids = named.map((file) => idOf(file));
  return {
    files: named.length,
    faulty: faulty.length + listed.unread.length,
    twins: ids.length - new Set(ids).size,
  };
}
