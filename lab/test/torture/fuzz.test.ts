/** A few hundred inputs for the fuzzer's targets, and that it finds what is planted; `npm run torture -w lab -- --only fuzz` tries them all. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fuzzed } from "../../torture/fuzz.ts";
import { targets } from "../../torture/fuzz/table.ts";
import type { Target } from "../../torture/fuzz/target.ts";
import { isReadWithin, tryInput } from "../../torture/fuzz/trial.ts";
import { MonocoError } from "../../../src/core/error/error.ts";
import { runs } from "../../../test/support/runs.ts";

const quiet = (): void => undefined;

test("every reader of text from outside stands what the fuzzer makes of its texts", () => {
  expect(targets.filter(({ corpus }) => corpus.length === 0)).toEqual([]);
  expect(new Set(targets.map(({ name }) => name)).size).toBe(targets.length);
  const came = fuzzed({ targets, n: runs(1_000), seed: 1, say: quiet });
  expect(came.violations).toEqual([]);
});

const planted = (read: Target["read"]): string[] => [
  ...fuzzed({
    targets: [{ name: "planted", corpus: ["- a\n- b\n", '{"a": 1}'], read }],
    n: 300,
    seed: 1,
    say: quiet,
  }).violations,
];

test("it finds a reader that throws, and keeps the input", () => {
  const found = planted((text) => {
    if (text.includes("\0")) throw new TypeError("no zeros");
  });
  expect(found[0]).toMatch(/^planted, seed \d+ \(.*\): throws TypeError: no zeros; the input: \/.*\.txt$/s);
  const kept = readFileSync(found[0]!.split("the input: ")[1]!, "utf8");
  expect(kept).toContain("\0");
});

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

test("it finds a reader that is slow for long texts, and one that never ends", () => {
  let slow = 0;
  const found = planted((text) => {
    if (text.length < 20_000 || slow === 8) return;
    slow += 1;
    // The fuzzer counts processor time: on a busy machine it is less than what the clock shows.
    const endMs = cpuMs() + (slow === 1 ? Infinity : 500);
    while (cpuMs() < endMs);
  });
  expect(found[0]).toMatch(/: not done within \d+ ms for \d+ characters/);
  expect(found[1]).toMatch(/: \d+ ms for \d+ characters/);
});

test("it takes a refusal in monoco's own words for what it is", () => {
  expect(
    planted(() => {
      throw new MonocoError("input", "no");
    }),
  ).toEqual([]);
});

test("the same seed makes the same inputs", () => {
  const read = (): string[] => {
    const seen: string[] = [];
    planted((text) => void seen.push(text));
    return seen;
  };
  expect(read()).toEqual(read());
});

test.for<[name: string, text: string]>([
  ["sources", "\n".repeat(40_000)],
  ["stream-codex", "a\n".repeat(200_000)],
  ["stream-gemini", "}\n".repeat(50_000)],
  ["stream-opencode", "\n字".repeat(100_000)],
  ["command", `node -${"$(x".repeat(40_000)}`],
  ["command", "a#!".repeat(60_000)],
  ["criterion", "「%".repeat(70_000)],
  ["criterion", "一".repeat(100_000)],
  ["handoff", `## Metadata\n- Session: 3${"`".repeat(30_000)}x\n`],
  ["handoff-lint", `## Current state\n${" ".repeat(80_000)}x\n`],
  ["issue-lint", `## Acceptance Criteria\n\n- [ ] ${"“".repeat(35_000)}\n`],
  ["output", `error: ${"a".repeat(200_000)}`],
  ["verdict", "\r\n".repeat(40_000)],
  ["import-checklist", "\n- - - - - - - a".repeat(3_000)],
  ["import-checklist", `## ${"::d83".repeat(30_000)}\n`],
  ["import-checklist", `## Phase ${"(".repeat(60_000)}\n\n- [ ] T001 [US1] a\n`],
])("what was found in %s is read in time", ([name, text]) => {
  const target = targets.find((one) => one.name === name)!;
  expect(tryInput(target, text).violation).toBeUndefined();
});

test("a handoff of nothing but items needs little memory, and not none", () => {
  const items = `## Done\n${"\n- [ ] a".repeat(15_000)}`;
  expect(isReadWithin("handoff-lint", items)).toBe(true);
  expect(isReadWithin("handoff-lint", items, 2 ** 20)).toBe(false);
});
