/**
 * The tests that `npm test` leaves to `npm run test:full`: further rows of a matrix over real processes.
 * A file of such tests imports `full as test`, and calls the few others `it`. In test/live: those that `.ci/run` leaves out as long as what they cover stays as it is.
 */
import { test } from "vitest";
import type { TestContext } from "vitest";

/** The options of such a test. */
export const ofFull = { tags: ["full"] };

type Awaitable = void | Promise<void>;
type TestOne = (title: string, run: (context: TestContext) => Awaitable, timeoutMs?: number) => void;
type TestEach<Row> = (
  title: string,
  run: (row: Row, context: TestContext) => Awaitable,
  timeoutMs?: number,
) => void;

/** As `test`; `npm test` does not run it. */
export const full: TestOne & { for: <Row>(rows: readonly Row[]) => TestEach<Row> } = Object.assign(
  ((title, run, timeoutMs) => test(title, { ...ofFull, ...timeoutOf(timeoutMs) }, run)) satisfies TestOne,
  { for: <Row>(rows: readonly Row[]) => testRows(rows, () => false) },
);

/** As `test.for(rows)`; `npm test` runs the first row, or those that `short` chooses. */
export function testRows<Row>(
  rows: readonly Row[],
  short: (row: Row, at: number) => boolean = (_, at) => at === 0,
): TestEach<Row> {
  return (title, run, timeoutMs) => {
    const timeout = timeoutOf(timeoutMs);
    test.for(rows.filter((row, at) => short(row, at)))(title, timeout, run);
    test.for(rows.filter((row, at) => !short(row, at)))(title, { ...ofFull, ...timeout }, run);
  };
}

function timeoutOf(ms: number | undefined): { timeout?: number } {
  return ms === undefined ? {} : { timeout: ms };
}
