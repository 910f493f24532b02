/** Where the person signs commits, so does monoco: without a prompt, or once the person has resumed at a terminal. */
import { writeFileSync } from "node:fs";
import { execa } from "execa";
import { expect, onTestFinished, test as it, vi } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { commitNewFile } from "../../src/git/own-commit.ts";
import { cliPath } from "../support/cli.ts";
import { approves, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

vi.setConfig({ testTimeout: 120_000 });

const id = "FEAT-0001";

/** Shell commands that give the person a key for signing, with a passphrase or without (`''`). */
const keys = {
  ssh: (passphrase: string) => `ssh-keygen -q -t ed25519 -N ${passphrase} -f ~/key
echo "p@example.com $(cat ~/key.pub)" > ~/signers
git config gpg.format ssh && git config user.signingkey ~/key.pub && git config gpg.ssh.allowedSignersFile ~/signers`,
  openpgp: (passphrase: string) => `mkdir -m 700 ~/.gnupg
printf '#!/bin/sh\\necho asked >> ~/asked\\nexit 1\\n' > ~/pinentry && chmod +x ~/pinentry
echo "pinentry-program $HOME/pinentry" > ~/.gnupg/gpg-agent.conf
gpg --batch --quiet --pinentry-mode loopback --passphrase ${passphrase} --quick-gen-key 'P <p@example.com>' ed25519 sign never
gpgconf --kill all`,
};
type Format = keyof typeof keys;

const isHere = async (program: string): Promise<boolean> =>
  (await execa(program, ["--version"], { reject: false })).exitCode === 0;

/** A place whose relay merges, with a key of this format and `commit.gpgsign`. */
async function openSigning(format: Format, passphrase = "''", settings = ""): Promise<Place> {
  const place = await openPlace({ executor: [works], reviewer: [approves] }, { settings });
  if (format === "openpgp") onTestFinished(() => void place.sh("gpgconf --kill all"));
  await place.sh(`${keys[format](passphrase)} > /dev/null 2>&1 && git config commit.gpgsign yes`);
  return place;
}

/** Whether a signature is there and good, by git's own letter. */
const signatureOf = (place: Place, ref: string): Promise<string> =>
  place.git("log", "-1", "--format=%G?", ref);

testRows<[Format, string, string]>([
  ["ssh", "", "main"],
  ["ssh", "merge: squash", "main"],
  ["ssh", "finish: branch", `monoco/${id}`],
  ["openpgp", "", "main"],
])("the commit is signed by %s, with %s, on %s", async ([format, settings, ref], context) => {
  if (format === "openpgp" && !(await isHere("gpg"))) context.skip("gpg is not installed");
  const place = await openSigning(format, "''", settings);
  const ran = await place.monoco("run", id);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(await signatureOf(place, ref)).toBe("G");
});

testRows<[Format]>([["ssh"], ["openpgp"]])(
  "without an agent that has the passphrase of a key (%s), approved work waits for the person, and nobody is asked",
  async ([format], context) => {
    if (format === "openpgp" && !(await isHere("gpg"))) context.skip("gpg is not installed");
    const place = await openSigning(format, "secret");
    const before = await place.git("rev-parse", "main");
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    const said = format === "ssh" ? /incorrect passphrase/ : /^gpg failed to sign/;
    expect(place.all("relay.blocked")).toMatchObject([
      { reason: { rule: "unsigned", submission: 1, said: expect.stringMatching(said) } },
    ]);
    expect(await place.sh("cat ~/asked 2> /dev/null || true")).toBe("");
    expect(await place.git("rev-parse", "main")).toBe(before);
    const { stdout } = await place.monoco("relay", "status", id);
    expect(stdout).toContain("submission 1 is approved, and waits for your signature: ");
    expect(stdout).toContain(`monoco resume ${id} (at a terminal: there git asks for the passphrase)`);
    expect(await place.monoco("resume", id)).toMatchObject({ exitCode: 1 });
    await place.sh("echo 'signing: off' >> monoco.yaml && git -c commit.gpgsign=no commit -qam Off");
    expect(await place.monoco("resume", id)).toMatchObject({ exitCode: 0 });
    expect(await signatureOf(place, "main")).toBe("N");
    expect(place.all("session.started")).toHaveLength(2);
  },
);

/** Writes down how it was called, and knows no option of gpg's; `then` is what it does at last. */
const gitsign = (then: string): string => `#!/bin/sh
(: < /dev/tty) 2> /dev/null && echo terminal >> ~/called
echo "$*" >> ~/called
case "$*" in "--status-fd=2 -bsau me") cat > /dev/null ;; *) exit 2 ;; esac
${then}
`;

it("a signer that is not gpg (gitsign) is called as git calls it, without a terminal", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const script = `${place.sandbox.env["HOME"]}/gitsign`;
  writeFileSync(script, gitsign("echo 'no browser here' >&2; exit 1"), { mode: 0o755 });
  await place.sh(
    "git config gpg.format x509 && git config gpg.x509.program ~/gitsign && git config user.signingkey me && git config commit.gpgsign yes",
  );
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
  expect(place.all("relay.blocked")).toMatchObject([
    { reason: { rule: "unsigned", said: expect.stringMatching(/^gpg failed to sign/) } },
  ]);
  const signature = "-----BEGIN SIGNED MESSAGE-----\nby gitsign\n-----END SIGNED MESSAGE-----\n";
  const signs = `printf '\\n[GNUPG:] SIG_CREATED \\n' >&2; printf -- '${signature.replaceAll("\n", "\\n")}'`;
  writeFileSync(script, gitsign(signs), { mode: 0o755 });
  const ran = await place.monoco("resume", id);
  expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
  expect(await place.git("cat-file", "commit", "main")).toContain("by gitsign");
  const called = (await place.sh("cat ~/called")).split("\n");
  expect(new Set(called)).toEqual(new Set(["--status-fd=2 -bsau me"]));
});

test("resumed at a terminal, git asks for the passphrase there, and the work is merged", async () => {
  const place = await openSigning("ssh", "secret");
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
  const command = `exec '${process.execPath}' '${cliPath}' resume ${id}`;
  const child = execa("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
    cwd: place.project,
    env: { ...place.sandbox.env, SHELL: "/bin/sh" },
    extendEnv: false,
    reject: false,
    stdin: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (text.includes("Enter passphrase")) child.stdin.write("secret\n");
  });
  const { exitCode, stdout } = await child;
  expect(exitCode, stdout).toBe(0);
  expect(await signatureOf(place, "main")).toBe("G");
});

it("an issue that is committed for a person's text is signed like theirs", async () => {
  const place = await openSigning("ssh");
  const file = { base: "main", path: "issues/FEAT-0002-x.md", text: "x\n", message: "FEAT-0002 x" };
  const at = { cwd: place.project, env: place.sandbox.env, scratch: `${place.around}/scratch` };
  const signer = { ...at, mayAsk: false };
  await commitNewFile(gitIn(place.project), { ...file, scratch: at.scratch }, signer);
  expect(await signatureOf(place, "main")).toBe("G");
});
