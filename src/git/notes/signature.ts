/** Signs records with the person's SSH key, and verifies such signatures, by ssh-keygen. */
import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Signature } from "../../core/attest/verified.ts";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import { signMsMax } from "../../core/limits.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { t } from "../../core/language/translate.ts";
import { configured } from "../identity.ts";
import { runAsPerson } from "../person.ts";
import type { PersonRan, PersonRun } from "../person.ts";

type As = Pick<PersonRun, "cwd" | "env">;

/** The namespace of the signatures: one of a commit or a mail is none of a record. */
const namespace = "monoco";

/** Whether the person's git signs with an SSH key. */
export async function signsBySsh(as: As): Promise<boolean> {
  return (await configured(as, "gpg.format")) === "ssh";
}

/** Signs with git's `user.signingkey`; never asks for a passphrase. */
export async function signText(as: As, text: string): Promise<{ sig: string; keyid: string } | string> {
  const key = await configured(as, "user.signingkey", "path");
  if (key === "") return t`git's user.signingkey names no key`;
  const ran = await keygen(as, ["-Y", "sign", "-n", namespace, "-f", key], text);
  return ran.exitCode === 0
    ? { sig: ran.stdout, keyid: keyIn(ran.stdout) }
    : oneLine(ran.stderr, 300) || t`ssh-keygen made no signature`;
}

/** The file of allowed signers: `given`, or git's `gpg.ssh.allowedSignersFile`; empty if neither is set. Throws `input` if it cannot be read. */
export async function allowedSigners(as: As, given: string | undefined): Promise<string> {
  return given === undefined ? fileOf(as, "gpg.ssh.allowedSignersFile") : readable(as, given, "--signers");
}

async function fileOf(as: As, key: string): Promise<string> {
  const file = await configured(as, key, "path");
  return file === "" ? "" : readable(as, file, `git config ${key}`);
}

/** The file that `setting` names: one that cannot be read would make every signature look like a stranger's. */
function readable({ cwd }: As, file: string, setting: string): string {
  if (attempt(() => readFileSync(resolve(cwd, file)), undefined)) return file;
  throw new MonocoError("input", t`${setting}: cannot read ${file}`);
}

/**
 * `signers` is a file of allowed signers; empty if there is none. A key counts that was valid at `madeAt` or is valid now, and
 * that git's `gpg.ssh.revocationFile` does not name. `scratch` is an own folder.
 */
export async function verifyText(
  as: As,
  {
    text,
    sig,
    signers,
    scratch,
    madeAt,
  }: Record<"text" | "sig" | "signers" | "scratch", string> & {
    madeAt: Date;
  },
): Promise<Signature> {
  const file = join(scratch, "signature");
  writeFileSync(file, sig);
  const key = keyIn(sig);
  const whole = await keygen(as, ["-Y", "check-novalidate", "-n", namespace, "-s", file], text);
  if (whole.exitCode !== 0) return { is: "bad", key };
  if (signers === "") return { is: "none", key };
  const revoked = await fileOf(as, "gpg.ssh.revocationFile");
  const by = ["-f", signers, "-s", file];
  for (const at of [madeAt, new Date()]) {
    const valid = ["-O", `verify-time=${localTime(at)}`];
    const named = await keygen(as, ["-Y", "find-principals", ...by, ...valid], "");
    for (const who of named.stdout.split("\n").filter(Boolean)) {
      const unless = revoked === "" ? [] : ["-r", revoked];
      const form = ["-Y", "verify", "-n", namespace, ...by, "-I", who, ...valid, ...unless];
      if ((await keygen(as, form, text)).exitCode === 0) return { is: "good", by: who, key };
    }
  }
  return { is: "unknown", key };
}

/** As ssh-keygen has it: `20260131235959`. */
function localTime(at: Date): string {
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes()];
  return [...parts, at.getSeconds()].map((part) => String(part).padStart(2, "0")).join("");
}

async function keygen(as: As, args: readonly string[], input: string): Promise<PersonRan> {
  const program = (await configured(as, "gpg.ssh.program", "path")) || "ssh-keygen";
  const env = { ...as.env, SSH_ASKPASS_REQUIRE: "never", LC_ALL: "C" };
  return runAsPerson(program, args, { ...as, env, input, msMax: signMsMax });
}

/** The fingerprint of the key in an armoured signature: `SSHSIG`, a version, and the key with its length before it. */
function keyIn(armoured: string): string {
  const bytes = Buffer.from(armoured.replaceAll(/^-----.*$/gm, ""), "base64");
  const [from, at] = [14, 10];
  if (bytes.length < from) return "";
  const key = bytes.subarray(from, from + bytes.readUInt32BE(at));
  return `SHA256:${hash("sha256", key, "base64").replace(/=+$/, "")}`;
}
