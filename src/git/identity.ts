/** The author and the signature of monoco's commits: the person's, as git's configuration has them. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { signMsMax, signWordsMax } from "../core/limits.ts";
import { oneLine } from "../core/text/one-line.ts";
import { shellWord } from "../core/text/shell.ts";
import { gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { runAsPerson } from "./person.ts";
import type { PersonRan, PersonRun } from "./person.ts";
import { t } from "../core/language/translate.ts";

export type Identity = { name: string; email: string };

/** The name and email address for commits; monoco's own if the person has none. */
export async function identityOf(git: Git): Promise<Identity> {
  return identityIn(
    zeroed(await gitOr(git(["config", "--null", "--get-regexp", "^user\\.(name|email)$"]), "")),
  );
}

function identityIn(entries: readonly string[]): Identity {
  // Git lists the configuration nearest to the repository last, and the last value wins.
  const last = (key: string): string | undefined =>
    entries
      .findLast((entry) => entry.startsWith(`${key}\n`))
      ?.slice(key.length + 1)
      .trim();
  return { name: last("user.name") || "monoco", email: last("user.email") || "monoco@localhost" };
}

/**
 * The person as the signer of a commit. With `mayAsk`, git may ask for a passphrase at the terminal. The folder `scratch` is
 * made and removed.
 */
export type Signer = Pick<PersonRun, "cwd" | "env"> & { scratch: string; mayAsk: boolean };

/** A commit that cannot be signed now; the message has the words of git and of the signing program. */
export class NotSigned extends MonocoError {
  constructor(said: string) {
    super("person", said, {
      hint: t`sign a commit of yours by hand (git commit -S), which unlocks the key, or set \`signing: off\` in monoco.yaml; then run the same command again`,
    });
    this.name = "NotSigned";
  }
}

/** The signer, if the person's git signs commits (`commit.gpgsign`) and the setting `signing` leaves that to git. */
export async function ifSigning(signing: "auto" | "off", signer: Signer): Promise<Signer | undefined> {
  if (signing === "off") return undefined;
  return (await configured(signer, "commit.gpgsign", "bool")) === "true" ? signer : undefined;
}

/** Commits a tree with the person as author and committer. Throws `NotSigned` if the signer's git does not sign it. */
export async function commitTree(
  git: Git,
  commit: { tree: string; parents: string[]; message: string },
  signer?: Signer,
): Promise<string> {
  const { name, email } = await identityOf(git);
  const env = {
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
  };
  const args = [commit.tree, ...commit.parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  const input = commit.message;
  if (!signer) return (await git(["commit-tree", ...args], { input, env })).trim();
  const ran = await sign({ ...signer, env: { ...signer.env, ...env } }, args, input);
  if (ran.exitCode !== 0) throw new NotSigned(wordsOf(ran));
  return ran.stdout.trim();
}

const anywhere = ["-c", "safe.bareRepository=all"];

async function sign(signer: Signer, args: readonly string[], input: string): Promise<PersonRan> {
  const { cwd, env, scratch, mayAsk } = signer;
  const run = (options: readonly string[], how: Partial<PersonRun>): Promise<PersonRan> =>
    runAsPerson("git", [...anywhere, ...options, "commit-tree", "-S", ...args], { cwd, env, input, ...how });
  if (mayAsk) return run([], { terminal: true });
  const quiet = { ...env, SSH_ASKPASS_REQUIRE: "never", GPG_TTY: undefined, LC_ALL: "C" };
  const program = await gpgOf(signer);
  // Other signers (gitsign, smimesign) may know no options of gpg's.
  if (program === undefined || !/^gpg(?:sm|2)?$/.test(basename(program)))
    return run([], { env: quiet, msMax: signMsMax });
  mkdirSync(scratch, { recursive: true });
  try {
    // gpg-agent may have a dialog of its own, and is told to fail instead.
    const own = join(scratch, "gpg");
    const command = [shellWord(program), "--batch", "--pinentry-mode=error", '"$@"'].join(" ");
    writeFileSync(own, `#!/bin/sh\nexec ${command}\n`, { mode: 0o755 });
    const options = ["gpg.program", "gpg.x509.program"].flatMap((key) => ["-c", `${key}=${own}`]);
    return await run(options, { env: quiet, msMax: signMsMax });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The gpg or gpgsm that the person's git runs; undefined if it signs with an SSH key. */
async function gpgOf(signer: Signer): Promise<string | undefined> {
  const format = (await configured(signer, "gpg.format")) || "openpgp";
  if (format === "ssh") return undefined;
  const own = await configured(signer, `gpg.${format}.program`, "path");
  if (own !== "" || format === "x509") return own || "gpgsm";
  return (await configured(signer, "gpg.program", "path")) || "gpg";
}

/** A value of the person's git configuration; empty if it is not set. */
export async function configured(
  { cwd, env }: Pick<Signer, "cwd" | "env">,
  key: string,
  type?: "bool" | "path",
): Promise<string> {
  const typed = type === undefined ? [] : [`--type=${type}`];
  const { stdout } = await runAsPerson("git", [...anywhere, "config", ...typed, "--get", key], { cwd, env });
  return stdout.replace(/\n$/, "");
}

function wordsOf({ exitCode, stderr, missing }: PersonRan): string {
  if (exitCode === null && !missing) return t`the signing program did not answer in time`;
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("[GNUPG:]"));
  const words = lines.map((line) => line.replace(/^(?:error|fatal): /, "")).join("; ");
  return oneLine(words, signWordsMax) || t`git made no signature`;
}
