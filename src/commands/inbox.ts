/** monoco and monoco inbox: the issues that need a person, and news since the person's last look. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import type { Item, Kind } from "../core/overview/item.ts";
import type { Overview } from "../core/overview/overview.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { shellWord } from "../core/text/shell.ts";
import { isOutside, openHere, relayIds } from "../app/here.ts";
import type { Here } from "../app/here.ts";
import { everywhere } from "../app/live/everywhere.ts";
import { overviewHere, rememberLook } from "../app/overview/overview-here.ts";
import { currentSession } from "../app/session-context.ts";
import { issueFolders } from "../store/issue-folder.ts";
import { tellFailure } from "../views/failure.ts";
import { renderInbox } from "../views/inbox.ts";
import { printJson } from "../views/json.ts";
import { overviewJson } from "../views/overview/overview-json.ts";
import { paint } from "../views/paint.ts";
import { io } from "../io/io.ts";
import { t, translatable, translated } from "../core/language/translate.ts";

export type InboxFlags = {
  all: boolean;
  ids: boolean;
  json: boolean;
  approvals: boolean;
  questions: boolean;
  stuck: boolean;
  idle: boolean;
  everywhere: boolean;
  remote?: boolean;
};

const chosenBy: readonly (readonly [keyof InboxFlags, readonly Kind[]])[] = [
  ["approvals", ["approval"]],
  ["questions", ["question"]],
  ["stuck", ["stuck"]],
  ["idle", ["idle", "cut_off"]],
];

export async function inbox(flags: InboxFlags): Promise<number> {
  if (flags.everywhere) return inboxEverywhere(flags);
  const here = await hereOrHelp(flags.json || flags.ids);
  if (!here) return 0;
  const { overview, states } = flags.remote
    ? await (await import("./there/look.ts")).overviewThere()
    : await overviewHere(here);
  const items = chosen(overview, flags);
  if (flags.ids) {
    const isAll = items === overview.items;
    const needed = isAll ? items.filter(({ group }) => group === "needs_you") : items;
    for (const { id } of needed) io().stdout.write(`${id}\n`);
  } else if (flags.json) {
    printJson(overviewJson({ ...overview, items }, states));
  } else {
    io().stdout.write(renderInbox({ ...overview, items }, states, { width: width(), all: flags.all }));
    // Output into a pipe is not a person's look.
    if (!flags.remote && io().stdout.isTTY && !currentSession()) rememberLook(here, overview.atMs);
  }
  return 0;
}

/** The same of each repository in which monoco ran, below the command that goes there. */
async function inboxEverywhere(flags: InboxFlags): Promise<number> {
  if (flags.remote) throw new MonocoError("input", t`--remote or --everywhere, not both`);
  if (flags.ids)
    throw new MonocoError("input", t`--ids or --everywhere, not both: ids are of one repository`);
  const { heres, said } = await everywhere();
  for (const line of said) io().stderr.write(`${plainLine(line, 400)}\n`);
  const objects: object[] = [];
  let code = 0;
  for (const here of heres) {
    const { root, checkout } = here.repository;
    const seen = await overviewHere(here).catch((error: unknown) => tellFailure(error, root));
    if (typeof seen === "number") {
      code = Math.max(code, seen);
      continue;
    }
    const { overview, states } = seen;
    const shown = { ...overview, items: chosen(overview, flags) };
    objects.push({ root, ...overviewJson(shown, states) });
    if (flags.json) continue;
    io().stdout.write(`${paint("bold", `cd ${shellWord(checkout)}`)}\n`);
    io().stdout.write(`${renderInbox(shown, states, { width: width(), all: flags.all })}\n`);
    if (io().stdout.isTTY && !currentSession()) rememberLook(here, overview.atMs);
  }
  if (flags.json) printJson(objects);
  else if (heres.length === 0)
    io().stdout.write(`${t`monoco has run in no repository of this machine yet`}\n`);
  return code;
}

function width(): number {
  const { isTTY, columns = 80 } = io().stdout;
  return isTTY ? Math.max(40, columns) : 80;
}

/** All items, or those of the kinds that the flags name. */
function chosen({ items }: Overview, flags: InboxFlags): Item[] {
  const kinds = chosenBy.flatMap(([flag, of]) => (flags[flag] ? of : []));
  return kinds.length === 0 ? items : items.filter(({ kind }) => kinds.includes(kind));
}

/** Finds the repository. Before monoco is set up, a person gets the first steps; a program gets an error. */
async function hereOrHelp(forPrograms: boolean): Promise<Here | undefined> {
  let here: Here | undefined;
  try {
    here = await openHere();
  } catch (error) {
    if (forPrograms || !isOutside(io().cwd)) throw error;
  }
  const { worktree = "" } = here?.repository ?? {};
  const begun = ["monoco.yaml", ...issueFolders].some((name) => existsSync(join(worktree, name)));
  if (here && (forPrograms || begun || relayIds(here).length > 0)) return here;
  io().stdout.write(translated(here ? firstSteps : noRepository));
  return undefined;
}

const firstSteps = translatable(`This repository has no monoco.yaml and no issues yet.
  monoco init                   writes both, and changes nothing that is there
  monoco issue create "Title"   writes the first issue; commit it
  monoco run --all              works on every open issue
Not sure yet? monoco demo plays a relay in a scratch folder; monoco --help lists the commands.
`);

const noRepository = translatable(`This folder is in no git repository: monoco works in one.
  git init                      makes one here
  monoco init                   then writes monoco.yaml and issues/
Not sure yet? monoco demo plays a relay in a scratch folder; monoco --help lists the commands.
`);
