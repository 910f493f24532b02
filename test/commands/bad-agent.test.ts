/** An agent CLI that is not the one its adapter knows: too old or too new. The real ones' own ends: lab/live. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { byHand } from "../../src/core/journal/steps.ts";
import { pinnedAgents } from "../../scripts/agents.ts";
import { agents } from "../../src/agents/registry.ts";
import { vendors } from "../../src/core/settings/agent-kinds.ts";
import { processesOf } from "../support/cli.ts";
import { issue, makePlace } from "../support/bad-place.ts";
import type { Place } from "../support/bad-place.ts";
import { testRows } from "../support/full.ts";

/** A place whose roles are played by `kind`, and a program of that name on the PATH. */
async function makeStranger(kind: string, program: string, entry: object = {}, version = "9.9.9") {
  const place = await makePlace();
  const bin = join(place.sandbox.folder, "bin of agents");
  mkdirSync(bin);
  const text = `#!/bin/sh\ntest "$1" = --version && echo ${version} && exit\n${program}\n`;
  writeFileSync(join(bin, kind), text, { mode: 0o755 });
  const agents = JSON.stringify({ [kind]: { kind, ...entry } });
  const settings = `agents: ${agents}\nroles: { executor: { agents: [${kind}] }, reviewer: { agents: [${kind}] } }\nbreaker: { reopen: manual }\nlimits: { backoffSeconds: 0, stalledMax: 1 }\n`;
  place.write("monoco.yaml", settings);
  await place.sh("git commit -qam Settings");
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  return { place, env, run: () => place.monoco(["run", issue], { env }) };
}

/** Another agent, `mine`. */
async function addMine(place: Place): Promise<void> {
  place.write("mine.sh", "#!/bin/sh\nexit 1\n");
  await place.sh(
    "chmod +x mine.sh; sed -i 's/^agents: {/&\"mine\": { kind: command, run: [.\\/mine.sh] },/' monoco.yaml; git add -A; git commit -qm Mine",
  );
}

const programs: [string, string, RegExp][] = [
  [
    "does not know its flags",
    "echo \"error: unknown option '--output-format'\" >&2; exit 2",
    /unknown option '--output-format'/,
  ],
  [
    "prints events of types that nobody knows",
    'for i in 1 2 3; do echo "{\\"type\\":\\"novelty_$i\\",\\"method\\":\\"new/$i\\",\\"params\\":{}}"; done; exit 0',
    // OpenCode is a server: it serves, or it has ended.
    /ended .* before it had said how it ended|^opencode ended by itself \(exit status 0\)/,
  ],
];

// TRAP 43
describe.for(["claude", "codex", "gemini", "opencode"])("a program called %s that", (kind) => {
  testRows(programs, () => kind === "claude")(
    "%s: the relay stops, and says who, which version and what to do",
    async ([, program, says]) => {
      const { place, run } = await makeStranger(kind, program);
      const ran = await run();
      expect(ran.exitCode, ran.stdout + ran.stderr).toBe(1);
      const end = place.events().find((event) => event.type === "session.ended");
      expect(end).toMatchObject({ reason: "failure" });
      const told = endingWords(end?.evidence ?? []);
      expect(told.join("\n")).toMatch(says);
      const known = agents[kind as "claude"].measuredOn;
      expect(told).toContain(`${kind} 9.9.9 began no session that its adapter knows: seen on ${known}`);
      expect(ran.stdout).toContain(`monoco agent probe ${kind}`);
      expect(place.types()).toContain("handoff.recorded");
      expect(processesOf(place.sandbox.folder)).toEqual([]);
    },
  );
});

it("each adapter names the version that the live tests install", () => {
  expect(Object.fromEntries(vendors.map((kind) => [kind, agents[kind].measuredOn]))).toEqual(
    Object.fromEntries(vendors.map((kind) => [kind, pinnedAgents[kind].version])),
  );
});

// TRAP 15
testRows<[string, object, string]>([
  ["", {}, "to log in"],
  [", which has an environment of its own", { env: { GEMINI_API_KEY: "old" } }, "to log in with its `env`"],
])(
  "a program without a login%s: the relay is blocked, and says who, which version and how to log in",
  async ([, entry, toLogIn]) => {
    const { place, run } = await makeStranger("gemini", "cat > /dev/null; echo no login >&2; exit 41", entry);
    const ran = await run();
    expect(ran.exitCode, ran.stdout + ran.stderr).toBe(4);
    const what = `fix the login, credit or model of gemini (9.9.9; ${toLogIn}: gemini, once by hand)`;
    expect(place.events().find((event) => event.type === "relay.blocked")).toMatchObject({
      reason: {
        rule: "needs_person",
        accounts: ["gemini"],
        of: [{ rule: "needs_login", said: "exit status 41 without a result: no login" }],
      },
      hint: [byHand(what)],
    });
    expect(ran.stdout).toContain(`hint: ${what}, then monoco resume ${issue}`);
  },
);

describe("a program that is older than its adapter can use", () => {
  const old = { rule: "program_old", kind: "claude", version: "2.0.44", least: "2.0.45" };

  it("begins no session: the relay is blocked, and says which version it needs and how to get it", async () => {
    const { place, env, run } = await makeStranger("claude", "exit 1", {}, "2.0.44");
    const ran = await run();
    expect(ran.exitCode, ran.stdout + ran.stderr).toBe(4);
    const what = "update claude (npm install -g @anthropic-ai/claude-code)";
    expect(place.events().find((event) => event.type === "relay.blocked")).toMatchObject({
      reason: { rule: "needs_person", accounts: ["claude"], of: [old] },
      hint: [byHand(what)],
    });
    expect(ran.stdout).toContain("claude 2.0.44 is older than 2.0.45, which monoco needs");
    expect(ran.stdout).toContain(`hint: ${what}, then monoco resume ${issue}`);
    expect(place.types()).not.toContain("session.started");
    const proposed = await place.monoco(["run", "Write another file"], { env });
    expect(proposed.stderr).toContain(
      "claude: claude 2.0.44 is older than 2.0.45, which monoco needs (npm install -g @anthropic-ai/claude-code)",
    );
    // Once it is updated, a resume goes on with it.
    await place.sh("sed -i s/2.0.44/2.0.45/ '../bin of agents/claude'");
    await place.monoco(["resume", issue, "--once"], { env });
    expect(place.types()).toContain("session.started");
  });

  it("is passed over for the next agent of its role", async () => {
    const { place, env } = await makeStranger("claude", "exit 1", {}, "2.0.44");
    await addMine(place);
    const both = ["--set", "roles.executor.agents=[claude, mine]", "--once"];
    // Without a login it would be tried last.
    await place.monoco(["run", issue, ...both], { env: { ...env, ANTHROPIC_API_KEY: "dummy" } });
    expect(place.events().find((event) => event.type === "session.started")).toMatchObject({
      agent: "mine",
      reason: { passedOver: [old] },
    });
  });
});

it("an agent of an earlier run that is gone is replaced as the hint says", async () => {
  const { place, env } = await makeStranger("claude", "exit 1");
  await addMine(place);
  await place.monoco(["run", issue, "--agent", "mine", "--once"], { env });
  await place.sh("rm mine.sh");
  const ran = await place.monoco(["resume", issue], { env });
  expect(ran).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining("--set roles.executor.agents=["),
  });
  await place.monoco(["resume", issue, "--set", "roles.executor.agents=[claude]", "--once"], { env });
  expect(place.events().findLast(({ type }) => type === "session.started")).toMatchObject({
    agent: "claude",
  });
});
