/** What other relays have used: of those that this process runs no journal is read again, of all others the journal says it. */
import { hash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replay } from "../../src/core/journal/state.ts";
import { spendingOf } from "../../src/core/relay/spending.ts";
import { lineOf } from "../../src/store/chain.ts";
import { viewJournal } from "../../src/store/journal-view.ts";
import { noteState, spendingsReader } from "../../src/store/spendings.ts";
import { temporaryFolder } from "../support/repository.ts";

const golden = join(import.meta.dirname, "../fixtures/budget-near-its-end.jsonl");

/** The golden events have no hashes. */
function chained(events: string): string {
  let prev = "";
  const lines = events
    .trim()
    .split("\n")
    .map((event, at) => {
      const line = lineOf(JSON.stringify({ ...JSON.parse(event), v: 1, seq: at + 1, prev }));
      prev = hash("sha256", line);
      return `${line}\n`;
    });
  return lines.join("");
}

function relayIn(folder: string) {
  mkdirSync(join(folder, "FEAT-0001"));
  const path = join(folder, "FEAT-0001", "journal.jsonl");
  writeFileSync(path, chained(readFileSync(golden, "utf8")));
  const state = replay(viewJournal(path));
  expect(state.sessions.length).toBeGreaterThan(0);
  return { path, state, bytes: statSync(path).size };
}

test("a journal is read, and read again once it has grown", () => {
  const folder = temporaryFolder();
  const { path, state } = relayIn(folder);
  const read = (): object[] => spendingsReader(folder, () => [])({ sinceMs: 0, except: "FEAT-0002" });
  expect(read()).toEqual(spendingOf(state));
  appendFileSync(path, "{}\n");
  expect(read()).toEqual([]);
});

test("what its runner has noted stands for as many bytes, and no more", () => {
  const folder = temporaryFolder();
  const { path, state, bytes } = relayIn(folder);
  const read = (): object[] => spendingsReader(folder, () => [])({ sinceMs: 0, except: "FEAT-0002" });
  // Nobody can read it: what is told of it was noted.
  writeFileSync(path, "x".repeat(bytes));
  noteState(path, bytes, state);
  expect(read()).toEqual(spendingOf(state));
  expect(read()).toEqual(spendingOf(state));
  noteState(path, bytes, state);
  appendFileSync(path, "x");
  expect(read()).toEqual([]);
});
