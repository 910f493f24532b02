/** The record of a merge: written with it, verified on another clone by git and by running, and no forgery of it passes. */
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { plainNote, readNote, signedNote } from "../../src/core/attest/dsse.ts";
import { statementSchema } from "../../src/core/attest/statement-schema.ts";
import type { Statement } from "../../src/core/attest/statement-schema.ts";
import { removeTree } from "../../src/git/folders.ts";
import type { Ran } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";
import { standInGh } from "../support/gh.ts";
import { skipWithout } from "../support/namespaces.ts";
import { commit, openPlace, submit, works } from "../support/place.ts";
import type { Place, Story } from "../support/place.ts";

vi.setConfig({ testTimeout: 300_000 });

const id = "FEAT-0001";
const approves = [{ verdict: "approve", evidence: "grep -q text file.txt" }];
const story: Story = { executor: [works], reviewer: [approves] };

/** A colleague's clone with the records; what is done there harms nobody. */
type Clone = {
  folder: string;
  sh(command: string): Promise<string>;
  verify(...args: string[]): Promise<Ran>;
  note(commit?: string): Promise<string>;
  /** Writes a note to a commit. */
  annotate(text: string, commit?: string): Promise<void>;
};

/** A place with a merged relay. The person's key signs its record if `signed`. */
async function merged({ signed = false, settings = "", of = story } = {}): Promise<Place> {
  const sign = signed ? "attest: sign\n" : "";
  const place = await openPlace(of, { settings: `checks: ["test -f file.txt"]\n${sign}${settings}` });
  if (signed)
    await place.sh(`ssh-keygen -q -t ed25519 -N '' -f ~/key && git config user.signingkey ~/key.pub
echo "p@example.com namespaces=\\"git,monoco\\" $(cat ~/key.pub)" > ~/signers
git config --global gpg.ssh.allowedSignersFile ~/signers`);
  const ran = await place.monoco("run", id);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  return place;
}

/** The clone `clone`, made if it is missing, or a copy of it. */
async function cloneOf(place: Place, name = "clone"): Promise<Clone> {
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

testRows<[string, string]>([
  ["merge", "same      it is made on the base, of the submission"],
  // Its submission is not fetched, so that only the record knows it.
  ["squash", "claimed   the submission is the one that was approved"],
])(
  "a merge by %s is verified on another clone, by running its evidence on both sides",
  async ([merge, line], context) => {
    skipWithout("bubblewrap", context);
    const place = await merged({ settings: `merge: ${merge}\n` });
    const clone = await cloneOf(place);
    const before = await clone.sh("git for-each-ref; find . -path ./.git -prune -o -print | sort");
    const ran = await clone.verify();
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toContain(line);
    expect(ran.stdout).toContain(
      "check; claimed 0 on the merge; seen 0 on the merge\n            test -f file.txt\n",
    );
    expect(ran.stdout).toContain(
      "1. the file is there; claimed 0 on the merge, 2 on the base; seen 0 on the merge, 2 on the base\n            grep -q text file.txt\n",
    );
    expect(ran.stdout).not.toContain("DIFFERS");
    expect(await clone.sh("git for-each-ref; find . -path ./.git -prune -o -print | sort")).toBe(before);
  },
);

it("the record is an in-toto statement about the commit and its tree, and the trailers are in it", async () => {
  const place = await merged();
  const clone = await cloneOf(place);
  const statement = statementSchema.parse(JSON.parse(await clone.note()));
  const [commit, tree] = (await place.git("log", "-1", "--format=%H %T", "main")).split(" ");
  expect(statement.subject).toEqual([
    { name: "commit", digest: { gitCommit: commit } },
    { name: "tree", digest: { gitTree: tree } },
  ]);
  const [prepared] = place.all("merge.prepared");
  const { predicate } = statement;
  expect(predicate).toMatchObject({
    title: "Write a file",
    merge: { strategy: "merge", commit, tree, base: prepared!.expectedBase },
    landing: { issue: id, submission: 1, executors: [{ agent: "a" }], reviewer: { session: 2, agent: "a" } },
    checks: [{ command: "test -f file.txt", exitCode: 0 }],
    criteria: [
      {
        criterion: 1,
        statement: "the file is there",
        command: "grep -q text file.txt",
        exitCode: 0,
        base: 2,
      },
    ],
  });
  const done = place.events().find(({ type }) => type === "merge.done")!;
  expect(predicate.journal).toBe(done.prev);
  expect(z.toJSONSchema(statementSchema)).toMatchObject({ type: "object" });
});

it("names a commit, a range or nothing, from any folder and worktree; without records it says how to get them", async () => {
  const place = await merged();
  const clone = await cloneOf(place);
  const json = await clone.verify("--no-run", "--json", "HEAD^..HEAD");
  expect(JSON.parse(json.stdout)).toMatchObject({
    status: 0,
    commits: [{ is: "holds", signature: { is: "unsigned" } }],
  });
  const at = (folder: string, ...args: string[]): Promise<Ran> =>
    place.sandbox.monoco(["verify", "--no-run", ...args], { cwd: join(clone.folder, folder) });
  expect(await at("issues")).toMatchObject({ exitCode: 0 });
  await clone.sh("git worktree add -q ../linked HEAD^");
  expect(await at("../linked", "main")).toMatchObject({ exitCode: 0 });
  const none = await at("../linked");
  expect(none).toMatchObject({ exitCode: 2 });
  expect(none.stdout).toContain(
    "it has no record\n  hint: git fetch REMOTE refs/notes/monoco:refs/notes/monoco",
  );
  for (const name of ["nothing", "-x", "main..nothing"]) {
    const ran = await at(".", "--", name);
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("error: no such commit: ") as string,
    });
  }
  await clone.sh("git update-ref -d refs/notes/monoco");
  expect(await at(".", "HEAD^..HEAD")).toMatchObject({ exitCode: 2 });
  expect((await at(".", "HEAD^..HEAD^2")).stdout).toBe("no merge of monoco's in HEAD^..HEAD^2");
});

