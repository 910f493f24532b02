/** Text that may be JSON: most lines that agents print are not. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { attempt, jsonOf } from "../../../src/core/error/attempt.ts";
import { cpuMs } from "../support/cpu.ts";

test("all JSON is parsed, also between spaces", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(jsonOf(` ${text}\r\n`)).toEqual(JSON.parse(text));
    }),
  );
});

test("lines that do not begin and end like JSON cost little of what it takes to parse them in vain", () => {
  const flood = Array.from({ length: 10_000 }, () => ["a short line", "{", "}"]).flat();
  const msOf = (read: (text: string) => unknown): number => {
    const startedMs = cpuMs();
    for (const line of flood) read(line);
    return cpuMs() - startedMs;
  };
  const takenMs = msOf(jsonOf);
  expect(takenMs).toBeLessThan(msOf((line) => attempt(() => JSON.parse(line) as unknown, undefined)) / 3);
});
