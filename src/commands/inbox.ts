/** monoco and monoco inbox: the issues that need a person, and news since the person's last look. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Item, Kind } from "../core/overview/overview.ts";
import { isOutside, openHere, relayIds } from "../app/here.ts";
import type { Here } from "../app/here.ts";
import { overviewHere, rememberLook } from "../app/overview/overview-here.ts";
import { currentSession } from "../app/session-context.ts";
import { issueFolders } from "../store/issue-folder.ts";
import { commandsOf } from "../views/hint.ts";
import { renderInbox, whyWords } from "../views/inbox.ts";
import { printJson } from "../views/json.ts";
import { io } from "../io/io.ts";
import { translatable, translated } from "../core/language/translate.ts";

export type InboxFlags = {
  all: boolean;
  ids: boolean;
  json: boolean;
  approvals: boolean;
  questions: boolean;
  stuck: boolean;
  idle: boolean;
};

const chosenBy: readonly (readonly [keyof InboxFlags, readonly Kind[]])[] = [
  ["approvals", ["approval"]],
  ["questions", ["question"]],
  ["stuck", ["stuck"]],
  ["idle", ["idle", "cut_off"]],
];

export async function inbox(flags: InboxFlags): Promise<number> {
  const here = await hereOrHelp(flags.json || flags.ids);
  if (!here) return 0;
  const { overview, states } = await overviewHere(here);
  const kinds = chosenBy.flatMap(([flag, of]) => (flags[flag] ? of : []));
  const items =
    kinds.length === 0 ? overview.items : overview.items.filter(({ kind }) => kinds.includes(kind));
  if (flags.ids) {
    const needed = kinds.length === 0 ? items.filter(({ group }) => group === "needs_you") : items;
    for (const { id } of needed) io().stdout.write(`${id}\n`);
  } else if (flags.json) {
    const jsonOf = ({ hint, why, ...item }: Item): object => ({
      ...item,
      because: whyWords(why),
      rule: "rule" in why ? why.rule : null,
      commands: hint.flat().flatMap((step) => commandsOf(step, { ...states.get(item.id), issue: item.id })),
    });
    printJson({ ...overview, items: items.map(jsonOf) });
  } else {
    const { isTTY, columns = 80 } = io().stdout;
    const width = isTTY ? Math.max(40, columns) : 80;
    io().stdout.write(renderInbox({ ...overview, items }, states, { width, all: flags.all }));
    // Output into a pipe is not a person's look.
    if (isTTY && !currentSession()) rememberLook(here, overview.atMs);
  }
  return 0;
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
