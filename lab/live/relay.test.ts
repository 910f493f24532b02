/** The whole story with the real Claude Code: a repository with an npm dependency, real tools and hooks, a scripted model. */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { claudeVendor as vendor } from "../../src/probe/claude-vendor.ts";
import { claudeDir } from "./claude.ts";
import { usageLimitHeaders } from "../../src/probe/messages-model.ts";
import {
  approved,
  endsOf,
  expectStory,
  fillIn,
  half,
  issue,
  makeStoryPlace,
  shellTurn,
  storyOf,
  whole,
} from "./story.ts";
import { full } from "../../test/support/full.ts";

const it = base.skipIf(!claudeDir);
const test = full.skipIf(!claudeDir);
const { verdict } = vendor;
const bash = (command: string, tokens: number) => shellTurn(vendor, command, tokens);

test("from an issue to a merge: context mark, kill, stop hook, submit, changes requested, approval", async () => {
  const place = await makeStoryPlace(vendor, storyOf(vendor));
  await expectStory(vendor, place);
  // node_modules came from the cache for the submissions: the set-up ran once.
  expect(existsSync(join(place.project, ".monoco", "relays", issue, "submissions", "1", "setup-1.log"))).toBe(
    false,
  );
});

test("a usage limit is a wait until its reset time", async () => {
  const resetsAtMs = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
  const limited = await makeStoryPlace(vendor, [
    { match: "FEAT", turns: [{ status: 429, headers: usageLimitHeaders(resetsAtMs), body: limitBody }] },
  ]);
  // At a terminal it would leave with 75; without one it waits, so it is interrupted here as soon as the limit is journaled.
  const running = limited.start("run", issue);
  await limited.until((text) => text.includes('"type":"limit.hit"'));
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(eventsOf(limited.project, issue).find((event) => event.type === "limit.hit")).toMatchObject({
    resetsAtMs,
    agent: "claude",
  });
  const status = await limited.monoco("relay", "status", issue, "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ waitingUntilMs: resetsAtMs, sessionsSpent: 0 });
});

it("a usage limit that is over soon is waited for, and under sessions: continue the very conversation goes on", async () => {
  const resetsAtMs = Math.floor(Date.now() / 1000) * 1000 + 20_000;
  const place = await makeStoryPlace(vendor, [
    {
      match: "You are session 1 of its relay",
      turns: [
        bash(half, 20_000),
        { status: 429, headers: usageLimitHeaders(resetsAtMs), body: limitBody },
        bash(`${whole}; monoco issue submit`, 21_000),
        { text: "Submitted." },
      ],
    },
    { match: "You are the Reviewer", turns: [verdict(approved)] },
  ]);
  appendFileSync(join(place.project, "monoco.yaml"), "sessions: continue\n");
  await place.sandbox.git(place.project, "commit", "-qam", "Continue");
  const ran = await place.monoco("run", issue);
  expect(ran, ran.stdout + ran.stderr + place.unmatched()).toMatchObject({ exitCode: 0 });
  const events = eventsOf(place.project, issue);
  const [first, second] = events.filter((event) => event.type === "session.started");
  expect(second).toMatchObject({
    continues: 1,
    agentSessionId: first?.type === "session.started" && first.agentSessionId,
    reason: { conversation: { rule: "goes_on", session: 1 } },
  });
  expect(second!.atMs).toBeGreaterThanOrEqual(resetsAtMs);
  expect(second!.atMs).toBeLessThan(resetsAtMs + 30_000);
  const told = events.flatMap((event) => (event.type === "session.identified" ? [event.agentSessionId] : []));
  expect(told[1]).toBe(told[0]);
  const ended = events.flatMap((event) => (event.type === "session.ended" ? [event] : []));
  expect(ended.map(({ reason }) => reason)).toEqual(["usage_limit", "submitted", "decided"]);
  // The CLI tells the sum over both; each session is charged its own.
  for (const { costUsd } of ended) expect(costUsd).toBeGreaterThan(0);
  const request = place.model.requests.find(({ tail }) => tail.includes("You are session 2 of its relay"));
  expect(request?.prompt).toContain("You are session 1 of its relay");
});

test("three sessions that get nowhere open the breaker; a person's resume lets one probe: it opens again, or the work goes on", async () => {
  const idle = Array.from({ length: 4 }, () => ({ text: "I looked at it." }));
  const place = await makeStoryPlace(vendor, [
    { match: /You are session [1234] of its relay/, turns: idle },
    {
      match: "You are session 5 of its relay",
      turns: [bash(`${whole}; monoco issue submit`, 20_000), { text: "Submitted." }],
    },
    { match: "You are the Reviewer", turns: [verdict(approved)] },
  ]);
  const because = "the breaker is open: no progress in 3 sessions in a row (stalledMax 3)";
  const ran = await place.monoco("run", issue, "--set", "breaker.reopen=manual");
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(1);
  expect(ran.stdout).toContain(`blocked: ${because}`);
  const status = await place.monoco("relay", "status", issue, "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ phase: "blocked", because, sessionsSpent: 3 });
  const resume = () => place.monoco("relay", "resume", issue, "--set", "breaker.reopen=manual");
  const probed = await resume();
  expect(probed.exitCode, probed.stdout + probed.stderr).toBe(1);
  expect(probed.stdout).toContain("blocked: the breaker is open: the probing session 4 made no progress");
  const again = await resume();
  expect(again.exitCode, again.stdout + again.stderr).toBe(0);
  expect(endsOf(eventsOf(place.project, issue)).slice(3)).toEqual([
    [4, "completed_without_submit"],
    [5, "submitted"],
    [6, "decided"],
  ]);
});

test("two sessions to which a tool was denied, and which got nowhere for it, open the breaker", async () => {
  const denied = [bash("touch sum.txt", 20_000), { text: "I may not." }, { text: "I may not." }];
  const place = await makeStoryPlace(vendor, [{ match: "of its relay", turns: denied }]);
  mkdirSync(join(place.project, ".claude"));
  const settings = JSON.stringify({ permissions: { deny: ["Bash(touch:*)"] } });
  writeFileSync(join(place.project, ".claude/settings.json"), settings);
  await place.sandbox.sh(place.project, "git add -A && git commit -qm Deny");
  const ran = await place.monoco("run", issue, "--set", "breaker.reopen=manual");
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(1);
  const because =
    "the breaker is open: tools were denied in 2 sessions in a row, last Bash (breaker.deniedMax 2)";
  expect(ran.stdout).toContain(`blocked: ${because}`);
  const status = await place.monoco("relay", "status", issue, "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ phase: "blocked", because, sessionsSpent: 2 });
});

test("a session that ran into its stop mark is opened once more, only to write its handoff", async () => {
  const place = await makeStoryPlace(vendor, [
    {
      match: "You are session 1 of its relay",
      turns: [
        bash(half, 20_000),
        bash("for i in 1; do sleep 60; done", 175_000),
        bash(fillIn, 176_000),
        { text: "Handed over." },
      ],
    },
    {
      match: "You are session 2 of its relay",
      turns: [bash(`${whole}; monoco issue submit`, 20_000), { text: "Submitted." }],
    },
    { match: "You are the Reviewer", turns: [verdict(approved)] },
  ]);
  const ran = await place.monoco("run", issue);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  const events = eventsOf(place.project, issue);
  const [first] = events.filter((event) => event.type === "session.ended");
  expect(first).toMatchObject({
    reason: "context_limit",
    evidence: [expect.stringContaining("it wrote its handoff") as string],
  });
  expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({
    session: 1,
    source: "completed",
  });
  expect(place.model.requests.map((request) => request.tail).join("\n")).toContain("Only hand over, now");
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});

const limitBody = { type: "error", error: { type: "rate_limit_error", message: "limit" } };
