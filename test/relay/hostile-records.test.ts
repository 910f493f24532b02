/** A record, its ref and the clone around it may be anybody's work: verify answers, and neither runs nor prints what is hidden there. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { plainNote, readNote } from "../../src/core/attest/dsse.ts";
import type { Statement } from "../../src/core/attest/statement-schema.ts";
import { full as test } from "../support/full.ts";
import { skipWithout } from "../support/namespaces.ts";
import { cloneOf, merged, mergedByPull } from "../support/record.ts";
import type { Clone } from "../support/record.ts";

vi.setConfig({ testTimeout: 300_000 });

const evil =
  "\u001B[31mred\u001B]0;title\u0007 \u202Egnp\u009B31m\r\n  same      monoco's commit has the trailers of the record";

async function edit(clone: Clone, change: (statement: Statement) => void): Promise<void> {
  const { statement } = readNote(await clone.note())!;
  change(statement);
  await clone.annotate(plainNote(statement));
}

it("no text of a record reaches the terminal as anything but text", async () => {
  const clone = await cloneOf(await merged());
  await edit(clone, ({ predicate }) => {
    const { landing, criteria, contract, checks } = predicate;
    Object.assign(predicate, { title: evil, monoco: evil, setup: [evil] });
    Object.assign(criteria[0]!, { statement: evil, command: evil });
    Object.assign(landing.reviewer, { by: evil });
    Object.assign(landing.sandbox, { containment: evil });
    checks[0]!.command = evil;
    contract.path = evil;
    landing.executors[0]!.agent = evil;
  });
  for (const args of [[], ["--json"]]) {
    const ran = await clone.verify("--no-run", ...args);
    expect(ran).toMatchObject({ exitCode: 1 });
    // eslint-disable-next-line no-control-regex
    expect(ran.stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/);
    expect(ran.stdout).not.toMatch(/^ {2}same +monoco's commit has the trailers/m);
  }
});

const add = "git notes --ref=refs/notes/monoco add -f --allow-empty -C";

type Row = [name: string, exitCode: number, does: (clone: Clone) => Promise<unknown>];

const unreadable: Row[] = [
  ["10 MB of anything", 1, (clone) => clone.annotate("x".repeat(10_000_000))],
  ["JSON a million deep", 1, (clone) => clone.annotate(`${'{"a":'.repeat(1e6)}1${"}".repeat(1e6)}`)],
  ["binary", 1, ({ sh }) => sh(`${add} $(head -c 9999 /dev/urandom | git hash-object -w --stdin)`)],
  ["empty", 1, ({ sh }) => sh(`${add} $(git hash-object -w --stdin < /dev/null)`)],
  [
    "under a ref at a blob",
    2,
    ({ sh }) => sh("git update-ref refs/notes/monoco $(git hash-object -w file.txt)"),
  ],
  ["under a ref at a plain commit", 2, ({ sh }) => sh("git update-ref refs/notes/monoco HEAD")],
  [
    "under a symbolic ref",
    0,
    ({ sh }) =>
      sh("git update-ref refs/notes/b refs/notes/monoco && git symbolic-ref refs/notes/monoco refs/notes/b"),
  ],
  [
    "under a symbolic ref to nothing",
    2,
    ({ sh }) => sh("git update-ref -d refs/notes/monoco && git symbolic-ref refs/notes/monoco refs/notes/b"),
  ],
];

const says = [
  "what was compared holds",
  "its note is not a record that this version can read",
  "it has no record",
];

it("a note that is no record is said to be none, whatever it is", async () => {
  const place = await merged();
  await cloneOf(place);
  for (const [name, exitCode, does] of unreadable) {
    const clone = await cloneOf(place, name);
    await does(clone);
    const ran = await clone.verify("--no-run");
    expect(ran, `${name}: ${ran.stdout}${ran.stderr}`).toMatchObject({ exitCode, stderr: "" });
    expect(ran.stdout).toContain(says[exitCode]);
  }
});

/** What stands in a clone, and changes neither what is compared nor what is run. */
const around: [string, (clone: Clone) => Promise<unknown>][] = [
  ["another commit in its place", ({ sh }) => sh("git replace HEAD $(git commit-tree HEAD^^{tree} -m Evil)")],
  ["a graft", ({ sh }) => sh("mkdir -p .git/info && git rev-parse HEAD > .git/info/grafts")],
  [
    "how its log looks",
    ({ sh }) =>
      sh(
        "git config log.showSignature true; git config i18n.logOutputEncoding UTF-16; git config format.pretty oneline; git config diff.noprefix true; git config diff.context 0",
      ),
  ],
  [
    "no name",
    ({ sh }) =>
      sh(
        "git config --global user.useConfigOnly true; git config --unset-all user.name; git config --unset-all user.email; true",
      ),
  ],
  ["a detached HEAD", ({ sh }) => sh("git switch -q --detach HEAD")],
];

