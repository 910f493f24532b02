/** One thing that a runner, a session or a person does through the writers of src/store, and what it is promised by it. */
import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Dice } from "../../../test/core/support/simulation.ts";
import type { HandedOver } from "../../../src/core/handoff/handed-over.ts";
import type { Relay } from "../../../src/relay/relay.ts";
import { writeDurably, writeNew } from "../../../src/store/durable.ts";
import { lineOf } from "../../../src/store/chain.ts";
import { dropHandOver, keepHandOver } from "../../../src/store/handovers.ts";
import { learningsFile } from "../../../src/store/learnings.ts";
import { dropMessage } from "../../../src/store/mailbox.ts";
import { markOf } from "../../../src/store/mark.ts";
import type { Places, RepositoryPlaces } from "../../../src/store/places.ts";
import { tellSuspension } from "../../../src/store/suspensions.ts";
import { sectorBytes } from "./crash.ts";
import { promised, removed, said, shown, written } from "./ledger.ts";
import type { Kept } from "./ledger.ts";

export type Work = Kept & {
  dice: Dice;
  repository: RepositoryPlaces;
  places: Places;
  relay: Relay;
  /** A text's number, so that no two are the same. */
  count(): number;
  drain(): Promise<void>;
};

/** Three pages: what is torn lies in one of them, or between two. */
const charsMax = 12_000;
/** Within `saidCharsMax`, with its number. */
const saidMax = 7_900;

const works: readonly ((work: Work) => void | Promise<void>)[] = [
  (work) => void work.relay.record({ type: "note.said", by: "person", text: textFor(work) }),
  noteToEdge,
  say,
  say,
  (work) => work.drain(),
  (work) =>
    void promised(
      work,
      () => markOf(work.places.relay),
      ({ value }) => written("mark", value),
    ),
  handOver,
  (work) =>
    promised(
      work,
      () => dropHandOver(work.repository, work.places.issue),
      () => removed("hand-over"),
    ),
  handOff,
  learn,
  suspend,
  writeIssue,
];

export async function workOnce(work: Work): Promise<void> {
  await works[work.dice(works.length)]!(work);
}

/** Half of them are short. Each repeats its number, so that pieces of two are no whole one. */
function textFor({ dice, count }: Work, most = charsMax): string {
  const chars = dice(dice(2) === 0 ? 80 : most);
  const text = `${count()}, `;
  return text.repeat(Math.ceil(chars / text.length) + 1);
}

/** The line after this one has its first byte in a sector, and the others in the next. */
function noteToEdge({ relay, places }: Work): void {
  const note = { type: "note.said", by: "person", text: "" } as const;
  const chain = { v: 1, seq: relay.state.seq + 1, prev: relay.journal.head(), atMs: relay.nowMs() };
  const empty = `${lineOf(JSON.stringify({ ...chain, ...note }))}\n`;
  const end = statSync(places.journal).size + empty.length;
  relay.record({ ...note, text: "e".repeat(2 * sectorBytes - 1 - (end % sectorBytes)) });
}

function say(work: Work): void {
  const text = textFor(work, saidMax);
  promised(
    work,
    () => dropMessage(work.places.inbox, { type: "say", text }),
    () => said(text),
  );
}

function handOver(work: Work): void {
  const text = textFor(work);
  const { issue } = work.places;
  const sha256 = hash("sha256", text);
  const branch = { branch: "mine", worktree: work.repository.monoco, head: "0".repeat(40), leftOut: [] };
  const given: HandedOver = { v: 1, id: sha256, issue, ...branch, text, sha256, lint: [], atMs: 1 };
  promised(
    work,
    () => keepHandOver(work.repository, given),
    () => written("hand-over", text),
  );
}

function handOff(work: Work): void {
  const text = textFor(work);
  const name = join("relays", work.places.issue, "sessions", "0001-executor", "RALPH.md");
  promised(
    work,
    () => writeDurably(join(work.repository.monoco, name), text),
    () => written(name, text),
  );
}

function learn(work: Work): void {
  const text = textFor(work);
  promised(
    work,
    () => writeDurably(learningsFile(work.repository), text),
    () => written("learnings", text, ""),
  );
}

function suspend(work: Work): void {
  const by = textFor(work);
  const reason = { rule: "needs_login" as const };
  const suspension = { account: "mine", untilMs: 1, reason, by, atMs: 1 };
  promised(
    work,
    () => tellSuspension(work.repository.accounts, suspension),
    () => shown("suspension", by),
  );
}

function writeIssue(work: Work): void {
  const text = textFor(work);
  const name = `${work.count()}.md`;
  promised(
    work,
    () => writeNew(join(work.repository.monoco, name), text),
    () => written(name, text),
  );
}
