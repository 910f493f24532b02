/** What a person's own rules deny to an agent session after session opens the circuit breaker: the next one would be denied the same. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { codexVendor } from "../../src/probe/codex-vendor.ts";
import { geminiVendor } from "../../src/probe/gemini-vendor.ts";
import { opencodeHome, opencodeVendor } from "../../src/probe/opencode-vendor.ts";
import type { Vendor } from "../../src/probe/vendor.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { codexDir } from "./codex.ts";
import { geminiDir } from "./gemini.ts";
import { opencodeDir } from "./opencode.ts";
import { endsOf, issue, makeStoryPlace, shellTurn } from "./story.ts";
import { testRows } from "../../test/support/full.ts";

const noTouch = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "touch"
decision = "deny"
priority = 100
`;

/** It asks for leave, as a person's own settings have it, and nobody is there. */
const codex: Vendor = {
  ...codexVendor,
  settings: {
    ...codexVendor.settings,
    args: ["-c", 'sandbox_mode="read-only"', "-c", 'approval_policy="on-request"'],
  },
  shell: (cmd) => ({
    name: "exec_command",
    input: { cmd, sandbox_permissions: "require_escalated", justification: "May I?" },
  }),
};

const gemini: Vendor = {
  ...geminiVendor,
  environment: (options) => {
    const policies = join(options.home, ".gemini", "policies");
    mkdirSync(policies, { recursive: true });
    writeFileSync(join(policies, "no-touch.toml"), noTouch);
    return geminiVendor.environment(options);
  },
};

const opencode: Vendor = {
  ...opencodeVendor,
  environment: (options) => opencodeHome(options, { permission: { bash: { "touch *": "deny" } } }),
};

testRows<[string, Vendor, string, string | undefined]>([
  ["Codex", codex, "shell", codexDir],
  ["Gemini CLI", gemini, "run_shell_command", geminiDir],
  ["OpenCode", opencode, "bash", opencodeDir],
])(
  "two sessions of %s in a row that were denied a tool and got nowhere open it",
  { timeout: 600_000 },
  async ([, vendor, tool, dir], { skip }) => {
    skip(!dir);
    const denied = [
      shellTurn(vendor, "touch denied.txt", 20_000),
      ...["No.", "No.", "No."].map((text) => ({ text })),
    ];
    const place = await makeStoryPlace(vendor, [
      { match: "You are session 1 of its relay", turns: denied },
      { match: "You are session 2 of its relay", turns: denied },
    ]);
    const running = place.start("run", issue);
    // It would wait for the end of the cool-down.
    await place.until((text) => text.includes('"type":"breaker.changed"'));
    running.kill("SIGINT");
    const ran = await running;
    const events = eventsOf(place.project, issue);
    expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
      [1, "completed_without_submit"],
      [2, "completed_without_submit"],
    ]);
    expect(events.find((event) => event.type === "breaker.changed")).toMatchObject({
      to: "open",
      reason: { rule: "denied", sessions: 2, max: 2, tools: [tool] },
    });
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  },
);
