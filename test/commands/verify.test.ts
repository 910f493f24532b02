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

test("without a commit there is nothing to verify yet, and it says when there is", async () => {
  const sandbox = await emptyRepository();
  const ran = await sandbox.monoco(["verify"], { cwd: `${sandbox.folder}/a` });
  expect(ran).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^error: HEAD has no commit\nhint: .* monoco run /) as string,
  });
});

test.for<[string, string, string]>([
  ["of a remote", "refs/notes/monoco", "true"],
  [
    "of a remote that has others than the clone",
    "refs/notes/monoco",
    "git notes --ref=monoco add -m Own HEAD^",
  ],
  [
    "of a remote that takes branches only",
    "refs/heads/monoco-relays/notes",
    "echo 'remote: { namespace: heads }' > monoco.yaml",
  ],
])(
  "the command that is named without a record brings those %s to a fresh clone",
  async ([, ref, command]) => {
    const sandbox = await emptyRepository();
    await sandbox.sh(
      sandbox.folder,
      `(${begin} && git commit -q --allow-empty -m More && git notes --ref=monoco add -m Note && git update-ref ${ref} refs/notes/monoco)
git clone -q a b && cd b && ${command}`,
    );
    const cwd = `${sandbox.folder}/b`;
    const { stdout } = await sandbox.monoco(["verify"], { cwd });
    const [, words = ""] = /^ {2}hint: monoco (relay pull --all) /m.exec(stdout) ?? [];
    expect(await sandbox.monoco(words.split(" "), { cwd })).toMatchObject({ exitCode: 0 });
    expect((await sandbox.monoco(["verify"], { cwd })).stdout).toContain("its note is");
  },
);
