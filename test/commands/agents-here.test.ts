/** What an agent's program says of its version, and what is said where it does not answer. */
import { join } from "node:path";
import { expect } from "vitest";
import { versionOf } from "../../src/app/agents.ts";
import { versionWords } from "../../src/core/session/version.ts";
import { temporaryFolder, writeFiles } from "../support/repository.ts";
import { chmodSync } from "node:fs";
import { testRows } from "../support/full.ts";

testRows<[string, string, Awaited<ReturnType<typeof versionOf>>, string]>([
  ["that answers has one", "echo codex-cli 0.171.0", { said: "codex-cli 0.171.0" }, "codex-cli 0.171.0"],
  ["that fails has none", "exit 1", { said: null }, "of an unknown version"],
  [
    "that does not answer in time is said to have been too slow",
    "exec sleep 60",
    { said: null, waitedSeconds: 1 },
    "(version not answered in 1 s)",
  ],
])("a program %s", async ([, body, expected, words]) => {
  const folder = temporaryFolder();
  writeFiles(folder, { codex: `#!/bin/sh\n${body}\n` });
  chmodSync(join(folder, "codex"), 0o755);
  const version = await versionOf(join(folder, "codex"), { kind: "codex" }, 1);
  expect(version).toEqual(expected);
  expect(versionWords(version)).toBe(words);
});
