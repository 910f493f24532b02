/** How sessions of a `command` agent that neither submit nor hand over are read, through the command line. */
import { becauseOf } from "../../src/core/reason/reason.ts";
import { inWords } from "../core/support/in-words.ts";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { EventOf, EventType } from "../../src/core/journal/event.ts";
import { eventsOf, openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { writeFiles } from "../support/repository.ts";
import { approvalProgram } from "../support/verdict.ts";
import { full as test, testRows } from "../support/full.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

const issue = "FEAT-0001";
const contract = `---
id: ${issue}
title: Write a file
status: open
stage: draft
---

## Objective

A file.

## Acceptance Criteria

- [ ] work.txt is there
`;

/** What a session does (shell), and what it says then. */
type Session = { does?: string; says?: string };

const commits = `echo "$MONOCO_SESSION" >> work.txt && git add -A && git commit -qm work`;
const ticks = `sed -i.bak "s/- \\[ \\] work/- [x] work/" issues/*.md && rm -f issues/*.bak && ${commits}`;

type Ran1 = { ran: Ran; all<T extends EventType>(type: T): EventOf<T>[] };

/** Runs the relay to its rest: the Executor plays one session after the other, and the last one for ever; the Reviewer approves. */
async function play(sessions: readonly Session[], settings = ""): Promise<Ran1> {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const project = join(sandbox.folder, "project");
  mkdirSync(project);
  const agent = join(sandbox.folder, "agent");
  const parts = sessions.map(({ does = "", says = "" }, index) => [
    [`${index + 1}.sh`, `${does}\n`],
    [`${index + 1}.txt`, `${says}\n`],
  ]);
  writeFiles(agent, Object.fromEntries(parts.flat()) as Record<string, string>);
  writeFiles(agent, {
    "agent.sh": `cat > /dev/null
if [ "$MONOCO_ROLE" = reviewer ]; then ${approvalProgram}; exit 0; fi
n=$MONOCO_SESSION; [ "$n" -gt ${sessions.length} ] && n=${sessions.length}
. "${agent}/$n.sh"
cat "${agent}/$n.txt"
`,
  });
  writeFiles(project, {
    [`issues/${issue}-write.md`]: contract,
    "README.md": "A project.\n",
    "monoco.yaml": `agents: { a: { kind: command, run: [sh, ${JSON.stringify(join(agent, "agent.sh"))}] } }
roles: { executor: { agents: [a] }, reviewer: { agents: [a] } }
${settings || "limits: { backoffSeconds: 0 }\nbreaker: { reopen: manual }"}
`,
  });
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  const ran = await sandbox.monoco(["run", issue], { cwd: project });
  const events = eventsOf(project, issue);
  return {
    ran,
    all: <T extends EventType>(type: T) =>
      events.filter((event): event is typeof event & EventOf<T> => event.type === type),
  };
}

const tried = "limits: { sessionsMax: 1 }";
const words = "I implemented it, and committed. All tests pass.";

// TRAP 16
describe("a status block is read as it is meant", () => {
  test.for<[string, string]>([
    ["lines, with TESTS_STATUS and no STATUS", "RALPH_STATUS:\nTESTS_STATUS: passing\nEXIT_SIGNAL: true"],
    ["JSON", 'RALPH_STATUS:\n{\n  "STATUS": "complete",\n  "EXIT_SIGNAL": true\n}'],
    ["YAML", "RALPH_STATUS:\n  STATUS: complete\n  EXIT_SIGNAL: True"],
    [
      "twice, the last one true",
      "RALPH_STATUS:\nEXIT_SIGNAL: false\n\nRALPH_STATUS:\nSTATUS: complete\nEXIT_SIGNAL: true",
    ],
  ])("and puts the work up for review: %s", async ([, block]) => {
    const { ran, all } = await play([{ does: commits, says: `${words}\n\n${block}` }]);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(all("signal.scored")).toMatchObject([{ exitSignal: true, finished: true }]);
    expect(all("submission.requested")).toMatchObject([{ by: "monoco", session: 1 }]);
    expect(all("merge.done")).toHaveLength(1);
  });

  testRows<[string, string, boolean | null]>([
    ["a signal in prose", "So RALPH_STATUS: EXIT_SIGNAL: true it is.", null],
    [
      "twice, the last one false",
      "RALPH_STATUS:\nEXIT_SIGNAL: true\n\nRALPH_STATUS:\nEXIT_SIGNAL: false",
      false,
    ],
    ["a contradiction", "RALPH_STATUS:\nSTATUS: in_progress\nEXIT_SIGNAL: true", true],
    [
      "the prompt's own form",
      "RALPH_STATUS:\nSTATUS: in_progress | complete\nEXIT_SIGNAL: true only if …, else false",
      null,
    ],
  ])("and does not: %s", async ([, block, exitSignal]) => {
    const { ran, all } = await play([{ does: commits, says: `${words}\n\n${block}` }], tried);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(all("signal.scored")).toMatchObject([{ exitSignal, finished: false }]);
    expect(all("submission.requested")).toEqual([]);
  });
});

it("a check that is red as on the base is no failed check: the facts alone put the work up for review", async () => {
  const { ran, all } = await play([{ does: ticks }], 'checks: ["echo FAIL: old; false"]');
  expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
  expect(all("signal.scored")).toMatchObject([{ finished: true, reason: { rule: "exit_facts" } }]);
});

// TRAP 17
test("done signals count in a row only: a session that is not done clears the streak", async () => {
  const done = { does: commits, says: "All tasks are done." };
  const { ran, all } = await play([
    { ...done, does: ticks },
    { does: commits, says: "I found a bug and mended it." },
    done,
    done,
  ]);
  expect(ran).toMatchObject({ exitCode: 0 });
  const scored = all("signal.scored");
  expect(scored.map(({ done }) => done)).toEqual([true, false, true, true]);
  expect(scored.map(({ finished }) => finished)).toEqual([false, false, false, true]);
  expect(all("submission.requested")).toMatchObject([{ session: 4, by: "monoco" }]);
});

// TRAP 18
test("prose decides nothing while EXIT_SIGNAL is false, whatever is ticked and however often", async () => {
  const says =
    "All tasks are done. All acceptance criteria are met; it is ready for production.\n\nRALPH_STATUS:\nSTATUS: complete\nEXIT_SIGNAL: false";
  const { ran, all } = await play(
    [
      { does: ticks, says },
      { does: commits, says },
    ],
    "limits: { sessionsMax: 3 }",
  );
  expect(ran).toMatchObject({ exitCode: 1 });
  expect(all("signal.scored").map(({ reason }) => reason.rule)).toEqual([
    "exit_denied",
    "exit_denied",
    "exit_denied",
  ]);
  expect(all("submission.requested")).toEqual([]);
  expect(all("relay.blocked").map(inWords)).toMatchObject([{ because: "spent 3 sessions (sessionsMax 3)" }]);
});

// TRAP 19
describe("the same error", () => {
  const breaker =
    "limits: { backoffSeconds: 0, stalledMax: 9, sessionsMax: 4 }\nbreaker: { reopen: manual, sameErrorMax: 3 }";
  const opens = async (does: string): Promise<string[]> => {
    const { all } = await play([{ does }], breaker);
    return all("relay.blocked").map(({ reason }) => becauseOf(reason));
  };

  it("is known again, though paths, numbers and times in it differ", async () => {
    const does = `echo "Error: cannot open /tmp/run-$$/db-$MONOCO_SESSION.sqlite after 1$MONOCO_SESSION ms" >&2; exit 1`;
    expect(await opens(does)).toEqual(["the same error in 3 sessions in a row"]);
  });

  test("is not made of what failed for different reasons", async () => {
    const does = `case $MONOCO_SESSION in 1) e="no such table";; 2) e="permission denied";; 3) e="out of memory";; *) e="no route to host";; esac; echo "Error: $e" >&2; exit 1`;
    expect(await opens(does)).toEqual(["spent 4 sessions (sessionsMax 4)"]);
  });

  test(`is not found in lines that say "is_error": false`, async () => {
    expect(await opens(`echo '{"is_error": false, "error": null}' >&2`)).toEqual([
      "spent 4 sessions (sessionsMax 4)",
    ]);
  });
});

// TRAP 20
describe("progress is what differs from the session's start", () => {
  const breaker = "limits: { backoffSeconds: 0, stalledMax: 2, sessionsMax: 6 }\nbreaker: { reopen: manual }";
  const stalled = { reason: { rule: "no_progress", sessions: 2, max: 2 } };
  const noise = { says: "I looked around." };

  test.for<[string, string]>([
    ["a new untracked file", "echo new > untracked.txt"],
    ["a change in a tracked file", "echo more >> README.md"],
    ["a commit", commits],
    ["a ticked box", `sed -i.bak "s/- \\[ \\] work/- [x] work/" issues/*.md && rm -f issues/*.bak`],
  ])("%s counts, and what it left dirty does not count for ever", async ([, does]) => {
    const { ran, all } = await play([{ does, ...noise }, noise], breaker);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(all("session.ended").map(({ progress }) => progress)).toEqual([true, false, false]);
    expect(all("breaker.changed")).toMatchObject([stalled]);
  });

  test("an untracked file that grows is progress each time", async () => {
    const { all } = await play([{ does: `echo "$MONOCO_SESSION" >> untracked.txt`, ...noise }], breaker);
    expect(all("session.ended").map(({ progress }) => progress)).toEqual(Array(6).fill(true));
    expect(all("breaker.changed")).toEqual([]);
  });
});
