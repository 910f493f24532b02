/** What `monoco verify` says before it looks at any record. */
import { expect, onTestFinished, test } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";

/** A repository without a commit, of nobody who ever used monoco there. */
async function emptyRepository(): Promise<Sandbox> {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  await sandbox.git(sandbox.folder, "init", "-q", "-b", "main", "a");
  return sandbox;
}

const begin = "cd a && git commit -q --allow-empty -m Begin";

test.for<[string, string, string[], string]>([
  ["by --signers", "true", ["--signers", "nope"], "--signers: cannot read /"],
  [
    "by git",
    "git config --global gpg.ssh.allowedSignersFile ~/nope",
    [],
    "git config gpg.ssh.allowedSignersFile: cannot read /",
  ],
])("a file of allowed signers that is not there is named: %s", async ([, command, flags, words]) => {
  const sandbox = await emptyRepository();
  await sandbox.sh(sandbox.folder, `${begin} && ${command}`);
  const ran = await sandbox.monoco(["verify", ...flags], { cwd: `${sandbox.folder}/a` });
  expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
  expect(ran.stderr).toMatch(new RegExp(`^error: ${words}.*/nope$`));
});
