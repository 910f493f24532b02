/** The judge's tables are well-formed; what the gate makes of them, `npm run judge -w lab` says. */
import { expect, test } from "vitest";
import { groups } from "../judge/row.ts";
import { table } from "../judge/table.ts";

/** So many rows at least: attacks in four groups, and honest work. */
const rowsMin = { evidence: 25, weakened: 25, tampering: 25, contradictions: 25, controls: 40 };

test("the judge has its rows in every group, each under a name of its own, and says what has to be listed", () => {
  for (const group of groups)
    expect(table.filter((row) => row.group === group).length, group).toBeGreaterThanOrEqual(rowsMin[group]);
  const names = table.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const unlisted = table.filter(
    ({ group, places }) => ["weakened", "tampering"].includes(group) && !places?.length,
  );
  // A session cannot close its issue: nothing of that is in what is merged.
  expect(unlisted.map(({ name }) => name)).toEqual(["the issue is closed"]);
});