type Forgery = {
  /** `edit` changes the statement and leaves a signature as it is. */
  does(clone: Clone, edit: (change: (statement: Statement) => void) => Promise<void>): Promise<void>;
  /** What is said where nobody signed. */
  unsigned: string;
};

/** Commits a change to the merge, and moves the record there with everything in it that names a commit. */
const amended =
  (command: string): Forgery["does"] =>
  async (clone, edit) => {
    const before = (await clone.sh("git rev-parse HEAD")).trim();
    await clone.sh(`${command} && git add -A && git commit -q --amend --no-edit`);
    const [commit = "", tree = ""] = (await clone.sh("git log -1 --format='%H %T'")).trim().split(" ");
    await clone.annotate(await clone.note(before));
    await edit(({ subject, predicate }) => {
      subject[0].digest.gitCommit = commit;
      subject[1]!.digest.gitTree = tree;
      Object.assign(predicate.merge, { commit, tree });
    });
  };

const forgeries: Record<string, Forgery> = {
  "an edited note": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.criteria[0]!.base = 7)),
    unsigned: "claimed   1. the file is there; claimed 0 on the merge, 7 on the base",
  },
  "a swapped command": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.checks[0]!.command = "true")),
    unsigned:
      "claimed   set-up and checks are those of the contract and of monoco.yaml on the base: true, test -f file.txt",
  },
  "the note of another commit": {
    does: async (clone) => {
      const note = await clone.note();
      await clone.sh("echo more > more.txt && git add -A && git commit -qm More");
      await clone.annotate(note);
    },
    unsigned: "DIFFERS   the record is of another commit",
  },
  "another base": {
    does: async (clone, edit) => {
      const other = (await clone.sh("git rev-parse HEAD^2")).trim();
      await edit(({ predicate }) => void (predicate.merge.base = other));
    },
    unsigned: "DIFFERS   its parents are not the base and the submission",
  },
  "an amended merge": {
    does: (clone) =>
      clone.sh("echo x > x.txt && git add -A && git commit -q --amend --no-edit").then(() => undefined),
    unsigned: "DIFFERS   the record is of another commit",
  },
  "a file more in the merge": {
    does: amended("echo x > x.txt"),
    unsigned: "DIFFERS   its tree is not the submission merged with the base: x.txt",
  },
  "an evil merge": {
    does: amended("echo evil > file.txt"),
    unsigned: "DIFFERS   its tree is not the submission merged with the base: file.txt",
  },
  "an old note, replayed": {
    does: async (clone, edit) => {
      const before = (await clone.sh("git rev-parse HEAD")).trim();
      await clone.sh("git commit -q --allow-empty -m Later");
      const commit = (await clone.sh("git rev-parse HEAD")).trim();
      await clone.annotate(await clone.note(before));
      await edit(({ subject, predicate }) => {
        subject[0].digest.gitCommit = commit;
        predicate.merge.commit = commit;
      });
    },
    unsigned: "DIFFERS   its parents are not the base and the submission",
  },
  "a journal that is cut": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.landing.journal = "0".repeat(64))),
    unsigned: "DIFFERS   its trailers say something else: Monoco-Journal: 0000",
  },
  "a contract of somebody else": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.contract.sha256 = "0".repeat(64))),
    unsigned: "DIFFERS   the contract is not the issue on the base: 0000",
  },
};

