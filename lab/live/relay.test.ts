/** What a relay makes of the real CLIs' ends: a mark, a limit, a denied tool, a person's stop. The whole story is in story.test.ts. */
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test as it, vi } from "vitest";
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import type { vendors as kinds } from "../../src/core/settings/agent-kinds.ts";
import { claudeVendor as claude } from "../../src/probe/claude-vendor.ts";
import { codexVendor } from "../../src/probe/codex-vendor.ts";
import { geminiVendor as gemini } from "../../src/probe/gemini-vendor.ts";
import { opencodeHome, opencodeVendor as opencode } from "../../src/probe/opencode-vendor.ts";
import type { ModelRequest, Turn } from "../../src/probe/scripted-model.ts";
import type { Vendor } from "../../src/probe/vendor.ts";
import { vendors } from "../../src/probe/vendors.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { full, testRows } from "../../test/support/full.ts";
import { expectEnd } from "./ends.ts";
import { installedDirs as dirs } from "./installed.ts";
import { approved, endsOf, fillIn, half, issue, makeStoryPlace, shellTurn, whole } from "./story.ts";

// OpenCode starts in three seconds on a quiet machine, and in thirty on a busy one.
vi.setConfig({ testTimeout: 900_000 });

type Kind = (typeof kinds)[number];

const submits = (vendor: Vendor, session: number) => ({
  match: `You are session ${session} of its relay`,
  turns: [shellTurn(vendor, `${whole}; monoco issue submit`, 20_000), { text: "Submitted." }],
});
const approves = (vendor: Vendor) => ({
  match: "You are the Reviewer",
  turns: [vendor.verdict(approved)],
});

