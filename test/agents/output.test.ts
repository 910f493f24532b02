/** What a child prints: a flood is collected as it is read, whether its lines are told or not. */
import { expect, test } from "vitest";
import { tidyLineReader } from "../../src/agents/output.ts";
import { lineBracketsMax } from "../../src/core/limits.ts";

test("memory is collected after what was read, of lines that are dropped, too", () => {
  const told: string[] = [];
  let tidied = 0;
  const reader = tidyLineReader(
    (line) => told.push(line),
    (bytes) => {
      tidied += bytes;
    },
  );
  const dropped = Buffer.from(`[${"[],".repeat(lineBracketsMax)}[]]\n`);
  for (let n = 0; n < 5; n++) reader.push(dropped);
  expect({ told, tidied }).toEqual({ told: [], tidied: 5 * dropped.length });
  reader.push(Buffer.from("{}\n"));
  expect(told).toEqual(["{}"]);
  expect(tidied).toBeGreaterThan(5 * dropped.length + 3);
});