it.each([[false], [true]])("no forgery passes for a record (signed: %s)", async (signed) => {
  const place = await merged({ signed });
  const whole = await cloneOf(place);
  const fine = await whole.verify("--no-run");
  expect(fine, fine.stdout + fine.stderr).toMatchObject({ exitCode: 0 });
  expect(fine.stdout).toContain(
    signed ? "signed    by p@example.com (SHA256:" : "unsigned  anybody may have",
  );
  for (const [name, { does, unsigned }] of Object.entries(forgeries)) {
    const clone = await cloneOf(place, name);
    await does(clone, async (change) => {
      const note = await clone.note();
      const { statement } = readNote(note)!;
      change(statement);
      await clone.annotate(signed ? resealed(note, statement) : plainNote(statement));
    });
    const ran = await clone.verify("--no-run");
    const isClaimed = unsigned.startsWith("claimed") && !signed;
    expect(ran.exitCode, `${name}: ${ran.stdout}${ran.stderr}`).toBe(isClaimed ? 0 : 1);
    if (!signed) expect(ran.stdout, name).toContain(unsigned);
    removeTree(clone.folder);
  }
});

/** The paths of all values in a record. */
function leavesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [[...path]];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...path, key]));
}

/** Changes one value a little. */
function changeAt(value: object, [key = "", ...rest]: readonly string[]): void {
  const one: unknown = Reflect.get(value, key);
  if (rest.length > 0 && typeof one === "object" && one !== null) return changeAt(one, rest);
  const last = (text: string): string => `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}`;
  const other = typeof one === "string" ? last(one) : typeof one === "number" ? one + 1 : !one;
  Reflect.set(value, key, other);
}

test("each single value of a record is under its signature", async () => {
  const finding = { id: "n", severity: "minor", title: "Could be shorter", file: "file.txt", line: 1 };
  const first = { verdict: "request_changes", findings: [{ ...finding, severity: "major" }] };
  const last = { verdict: "approve", evidence: "grep -q text file.txt", findings: [finding] };
  const again = [{ write: { "file.txt": "text, again\n" } }, commit, submit];
  const of = { executor: [works, again], reviewer: [[first], [last]] };
  const place = await merged({ signed: true, of, settings: 'setup: ["true"]\n' });
  const clone = await cloneOf(place);
  const note = await clone.note();
  const { statement } = readNote(note)!;
  const all = leavesOf(statement);
  expect(all.length).toBeGreaterThan(50);
  for (const path of all) {
    const forged = structuredClone(statement);
    changeAt(forged, path);
    await clone.annotate(resealed(note, forged));
    expect(await clone.verify("--no-run"), path.join(".")).toMatchObject({ exitCode: 1 });
  }
});

/** The statement under the signature of another. */
function resealed(note: string, statement: Statement): string {
  const [signature] = (JSON.parse(note) as { signatures: [{ sig: string; keyid: string }] }).signatures;
  const sig = Buffer.from(signature.sig, "base64").toString();
  return signedNote(JSON.stringify(statement), { sig, keyid: signature.keyid });
}

test("a signature by a key that the allowed signers do not name does not count", async () => {
  const place = await merged({ signed: true });
  const clone = await cloneOf(place);
  await clone.sh(
    `ssh-keygen -q -t ed25519 -N '' -f ~/other && echo "p@example.com $(cat ~/other.pub)" > ~/others`,
  );
  const ran = await clone.verify("--no-run", "--signers", join(place.sandbox.env["HOME"]!, "others"));
  expect(ran).toMatchObject({ exitCode: 1 });
  expect(ran.stdout).toContain("which the allowed signers do not name");
  await clone.sh("git config --global --unset gpg.ssh.allowedSignersFile");
  const unknown = await clone.verify("--no-run");
  expect(unknown).toMatchObject({ exitCode: 0 });
  expect(unknown.stdout).toContain("claimed   signed by SHA256:");
});

testRows<[string]>([["squash"], ["merge"]])(
  "the record moves to the commit that a pull request landed by %s, and says so",
  async ([how]) => {
    const place = await openPlace(story, { settings: 'finish: pr\nchecks: ["test -f file.txt"]\n' });
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
    }[how]!;
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
    const ran = await clone.verify("--no-run");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toContain("same      the record is of this commit");
    expect(ran.stdout).toContain("same      its tree is");
    // A person who squashes it elsewhere: the record of the branch is found by the change.
    await clone.sh(
      `git switch -q --detach HEAD^ && git cherry-pick -n ${how === "merge" ? "-m1 " : ""}main && git commit -qm Mine`,
    );
    const mine = await clone.verify("--no-run");
    expect(mine.stdout).toContain("moved     the record is of another commit with the same change");
    expect(mine).toMatchObject({ exitCode: 0 });
    await clone.sh("echo x > x.txt && git add -A && git commit -q --amend -m Mine");
    expect(await clone.verify("--no-run")).toMatchObject({ exitCode: 2 });
  },
);

