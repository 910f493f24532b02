/** The inbox of the dashboard: the overview's items, with the words of the inbox in the terminal. */
import type { Item } from "../../core/overview/overview.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { firstWay } from "../../views/hint.ts";
import { headOf, saidOf } from "../../views/inbox.ts";
import type { Act, InboxFacts, Row } from "../../views/page/facts.ts";
import type { RepositoryView } from "../../app/live/feed.ts";

export function inboxFacts(repositories: readonly RepositoryView[]): InboxFacts {
  return {
    atMs: Date.now(),
    repositories: repositories.map(({ name, root, overview, fault }) => ({
      name,
      root,
      head: headOf(overview).map(([word, text]): [string, string] => [word, plainLine(text, 400)]),
      fault: fault ?? null,
    })),
    rows: repositories.flatMap(({ name, root, overview, states }) =>
      overview.items.map((item): Row => {
        const { id, title, kind, group, sinceMs, fresh, running, last, costUsd, pullRequest } = item;
        return {
          // With one repository, an address needs no more than the id.
          repository: repositories.length === 1 ? "" : root,
          name,
          id,
          title: plainLine(title, 200),
          kind,
          group,
          text: saidOf(item),
          command: firstWay(item.hint, { ...states.get(id), issue: id }) || lookAt(id, states.has(id)),
          sinceMs,
          fresh,
          running,
          last,
          costUsd,
          pullRequest,
          acts: actsOf(item),
        };
      }),
    ),
  };
}

/** What nobody has to do anything about can be looked at. */
function lookAt(id: string, hasRelay: boolean): string {
  return hasRelay ? `monoco status ${id}` : "";
}

const acts: readonly Act[] = ["answer", "review", "say", "stop", "resume"];

/** What the item's hint names, and what a relay that goes on takes. */
export function actsOf({ hint, group }: Pick<Item, "hint" | "group">): Act[] {
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
