/** monoco why: who made a line, for which issue, and what guards it. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import type { RelayEvent } from "../core/journal/event.ts";
import type { SessionRecord } from "../core/journal/relay-state.ts";
import { replay } from "../core/journal/state.ts";
import { broughtBy, madeBy } from "../core/report/lineage.ts";
import type { Graph, Landing } from "../core/report/lineage.ts";
import { guardsOf, openingOf, toldOf, whyOf } from "../core/report/why.ts";
import type { Blamed, Told, Why } from "../core/report/why.ts";
import type { Hunk } from "../core/trial/changes.ts";
import { blame, graphOf, hunksSince, landingsOf } from "../git/history/blame.ts";
import type { Blame } from "../git/history/blame.ts";
import { GitError, gitIn } from "../git/git.ts";
import type { Git } from "../git/git.ts";
import { commitsOf } from "../git/repository.ts";
import { viewJournal } from "../store/journal-view.ts";
import { openHere, placesFor } from "../app/here.ts";
import type { Here } from "../app/here.ts";
import { makeTemporary } from "../app/temporary.ts";
import { tellFailure } from "../views/failure.ts";
import { whyLines } from "../views/history/why.ts";
import { printJson } from "../views/json.ts";
import { pathHere } from "../io/io.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

export async function why(place: string, flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  const wanted = placeIn(here, place);
  const git = gitIn(here.repository.worktree);
  const history = await historyOf(git, wanted).catch((error: unknown) => {
    throw refused(error, wanted);
  });
  const { brought, graph } = history;
  const { journals, code } = journalsOf(here, history);
  const groundsOf = groundsHere(git, wanted, journals);
  const lines: Why[] = [];
  for (const one of history.blamed) {
    const { commit = "", file } = one;
    const landing = brought.get(commit);
    const grounds = landing && (await groundsOf(landing, file));
    const session = landing && journals.get(landing.issue)?.made.get(commit);
    const at = { ...one, file: wanted.path };
    const origin = {
      ...(landing && { landing }),
      ...(session && { session }),
      ...(grounds && {
        told: { ...grounds.told, takenBack: guardsOf(grounds.told.takenBack, at, grounds.since) },
      }),
    };
    lines.push(whyOf(one, origin, graph));
  }
  if (flags.json) printJson({ file: wanted.path, lines });
  else io().stdout.write(`${whyLines(wanted.path, lines).join("\n")}\n`);
  return code;
}

/** Reads `FILE[:LINE[-LINE]]`; a file whose name ends that way is meant as a whole. */
function placeIn({ repository: { worktree } }: Here, place: string): Blame {
  const [, file = place, from, to = from] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(place) ?? [];
  const isWhole = from === undefined || existsSync(pathHere(place));
  const at = pathHere(isWhole ? place : file);
  const folder = existsSync(dirname(at)) ? realpathSync(dirname(at)) : dirname(at);
  const path = relative(worktree, join(folder, basename(at))).replaceAll(sep, "/");
  if (path === "" || path.split("/")[0] === "..")
    throw new MonocoError("input", t`${place}: expected a file of ${worktree}`);
  if (statSync(at, { throwIfNoEntry: false })?.isDirectory())
    throw new MonocoError("input", t`${place}: expected a file, got a folder`);
  const lines = isWhole ? undefined : ([Number(from), Number(to)] as const);
  if (lines && (lines[0] < 1 || lines[1] < lines[0]))
    throw new MonocoError("input", t`${place}: expected FILE:LINE or FILE:FROM-TO, the lines from 1 upwards`);
  return { path, ...(existsSync(at) ? {} : { commit: "HEAD" }), ...(lines ? { lines } : {}) };
}

function refused(error: unknown, { path, lines }: Blame): unknown {
  if (!(error instanceof GitError)) return error;
  const [, count] = /has only (\d+) lines?/.exec(error.message) ?? [];
  if (count !== undefined)
    return new MonocoError("input", t`${path} has ${count} lines, and no line ${lines?.[0] ?? ""}`);
  if (!/no such (?:path|ref)|cannot stat path|bad revision/.test(error.message)) return error;
  return new MonocoError("input", t`no such file in the last commit: ${path}`, {
    hint: t`name a file that is committed, as git ls-files lists it`,
  });
}

type History = { blamed: readonly Blamed[]; brought: ReadonlyMap<string, Landing>; graph: Graph };