testRows<Kind>(["codex", "claude"])(
  "%s: a usage limit is a wait until its reset time, and not a retry",
  async (kind, { skip }) => {
    skip(!dirs[kind]);
    const resetsAtMs = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
    const place = await makeStoryPlace(vendors[kind], [
      { match: "FEAT", turns: [vendors[kind].usedUp(resetsAtMs)] },
    ]);
    // At a terminal it would leave with 75; without one it waits, so it is interrupted here as soon as the limit is journaled.
    const running = place.start("run", issue);
    await place.until((text) => text.includes('"type":"limit.hit"'));
    running.kill("SIGINT");
    expect(await running).toMatchObject({ exitCode: 130 });
    expect(place.model.requests).toHaveLength(1);
    const limit = eventsOf(place.project, issue).find((event) => event.type === "limit.hit");
    expect(limit).toMatchObject({ resetsAtMs, agent: kind });
    const status = await place.monoco("relay", "status", issue, "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ waitingUntilMs: resetsAtMs, sessionsSpent: 0 });
  },
);

it.skipIf(!dirs.claude)(
  "a usage limit that is over soon is waited for, and under sessions: continue the very conversation goes on",
  async () => {
    const resetsAtMs = Math.floor(Date.now() / 1000) * 1000 + 20_000;
    const place = await makeStoryPlace(claude, [
      {
        match: "You are session 1 of its relay",
        turns: [
          shellTurn(claude, half, 20_000),
          claude.usedUp(resetsAtMs),
          shellTurn(claude, `${whole}; monoco issue submit`, 21_000),
          { text: "Submitted." },
        ],
      },
      approves(claude),
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
    const told = events.flatMap((event) =>
      event.type === "session.identified" ? [event.agentSessionId] : [],
    );
    expect(told[1]).toBe(told[0]);
    const ended = events.flatMap((event) => (event.type === "session.ended" ? [event] : []));
    expect(ended.map(({ reason }) => reason)).toEqual(["usage_limit", "submitted", "decided"]);
    // The CLI tells the sum over both; each session is charged its own.
    for (const { costUsd } of ended) expect(costUsd).toBeGreaterThan(0);
    const request = place.model.requests.find(({ tail }) => tail.includes("You are session 2 of its relay"));
    expect(request?.prompt).toContain("You are session 1 of its relay");
  },
);

full.skipIf(!dirs.claude)(
  "three sessions that get nowhere open the breaker; a person's resume lets one probe: it opens again, or the work goes on",
  async () => {
    const idle = Array.from({ length: 4 }, () => ({ text: "I looked at it." }));
    const place = await makeStoryPlace(claude, [
      { match: /You are session [1234] of its relay/, turns: idle },
      submits(claude, 5),
      approves(claude),
    ]);
    const because = "no progress in 3 sessions in a row (stalledMax 3)";
    const ran = await place.monoco("run", issue, "--set", "breaker.reopen=manual");
    expect(ran.exitCode, ran.stdout + ran.stderr).toBe(1);
    expect(ran.stdout).toContain(`blocked: ${because}`);
    const status = await place.monoco("relay", "status", issue, "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ phase: "blocked", because, sessionsSpent: 3 });
    const resume = () => place.monoco("relay", "resume", issue, "--set", "breaker.reopen=manual");
    const probed = await resume();
    expect(probed.exitCode, probed.stdout + probed.stderr).toBe(1);
    expect(probed.stdout).toContain("blocked: session 4 made no progress either");
    const again = await resume();
    expect(again.exitCode, again.stdout + again.stderr).toBe(0);
    expect(endsOf(eventsOf(place.project, issue)).slice(3)).toEqual([
      [4, "completed_without_submit"],
      [5, "submitted"],
      [6, "decided"],
    ]);
  },
);

const noTouch = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "touch"
decision = "deny"
priority = 100
`;

/** Where a person's own rules deny \`touch\`. */
const strict: Record<Kind, Vendor & { tool: string }> = {
  claude: {
    ...claude,
    tool: "Bash",
    environment: (homes) => {
      const settings = { permissions: { deny: ["Bash(touch:*)"] } };
      writeInto(join(homes.home, ".claude/settings.json"), JSON.stringify(settings));
      return claude.environment(homes);
    },
  },
  /** It asks for leave, and nobody is there. */
  codex: {
    ...codexVendor,
    tool: "shell",
    settings: {
      ...codexVendor.settings,
      args: ["-c", 'sandbox_mode="read-only"', "-c", 'approval_policy="on-request"'],
    },
    shell: (cmd) => ({
      name: "exec_command",
      input: { cmd, sandbox_permissions: "require_escalated", justification: "May I?" },
    }),
  },
  gemini: {
    ...gemini,
    tool: "run_shell_command",
    environment: (homes) => {
      writeInto(join(homes.home, ".gemini/policies/no-touch.toml"), noTouch);
      return gemini.environment(homes);
    },
  },
  opencode: {
    ...opencode,
    tool: "bash",
    environment: (homes) => opencodeHome(homes, { permission: { bash: { "touch *": "deny" } } }),
  },
};

testRows<Kind>(["codex", "claude", "gemini", "opencode"])(
  "%s: two sessions in a row that were denied a tool and got nowhere open the breaker",
  async (kind, { skip }) => {
    skip(!dirs[kind]);
    const denied = [
      shellTurn(strict[kind], "touch denied.txt", 20_000),
      ...["No.", "No.", "No."].map((text) => ({ text })),
    ];
    const place = await makeStoryPlace(strict[kind], [
      { match: "You are session 1 of its relay", turns: denied },
      { match: "You are session 2 of its relay", turns: denied },
    ]);
    const ran = await place.monoco("run", issue, "--set", "breaker.reopen=manual");
    const events = eventsOf(place.project, issue);
    expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
      [1, "completed_without_submit"],
      [2, "completed_without_submit"],
    ]);
    expect(events.find((event) => event.type === "breaker.changed")).toMatchObject({
      to: "open",
      reason: { rule: "denied", sessions: 2, max: 2, tools: [strict[kind].tool] },
    });
    expect(ran.exitCode).toBe(1);
    const because = `tools were denied in 2 sessions in a row, last ${strict[kind].tool}`;
    expect(ran.stdout).toContain(`blocked: ${because}`);
    const status = await place.monoco("relay", "status", issue, "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ phase: "blocked", because, sessionsSpent: 2 });
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  },
);

/** Hands over when asked to. What comes before that came while the session was being ended. */
const lastWords =
  (vendor: Vendor) =>
  ({ tools, tail, messages }: ModelRequest): Turn => {
    if (tools.length === 0) return { text: "A summary." };
    if (!messages.some(({ text }) => text.includes("Only hand over, now"))) return { deaf: true };
    return tail.includes("Only hand over, now")
      ? shellTurn(vendor, fillIn, 30_000)
      : { text: "Handed over." };
  };

type Mark = readonly [
  kind: Kind,
  words: string,
  begins: Record<string, number>,
  because: RegExp,
  limits?: string,
];
const ranIn = "that ran into its stop mark";
const inUse = /tokens of context in use/;
const marks: Mark[] = [
  ["codex", ranIn, { [half]: 20_000, true: 175_000 }, /^175010 tokens of context in use \(68 % of 258400\)/],
  [
    "codex",
    "that compacted its context, because its window is smaller than somebody believes,",
    { [half]: 20_000, true: 246_000 },
    /^the agent compacted its own context/,
    "contextMarks: [900000, 900000, 900000]",
  ],
  ["claude", ranIn, { [half]: 20_000, "for i in 1; do sleep 60; done": 175_000 }, inUse],
  ["gemini", ranIn, { [half]: 121_000, "sleep 1": 122_000, "sleep 600": 175_000 }, inUse],
  ["opencode", ranIn, { [half]: 20_000, true: 175_000 }, inUse],
];

// TRAP 13
full.for(marks)(
  "a session of %s %s is opened once more, only to write its handoff",
  async ([kind, , begins, because, limits], { skip }) => {
    skip(!dirs[kind]);
    const vendor = vendors[kind];
    const begun = Object.entries(begins).map(([command, tokens]) => shellTurn(vendor, command, tokens));
    const script = [
      {
        match: "You are session 1 of its relay",
        turns: [...begun, ...Array.from({ length: 6 }, () => lastWords(vendor))],
      },
      submits(vendor, 2),
      approves(vendor),
    ];
    const settings = { ...vendor.settings, ...(limits ? { windowTokens: 1_000_000 } : {}) };
    const place = await makeStoryPlace(
      { ...vendor, settings },
      script,
      ["backoffSeconds: 0", limits ?? []].flat().join(", "),
    );
    const ran = await place.monoco("run", issue);
    const events = eventsOf(place.project, issue);
    expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
      [1, "context_limit"],
      [2, "submitted"],
      [3, "decided"],
    ]);
    const [first] = events.filter((event) => event.type === "session.ended");
    const [, stopped = "", last] = /^stopped by monoco: (.*); (asked once more, .*)$/.exec(
      endingWords(first?.evidence ?? []).join("\n"),
    )!;
    expect(stopped).toMatch(because);
    expect(last).toBe("asked once more, it wrote its handoff");
    expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({
      session: 1,
      source: "completed",
    });
    // The same conversation, though its id may be the CLI's own.
    const { requests } = place.model;
    const asked = requests.filter(({ tail }) => tail.includes("Only hand over, now"));
    expect(asked.map(({ session }) => session)).toContain(requests[0]?.session);
    if (kind === "gemini")
      expect(requests.map(({ tail }) => tail).join("\n")).toMatch(
        /context in use[^]*Plan to wrap up[^]*Only hand over, now/,
      );
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  },
);

full.skipIf(!dirs.gemini)(
  "a person's stop reaches gemini with the next tool, and it hands over before it ends",
  async () => {
    const place = await makeStoryPlace(gemini, [
      {
        match: "You are session 1 of its relay",
        turns: [
          shellTurn(gemini, "touch begun; while [ ! -e go ]; do sleep 0.1; done", 20_000),
          shellTurn(gemini, fillIn, 21_000),
          { text: "Handed over." },
        ],
      },
    ]);
    const running = place.start("run", issue);
    const state = join(place.sandbox.folder, "state", "monoco");
    const workspace = (): string => join(state, readdirSync(state)[0] ?? "", issue);
    await expect.poll(() => readdirSync(workspace()), { timeout: 60_000 }).toContain("begun");
    expect(await place.monoco("relay", "stop", issue)).toMatchObject({ exitCode: 0 });
    await place.until((text) => text.includes('"type":"relay.paused"'));
    writeFileSync(join(workspace(), "go"), "");
    await running;
    const events = eventsOf(place.project, issue);
    expect(endsOf(events)).toEqual([[1, "user_interrupt"]]);
    expect(place.model.requests[1]?.tail).toContain("a person asked it to stop");
    expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({ source: "agent" });
  },
);

// TRAP 8
full.skipIf(!dirs.opencode)(
  "Ctrl-C ends opencode in the middle of its work, with a handoff and nothing left",
  async () => {
    const place = await makeStoryPlace(opencode, [
      { match: issue, turns: [shellTurn(opencode, "echo > here; sleep 6000", 20_000)] },
    ]);
    const { sandbox, project } = place;
    const running = place.start("run", issue);
    await expect.poll(() => place.model.requests.length, { timeout: 300_000 }).toBe(1);
    const stoppedAtMs = Date.now();
    running.kill("SIGINT");
    const ran = await running;
    expect(Date.now() - stoppedAtMs).toBeLessThan(20_000);
    expectEnd(
      { sandbox, project, issue, ran },
      { ends: ["user_interrupt", "stopped by monoco: interrupted (Ctrl-C)"], secondsMax: 300 },
    );
  },
);

function writeInto(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
