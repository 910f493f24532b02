/** What an Executor's session begins with: the work of the one before it, or of a person's own session. */
import { expect, test } from "vitest";
import { replay } from "../../../src/core/journal/state.ts";
import { becauseOf } from "../../../src/core/reason/reason.ts";
import { decide } from "../../../src/core/relay/decide.ts";
import { workBefore } from "../../../src/core/relay/work-before.ts";
import type { WorkBefore } from "../../../src/core/relay/work-before.ts";
import { commit, ended, executor, handoff, hash, journal, opened } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const handedOver: Step = () => ({
  type: "person.handed_over",
  branch: "work",
  head: commit(1),
  commits: 1,
  wip: commit(2),
  text: "# RALPH.md\n",
  sha256: hash(1),
  lint: [],
  handedOverAtMs: 0,
});
const worked: Step[] = [executor, ended("timeout", { head: commit(3), wip: commit(4) }), handoff];

/** Another clone went on, and this one pulled it. */
const pulled: Step = () => ({
  type: "person.handed_over",
  branch: "work",
  head: commit(5),
  commits: 2,
  text: "# Theirs\n",
  sha256: hash(2),
  lint: [],
  handedOverAtMs: 0,
  remote: "origin",
});
const theirs = { session: 0, head: commit(5), wip: undefined };

const own = { session: 0, head: commit(1), wip: commit(2) };
const first = { session: 1, head: commit(3), wip: commit(4) };

test.for<[name: string, steps: Step[], before: number | undefined, work: WorkBefore | undefined]>([
  ["nobody's, in a new relay", [opened], undefined, undefined],
  ["a person's, in one that was handed over", [opened, handedOver], undefined, own],
  ["a person's, for its first session", [opened, handedOver, executor], 1, own],
  ["that of the session before", [opened, handedOver, ...worked], undefined, first],
  ["a person's, for the first of several sessions", [opened, handedOver, ...worked], 1, own],
  ["another clone's, after the session before", [opened, ...worked, pulled], undefined, theirs],
  ["another clone's, for the session after it", [opened, ...worked, pulled, executor], 2, theirs],
  ["nobody's, for a session before what was pulled", [opened, ...worked, pulled, executor], 1, undefined],
  ["nobody's, while the session before has not ended", [opened, handedOver, executor], undefined, undefined],
])("%s", ([, steps, before, work]) => {
  expect(workBefore(replay(journal(steps)).opening!, before)).toEqual(work);
});

test("what sessions left uncommitted is not in a clone that pulled", () => {
  const { opening, sessions } = replay(journal([opened, ...worked, pulled]));
  expect(sessions.map(({ ended }) => [ended?.head, ended?.wip])).toEqual([[commit(3), undefined]]);
  expect(opening?.handoff).toMatchObject({ session: 0, sha256: hash(2) });
});

test.for<[name: string, steps: Step[], because: string]>([
  ["a person's session", [opened, handedOver], "a person's own session handed over"],
  ["another clone", [opened, pulled], "pulled from origin"],
  ["its own session since", [opened, pulled, ...worked], "session 1 handed over"],
])("the next session begins because of %s", ([, steps, because]) => {
  const state = replay(journal(steps));
  const action = decide(state, state.opening!.settings.limits, 0);
  expect(action.do === "start" && becauseOf(action.reason)).toBe(because);
});

test("its RALPH.md is the handoff of session 0", () => {
  expect(replay(journal([opened, handedOver])).opening?.handoff).toMatchObject({
    session: 0,
    sha256: hash(1),
  });
});