/** The commits behind the lines. Only the history since the oldest of them is read, if that holds them all. */
async function historyOf(git: Git, wanted: Blame): Promise<History> {
  const blamed = await blame(git, wanted);
  const dated = blamed.filter(({ commit }) => commit !== undefined);
  const oldest = dated.toSorted((a, b) => a.committedAtS - b.committedAtS)[0]?.commit;
  if (oldest === undefined) return { blamed, brought: new Map(), graph: new Map() };
  return (
    (await historySince(git, { wanted, blamed, since: oldest })) ??
    (await historySince(git, { wanted, blamed, since: undefined }))!
  );
}

async function historySince(
  git: Git,
  { wanted, blamed, since }: { wanted: Blame; blamed: readonly Blamed[]; since: string | undefined },
): Promise<History | undefined> {
  const landings = await landingsOf(git, since);
  if (landings.length === 0) return { blamed, brought: new Map(), graph: new Map() };
  const squashed = landings.filter(({ parents, head }) => !parents.includes(head));
  const heads = await commitsOf(
    git,
    squashed.map(({ head }) => head),
  );
  const known = squashed.filter((_, at) => heads[at] !== undefined);
  const isBlamed = known.some((one) => blamed.some(({ commit }) => commit === one.commit));
  const finer = isBlamed ? await blameThrough(git, wanted, known) : blamed;
  const graph = await graphOf(
    git,
    known.map(({ head }) => head),
    since,
  );
  const isWhole = finer.every(({ commit }) => commit === undefined || graph.has(commit));
  if (!isWhole && since !== undefined) return undefined;
  return { blamed: finer, brought: broughtBy(graph, landings), graph };
}

/** Blames on into the submissions of squashed landings, which the history of the base does not hold. */
async function blameThrough(git: Git, wanted: Blame, landings: readonly Landing[]): Promise<Blamed[]> {
  const temporary = makeTemporary("why");
  try {
    return await blame(git, { ...wanted, grafts: { landings, file: join(temporary.folder, "grafts") } });
  } finally {
    temporary.remove();
  }
}

type Journals = ReadonlyMap<
  string,
  { events: readonly RelayEvent[]; made: ReadonlyMap<string, SessionRecord> }
>;

/** The journals of the issues behind the lines, as far as they are here; a damaged one is reported. */
function journalsOf(here: Here, { blamed, brought, graph }: History): { journals: Journals; code: number } {
  const commits = blamed.flatMap(({ commit, committedAtS }) => (commit ? [{ commit, committedAtS }] : []));
  const byIssue = Map.groupBy(commits, ({ commit }) => brought.get(commit)?.issue);
  const journals = new Map<
    string,
    { events: readonly RelayEvent[]; made: ReadonlyMap<string, SessionRecord> }
  >();
  let code = 0;
  for (const [issue, own] of byIssue) {
    if (issue === undefined) continue;
    try {
      const events = viewJournal(placesFor(here, issue).journal);
      journals.set(issue, { events, made: madeBy(graph, own, replay(events).sessions) });
    } catch (error) {
      code = Math.max(code, tellFailure(error, issue));
    }
  }
  return { journals, code };
}

/** What the journal says of a file of a submission, and the way from there to the file as it is now. */
type Grounds = { told: Told; since: readonly Hunk[] };

/** The grounds of a landing's file, gathered once: a file may have many runs of lines from it. */
function groundsHere(
  git: Git,
  wanted: Blame,
  journals: Journals,
): (of: Landing, file: string) => Promise<Grounds | undefined> {
  const known = new Map<string, Promise<Grounds | undefined>>();
  const gather = async ({ issue, submission, head }: Landing, file: string): Promise<Grounds | undefined> => {
    const journal = journals.get(issue);
    const opening = journal && openingOf(journal.events, submission);
    if (!opening) return undefined;
    const told = toldOf(opening, submission, [...new Set([file, wanted.path])]);
    const since =
      told.takenBack.length > 0 ? await hunksSince(git, { commit: head, file }, wanted) : undefined;
    return since ? { told, since } : { told: { ...told, takenBack: [] }, since: [] };
  };
  return (landing, file) => {
    const key = `${landing.commit} ${file}`;
    const grounds = known.get(key) ?? gather(landing, file);
    known.set(key, grounds);
    return grounds;
  };
}
