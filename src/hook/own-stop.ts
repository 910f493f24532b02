/** monoco hook on-own-stop: in a person's own session on a branch of an issue, reports a full context once, and how to hand over. */
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { idsInBranch } from "../core/issue/name.ts";
import { contextTokensMax, transcriptMs } from "../core/limits.ts";
import { fillTemplate } from "../core/text/template.ts";
import { contextOf } from "../core/session/own-context.ts";
import type { OwnContext } from "../core/session/own-context.ts";
import { io } from "../io/io.ts";

/** The input from Claude Code, Codex and Gemini CLI about their session. */
export type OwnInput = {
  session_id?: unknown;
  transcript_path?: unknown;
  cwd?: unknown;
  stop_hook_active?: unknown;
};

/** Why not to stop yet; nearly always undefined. The caller catches every error: a hook fails open. */
export function offerHandOver(input: OwnInput): string | undefined {
  if (input.stop_hook_active === true) return undefined;
  const place = placeOf(typeof input.cwd === "string" ? input.cwd : io().cwd);
  const issue = place && issueOf(place);
  if (!place || !issue) return undefined;
  const { monoco } = place;
  if (existsSync(join(monoco, "handovers", issue, "handover.json"))) return undefined;
  const context = fullContext(textOf(input.transcript_path));
  if (!context) return undefined;
  if (!isFirst(monoco, `${issue} ${textOf(input.session_id)}`)) return undefined;
  return fillTemplate(template(place.worktree), { issue, tokens: String(context.tokens) }).trim();
}

type Place = { worktree: string; monoco: string; branch: string };

/** Finds the worktree from git's files alone: a git process would take longer than everything else. */
function placeOf(cwd: string): Place | undefined {
  const worktree = above(resolve(cwd)).find((folder) => existsSync(join(folder, ".git")));
  if (worktree === undefined) return undefined;
  const git = gitFolder(join(worktree, ".git"));
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(readFileSync(join(git, "HEAD"), "utf8"))?.[1];
  const shared = join(git, "commondir");
  const common = existsSync(shared) ? resolve(git, readFileSync(shared, "utf8").trim()) : git;
  const root = basename(common) === ".git" ? dirname(common) : worktree;
  const usesMonoco = [join(root, ".monoco"), join(worktree, "monoco.yaml")].some((path) => existsSync(path));
  return branch !== undefined && usesMonoco ? { worktree, monoco: join(root, ".monoco"), branch } : undefined;
}

function above(folder: string): string[] {
  const next = dirname(folder);
  return next === folder ? [folder] : [folder, ...above(next)];
}

/** The git folder, which a linked worktree names in a file `.git`. */
function gitFolder(path: string): string {
  if (existsSync(join(path, "HEAD"))) return path;
  const gitDir = readFileSync(path, "utf8")
    .replace(/^gitdir: /, "")
    .trim();
  return resolve(dirname(path), gitDir);
}

/** The issue that the branch names, if exactly one of them has a file here. */
function issueOf({ worktree, branch }: Place): string | undefined {
  const ids = idsInBranch(branch);
  if (ids.length === 0) return undefined;
  const folders = ["issues", "Issues"].map((name) => join(worktree, name)).filter((path) => existsSync(path));
  const files = folders.flatMap((path) => readdirSync(path, { recursive: true, encoding: "utf8" }));
  const there = ids.filter((id) =>
    files.some((file) => new RegExp(`^${id}(?:[-_.]|$)`).test(basename(file))),
  );
  return there.length === 1 ? there[0] : undefined;
}

/** Reads the transcript twice: Claude Code writes it while the hook runs, and the last message may arrive a moment later. */
function fullContext(transcript: string): OwnContext | undefined {
  const seen = fullNow(transcript);
  if (seen || !existsSync(transcript)) return seen;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, transcriptMs);
  return fullNow(transcript);
}

function fullNow(transcript: string): OwnContext | undefined {
  const context = contextOf(tailOf(transcript));
  return context && context.tokens >= markOf(context.windowTokens) ? context : undefined;
}

/** The second mark of a session as shipped; without a known window, its absolute part. */
function markOf(windowTokens = Infinity): number {
  return Math.min(windowTokens * 0.75, contextTokensMax[1]);
}

const tailBytes = 1024 * 1024;

function tailOf(path: string): string {
  if (path === "" || !existsSync(path)) return "";
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, tailBytes));
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8");
  } finally {
    closeSync(file);
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whether this is the session's first offer: a session that declines is not asked again. */
function isFirst(monoco: string, session: string): boolean {
  const offered = join(monoco, "handovers", "told");
  const before = existsSync(offered) ? readFileSync(offered, "utf8").split("\n") : [];
  const line = session.replaceAll(/[^\w .-]/g, "").slice(0, 200);
  if (before.includes(line)) return false;
  mkdirSync(dirname(offered), { recursive: true });
  writeFileSync(offered, [...before.filter(Boolean).slice(-toldMax), line, ""].join("\n"));
  return true;
}

const toldMax = 200;

function template(worktree: string): string {
  const settings = join(worktree, "monoco.yaml");
  const isChinese = existsSync(settings) && /^language:\s*["']?zh\b/m.test(readFileSync(settings, "utf8"));
  const path = fileURLToPath(
    new URL(`../../templates/${isChinese ? "zh" : "en"}/own-wrap-up.md`, import.meta.url),
  );
  return readFileSync(path, "utf8");
}
