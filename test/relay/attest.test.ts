/** The record of a merge: written with it, verified on another clone by git and by running, and no forgery of it passes. */
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { plainNote, readNote } from "../../src/core/attest/dsse.ts";
import { statementSchema } from "../../src/core/attest/statement-schema.ts";
import { processesOf } from "../support/cli.ts";
import type { Ran } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";
import { skipWithout } from "../support/namespaces.ts";
import { commit, submit, works } from "../support/place.ts";
import { cloneOf, id, merged, mergedByPull, resealed, story } from "../support/record.ts";

vi.setConfig({ testTimeout: 300_000 });

testRows<[string, string]>([
  ["merge", "same      monoco's commit has the parents of the record"],
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
    // Each command is told once, as it begins.
    const told = ["merge", "base"].flatMap((side) => [
      `on the ${side}: test -f file.txt`,
      `on the ${side}: grep -q text file.txt`,
    ]);
    expect(ran.stderr.split("\n")).toEqual(told);
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
  expect(none.stdout).toContain("it has no record\n  hint: monoco relay pull --all brings the records");
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

testRows<["squash" | "merge"]>([["squash"], ["merge"]])(
  "the record moves to the commit that a pull request landed by %s, and says so",
  async ([how]) => {
    const { clone } = await mergedByPull(how);
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
  // How it ends on the one side is said of the other.
  Object.assign(statement.predicate.criteria[0]!, { exitCode: 2, base: 0 });
  await clone.annotate(plainNote(statement));
  const swapped = await clone.verify();
  expect(swapped).toMatchObject({ exitCode: 1 });
  expect(swapped.stdout).toContain(
    "claimed 2 on the merge, 0 on the base; seen 0 on the merge, 2 on the base",
  );
  statement.predicate.criteria[0]!.base = 2;
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

it("Ctrl-C ends the running command, and begins none", async (context) => {
  skipWithout("bubblewrap", context);
  const place = await merged();
  const clone = await cloneOf(place);
  const { statement } = readNote(await clone.note())!;
  statement.predicate.criteria[0]!.command = "sleep 600";
  await clone.annotate(plainNote(statement));
  const running = place.sandbox.start(["verify"], { cwd: clone.folder });
  await expect.poll(() => processesOf(place.around).join(), { timeout: 60_000 }).toContain("sleep");
  running.kill("SIGINT");
  const ran = await running;
  expect(ran).toMatchObject({ exitCode: 130, stdout: "" });
  expect(ran.stderr.match(/: sleep 600/g)).toHaveLength(1);
});
