/** What is said of a record's evidence, by what was seen of it. */
import { expect, test } from "vitest";
import { runLines } from "../../../src/core/attest/runs.ts";
import type { Predicate } from "../../../src/core/attest/statement-schema.ts";

const criterion = { criterion: 1, statement: "it is said", kind: "document", result: "met" } as const;
const predicate = { checks: [], criteria: [{ ...criterion, file: "README.md", line: 3 }] };

test.for<[string, boolean, string]>([
  ["that is there is claimed: it shows nothing of the criterion", true, "claimed"],
  ["that is not there differs", false, "differs"],
])("a line of a file %s", ([, isThere, is]) => {
  const lines = runLines(predicate as unknown as Predicate, new Map(), () => isThere);
  expect(lines).toEqual([expect.objectContaining({ evidence: "README.md:3", is })]);
});
