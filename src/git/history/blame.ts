/** Asks git for the commits behind a file's lines, the landings in the history, and the place of lines in another commit. */
import { writeFileSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { hunksIn } from "../../core/trial/changes.ts";
import type { Hunk } from "../../core/trial/changes.ts";
import { revertsPattern } from "../../core/report/escapes.ts";
import { landingIn } from "../../core/report/lineage.ts";
import type { Landing } from "../../core/report/lineage.ts";
import type { Blamed } from "../../core/report/why.ts";
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";

/** `lines` of a file, or all of them. */
export type Blame = {
  path: string;
  /** Without it, the file in the worktree. */
  commit?: string;
  lines?: readonly [from: number, to: number];
  /** The parents that git is to take for some commits; `file` is written for it. */
  grafts?: { parents: ReadonlyMap<string, readonly string[]>; file: string };
};

/** The origin of the lines, through moves and copies. Fails as git does: no such path, no such line. */
export async function blame(git: Git, { path, commit, lines, grafts }: Blame): Promise<Blamed[]> {
  if (grafts) {
    const lines = [...grafts.parents].map(([of, parents]) => `${[of, ...parents].join(" ")}\n`);
    writeFileSync(grafts.file, lines.join(""));
  }
  const output = await git([
    ..."blame --porcelain --no-textconv -M -C".split(" "),
    ...(grafts ? ["-S", grafts.file] : []),
    ...(lines ? ["-L", lines.join(",")] : []),
    ...(commit === undefined ? [] : [commit]),
    "--",
    path,
  ]);
  return blamedIn(output);
}

/** The lines of porcelain output: git describes a commit where it is first named. */
function blamedIn(output: string): Blamed[] {
  const about = new Map<string, Map<string, string>>();
  const found: Blamed[] = [];
  let commit = "";
  for (const line of output.split("\n")) {
    const [, hash = "", before = "", at = ""] = /^([0-9a-f]{40,64}) (\d+) (\d+)/.exec(line) ?? [];
    if (hash !== "") {
      commit = hash;
      if (!about.has(commit)) about.set(commit, new Map());
      found.push({ from: Number(at), to: Number(at), line: Number(before), ...unsaid });
    } else if (line.startsWith("\t")) {
      const one = found.at(-1)!;
      const said = about.get(commit)!;
      one.file = unquoted(said.get("filename") ?? "");
      if (!/^0+$/.test(commit)) one.commit = commit;
      one.author = said.get("author") ?? "";
      one.committedAtS = Number(said.get("committer-time") ?? 0);
      one.summary = said.get("summary") ?? "";
    } else {
      const [, name = "", value = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
      about.get(commit)?.set(name, value);
    }
  }
  return joined(found);
}

const unsaid = { file: "", author: "", committedAtS: 0, summary: "" };

/** A name as git writes it: with special characters, it is in quotes and has escapes. */
function unquoted(name: string): string {
  return name.startsWith('"') ? attempt(() => String(JSON.parse(name)), name) : name;
}

function joined(lines: readonly Blamed[]): Blamed[] {
  const parts: Blamed[] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    const follows =
      last?.commit === line.commit &&
      last?.file === line.file &&
      last.to + 1 === line.from &&
      last.line + (line.from - last.from) === line.line;
    if (last && follows) last.to = line.to;
    else parts.push({ ...line });
  }
  return parts;
}

/** What messages in the history say: the landings, and of each commit that reverts another the name of what it restores. */
export type Messages = { landings: Landing[]; reverts: [commit: string, restored: string][] };

/** Of the commits that lead to HEAD; `without` and all before it are left out. */
export async function messagesOf(git: Git, without: string | undefined): Promise<Messages> {
  const found = await git([
    ..."log --extended-regexp".split(" "),
    "--format=%x00%H %P%n%B",
    "--grep=^Monoco-Submission: [0-9]+ [0-9a-f]{40}",
    "--grep=This reverts commit [0-9a-f]{7}",
    ...rangeFrom(["HEAD"], without),
  ]);
  const messages: Messages = { landings: [], reverts: [] };
  for (const part of found.split("\0").filter(Boolean)) {
    const end = part.indexOf("\n");
    const [commit = "", ...parents] = part.slice(0, end).trim().split(" ");
    const message = part.slice(end + 1);
    const landing = landingIn(commit, parents, message);
    if (landing) messages.landings.push(landing);
    for (const [, reverted] of message.matchAll(revertsPattern))
      messages.reverts.push([commit, `${reverted}^`]);
  }
  return messages;
}

/** The commits that lead to HEAD and to `tips`, with their parents; children come first. */
export async function graphOf(
  git: Git,
  tips: readonly string[],
  without: string | undefined,
): Promise<Map<string, readonly string[]>> {
  const input = `${["HEAD", ...tips].join("\n")}\n`;
  const listed = await git(["rev-list", "--topo-order", "--parents", "--stdin", ...rangeFrom([], without)], {
    input,
  });
  const lines = listed.split("\n").filter(Boolean);
  return new Map(lines.map((line) => line.split(" ")).map(([commit = "", ...parents]) => [commit, parents]));
}

function rangeFrom(tips: readonly string[], without: string | undefined): string[] {
  return [...tips, ...(without === undefined ? [] : ["--not", `${without}^@`])];
}

/** The hunks between a file in a commit and in the worktree (or in `now.commit`); undefined if that commit has no such file. */
export async function hunksSince(
  git: Git,
  { commit, file }: { commit: string; file: string },
  now: Pick<Blame, "path" | "commit">,
): Promise<Hunk[] | undefined> {
  const after =
    now.commit === undefined ? ["--", `:(top,literal)${now.path}`] : [`${now.commit}:${now.path}`];
  const args = "diff --unified=0 --no-ext-diff --no-textconv --no-color".split(" ");
  const diff = await gitOr(git([...args, `${commit}:${file}`, ...after]), undefined);
  return diff === undefined ? undefined : hunksIn(diff);
}
