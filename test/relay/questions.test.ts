/** Questions of sessions, and what people say to a relay: shown, answered, and told to those that follow. */
import { describe, expect } from "vitest";
import { approves, commit, openPlace, run, say, submit, waitFor, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

const asks = run('monoco relay ask "Which port shall it be?"');
const promptOf = (place: Place, session: string): string =>
  place.read(`.monoco/relays/FEAT-0001/sessions/${session}/prompt.md`);

// TRAP 21
test("sessions that only ask block the relay with the question; its answer reaches the next session", async () => {
  const place = await openPlace({ executor: [[asks], [asks], works], reviewer: [approves] });
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran).toMatchObject({ exitCode: 1 });
  expect(ran.stdout).toContain("blocked: session 2 asks: Which port shall it be?");
  expect(ran.stdout).toContain('hint: monoco answer FEAT-0001 "…", then monoco resume FEAT-0001');
  expect(place.all("session.ended").map(({ reason }) => reason)).toEqual(["question", "question"]);
  expect(promptOf(place, "0002-executor")).toContain("nobody has answered");

  const status = await place.monoco("relay", "status", "FEAT-0001");
  expect(status.stdout).toContain("question  session 2 asks: Which port shall it be?");
  expect(status.stdout).toContain('monoco answer FEAT-0001 "…"');

  const answered = await place.monoco("relay", "answer", "FEAT-0001", "8080,\nand say so in the README");
  expect(answered).toMatchObject({
    exitCode: 0,
    stdout:
      'FEAT-0001: the next session is told, to "Which port shall it be?"\nnext: monoco resume FEAT-0001',
  });
  const after = await place.monoco("relay", "status", "FEAT-0001", "--json");
  expect(JSON.parse(after.stdout)).toMatchObject({
    because: "its question is answered",
    hint: "monoco resume FEAT-0001",
    question: null,
  });
  const again = await place.monoco("relay", "answer", "FEAT-0001", "9090");
  expect(again).toMatchObject({ exitCode: 2 });
  expect(again.stderr).toContain("has asked nothing that is still open");

  expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  const prompt = promptOf(place, "0003-executor");
  expect(prompt).toContain("Asked: Which port shall it be?\n\n> 8080,\n> and say so in the README");
  expect(prompt).not.toContain("nobody has answered");
  expect(place.all("question.answered")).toMatchObject([{ session: 2, by: "person" }]);
});

describe("a question is recognised", () => {
  const block = (question: string, signal = "false"): { say: string } => ({
    say: `I stop here.\n\nRALPH_STATUS:\nSTATUS: blocked\nQUESTION: ${question}\nEXIT_SIGNAL: ${signal}`,
  });
  const event = run(`printf '%s\\n' '{"type":"question","text":"Which port?"}'`);
  testRows<[string, unknown[], string[], string]>([
    ["by monoco relay ask", [asks], ["Which port shall it be?"], "question"],
    ["in the status block at the end of its answer", [block("Which port?")], ["Which port?"], "question"],
    ["not where the block says none", [block("none")], [], "completed_without_submit"],
    [
      "not in prose",
      [{ say: "I read the code.\n\nShall it be port 80 or 8080?" }],
      [],
      "completed_without_submit",
    ],
    ["not where it was answered by going on", [block("Which port?"), ...works], [], "submitted"],
    [
      "and stays open when the session hands over",
      [asks, { handoff: { next: ["Go on"] } }],
      ["Which port shall it be?"],
      "handed_over",
    ],
    ["not in the output of a command", [event], [], "completed_without_submit"],
  ])("%s", async ([, steps, questions, reason]) => {
    const place = await openPlace({ executor: [steps], reviewer: [approves] });
    await place.monoco("run", "FEAT-0001", "--once");
    expect(place.all("question.asked").map(({ text }) => text)).toEqual(questions);
    expect(place.all("session.ended")[0]).toMatchObject({ reason });
  });
});

test("a session whose claim to be done does not count tells the next one why", async () => {
  const sample =
    'RALPH_STATUS:\n{\n  "progress": 80,\n  "EXIT_SIGNAL": true,\n  "notes": "All core features implemented"\n}';
  const place = await openPlace({ executor: [[{ say: sample }], works], reviewer: [approves] });
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.all("signal.scored")[0]).toMatchObject({ finished: false, contradiction: "PROGRESS: 80" });
  const prompt = promptOf(place, "0002-executor");
  expect(prompt).toContain("## Session 1 said that it was done, and that did not count");
  expect(prompt).toContain("its status block contradicts itself: PROGRESS: 80");
});

test("what a person says while a session runs is journaled at once, and told to those that follow", async () => {
  const first = [asks, say("asked"), waitFor("heard"), { exit: 0 }];
  const place = await openPlace({ executor: [first, works], reviewer: [approves] });
  const running = place.start("run", "FEAT-0001");
  await place.heard("asked");
  await expect.poll(() => place.all("question.asked"), { timeout: 20_000 }).toHaveLength(1);
  const status = await place.monoco("relay", "status", "FEAT-0001", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({
    question: { session: 1, text: "Which port shall it be?" },
    runner: "alive",
  });
  const answered = await place.monoco("relay", "answer", "FEAT-0001", "8080", "--json");
  expect(JSON.parse(answered.stdout)).toEqual({ issue: "FEAT-0001", answer: "runner" });
  expect(await place.monoco("relay", "say", "FEAT-0001", "mind the tests")).toMatchObject({ exitCode: 0 });
  await place.go("heard");
  expect(await running).toMatchObject({ exitCode: 0 });
  // Its agent takes no messages: nobody is said to have been told.
  expect(place.all("note.said")).toEqual([expect.not.objectContaining({ told: 1 })]);
  const prompt = promptOf(place, "0002-executor");
  expect(prompt).toContain("> 8080");
  expect(prompt).toContain("> mind the tests");
  // The Reviewer looks for itself.
  expect(promptOf(place, "0003-reviewer")).not.toContain("mind the tests");
});

test("a session asks, people answer, and neither in the other's place", async () => {
  const tries = run(
    'monoco say FEAT-0001 "approve it" > "$PERSON/said.txt" 2>&1; monoco answer FEAT-0001 yes >> "$PERSON/said.txt" 2>&1; monoco relay ask "" >> "$PERSON/said.txt" 2>&1; true',
  );
  const place = await openPlace({
    executor: [[tries, run("echo 1 > f.txt"), commit, submit]],
    reviewer: [approves],
  });
  expect(await place.monoco("relay", "say", "FEAT-0001", "hello")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("has no open relay") as string,
  });
  expect(await place.monoco("relay", "ask", "who?")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("only a running Executor session can ask") as string,
  });
  expect(await place.monoco("run", "FEAT-0001", "--once")).toMatchObject({ exitCode: 1 });
  expect(place.all("note.said")).toEqual([]);
  expect(place.read("said.txt")).toContain("relay say is for people");
  expect(place.read("said.txt")).toContain("relay answer is for people");
  expect(place.read("said.txt")).toContain("there are no words to say");
  const tooLong = await place.monoco("relay", "say", "FEAT-0001", "x".repeat(8_001));
  expect(tooLong).toMatchObject({ exitCode: 2 });
  expect(tooLong.stderr).toContain("8001 characters are too many");
});
