import { describe, expect, test } from "vitest";
import { editFrontMatter } from "../../../src/core/text/front-matter-edit.ts";
import { errorOf } from "../../support/error-of.ts";
import { parseIssue } from "../../../src/core/issue/issue.ts";
import type { Issue } from "../../../src/core/issue/issue.ts";
import { lintIssue } from "../../../src/core/issue/lint.ts";
import { legalTransitions, transition, transitions } from "../../../src/core/issue/transitions.ts";
import type { TransitionName } from "../../../src/core/issue/transitions.ts";
import { stages, statuses } from "../../../src/core/issue/vocabulary.ts";
import { english, file } from "../support/issues.ts";

const issueAt = (status: Issue["status"], stage: Issue["stage"]): Issue => ({
  ...parseIssue(english, file),
  status,
  stage,
  ...(status === "closed" && { solution: "implemented" as const, closedAt: "2026-02-01T00:00:00Z" }),
});

describe("transitions", () => {
  // TRAP 31
  test.for<[TransitionName, Issue["status"], Issue["stage"], object]>([
    ["start", "open", "draft", { stage: "doing" }],
    ["stop", "open", "doing", { stage: "draft" }],
    ["submit", "open", "doing", { stage: "review" }],
    ["request_changes", "open", "review", { stage: "doing" }],
    ["accept", "open", "review", { status: "closed", stage: "done", solution: "implemented" }],
    ["cancel", "open", "doing", { status: "closed", stage: "done", solution: "cancelled" }],
    ["wontfix", "open", "draft", { status: "closed", stage: "done", solution: "wontfix" }],
    ["duplicate", "open", "review", { status: "closed", stage: "done", solution: "duplicate" }],
    ["push", "open", "draft", { status: "backlog", stage: "freezed" }],
    ["pull", "backlog", "freezed", { status: "open", stage: "draft" }],
    [
      "reopen",
      "closed",
      "done",
      { status: "open", stage: "draft", solution: undefined, closed_at: undefined },
    ],
  ])("%s: from %s, %s", ([name, status, stage, changes]) => {
    expect(transition(issueAt(status, stage), name)).toEqual(changes);
  });

  test("every step leaves an issue without findings about status, stage and solution", () => {
    for (const status of statuses) {
      for (const stage of stages) {
        for (const name of legalTransitions({ status, stage })) {
          const closed =
            status === "closed" ? { solution: "wontfix", closed_at: "2026-02-01T00:00:00Z" } : {};
          const before = editFrontMatter(english, { status, stage, ...closed });
          const { changes } = transitions[name];
          // The command adds the time.
          const now =
            "status" in changes && changes.status === "closed" ? { closed_at: "2026-02-01T00:00:00Z" } : {};
          expect(lintIssue(editFrontMatter(before, { ...changes, ...now }), file)).toEqual([]);
        }
      }
    }
  });

  test("an illegal step is refused with what is legal now, and the command for it", () => {
    expect(errorOf(() => transition(issueAt("open", "draft"), "submit"))).toEqual({
      kind: "input",
      message: "FEAT-0001 is open, draft: submit is not possible",
      hint: "monoco issue start FEAT-0001; or monoco issue cancel FEAT-0001; or monoco issue wontfix FEAT-0001; or monoco issue duplicate FEAT-0001; or monoco issue push FEAT-0001",
    });
  });

  // TRAP 25
  test("an Executor's stage cannot be accepted before it was submitted", () => {
    expect(() => transition(issueAt("open", "doing"), "accept")).toThrow("close is not possible");
  });

  test("there is a way on from every state", () => {
    for (const status of statuses) {
      for (const stage of stages) expect(legalTransitions({ status, stage })).not.toEqual([]);
    }
  });
});
