/** One relay on four vendors in turn: each one's plan is used up in the middle of the work, and the next takes the handoff. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { vendors } from "../../src/probe/vendors.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { installedDirs } from "./installed.ts";
import { approved, endsOf, half, issue, makeCastPlace, shellTurn, whole } from "./story.ts";

const test = base.skipIf(Object.values(installedDirs).includes(undefined));

const { claude, codex, gemini, opencode } = vendors;
const inAnHourMs = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;

test("Claude Code, Codex and Gemini CLI work in turn, OpenCode reviews, and it is merged", async () => {
  const note = `git commit -q --allow-empty -m "${issue} Note that text is a number, too"`;
  const models = await Promise.all([
    claude.startModel([
      { match: "You are session 1 of", turns: [shellTurn(claude, half, 20_000), claude.usedUp(inAnHourMs)] },
    ]),
    codex.startModel([
      { match: "You are session 2 of", turns: [shellTurn(codex, note, 20_000), codex.usedUp(inAnHourMs)] },
    ]),
    gemini.startModel([
      {
        match: "You are session 3 of",
        turns: [shellTurn(gemini, `${whole} && monoco issue submit`, 20_000), { text: "Submitted." }],
      },
    ]),
    opencode.startModel([
      {
        match: "You are the Reviewer",
        turns: [shellTurn(opencode, "npm test", 9_000), opencode.verdict(approved)],
      },
    ]),
  ]);
  const cast = [claude, codex, gemini, opencode].map((vendor, index) => ({ vendor, model: models[index]! }));
  const place = await makeCastPlace(cast, {
    roles: { executor: ["claude", "codex", "gemini"], reviewer: ["claude", "codex", "gemini", "opencode"] },
    limits: "backoffSeconds: 0",
  });
  const ran = await place.monoco("run", issue);
  const events = eventsOf(place.project, issue);
  const said = ran.stdout + ran.stderr + place.unmatched();
  expect(endsOf(events), said).toEqual([
    [1, "usage_limit"],
    [2, "usage_limit"],
    [3, "submitted"],
    [4, "decided"],
  ]);
  const started = events.flatMap((event) =>
    event.type === "session.started" ? [[event.role, event.agent]] : [],
  );
  expect(started).toEqual([
    ["executor", "claude"],
    ["executor", "codex"],
    ["executor", "gemini"],
    ["reviewer", "opencode"],
  ]);
  expect(ran.exitCode, said).toBe(0);
  // Each was given what the one before it had left: also its commits.
  const given = events.flatMap((event) =>
    event.type === "session.started" && event.role === "executor" ? [event.handoff?.session ?? null] : [],
  );
  expect(given).toEqual([null, 1, 2]);
  const base = await place.sandbox.git(place.project, "log", "--format=%s", "main");
  expect(base).toContain(`${issue} Use is-number`);
  expect(base).toContain(`${issue} Note that text is a number, too`);
  expect(base).toContain(`${issue} Add from zero`);
  expect(readFileSync(join(place.project, "issues", `${issue}-sum.md`), "utf8")).toMatch(/^status: closed$/m);
  // Limits are charged to nobody's budget.
  const status = await place.monoco("relay", "status", issue, "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ sessionsSpent: 2 });
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});
