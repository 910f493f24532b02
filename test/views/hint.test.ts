import { expect, test } from "vitest";
import { decide } from "../../src/core/relay/decide.ts";
import { tellingOf } from "../../src/views/status.ts";
import { hintWords, resumeCommand } from "../../src/views/hint.ts";
import type { Hint } from "../../src/core/error/hint-schema.ts";
import { replay } from "../../src/core/journal/state.ts";
import { ended, executor, handoff, journal, opened, paused, settingsWith } from "../core/support/relays.ts";
import type { Step } from "../core/support/relays.ts";

type Terms = { settings?: object; origins?: Record<string, string>; policy?: string | undefined };

const openedBy =
  ({ settings = {}, ...more }: Terms): Step =>
  () => ({ ...opened(), settings: settingsWith({}, settings), ...more });

const resumedBy =
  ({ settings = {}, ...more }: Terms): Step =>
  () => ({ type: "relay.resumed", by: "person", settings: settingsWith({}, settings), ...more });

const byFlags: Terms = {
  settings: { gates: { medium: "human" } },
  origins: { "gates.medium": "--set" },
  policy: "fast work.yaml",
};

test.for<[string, Step[], string]>([
  ["nothing but its issue", [opened], ""],
  ["none of its settings, which stay with the relay", [openedBy({ ...byFlags, policy: undefined })], ""],
  ["its policy file, which is read again", [openedBy(byFlags)], " --policy 'fast work.yaml'"],
  ["the last run's policy", [opened, resumedBy({ policy: "b.yaml" })], " --policy b.yaml"],
])("the command that goes on has %s", ([, steps, flags]) => {
  expect(resumeCommand(replay(journal(steps)))).toBe(`monoco resume FEAT-0001${flags}`);
});

test("a hint names the policy file wherever it names the command", () => {
  const state = replay(journal([openedBy(byFlags)]));
  expect(hintWords([[{ do: "say" }, { do: "resume" }], [{ do: "by_hand", what: "wait" }]], state)).toBe(
    "monoco say FEAT-0001 \"…\", then monoco resume FEAT-0001 --policy 'fast work.yaml'; or wait",
  );
});

test.for<[string, Extract<Hint[number][number], { do: "judge" }>["verdicts"], string]>([
  ["an approval goes on by itself", ["approve", "request_changes"], '--approve or --request-changes -m "…"'],
  [
    "requested changes wait for a person",
    ["request_changes"],
    '--request-changes -m "…" and monoco resume FEAT-0001',
  ],
])("a hint to judge names no more commands than are needed: %s", ([, verdicts, flags]) => {
  const state = replay(journal([opened]));
  expect(hintWords([[{ do: "judge", verdicts }, { do: "resume" }]], state)).toBe(
    `monoco issue review FEAT-0001 --show, then ${flags}`,
  );
});

test("a report's hint is what a person can type", () => {
  const { hint } = tellingOf(replay(journal([openedBy(byFlags), paused])), { runnerAlive: false, nowMs: 0 });
  expect(hint).toContain("monoco resume FEAT-0001 --policy 'fast work.yaml'");
});

test.for<[string, string | undefined, string]>([
  ["a file", "monoco.yaml:7", "raise budgets.relay.costUsd in monoco.yaml:7, then monoco"],
  ["a policy file", "fast.yaml:2", "raise budgets.relay.costUsd in fast.yaml:2, then monoco"],
  ["a variable", "MONOCO_BUDGETS_RELAY_COST_USD", "raise MONOCO_BUDGETS_RELAY_COST_USD, then monoco"],
  ["a flag", "--set", "raise budgets.relay.costUsd (--set budgets.relay.costUsd=…), then monoco"],
  ["a place that its journal does not tell", undefined, "raise budgets.relay.costUsd in monoco.yaml, then"],
])("a spent budget that was set by %s is to be raised there", ([, place, hint]) => {
  const settings = { budgets: { relay: { costUsd: 4 } } };
  const origins = place === undefined ? {} : { origins: { "budgets.relay.costUsd": place } };
  const spent = ended("handed_over", { costUsd: 5, durationMs: 60_000 });
  const state = replay(journal([openedBy({ settings, ...origins }), executor, spent, handoff]));
  const around = { elsewhere: [], run: undefined };
  expect(decide(state, state.opening!.settings.limits, 60_000, around)).toMatchObject({
    do: "block",
  });
  expect(tellingOf(state, { runnerAlive: false, nowMs: 60_000, around }).hint).toContain(hint);
});
