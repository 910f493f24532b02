/** The inbox of the dashboard: the overview's items, with the words of the inbox in the terminal. */
import type { Item } from "../../core/overview/item.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { shellWord } from "../../core/text/shell.ts";
import { firstWay } from "../../views/hint.ts";
import { headOf, saidOf } from "../../views/inbox.ts";
import type { Act, InboxFacts, Row } from "../../views/page/facts.ts";
import type { RepositoryView } from "../../app/live/feed.ts";
import { fleetSaid } from "../fleet/lines.ts";

export function inboxFacts(repositories: readonly RepositoryView[]): InboxFacts {
  const atMs = Date.now();
  return {
    atMs,
    repositories: repositories.map(({ name, root, overview, fault, fleet }) => ({
      name,
      root,
      head: headOf({ ...overview, atMs }).map(([word, text]): [string, string] => [
        word,
        plainLine(text, 400),
      ]),
      fault: fault ?? null,
      fleet: fleetSaid(fleet, atMs),
    })),
    rows: repositories.flatMap((view) =>
      view.overview.items.map((item) => rowOf(item, { ...view, isAlone: repositories.length === 1 })),
    ),
  };
}

type Of = Pick<RepositoryView, "here" | "root" | "name" | "states"> & { isAlone: boolean };

export function rowOf(item: Item, { here, root, name, states, isAlone }: Of): Row {
  const { priority: _, why: _why, untilMs: _until, hint, ...shown } = item;
  const { id } = item;
  // What nobody has to do anything about can be looked at.
  const look = states.has(id) ? `monoco status ${id}` : "";
  const command = firstWay(hint, { ...states.get(id), issue: id }) || look;
  return {
    ...shown,
    repository: root,
    name: isAlone ? "" : name,
    title: plainLine(item.title, 200),
    text: saidOf(item),
    command: command && !isAlone ? `cd ${shellWord(here.repository.checkout)} && ${command}` : command,
    acts: actsOf(item),
  };
}

const acts: readonly Act[] = ["answer", "review", "say", "stop", "resume"];

/** What the item's hint names, and what a relay that goes on takes. */
function actsOf({ hint, group }: Item): Act[] {
  const named = new Set<string>(hint.flat().map((step) => step.do));
  const goesOn = group === "working" || group === "waiting";
  const may: Record<Act, boolean> = {
    answer: named.has("answer"),
    review: named.has("judge"),
    say: goesOn || named.has("say"),
    stop: goesOn,
    // A verdict goes before it.
    resume: !named.has("judge") && (named.has("resume") || named.has("retry")),
  };
  return acts.filter((act) => may[act]);
}
