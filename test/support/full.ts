/**
 * The tests that `npm test` leaves to `npm run test:full`: further rows of a matrix, most of them over real processes.
 * A file of such tests imports `full as test`, and calls the few others `it`. In lab/live: those that `.ci/run` leaves out
 * as long as what they cover stays as it is.
 */
import { test } from "vitest";
import type { TestContext } from "vitest";

/** The options of such a test. */
export const ofFull = { tags: ["full"] };

type Options = { timeout: number };
type Run<Args extends unknown[]> = (...args: [...Args, TestContext]) => void | Promise<void>;
/** What vitest takes behind a title: the options before the function, or the time-out behind it. */
type Rest<Args extends unknown[]> = [Run<Args>, number?] | [Options, Run<Args>];
type TestEach<Row> = (title: string, ...rest: Rest<[Row]>) => void;
type Full = {
  (title: string, ...rest: Rest<[]>): void;
  for<Row>(rows: readonly Row[]): TestEach<Row>;
  skipIf(condition: boolean): Full;
};

/** As `test`; `npm test` does not run it. */
export const full: Full = fullOf(test);

function fullOf(base: ReturnType<typeof test.skipIf>): Full {
  return Object.assign(
    (title: string, ...rest: Rest<[]>) => {
      const [options, run] = optionsAndRun(rest);
      base(title, { ...ofFull, ...options }, run);
    },
    {
      for: <Row>(rows: readonly Row[]) => testRows(rows, () => false, base),
      skipIf: (condition: boolean) => fullOf(test.skipIf(condition)),
    },
  );
}

/** As `base.for(rows)`; `npm test` runs the first row, or those that `short` chooses. */
export function testRows<Row>(
  rows: readonly Row[],
  short: (row: Row, at: number) => boolean = (_, at) => at === 0,
  base: Pick<typeof test, "for"> = test,
): TestEach<Row> {
  return (title, ...rest) => {
    const [options, run] = optionsAndRun(rest);
    base.for(rows.filter((row, at) => short(row, at)))(title, options, run);
    base.for(rows.filter((row, at) => !short(row, at)))(title, { ...ofFull, ...options }, run);
  };
}

/** Chooses the first row of each kind. */
export function firstOfEach<Row>(rows: readonly Row[], kindOf: (row: Row) => string): (row: Row) => boolean {
  return (row) => rows.find((other) => kindOf(other) === kindOf(row)) === row;
}

function optionsAndRun<Args extends unknown[]>(rest: Rest<Args>): [Partial<Options>, Run<Args>] {
  if (!hasRunFirst(rest)) return rest;
  const [run, timeout] = rest;
  return [timeout === undefined ? {} : { timeout }, run];
}

function hasRunFirst<Args extends unknown[]>(rest: Rest<Args>): rest is [Run<Args>, number?] {
  return typeof rest[0] === "function";
}
