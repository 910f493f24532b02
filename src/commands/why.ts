/** monoco why: who made a line, for which issue, and what guards it. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import type { RelayEvent } from "../core/journal/event.ts";
import { idsInBranch } from "../core/issue/name.ts";
import { broughtBy, isSince, workIn } from "../core/report/lineage.ts";
import type { Graph, Landing, Work } from "../core/report/lineage.ts";
import { guardsOf, openingOf, toldOf, whyOf } from "../core/report/why.ts";
import type { Blamed, Origin, Told, Why } from "../core/report/why.ts";
import type { Hunk } from "../core/trial/changes.ts";
import { blame, graphOf, hunksSince, messagesOf } from "../git/history/blame.ts";
import type { Blame, Messages } from "../git/history/blame.ts";
import { GitError, gitIn } from "../git/git.ts";
import type { Git } from "../git/git.ts";
import { allNotes } from "../git/notes/notes.ts";
import { branchIn } from "../git/worktrees.ts";
import { commitsOf } from "../git/repository.ts";
import { shellWord } from "../core/text/shell.ts";
import { viewJournal } from "../store/journal-view.ts";
import { openHere, placesFor } from "../app/here.ts";
import type { Here } from "../app/here.ts";
import { makeTemporary } from "../app/temporary.ts";
import { tellFailure } from "../views/failure.ts";
import { whyLines } from "../views/history/why.ts";
import { printJson } from "../views/json.ts";
import { io, pathHere } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

export async function why(place: string, flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  const wanted = placeIn(here, place);
  const journals = new Journals(here);
  const history = await historyOf(here, wanted, journals).catch((error: unknown) => {
    throw refused(error, wanted);
  });
  const groundsOf = groundsHere(gitIn(here.repository.worktree), wanted, journals);
  const lines: Why[] = [];
  for (const one of history.blamed) {
    const { commit = "", file } = one;
    const landing = history.brought.get(commit);
    const grounds = landing && (await groundsOf(landing, file));
    const made = madeIn(history.works, one, landing?.issue);
    const at = { ...one, file: wanted.path };
    const origin = {
      ...(landing && { landing }),
      ...(made && { made }),
      ...(grounds && {
        told: { ...grounds.told, takenBack: guardsOf(grounds.told.takenBack, at, grounds.since) },
      }),
    };
    lines.push(whyOf(one, origin, history.heads));
  }
  if (flags.json) printJson({ file: wanted.path, lines });
  else io().stdout.write(`${whyLines(wanted.path, lines).join("\n")}\n`);
  return journals.code;
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
    hint: t`name a file that is committed, as git ls-files lists it; git log -- ${shellWord(`:/${path}`)} lists the commits of one that is gone`,
  });
}

/** The journals that were asked for; a damaged one is reported and counts as missing. */
class Journals {
  readonly #here: Here;
  readonly #read = new Map<string, readonly RelayEvent[]>();
  code = 0;

  constructor(here: Here) {
    this.#here = here;
  }

  of(issue: string): readonly RelayEvent[] {
    const events = this.#read.get(issue) ?? this.#view(issue);
    this.#read.set(issue, events);
    return events;
  }