it("a run that was cut off before it recorded the merge writes the same record again, and no second one", async () => {
  const place = await merged();
  const note = (): Promise<string> => place.git("notes", "--ref=refs/notes/monoco", "show", "main");
  const before = [await place.git("rev-parse", "refs/notes/monoco"), await note()];
  const journal = `.monoco/relays/${id}/journal.jsonl`;
  const cut = `sed -i '/"type":"merge.done"/,$d' ${journal} && git update-ref -d refs/monoco/${id}/journal`;
  await place.sh(cut);
  const resumed = await place.monoco("resume", id);
  expect(resumed, resumed.stdout + resumed.stderr).toMatchObject({ exitCode: 0 });
  expect([await place.git("rev-parse", "refs/notes/monoco"), await note()]).toEqual(before);
  await place.sh(`${cut}; git update-ref -d refs/notes/monoco`);
  expect(await place.monoco("resume", id)).toMatchObject({ exitCode: 0 });
  expect(await note()).toBe(before[1]);
});

test("evidence that needs a file of the Reviewer's runs again with that file", async (context) => {
  skipWithout("bubblewrap", context);
  const probe = { write: { "probe.sh": "grep -q text file.txt\n" } };
  const reviewer = [[probe, { verdict: "approve", evidence: "sh probe.sh" }]];
  const place = await merged({ of: { ...story, reviewer } });
  const clone = await cloneOf(place);
  const ran = await clone.verify();
  expect(ran.stdout).toContain("seen 0 on the merge, 2 on the base\n            sh probe.sh\n");
  expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
});

test("without a sandbox no command of a record runs, and it says how to compare alone", async (context) => {
  skipWithout("a user namespace", context);
  const place = await merged();
  const clone = await cloneOf(place);
  const hidden = 'if [ -e /usr/bin/bwrap ]; then mount --bind /dev/null /usr/bin/bwrap; fi && exec "$@"';
  const under = ["unshare", "-Urm", "/bin/sh", "-c", hidden, "sh"];
  const ran = await place.sandbox.monoco(["verify"], { cwd: clone.folder, under });
  expect(ran, ran.stdout).toMatchObject({ exitCode: 2 });
  expect(ran.stderr).toContain("the commands of a record run in a sandbox only, and none works here");
  expect(ran.stderr).toContain("hint: monoco verify --no-run compares without running");
});

it("in CI only what the base itself names is run of a record that nobody signed", async (context) => {
  skipWithout("bubblewrap", context);
  const place = await merged();
  const clone = await cloneOf(place);
  const ran = await place.sandbox.monoco(["verify"], { cwd: clone.folder, env: { CI: "true" } });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(ran.stdout).toContain(
    "check; claimed 0 on the merge; seen 0 on the merge\n            test -f file.txt\n",
  );
  expect(ran.stdout).toMatch(/claimed +1\. the file is there; claimed 0 on the merge, 2 on the base$/m);
  expect(ran.stdout).toContain("not run   commands that no allowed signer signed");
  expect(ran.stderr).not.toContain("grep");
});

it("a command that ends differently is run once more, and does not hold", async (context) => {
  skipWithout("bubblewrap", context);
  const place = await merged();
  const clone = await cloneOf(place);
  const { statement } = readNote(await clone.note())!;
  statement.predicate.criteria[0]!.exitCode = 3;
  await clone.annotate(plainNote(statement));
  const ran = await clone.verify();
  expect(ran).toMatchObject({ exitCode: 1 });
  expect(ran.stdout).toContain("DIFFERS   1. the file is there");
  expect(ran.stderr.match(/^on the merge: grep -q text file\.txt$/gm)).toHaveLength(2);
  // The first run leaves something behind, and the second one meets it.
  const once = "test -e .git/once || { touch .git/once; exit 1; }";
  const [criterion] = statement.predicate.criteria;
  statement.predicate.criteria = [{ ...criterion!, command: once, exitCode: 0, base: undefined }];
  await clone.annotate(plainNote(statement));
  const flaky = await clone.verify();
  expect(flaky, flaky.stdout).toMatchObject({ exitCode: 0 });
  expect(flaky.stdout).toContain(
    "flaky     1. the file is there; claimed 0 on the merge; seen 0 on the merge",
  );
});
