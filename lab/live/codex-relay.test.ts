/** The whole story with the real Codex, and the ends that a relay has to see to: real tools and hooks, a scripted model. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { codexVendor as vendor, configToml } from "../../src/probe/codex-vendor.ts";
import { codexDir } from "./codex.ts";
import { usedUp } from "../../src/probe/responses-model.ts";
import type { ResponsesRequest, ResponsesTurn } from "../../src/probe/responses-model.ts";
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

const it = base.skipIf(!codexDir);
const test = full.skipIf(!codexDir);

const bash = (command: string, tokens = 20_000) => shellTurn(vendor, command, tokens);

test("from an issue to a merge: context mark, kill, stop hook, submit, changes requested, approval", async () => {
  const place = await makeStoryPlace(vendor, storyOf(vendor));
  await expectStory(vendor, place);
  const config = join(place.sandbox.folder, "home", ".codex", "config.toml");
  expect(readFileSync(config, "utf8")).toBe(configToml(place.model.url));
});

it("a usage limit is a wait until its reset time, and not a retry", async () => {
  const resetsAtMs = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
  const place = await makeStoryPlace(vendor, [{ match: "FEAT", turns: [usedUp(resetsAtMs)] }]);
  // At a terminal it would leave with 75; without one it waits, so it is interrupted here as soon as the limit is journaled.
  const running = place.start("run", issue);
  await place.until((text) => text.includes('"type":"limit.hit"'));
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(place.model.requests).toHaveLength(1);
  const status = await place.monoco("relay", "status", issue, "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ waitingUntilMs: resetsAtMs, sessionsSpent: 0 });
});

/** Hands over when asked to. What comes before that came while the session was being ended. */
const lastWords = ({ tools, tail, messages }: ResponsesRequest): ResponsesTurn => {
  if (tools.length === 0) return { text: "A summary." };
  if (!messages.some(({ text }) => text.includes("Only hand over, now"))) return { deaf: true };
  return tail.includes("Only hand over, now") ? bash(fillIn, 30_000) : { text: "Handed over." };
};

// TRAP 13
test.for<[string, { tokens: number; windowTokens?: number; limits: string; because: string }]>([
  [
    "ran into its stop mark",
    {
      tokens: 175_000,
      limits: "backoffSeconds: 0",
      because: "175010 tokens of context in use (68 % of 258400)",
    },
  ],
  [
    "compacted its context, because its window is smaller than somebody believes,",
    {
      tokens: 246_000,
      windowTokens: 1_000_000,
      limits: "backoffSeconds: 0, contextMarks: [900000, 900000, 900000]",
      because: "the agent compacted its own context",
    },
  ],
])("a session that %s is opened once more, only to write its handoff", async ([, row]) => {
  const script = [
    {
      match: "You are session 1 of its relay",
      turns: [bash(half), bash("true", row.tokens), ...Array.from({ length: 6 }, () => lastWords)],
    },
    {
      match: "You are session 2 of its relay",
      turns: [bash(`${whole}; monoco issue submit`), { text: "Submitted." }],
    },
    { match: "You are the Reviewer", turns: [vendor.verdict(approved)] },
  ];
  const settings = { ...vendor.settings, windowTokens: row.windowTokens };
  const place = await makeStoryPlace({ ...vendor, settings }, script, row.limits);
  const ran = await place.monoco("run", issue);
  const events = eventsOf(place.project, issue);
  expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
    [1, "context_limit"],
    [2, "submitted"],
    [3, "decided"],
  ]);
  const [first] = events.filter((event) => event.type === "session.ended");
  expect(endingWords(first?.evidence ?? [])).toEqual([
    `stopped by monoco: ${row.because}; asked once more, it wrote its handoff`,
  ]);
  expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({
    session: 1,
    source: "completed",
  });
  // The same conversation, though its id is Codex's own.
  const asked = place.model.requests.filter(({ tail }) => tail.includes("Only hand over, now"));
  expect(asked[0]?.session).toBe(place.model.requests[0]?.session);
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});
