/** A night in the background: twelve issues, eight of them with a fault that needs a person, whose terminal is closed at once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect } from "vitest";
import { cliPath } from "../../test/support/cli.ts";
import { full as test } from "../../test/support/full.ts";
import { issueText, openPlace } from "../../test/support/place.ts";

const settings = `agents: { mine: { kind: command, run: ["./agent.sh"] } }
roles: { executor: { agents: [mine] }, reviewer: { agents: [mine] } }
checks: ["node --test"]
gates: { high: human }
breaker: { reopen: manual }
limits: { backoffSeconds: 0 }
`;

const base = `import assert from "node:assert/strict";
import { test } from "node:test";
import one from "../src/one.mjs";

test("one is one", () => assert.equal(one, 1));
`;

/** By the number of the issue: how its agent behaves, and what the morning says of it. */
const night = {
  "FEAT-0001": ["asks", "question"],
  "FEAT-0002": ["is killed, and goes on", "merged"],
  "FEAT-0003": ["says that it is done, and is not", "stuck"],
  "FEAT-0004": ["fills its context, and hands over", "merged"],
  "FEAT-0005": ["fails each time", "stuck"],
  "FEAT-0006": ["changes CI", "approval"],
  "FEAT-0007": ["works on what is critical", "approval"],
  "FEAT-0008": ["breaks what a test guards, and skips the test", "approval"],
  "FEAT-0009": ["has a Reviewer without a verdict", "stuck"],
  "FEAT-0010": ["reaches its usage limit, and goes on", "merged"],
  "FEAT-0011": ["waits for another issue", "merged"],
  "FEAT-0012": ["has evidence that does not reproduce", "approval"],
} as const;

const more: Readonly<Record<string, string>> = {
  "FEAT-0007": "criticality: high\n",
  "FEAT-0011": "dependencies: [FEAT-0002]\n",
};

test(
  "each issue of a night ends as it should, and the morning fits a screen",
  { timeout: 300_000 },
  async () => {
    const ids = Object.keys(night);
    const place = await openPlace(
      { executor: [], reviewer: [] },
      {
        issues: [],
        sandbox: "default",
        files: {
          "agent.sh": readFileSync(join(import.meta.dirname, "../night/agent.sh"), "utf8"),
          "src/one.mjs": "export default 1;\n",
          "test/base.test.mjs": base,
          ...Object.fromEntries(
            ids.map((id) => [
              `issues/${id}.md`,
              issueText(id, more[id]).replace("the file is there", `(behaves) src/${id}.mjs prints 5`),
            ]),
          ),
        },
      },
    );
    place.write("monoco.yaml", settings);
    await place.sh("chmod +x agent.sh && git add -A && git commit -qm Settings");
    const command = `exec '${process.execPath}' '${cliPath}' run --all --detach`;
    // The terminal hangs up when this has ended.
    await execa("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
      cwd: place.project,
      env: { ...place.sandbox.env, SHELL: "/bin/sh" },
      extendEnv: false,
      stdin: "ignore",
    });
    const log = await place.monoco("log", "-f");
    const { stdout } = await place.monoco("inbox", "--all", "--json");
    const { items } = JSON.parse(stdout) as { items: { id: string; kind: string }[] };
    const kinds = Object.fromEntries(items.map(({ id, kind }) => [id, kind]));
    expect(kinds, log.stdout).toEqual(
      Object.fromEntries(ids.map((id) => [id, night[id as keyof typeof night][1]])),
    );
    const morning = await place.monoco();
    expect(morning.stdout.trimEnd().split("\n").length, morning.stdout).toBeLessThanOrEqual(24);
    expect(await place.sh("git status --porcelain")).toBe("");
  },
);
