/** The merges of this repository, each with what has since happened to it: in journals, on the base, in issues. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { readFrontMatter } from "../../core/issue/document.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import type { Opening, SubmissionRecord } from "../../core/journal/relay-state.ts";
import { mergesIn, recordOf } from "../../core/report/escapes.ts";
import type { Fix, Merge } from "../../core/report/escapes.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { placesFor, relayIds } from "../here.ts";
import type { Here } from "../here.ts";
import { cardsHere } from "../listed-issues.ts";
import { repairsSince } from "../../git/history/repairs.ts";

export async function mergesHere(here: Here, journals: readonly (readonly RelayEvent[])[]): Promise<Merge[]> {
  const all = journals.flat();
  const firstMs = Math.min(...all.flatMap(({ type, atMs }) => (type === "merge.done" ? [atMs] : [])));
  if (!Number.isFinite(firstMs)) return [];
  const bases = new Set(all.flatMap((event) => (event.type === "relay.opened" ? [event.base] : [])));
  const read = [...bases].map(async (base) => repairsSince(here.repository.git, base, firstMs));
  const commits = (await Promise.all(read)).flat();
  const fixes = await fixesHere(here);
  return journals.flatMap((events) => mergesIn(events, { commits, fixes }));
}

/** Follow-ups were known at the merge, and what was cancelled was no repair. */
async function fixesHere(here: Here): Promise<Fix[]> {
  const { issues } = await cardsHere(here);
  return issues.flatMap(({ path, card }): Fix[] => {
    const { id, type, tags, status, solution } = card;
    const counts = type === "fix" && !tags.includes("follow-up");
    if (!counts || (status === "closed" && solution !== "implemented")) return [];
    const text = attempt(() => readFileSync(join(here.repository.worktree, path), "utf8"), "");
    const { values } = readFrontMatter(text);
    const createdAtMs = Date.parse(values?.created_at ?? "");
    return values && !Number.isNaN(createdAtMs) ? [{ id, createdAtMs, related: values.related }] : [];
  });
}

/** What became of the earlier merges of the Reviewer whose verdict is in force. */
export async function earlierOf(
  here: Here,
  { sessions }: Opening,
  { review }: SubmissionRecord,
): Promise<ReturnType<typeof recordOf> | undefined> {
  const reviewer = review?.by === "reviewer" && sessions.find(({ session }) => session === review.session);
  if (!reviewer) return undefined;
  const journals = relayIds(here).map((id) => attempt(() => viewJournal(placesFor(here, id).journal), []));
  const earlier = recordOf(reviewer, await mergesHere(here, journals));
  return earlier.rate.merges > 0 ? earlier : undefined;
}
