/** A merged relay with its record, and a colleague's clone of it, where the record can be forged. */
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { signedNote } from "../../src/core/attest/dsse.ts";
import type { Statement } from "../../src/core/attest/statement-schema.ts";
import type { Ran } from "./cli.ts";
import { standInGh } from "./gh.ts";
import { openPlace, works } from "./place.ts";
import type { Place, Story } from "./place.ts";

export const id = "FEAT-0001";
export const approves = [{ verdict: "approve", evidence: "grep -q text file.txt" }];
export const story: Story = { executor: [works], reviewer: [approves] };

/** A colleague's clone with the records; what is done there harms nobody. */
export type Clone = {
  folder: string;
  sh(command: string): Promise<string>;
  verify(...args: string[]): Promise<Ran>;
  note(commit?: string): Promise<string>;
  /** Writes a note to a commit. */
  annotate(text: string, commit?: string): Promise<void>;
};

/** A place with a merged relay. The person's key signs its record if `signed`. */
export async function merged({ signed = false, settings = "", of = story } = {}): Promise<Place> {
  const place = await openSigning({ signed, settings, of });
  const ran = await place.monoco("run", id);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  return place;
}

async function openSigning({ signed = false, settings = "", of = story }): Promise<Place> {
  const sign = signed ? "attest: sign\n" : "";
  const place = await openPlace(of, { settings: `checks: ["test -f file.txt"]\n${sign}${settings}` });
  if (signed)
    await place.sh(`ssh-keygen -q -t ed25519 -N '' -f ~/key && git config user.signingkey ~/key.pub
echo "p@example.com namespaces=\\"git,monoco\\" $(cat ~/key.pub)" > ~/signers
git config --global gpg.ssh.allowedSignersFile ~/signers`);
  return place;
}

/** The clone of a place whose pull request a person landed, with the record of the commit that landed. */
export async function mergedByPull(
  how: "squash" | "merge",
  { signed = false } = {},
): Promise<{ place: Place; clone: Clone }> {
  const place = await openSigning({ signed, settings: "finish: pr\n" });
  const remote = join(place.around, "remote.git");
  await place.sandbox.sh(place.around, "git init -q --bare -b main remote.git");
  await place.sh("git remote add origin ../remote.git && git push -q -u origin main");
  const gh = standInGh(place.sandbox, [], remote);
  const run = (): Promise<Ran> => place.sandbox.monoco(["run", id], { cwd: place.project, env: gh.env });
  expect(await run()).toMatchObject({ exitCode: 0 });
  const branch = `origin/monoco/${id}`;
  const command = {
    squash: `git merge -q --squash ${branch} && git commit -qm Squashed`,
    merge: `git merge -q --no-ff -m Merged ${branch}`,
  }[how];
  await place.sandbox.sh(
    place.around,
    `git clone -q --no-local remote.git clone && cd clone && git switch -q main && ${command} && git push -q origin main && git branch -q -d -r ${branch}`,
  );
  const clone = await cloneOf(place);
  const oid = await place.sandbox.git(remote, "rev-parse", "main");
  gh.change({ state: "MERGED", mergeCommit: { oid } });
  const landed = await run();
  expect(landed, landed.stdout + landed.stderr).toMatchObject({ exitCode: 0 });
  await clone.sh(`git fetch -q "${place.project}" refs/notes/monoco:refs/notes/monoco`);
  return { place, clone };
}

/** The clone `clone`, made if it is missing, or a copy of it. */
export async function cloneOf(place: Place, name = "clone"): Promise<Clone> {
  const folder = join(place.around, name);
  if (name !== "clone") cpSync(join(place.around, "clone"), folder, { recursive: true });
  else if (!existsSync(folder)) {
    await place.sandbox.sh(place.around, `git clone -q --no-local "${place.project}" clone`);
    await place.sandbox.sh(folder, "git fetch -q origin refs/notes/monoco:refs/notes/monoco");
  }
  const sh = (command: string): Promise<string> => place.sandbox.sh(folder, command);
  return {
    folder,
    sh,
    verify: (...args) => place.sandbox.monoco(["verify", ...args], { cwd: folder }),
    note: (commit = "HEAD") => sh(`git notes --ref=refs/notes/monoco show ${commit}`),
    annotate: async (text, commit = "HEAD") => {
      writeFileSync(join(folder, ".git/note"), text);
      await sh(`git notes --ref=refs/notes/monoco add -f -F .git/note ${commit}`);
    },
  };
}

/** The statement under the signature of another. */
export function resealed(note: string, statement: Statement): string {
  const [signature] = (JSON.parse(note) as { signatures: [{ sig: string; keyid: string }] }).signatures;
  const sig = Buffer.from(signature.sig, "base64").toString();
  return signedNote(JSON.stringify(statement), { sig, keyid: signature.keyid });
}
