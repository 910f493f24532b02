import { expect, test } from "vitest";
import { decide } from "../../src/core/relay/decide.ts";
import { tellingOf } from "../../src/views/status.ts";
import { hintWords } from "../../src/views/hint.ts";
import { resumeCommand } from "../../src/views/resume-command.ts";
import { replay } from "../../src/core/journal/state.ts";
import { ended, executor, handoff, journal, opened, paused, settingsWith } from "../core/support/relays.ts";
import type { Step } from "../core/support/relays.ts";

type Terms = { settings?: object; origins?: Record<string, string>; policy?: string };

const openedBy =
  ({ settings = {}, ...more }: Terms): Step =>
  () => ({ ...opened(), settings: settingsWith({}, settings), ...more });

const resumedBy =
  ({ settings = {}, ...more }: Terms): Step =>
  () => ({ type: "relay.resumed", by: "person", settings: settingsWith({}, settings), ...more });

const roles = { executor: { agents: ["mine"] }, reviewer: { agents: ["claude"] } };
const byAgent: Terms = { settings: { roles }, origins: { "roles.executor.agents": "--agent" } };

test.for<[string, Step[], string]>([
  ["nothing but its issue", [opened], ""],
  ["an agent", [openedBy(byAgent)], " --agent mine"],
  [
    "settings, as a shell takes them",
    [
      openedBy({
        settings: { quality: "it's fine", limits: { contextMarks: [50, 60, 70] } },
        origins: { quality: "--set", "limits.contextMarks": "--set", base: "monoco.yaml:1" },
      }),
    ],
    String.raw` --set 'quality=it'\''s fine' --set 'limits.contextMarks=[50,60,70]'`,
  ],
  ["a policy file", [openedBy({ policy: "fast work.yaml" })], " --policy 'fast work.yaml'"],
  [
    "no secret of an agent's environment",
    [
      openedBy({
        settings: { agents: { mine: { kind: "command", run: ["mine"], env: { TOKEN: "secret" } } } },
        origins: { "agents.mine.env.TOKEN": "--set" },
      }),
    ],
    " --set 'agents.mine.env.TOKEN=…'",
  ],
  [
    "the last run's flags, not the first one's",
    [openedBy({ ...byAgent, policy: "a.yaml" }), resumedBy({})],
    "",
  ],
  ["the last run's policy", [opened, resumedBy({ policy: "b.yaml" })], " --policy b.yaml"],
])("the command that goes on has %s", ([, steps, flags]) => {
  expect(resumeCommand(replay(journal(steps)))).toBe(`monoco resume FEAT-0001${flags}`);
});

test("a hint gets the flags wherever it names the command", () => {
  const state = replay(journal([openedBy(byAgent)]));
  expect(hintWords([[{ do: "say" }, { do: "resume" }], [{ do: "by_hand", what: "wait" }]], state)).toBe(
    'monoco say FEAT-0001 "…", then monoco resume FEAT-0001 --agent mine; or wait',
  );
});

test("a report's hint is what a person can type", () => {
  const { hint } = tellingOf(replay(journal([openedBy(byAgent), paused])), { runnerAlive: false, nowMs: 0 });
  expect(hint).toContain("monoco resume FEAT-0001 --agent mine");
});

test.for<[string, string | undefined, string]>([
  ["a file", "monoco.yaml:7", "raise budgets.relay.costUsd in monoco.yaml:7, then monoco"],
  ["a policy file", "fast.yaml:2", "raise budgets.relay.costUsd in fast.yaml:2, then monoco"],
  ["a variable", "MONOCO_BUDGETS_RELAY_COST_USD", "raise MONOCO_BUDGETS_RELAY_COST_USD, then monoco"],
  ["a flag", "--set", "raise budgets.relay.costUsd (--set), then monoco"],
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