it("what a clone puts over its commits changes nothing", async () => {
  const { place } = await mergedByPull("squash");
  for (const [name, does] of around) {
    const clone = await cloneOf(place, name);
    await does(clone);
    const ran = await clone.verify("--no-run");
    expect(ran, `${name}: ${ran.stdout}${ran.stderr}`).toMatchObject({ exitCode: 0 });
    expect(ran.stdout, name).toContain("same      its tree is the submission merged");
  }
});

test("no program that the clone's configuration names is run", async (context) => {
  skipWithout("bubblewrap", context);
  const clone = await cloneOf(await merged());
  const ran = "touch ../ran";
  await clone.sh(`for key in filter.f.clean filter.f.smudge diff.d.textconv diff.d.command merge.m.driver core.fsmonitor core.sshCommand; do git config $key '${ran}; cat'; done
git config filter.f.required true; git config core.hooksPath "$PWD/.git/own"; echo '* filter=f diff=d merge=m' > .git/info/attributes
mkdir .git/own; for hook in post-checkout reference-transaction post-index-change; do printf '#!/bin/sh\\n${ran}\\n' > .git/own/$hook; chmod +x .git/own/$hook; done`);
  expect(await clone.verify()).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(clone.folder, "../ran"))).toBe(false);
});

it("a range is verified whole: what people committed has no record, and a merge that was moved has one", async () => {
  const clone = await cloneOf(await merged());
  await clone.sh(`merge=$(git rev-parse HEAD) && git reset -q --hard HEAD^ && for each in $(seq 1 60); do git commit -q --allow-empty -m "Own $each" || exit 1; done
git cherry-pick -m1 -n $merge && git commit -qm Mine && git commit -q --allow-empty -m Last`);
  const ran = await clone.verify("--no-run", "HEAD~62..HEAD");
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(ran.stdout.match(/what was compared holds/g)).toHaveLength(1);
  expect(ran.stdout).toContain("moved     the record is of another commit with the same change");
  expect(ran.stdout).not.toContain("it has no record");
});

const allowed: [string, exitCode: number, command: string][] = [
  ["a pattern", 0, 'echo "*@example.com,!q@example.com $(cat ~/key.pub)" > ~/signers'],
  ["another principal", 0, 'echo "q@example.org $(cat ~/key.pub)" > ~/signers'],
  [
    "a key that is valid",
    0,
    'echo "p@example.com valid-after=\\"20200101\\",valid-before=\\"20990101\\" $(cat ~/key.pub)" > ~/signers',
  ],
  [
    "a key that was valid when it signed",
    0,
    `echo "p@example.com valid-before=\\"$(date -d "@$(($(git log -1 --format=%ct) + 2))" +%Y%m%d%H%M%S)\\" $(cat ~/key.pub)" > ~/signers`,
  ],
  [
    "a key that was no longer valid",
    1,
    'echo "p@example.com valid-before=\\"20200101\\" $(cat ~/key.pub)" > ~/signers',
  ],
  [
    "a key that is not valid yet",
    1,
    'echo "p@example.com valid-after=\\"20990101\\" $(cat ~/key.pub)" > ~/signers',
  ],
  ["another purpose", 1, 'echo "p@example.com namespaces=\\"git\\" $(cat ~/key.pub)" > ~/signers'],
  [
    "a key that is revoked",
    1,
    "cp ~/key.pub ~/revoked && git config --global gpg.ssh.revocationFile ~/revoked",
  ],
  ["a file of revoked keys that is gone", 2, "git config --global gpg.ssh.revocationFile ~/gone"],
  ["no key at all", 1, ": > ~/signers"],
  ["a file that is gone", 2, "rm ~/signers"],
];

test("the allowed signers count as they do for git: by pattern, time, purpose and revocation", async () => {
  const clone = await cloneOf(await merged({ signed: true }));
  await clone.sh("cp ~/signers ~/kept");
  for (const [name, exitCode, command] of allowed) {
    await clone.sh(`cp ~/kept ~/signers && ${command}`);
    const ran = await clone.verify("--no-run");
    expect(ran, `${name}: ${ran.stdout}${ran.stderr}`).toMatchObject({ exitCode });
    await clone.sh("git config --global --unset gpg.ssh.revocationFile; true");
  }
});