  #view(issue: string): readonly RelayEvent[] {
    try {
      return viewJournal(placesFor(this.#here, issue).journal);
    } catch (error) {
      this.code = Math.max(this.code, tellFailure(error, issue));
      return [];
    }
  }
}

type History = {
  blamed: readonly Blamed[];
  brought: ReadonlyMap<string, Landing>;
  /** By issue. */
  works: ReadonlyMap<string, Work>;
  /** The submitted commits that are here. */
  heads: ReadonlySet<string>;
};

/** The commits behind the lines. Only the history since the oldest of them is read, if that holds them all. */
async function historyOf(here: Here, wanted: Blame, journals: Journals): Promise<History> {
  const blamed = await blame(gitIn(here.repository.worktree), wanted);
  const dated = blamed.filter(({ commit }) => commit !== undefined);
  const since = dated.toSorted((a, b) => a.committedAtS - b.committedAtS)[0]?.commit;
  if (since === undefined) return { blamed, brought: new Map(), works: new Map(), heads: new Set() };
  const asked = { wanted, blamed, journals };
  const near = await historySince(here, { ...asked, since });
  return near ?? (await historySince(here, { ...asked, since: undefined }))!;
}

type Asked = { wanted: Blame; blamed: readonly Blamed[]; journals: Journals; since: string | undefined };

async function historySince(
  here: Here,
  { wanted, blamed, journals, since }: Asked,
): Promise<History | undefined> {
  const git = gitIn(here.repository.worktree);
  const { landings: byTrailers, reverts } = await messagesOf(git, since);
  const first = await chart(git, byTrailers, since);
  const others = blamed.filter(({ commit }) => commit !== undefined && !first.brought.has(commit));
  const recorded = others.length > 0 ? await landingsByRecord(here, git, others) : [];
  const charted = recorded.length > 0 ? await chart(git, [...byTrailers, ...recorded], since) : first;
  const open = others.length > 0 ? idsInBranch((await branchIn(here.repository.worktree)) ?? "") : [];
  const worksOf = (lines: readonly Blamed[], { graph, brought }: Charted): Map<string, Work> => {
    const issues = lines.flatMap(({ commit = "" }) => brought.get(commit)?.issue ?? []);
    return new Map([...open, ...issues].map((issue) => [issue, workIn(graph, journals.of(issue))]));
  };
  const parents = await parentsBeyond(git, { charted, blamed, reverts, works: worksOf(blamed, charted) });
  const graph = new Map([...charted.graph, ...parents]);
  const finer = parents.size > 0 ? await blameThrough(git, wanted, parents) : blamed;
  const isWhole = finer.every(({ commit }) => commit === undefined || graph.has(commit));
  if (!isWhole && since !== undefined) return undefined;
  const brought = broughtBy(graph, charted.landings);
  return {
    blamed: finer,
    brought,
    works: worksOf(finer, { ...charted, graph, brought }),
    heads: charted.heads,
  };
}

type Charted = Pick<History, "brought" | "heads"> & { landings: readonly Landing[]; graph: Graph };

async function chart(git: Git, landings: readonly Landing[], since: string | undefined): Promise<Charted> {
  const tips = await commitsOf(
    git,
    landings.map(({ head }) => head),
  );
  const heads = new Set(tips.flatMap((tip) => tip ?? []));
  const graph = await graphOf(git, [...heads], since);
  return { landings, heads, graph, brought: broughtBy(graph, landings) };
}

/** The landings that only a record shows. What reads records is loaded where a commit may have one. */
async function landingsByRecord(here: Here, git: Git, blamed: readonly Blamed[]): Promise<Landing[]> {
  const noted = await allNotes(git);
  const asked = blamed.flatMap(({ commit = "", summary }) =>
    noted.has(commit) || (noted.size > 0 && namesIssue.test(summary)) ? [commit] : [],
  );
  if (asked.length === 0) return [];
  const records = await import("../app/verify/landed.ts");
  return records.landingsRecorded(here, [...new Set(asked)]);
}

const namesIssue = /\b[A-Z]{1,24}-\d{4,12}\b/;

/**
 * The parents that blame is to follow, of commits that have more of them than git knows: a squash has its submission, a session's commits
 * the uncommitted work that they took up, and a revert the state that it restores.
 */
async function parentsBeyond(
  git: Git,
  of: {
    charted: Charted;
    blamed: readonly Blamed[];
    reverts: Messages["reverts"];
    works: ReadonlyMap<string, Work>;
  },
): Promise<Map<string, readonly string[]>> {
  const { landings, heads, graph } = of.charted;
  const commits = new Set(of.blamed.map(({ commit }) => commit));
  const squashed = landings.filter(({ parents, head }) => heads.has(head) && !parents.includes(head));
  const takenUp = [...of.works.values()].flatMap(({ parents }) => [...parents]);
  const found = [
    ...squashed.map(({ commit, parents, head }) => [commit, [...parents, head]] as const),
    ...of.reverts.map(([commit, restored]) => [commit, [...(graph.get(commit) ?? []), restored]] as const),
  ];
  if (takenUp.length === 0 && !found.some(([commit]) => commits.has(commit))) return new Map();
  const all = [...found, ...takenUp];
  const names = [...new Set(all.flat(2))];
  // What another clone left uncommitted, or a revert of another repository names, is not here.
  const known = new Map((await commitsOf(git, names)).map((commit, at) => [names[at]!, commit]));
  const beyond = new Map<string, string[]>();
  for (const [commit, parents] of all) {
    if (known.get(commit) === undefined) continue;
    const here = parents.flatMap((parent) => known.get(parent) ?? []);
    beyond.set(commit, [...new Set([...(beyond.get(commit) ?? []), ...here])]);
  }
  return beyond;
}

async function blameThrough(
  git: Git,
  wanted: Blame,
  parents: ReadonlyMap<string, readonly string[]>,
): Promise<Blamed[]> {
  const temporary = makeTemporary("why");
  try {
    return await blame(git, { ...wanted, grafts: { parents, file: join(temporary.folder, "grafts") } });
  } finally {
    temporary.remove();
  }
}

/** The session that made a line's commit; of an open relay if nothing landed it. */
function madeIn(works: History["works"], line: Blamed, landed: string | undefined): Origin["made"] {
  for (const [issue, { title, made }] of works) {
    const session = made.get(line.commit ?? "");
    const isOwn = landed === undefined || landed === issue;
    if (session && isOwn && isSince(session, line.committedAtS)) return { issue, title, session };
  }
  return undefined;
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
    const opening = openingOf(journals.of(issue), submission);
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
