/** monoco issue list and board: the chosen issues of this worktree, in lines or in columns. */
import { boardColumns, columnOf } from "../../core/backlog/list.ts";
import { tellFailure } from "../../views/failure.ts";
import { printJson } from "../../views/json.ts";
import { openHere } from "../../app/here.ts";
import { lineOf } from "./line.ts";
import { issuesThatFit } from "../../app/listed-issues.ts";
import type { FilterFlags, Listed } from "../../app/listed-issues.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

type Flags = FilterFlags & { all: boolean; json: boolean };

/** Lists the open issues, unless a status or a stage is given. Names the files that cannot be read. */
export async function list(keywords: readonly string[], flags: Flags): Promise<number> {
  const here = await openHere();
  const { issues, broken } = await issuesThatFit(here, keywords, flags);
  const every = flags.all || flags.status !== undefined || flags.stage !== undefined;
  const shown = every ? issues : issues.filter(({ status }) => status === "open");
  if (flags.json) tellJson({ issues: shown }, broken);
  else {
    const lines = shown.length > 0 ? shown.map(lineOf) : [noneWords(keywords, flags)];
    io().stdout.write(`${lines.join("\n")}\n`);
  }
  return tellBroken(broken);
}

function noneWords(keywords: readonly string[], { all, json, ...filters }: Flags): string {
  const asked =
    keywords.length > 0 || Object.values(filters).some((value) => value !== undefined && value !== false);
  if (asked)
    return all || json
      ? t`no issues that fit; monoco issue list --all shows all there are`
      : t`no open issues that fit; monoco issue list --all shows all there are`;
  return t`no open issues; monoco issue create "Title" writes one`;
}

/** Only the last done issues are shown: a board is for work to do. */
const doneMax = 10;

export async function board(keywords: readonly string[], flags: Flags & { width?: number }): Promise<number> {
  const here = await openHere();
  const { issues, broken } = await issuesThatFit(here, keywords, flags);
  const columns = boardColumns.map((name) => {
    const own = issues.filter((issue) => columnOf(issue) === name);
    // Ids only grow: the last ones are the newest.
    const shown = name === "done" && !flags.all ? own.slice(-doneMax) : own;
    return { name, count: own.length, issues: shown };
  });
  if (flags.json) tellJson({ columns }, broken);
  else {
    // Loaded here: the tables of character widths take as long to load as the rest of a list.
    const { renderBoard } = await import("../../views/board.ts");
    io().stdout.write(renderBoard(columns, flags.width ?? widthHere()));
  }
  return tellBroken(broken);
}

/** Wider than any terminal, since rows are padded to the width. */
const widthMax = 1_000;

/** The terminal's width; without one, COLUMNS. */
function widthHere(): number {
  const given = Number(io().env["COLUMNS"]);
  return io().stdout.columns ?? (Number.isSafeInteger(given) && given > 0 ? Math.min(given, widthMax) : 80);
}

function tellJson(what: object, broken: Listed["broken"]): void {
  printJson({ ...what, broken: broken.map(({ message }) => message) });
}

function tellBroken(broken: Listed["broken"]): number {
  return Math.max(0, ...broken.map((error) => tellFailure(error)));
}
