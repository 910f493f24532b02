/** The inbox of the dashboard: the overview's items, with the words of the inbox in the terminal. */
import type { Item } from "../../core/overview/overview.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { firstWay } from "../../views/hint.ts";
import { headOf, saidOf } from "../../views/inbox.ts";
import type { Act, InboxFacts, Row } from "../../views/page/facts.ts";
import type { Snapshot } from "./feed.ts";

export function inboxFacts({ repositories }: Snapshot): InboxFacts {
  return {
    atMs: Date.now(),
    repositories: repositories.map(({ name, here, overview }) => ({
      name,
      root: here.repository.root,
      head: headOf(overview),
    })),
    rows: repositories.flatMap(({ name, overview, states }) =>
      overview.items.map((item): Row => {
        const { id, title, kind, group, sinceMs, fresh, running, pullRequest } = item;
        return {
          repository: name,
          id,
          title: plainLine(title, 200),
          kind,
          group,
          text: saidOf(item),
          command: firstWay(item.hint, { ...states.get(id), issue: id }),
          sinceMs,
          fresh,
          running: running && { agent: running.agent, elapsedMs: running.elapsedMs },
          pullRequest,
          acts: actsOf(item),
        };
      }),
    ),
  };
}

/** What the item's hint names, and what a relay that goes on takes. */
export function actsOf({ hint, group }: Pick<Item, "hint" | "group">): Act[] {
  const named = hint.flat().map((step) => step.do);
  const goesOn = group === "working" || group === "waiting";
  return [
    ...(named.includes("answer") ? (["answer"] as const) : []),
    ...(named.includes("judge") ? (["review"] as const) : []),
    ...(named.includes("resume") || named.includes("retry") ? (["resume"] as const) : []),
    ...(goesOn ? (["say", "stop"] as const) : []),
  ];
}
