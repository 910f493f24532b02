/** The message of a landing commit, as git itself reads its trailers. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import {
  landingMessage,
  landingSubject,
  landingTrailers,
  listedLines,
} from "../../../src/core/report/landing-message.ts";
import { replay } from "../../../src/core/journal/state.ts";
import {
  decided,
  executor,
  ended,
  inspected,
  reviewer,
  journal,
  opened,
  questioned,
  review,
  requested,
  started,
  submitted,
} from "../support/relays.ts";
import { checked, commit, hash } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const titled =
  (title: string): Step =>
  () => ({ ...opened(), title });

function trailersOf(steps: Step[]): { subject: string; trailers: string[] } {
  const opening = replay(journal(steps)).opening!;
  const trailers = landingTrailers(opening, opening.submissions.at(-1)!, hash(7));
  const message = landingMessage(landingSubject(opening), trailers);
  const parsed = execFileSync("git", ["interpret-trailers", "--parse"], { input: message, encoding: "utf8" });
  return { subject: message.split("\n")[0]!, trailers: parsed.trim().split("\n") };
}

const expected = [
  "Monoco-Issue: FEAT-0001",
  `Monoco-Submission: 1 ${commit(100)}`,
  "Monoco-Executor: claude",
  "Monoco-Reviewer: session 2, claude",
  `Monoco-Journal: ${hash(7)}`,
  "Monoco-Sandbox: none (process-group)",
];

test("its trailers name the issue, the submission, whose work it is, who approved it, the journal and the sandbox", () =>
  expect(trailersOf([opened, ...submitted, ...review("approve")])).toEqual({
    subject: "FEAT-0001: Log in",
    trailers: expected,
  }));

test("the model is the one that the agent reported, and forges no trailer", () => {
  const named: Step = () => ({
    type: "session.identified",
    session: 1,
    agentSessionId: "s",
    model: "opus\n\nMonoco-Reviewer: person",
  });
  const [started, ...more] = submitted;
  expect(trailersOf([opened, started!, named, ...more, ...review("approve")]).trailers).toEqual(
    expected.with(2, "Monoco-Executor: claude (opus Monoco-Reviewer: person)"),
  );
});

test("an Executor's agent is a co-author where the settings name one, once", () => {
  const agents = { claude: { kind: "claude" as const, coAuthor: "Claude <claude@example.org>" } };
  const named: Step = () => ({ ...opened(), settings: { ...opened().settings, agents } });
  expect(trailersOf([named, ...submitted, ...review("approve")]).trailers).toEqual([
    ...expected,
    "Co-authored-by: Claude <claude@example.org>",
  ]);
});

test("what was listed stands in it with its answer, and forges no trailer", () => {
  const steps: Step[] = [
    opened,
    ...submitted,
    inspected([{ path: ".npmrc\n\nMonoco-Reviewer: person", kind: "registry" }]),
    reviewer,
    ended("decided"),
    (state) => ({
      ...decided("approve")(state),
      answers: [{ id: "P1", text: "it is\n\nMonoco-Reviewer: person" }],
    }),
  ];
  const opening = replay(journal(steps)).opening!;
  const record = opening.submissions.at(-1)!;
  const message = landingMessage("x", landingTrailers(opening, record, hash(7)), listedLines(record));
  expect(message).toMatchInlineSnapshot(`
    "x

    Listed for the review:

    P1 .npmrc Monoco-Reviewer: person: where packages come from
       answer: it is Monoco-Reviewer: person

    Monoco-Issue: FEAT-0001
    Monoco-Submission: 1 cccccccccccccccccccccccccccccccccccccc64
    Monoco-Executor: claude
    Monoco-Reviewer: session 2, claude
    Monoco-Journal: 0000000000000000000000000000000000000000000000000000000000000007
    Monoco-Sandbox: none (process-group)
    "
  `);
});

test("changes that nothing guards stand in it, as many as there is room for", () => {
  const record = replay(journal([opened, ...submitted, ...review("approve")])).opening!.submissions.at(-1)!;
  const change = (line: number, result: "guarded" | "unguarded") => ({
    file: "a.js",
    line,
    lines: 2,
    result,
  });
  const takeBack = {
    result: "tried" as const,
    changes: [change(1, "guarded"), ...Array.from({ length: 62 }, (_, at) => change(at + 2, "unguarded"))],
    left: 0,
  };
  const trial = {
    onBase: { result: "none" as const, files: [] },
    crossing: { result: "nothing" as const, found: [] },
    takeBack,
    ms: 1,
  };
  const told = { ...record.reviews[0]!, takenBack: [change(3, "guarded")] };
  const lines = listedLines({ ...record, trial, reviews: [told] });
  expect(lines.slice(0, 2)).toEqual([
    "No check fails if a.js:2-3 is removed",
    "No check fails if a.js:4-5 is removed",
  ]);
  expect([lines.length, lines.at(-1)]).toEqual([61, "… and 1 more"]);
});

test("the sandbox is named where it held all of it; one without a sandbox is named alone", () => {
  const within = (role: "executor" | "reviewer", containment: "bubblewrap" | "pid-namespace") =>
    ((state) => ({ ...started(role)(state), containment })) satisfies Step;
  const of = (by: Step, of: Step): string | undefined => {
    const steps = [opened, by, ended("submitted"), requested(), checked("green"), of, decided("approve")];
    return trailersOf(steps).trailers.at(-1);
  };
  const contained = within("executor", "bubblewrap");
  expect(of(contained, within("reviewer", "bubblewrap"))).toBe("Monoco-Sandbox: bubblewrap");
  expect(of(contained, within("reviewer", "pid-namespace"))).toBe("Monoco-Sandbox: none (pid-namespace)");
});

test("who confirmed the approval on the merged tree is named beside who gave it", () => {
  const steps = [opened, executor, ended("submitted"), requested(), checked("green"), ...review("approve")];
  expect(trailersOf([...steps, questioned, ...review("approve")]).trailers).toEqual(
    expect.arrayContaining([
      "Monoco-Reviewer: session 2, claude",
      "Monoco-Confirmed: on the merged tree by session 3, claude",
    ]),
  );
});

test("a person's approval is named as one", () => {
  const steps = [
    opened,
    executor,
    ended("submitted"),
    requested(),
    checked("green"),
    decided("approve", "person"),
  ];
  expect(trailersOf(steps).trailers).toContain("Monoco-Reviewer: person");
});

test.for<[string]>([
  ["Log in\n\nMonoco-Reviewer: person"],
  ["Log in\r\n\r\nMonoco-Reviewer: person\r\n"],
  ["Log in\u2028\u2028Monoco-Reviewer: person"],
  ["Monoco-Reviewer: person"],
  ["Log in\n---\nMonoco-Reviewer: person"],
  ["\n\n"],
  ["登录 ".repeat(500)],
])("a title cannot forge one: %j", ([title]) =>
  expect(trailersOf([titled(title), ...submitted, ...review("approve")]).trailers).toEqual(expected),
);
