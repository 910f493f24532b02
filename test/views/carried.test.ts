/** What a push or pull is told to have done. */
import { expect, test } from "vitest";
import { carriedLines } from "../../src/views/carried.ts";

test("where both clones went on, each way names the refs that keep the other side: those on the remote by its namespace", () => {
  const outcomes = [{ issue: "FEAT-0001", outcome: { is: "diverged", fork: undefined } as const }];
  const came = { remote: "origin", prefix: "refs/heads/monoco-relays", outcomes, notes: undefined };
  const hint = carriedLines(came).at(-1);
  expect(hint).toContain("--take theirs goes on from there, and refs/monoco/FEAT-0001/earlier keeps");
  expect(hint).toContain(
    "--take mine goes on from here, and refs/heads/monoco-relays/FEAT-0001/earlier keeps",
  );
});
