/** monoco agent probe: what it says of programs that are not there, or not what they should be. The real CLIs: lab/live/probe.test.ts. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { openSandbox, processesOf } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

/** A PATH with nothing on it but node, git, a shell, and these programs. */
function makePlace(programs: Record<string, string>) {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const bin = join(sandbox.folder, "bin-of-agents");
  const temporary = join(sandbox.folder, "tmp");
  mkdirSync(bin);
  mkdirSync(temporary);
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:/usr/bin:/bin`, TMPDIR: temporary };
  return { sandbox, temporary, args: (...words: string[]) => ["agent", "probe", ...words], options: { env } };
}

/** Node's cache of compiled code stays on purpose. */
function leftIn(temporary: string): string[] {
  return readdirSync(temporary).filter((name) => name !== "node-compile-cache");
}

testRows<[string, string, number, string, string]>([
  ["a name that is no agent's", "cluade", 2, '"cluade" cannot be probed', "claude, codex, gemini, opencode"],
  ["any program of one's own", "command", 2, '"command" cannot be probed', "claude, codex, gemini, opencode"],
  [
    "one that is not installed",
    "claude",
    4,
    "claude: not installed here",
    "npm install -g @anthropic-ai/claude-code",
  ],
])("refuses %s", async ([, name, exitCode, words, hint]) => {
  const { sandbox, args, options } = makePlace({});
  const ran = await sandbox.monoco(args(name), options);
  expect(ran).toMatchObject({ exitCode, stdout: "" });
  expect(ran.stderr).toContain(words);
  expect(ran.stderr).toContain(hint);
});

test("a program that prints garbage and ends is unusable, with its own last words; it is kept, and listed", async () => {
  const { sandbox, args, options, temporary } = makePlace({
    claude:
      'test "$1" = --version && echo 9.9.9 && exit; printf "\\377\\376 {]\\n{\\"type\\":\\"new\\"}\\n"; echo broken >&2; exit 3',
  });
  const ran = await sandbox.monoco(args("claude", "--json"), options);
  expect(ran).toMatchObject({ exitCode: 1, stderr: "" });
  const [report] = JSON.parse(ran.stdout) as [Record<string, unknown>];
  expect(report).toMatchObject({
    agent: "claude",
    version: "9.9.9",
    conclusion: "unusable",
    because: "without headless",
    findings: {
      headless: { found: "no", evidence: "exit 3; broken" },
      stopHook: { found: "unknown", evidence: "the work was not done: exit 3; broken" },
      diesOnTerm: { found: "unknown" },
    },
  });
  const words = await sandbox.monoco(args("claude"), options);
  expect(words.stdout).toContain("→ unusable: without headless");
  await sandbox.sh(sandbox.folder, "git init -q project");
  const listed = await sandbox.monoco(["agent", "list", "--json"], {
    ...options,
    cwd: join(sandbox.folder, "project"),
  });
  expect(JSON.parse(listed.stdout)).toContainEqual(
    expect.objectContaining({ name: "claude", probed: "unusable" }),
  );
  expect(leftIn(temporary)).toEqual([]);
});

test("Ctrl-C ends it with what it has started", async () => {
  const { sandbox, args, options, temporary } = makePlace({
    claude: 'echo > "$(dirname "$0")/started"; exec tail -f /dev/null',
  });
  const running = sandbox.start(args("claude"), options);
  await expect
    .poll(() => readdirSync(join(sandbox.folder, "bin-of-agents")), { timeout: 60_000 })
    .toContain("started");
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(processesOf(sandbox.folder)).toEqual([]);
  expect(leftIn(temporary)).toEqual([]);
});
