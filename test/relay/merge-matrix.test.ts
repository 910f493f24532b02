/**
 * What may stand between an approved submission and its base, on real git: whatever it is, nothing is lost, and every
 * refusal says what to do, which works. (Two at once, and a dirty or detached checkout: two-at-once.test.ts and
 * person-in-between.test.ts, by a merge commit; here by the other strategies.)
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, vi, it } from "vitest";
import type { Ran } from "../support/cli.ts";
import {
  approves,
  commit,
  issuePath,
  issueText,
  meetTheOther,
  openPlace,
  run,
  submit,
} from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

vi.setConfig({ testTimeout: 300_000 });

const strategies = ["merge", "squash"] as const;
type Strategy = (typeof strategies)[number];
const branch = "monoco/FEAT-0001";
const issue = issuePath("FEAT-0001");

type Row = {
  /** Files of the base. */
  files?: Record<string, string>;
  /** Done to the repository before the relay opens, in the person's checkout. */
  before?: string;
  /** What the person does to the base while the Reviewer is at work, committed afterwards. */
  theirs?: string;
  /** What the Executor does, committed afterwards. */
  work: string;
  /** What an Executor does who is sent the conflict. */
  repair?: string;
  settings?: string;
};

async function openMatrix(row: Row): Promise<Place> {
  const theirs = row.theirs === undefined ? [] : [run(`cd "$PERSON" && { ${row.theirs}; }`)];
  const executor = [[run(row.work), commit, submit]];
  if (row.repair !== undefined) executor.push([run(row.repair), submit]);
  const place = await openPlace(
    { executor, reviewer: [[...theirs, ...approves], approves] },
    { files: { "a.txt": "one\n", ...row.files }, settings: row.settings ?? "" },
  );
  if (row.before !== undefined) await place.sh(row.before);
  // A file of the person's that git does not know: it is theirs whatever happens.
  place.write("mine, 我的.txt", "mine\n");
  return place;
}

const commits = (what: string): string =>
  `${what}; git add -u && git add -A -- ':!mine*' && git commit -qm Theirs`;

/** Whatever became of it, nothing is lost: the base has only grown, all that was submitted is there, the person's file too. */
async function expectNothingLost(place: Place, before: string[]): Promise<void> {
  for (const tip of before) await place.git("merge-base", "--is-ancestor", tip, "main");
  expect(place.read("mine, 我的.txt")).toBe("mine\n");
  for (const { submission, head } of place.all("submission.requested")) {
    const ref = `refs/monoco/FEAT-0001/submissions/${submission}`;
    expect(await place.git("rev-parse", ref)).toBe(head);
    await place.git("rev-list", "--objects", "--quiet", ref);
  }
  expect(await place.git("fsck", "--connectivity-only", "--no-dangling")).toBe("");
}

/** Merged, once, as the strategy says; the tree that landed is the one that was prepared and checked, and the checkout has it. */
async function expectLanded(place: Place, before: string[], strategy: Strategy): Promise<void> {
  await expectNothingLost(place, before);
  const done = place.all("merge.done");
  expect(done).toHaveLength(1);
  const prepared = place.all("merge.prepared").at(-1)!;
  expect(await place.git("rev-parse", "main", "main^{tree}")).toBe(`${prepared.commit}\n${prepared.tree}`);
  expect(prepared.strategy).toBe(strategy);
  expect(await place.git("status", "--porcelain", "--", ":!mine*")).toBe("");
  expect(await place.git("show", `main:${issue}`)).toContain("\nstatus: closed\n");
  const merges = await place.git("rev-list", "--merges", "--first-parent", `${before.at(-1)}..main`);
  expect(merges.split("\n").filter(Boolean)).toHaveLength(strategy === "merge" ? 1 : 0);
  const trailers = await place.sh("git log -1 --format=%B main | git interpret-trailers --parse");
  expect(trailers).toContain(`Monoco-Submission: ${done[0]!.submission} `);
  // Its branch and clones are gone: all that is in them has landed.
  expect(await place.git("branch", "--list", "monoco/*")).toBe("");
  expect(done[0]!.kept).toBeUndefined();
  const clones = await place.sandbox.sh(place.around, "ls state/monoco/*");
  expect(clones).not.toMatch(/FEAT-0001($|\.review|\.kept)/m);
}

const tipOf = (place: Place): Promise<string> => place.git("rev-parse", "main");

/** The base as the person left it: before the relay, and after what they did meanwhile. */
async function tipsOf(place: Place, theirs: boolean): Promise<string[]> {
  const first = place.all("relay.opened")[0]!.baseCommit;
  const last = place.all("merge.prepared").at(-1)?.expectedBase ?? first;
  if (theirs) expect(last).not.toBe(first);
  return [first, last];
}

const everything = {
  files: {
    "b.txt": "1\n\n\n\n\n2\n",
    "run.sh": "#!/bin/sh\n\n\n\n\necho 1\n",
    "gone.txt": "gone\n",
    "crlf.txt": "one\r\n\r\n\r\n\r\ntwo\r\n",
    ".gitattributes": "*.win text eol=crlf\n*.bin -text\n",
    "x.win": "one\n",
    "pointer.dat": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    "文件/名 字.txt": "一\n",
    "-rf": "dash\n",
  },
  work: [
    "git mv b.txt c.txt",
    "chmod +x run.sh",
    "rm gone.txt",
    "sed -i '1s/one/ONE/' crlf.txt",
    "printf 'one\\r\\ntwo\\r\\n' > x.win",
    "printf 'a\\0\\r\\nb' > y.bin",
    "ln -s 文件/nowhere link",
    "echo 二 >> '文件/名 字.txt'",
    "echo more >> ./-rf; echo 3 > ./--help",
    "sed -i 's/oid.*/oid sha256:11/' pointer.dat",
    `sed -i 's/\\[ \\]/[x]/' ${issue}`,
  ].join(" && "),
  theirs: commits(
    [
      "sed -i 's/2/TWO/' b.txt",
      "sed -i 's/echo 1/echo 2/' run.sh",
      "sed -i 's/two/TWO/' crlf.txt",
      `sed -i 's/^title: .*/&\\npriority: high/' ${issue}`,
      `printf '\\n## Notes\\n\\nMine.\\n' >> ${issue}`,
      "echo theirs > theirs.txt",
    ].join(" && "),
  ),
} satisfies Row;

/** How a conflict is solved by an Executor that has both sides: where, in what, by which strategy, to what. */
const conflicts: [string, Strategy, Row, string, string?][] = [
  ...strategies.map((strategy): [string, Strategy, Row, string] => [
    "in code",
    strategy,
    {
      work: "echo work > a.txt",
      theirs: commits("echo theirs > a.txt"),
      repair: "printf 'theirs\\nwork\\n' > a.txt",
    },
    "theirs\nwork\n",
  ]),
  [
    "of a deletion against an edit",
    "merge",
    { work: "rm a.txt; echo b > b.txt", theirs: commits("echo theirs > a.txt"), repair: "git add a.txt" },
    "theirs\n",
  ],
  [
    "of an edit against a deletion",
    "squash",
    { work: "echo work > a.txt", theirs: commits("rm a.txt"), repair: "git add a.txt" },
    "work\n",
  ],
  [
    // No file of it conflicts: git alone says so, by its exit status and in words.
    "of a folder that was split, and got a file meanwhile",
    "merge",
    {
      files: Object.fromEntries([1, 2, 3, 4].map((n) => [`d/${n}.txt`, `${n}\n`.repeat(20)])),
      work: "mkdir e g; git mv d/1.txt d/2.txt e; git mv d/3.txt d/4.txt g",
      theirs: commits("echo new > d/new.txt; git add d"),
      repair: "git mv d/new.txt e/new.txt",
    },
    "one\n",
    "d",
  ],
];

testRows(conflicts)(
  "a conflict %s, by %s, goes to an Executor, who has both sides; solved, it lands",
  async ([, strategy, row, expected, path = "a.txt"]) => {
    const repair = `git merge -q main || true; ${row.repair}; git commit -qam Solve`;
    const place = await openMatrix({ ...row, repair, settings: `merge: ${strategy}\n` });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(place.all("merge.conflicted")).toMatchObject([{ submission: 1, paths: [path] }]);
    expect(place.read(".monoco/relays/FEAT-0001/sessions/0003-executor/prompt.md")).toContain(
      `Conflicts with origin/main in: ${path}`,
    );
    await expectLanded(place, await tipsOf(place, true), strategy);
    expect(place.read("a.txt")).toBe(expected);
  },
);

describe.each(strategies)("by %s", (strategy) => {
  const settings = `merge: ${strategy}\n`;

  test("fast-forward: the base has not moved", async () => {
    const place = await openMatrix({
      work: "echo two > a.txt; git commit -qam One; echo three > b.txt",
      settings,
    });
    const base = await tipOf(place);
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectLanded(place, [base], strategy);
    expect(await place.sh("cat a.txt b.txt")).toBe("two\nthree");
    const subjects = (await place.git("log", "--format=%s", `${base}..main`)).split("\n");
    const closing = "FEAT-0001: Write a file";
    expect(subjects).toEqual(strategy === "squash" ? [closing] : [closing, "work", "One"]);
  });

  it("diverged, with every kind of file that git knows: each change of both sides is there, byte for byte", async () => {
    // A link is protected, and a person would have to agree to it.
    const place = await openMatrix({
      ...everything,
      settings: `${settings}\ngates: { protected: reviewer }\n`,
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectLanded(place, await tipsOf(place, true), strategy);
    // Rename against edit.
    expect(place.read("c.txt")).toBe("1\n\n\n\n\nTWO\n");
    expect(existsSync(join(place.project, "b.txt"))).toBe(false);
    expect(existsSync(join(place.project, "gone.txt"))).toBe(false);
    expect(place.read("crlf.txt")).toBe("ONE\r\n\r\n\r\n\r\nTWO\r\n");
    expect(await place.git("show", "main:x.win")).toBe("one\ntwo");
    expect(place.read("x.win")).toBe("one\r\ntwo\r\n");
    expect(place.read("y.bin")).toBe("a\0\r\nb");
    expect(await place.sh("readlink link; ./run.sh; cat ./-rf ./--help; cat 文件/*")).toBe(
      "文件/nowhere\n2\ndash\nmore\n3\n一\n二",
    );
    expect(place.read("pointer.dat")).toContain("\noid sha256:11\n");
    expect(place.read("theirs.txt")).toBe("theirs\n");
    // Conflict in the issue's file: the base's text, the branch's ticks.
    expect(place.read(issue)).toContain("\npriority: high\n");
    expect(place.read(issue)).toContain("- [x] the file is there");
    expect(place.read(issue)).toContain("\nMine.\n");
  });

  test("a base that was rewritten: what was taken off it is not brought back; the work is moved over as told, and lands", async () => {
    const place = await openMatrix({
      before: "echo secret > secret.txt && git add -A && git commit -qm Secret",
      work: "echo work > a.txt",
      theirs: commits("git reset -q --hard HEAD^; echo new > new.txt"),
      settings,
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toMatch(
      /blocked: main was rewritten: it no longer has [0-9a-f]{12}, which the work rests on/,
    );
    const rewritten = await tipOf(place);
    expect(await place.git("ls-tree", "--name-only", "main")).not.toContain("secret.txt");
    await place.sh("echo 'mine*' >> .git/info/exclude");
    await place.sh(/to leave it out: (git rebase .*?), then/.exec(ran.stdout)![1]!);
    expect(await place.monoco("issue", "submit")).toMatchObject({ exitCode: 0 });
    await place.git("checkout", "-q", "main");
    const resumed = await place.monoco("relay", "resume", "FEAT-0001");
    expect(resumed, resumed.stdout).toMatchObject({ exitCode: 0 });
    await expectLanded(place, [rewritten], strategy);
    expect(await place.git("log", "--format=%s", "main")).not.toContain("Secret");
    expect(await place.sh("cat a.txt new.txt; ls")).not.toContain("secret");
  });

  test("a dirty checkout: the merge is parked, the command that is named lands it, and resume finds it landed", async () => {
    const place = await openMatrix({ work: "echo work > b.txt", settings });
    const base = await tipOf(place);
    await place.sh("echo mine >> a.txt; echo staged > staged.txt; git add staged.txt");
    const before = await place.sh("git status --porcelain; git diff HEAD");
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(await tipOf(place)).toBe(base);
    await place.sandbox.sh(place.around, commandIn(ran));
    const resumed = await place.monoco("relay", "resume", "FEAT-0001");
    expect(resumed, resumed.stdout).toMatchObject({ exitCode: 0 });
    expect(await place.sh("git status --porcelain; git diff HEAD")).toBe(before);
    await place.sh("git checkout -q HEAD -- a.txt; git rm -qf staged.txt");
    await expectLanded(place, [base], strategy);
    expect(place.all("merge.prepared")).toHaveLength(1);
  });

  test("two relays that merge at the same instant: both land, one after the other", async () => {
    const place = await openPlace(
      {
        executor: [[run('echo "$MONOCO_ISSUE" > "$MONOCO_ISSUE.txt"'), commit, submit]],
        reviewer: [[meetTheOther, ...approves], approves],
      },
      { issues: ["FEAT-0001", "FEAT-0002"], settings },
    );
    const base = await tipOf(place);
    const both = [place.start("run", "FEAT-0001"), place.start("run", "FEAT-0002")];
    for (const ran of await Promise.all(both)) expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await place.git("merge-base", "--is-ancestor", base, "main");
    expect(await place.git("status", "--porcelain")).toBe("");
    for (const id of ["FEAT-0001", "FEAT-0002"]) {
      expect(place.read(`${id}.txt`)).toBe(`${id}\n`);
      expect(place.read(issuePath(id))).toContain("\nstatus: closed\n");
      const merge = place.all("merge.done", id)[0]!.commit;
      await place.git("merge-base", "--is-ancestor", merge, "main");
      // Nothing of the other's is taken away again.
      expect(await place.git("diff", "--diff-filter=D", "--name-only", base, merge)).toBe("");
    }
  });
});

describe("whatever the strategy", () => {
  // TRAP 26
  test("what an Executor merged in between (a landing of monoco's), and the person then took off the base, is not brought back", async () => {
    const place = await openPlace({
      executor: [
        [
          run(
            'echo one > one.txt; cd "$PERSON"; echo s > secret.txt; git add secret.txt; git commit -qm Secret -m "Monoco-Reviewer: session 1"',
          ),
        ],
        [run("git add -A; git commit -qm One; git merge -q --no-edit main"), submit],
      ],
      reviewer: [[run('cd "$PERSON" && git reset -q --hard HEAD^'), ...approves], approves],
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toMatch(/blocked: main was rewritten: it no longer has [0-9a-f]{12}/);
    const base = await tipOf(place);
    await place.sh(/to leave it out: (git rebase .*?), then/.exec(ran.stdout)![1]!);
    expect(await place.monoco("issue", "submit")).toMatchObject({ exitCode: 0 });
    await place.git("checkout", "-q", "main");
    const resumed = await place.monoco("relay", "resume", "FEAT-0001");
    expect(resumed, resumed.stdout).toMatchObject({ exitCode: 0 });
    await place.git("merge-base", "--is-ancestor", base, "main");
    expect(await place.git("log", "--format=%s", "main")).not.toContain("Secret");
    expect(await place.sh("ls")).not.toContain("secret.txt");
  });

  it("a merged tree that fails its checks goes to an Executor, whose prompt has the failing output; fixed, it lands", async () => {
    const check =
      "test ! -f b.txt || test ! -f theirs.txt || test -f fixed.txt || { echo both need fixed.txt; exit 1; }";
    const place = await openMatrix({
      work: "echo work > b.txt",
      theirs: commits("echo theirs > theirs.txt; git add theirs.txt"),
      repair: "echo fixed > fixed.txt; git add fixed.txt; git commit -qm Fix",
      settings: `checks: [${JSON.stringify(check)}]\n`,
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(place.all("merge.rejected")).toMatchObject([{ submission: 1 }]);
    expect(place.read(".monoco/relays/FEAT-0001/sessions/0003-executor/prompt.md")).toMatch(
      /^both need fixed\.txt$/m,
    );
    await expectLanded(place, await tipsOf(place, true), "merge");
  });

  test("checks that are named while a person is asked run before the merge, on the tree that is known too", async () => {
    const place = await openMatrix({
      work: "echo work > b.txt",
      settings: "gates: { medium: human }\nbaseline: none\nchecks: [test -f b.txt]\n",
    });
    const base = await tipOf(place);
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 1 });
    expect(await place.monoco("issue", "review", "FEAT-0001", "--approve", "--no-run")).toMatchObject({
      exitCode: 0,
    });
    const more = ["--set", "checks=[test -f b.txt, test -f nowhere.txt]", "--set", "limits.sessionsMax=1"];
    const resumed = await place.monoco("relay", "resume", "FEAT-0001", ...more);
    expect(resumed, resumed.stdout).toMatchObject({ exitCode: 1 });
    expect(place.all("merge.rejected")).toMatchObject([
      { why: "on the merged tree: test -f nowhere.txt failed" },
    ]);
    expect(await tipOf(place)).toBe(base);
  });

  test("a deleted base: it says so, changes nothing, and lands when the base is there again", async () => {
    const place = await openMatrix({
      work: "echo work > b.txt",
      theirs: "git checkout -q --detach && git branch -m main old",
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 2 });
    expect(ran.stdout + ran.stderr).toMatch(/branch main is gone[^]*hint: git branch main/);
    await place.git("branch", "main", "old");
    const resumed = await place.monoco("relay", "resume", "FEAT-0001");
    expect(resumed, resumed.stdout + resumed.stderr).toMatchObject({ exitCode: 0 });
    await expectNothingLost(place, [await place.git("rev-parse", "old")]);
    expect(await place.git("show", "main:b.txt")).toBe("work");
  });

  test("a submodule of the base stays as it is", async () => {
    const place = await openMatrix({
      before:
        "git init -q -b main ../sub && git -C ../sub commit -q --allow-empty -m Sub && git -c protocol.file.allow=always submodule --quiet add ../sub sub && git commit -qam Submodule",
      work: "echo work > b.txt",
      theirs: commits("echo theirs > a.txt"),
      settings: "merge: squash\n",
    });
    const link = await place.git("ls-tree", "main", "sub", ".gitmodules");
    expect(link).toContain("160000 commit");
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectLanded(place, await tipsOf(place, true), "squash");
    expect(await place.git("ls-tree", "main", "sub", ".gitmodules")).toBe(link);
  });

  it("a submodule's new commit is kept and lands where the contract allows the path; of the others the prompt warns", async () => {
    const add = (name: string): string =>
      `git init -q -b main ../${name} && git -C ../${name} commit -q --allow-empty -m Sub && git -c protocol.file.allow=always submodule --quiet add ../${name} ${name}`;
    const place = await openMatrix({
      files: { [issue]: issueText("FEAT-0001", "allows: [sub]\n") },
      before: `${add("sub")} && ${add("other")} && git commit -qam Submodules`,
      work: "echo b > b.txt; cd sub && echo new > new.txt && git add -A && git commit -qm New",
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(place.read(".monoco/relays/FEAT-0001/sessions/0001-executor/prompt.md")).toContain(
      "Submodules are not part of this work (other): `monoco issue submit` refuses commits and changes in them",
    );
    const commitOfSub = await place.git("rev-parse", "main:sub");
    expect(await place.git("-C", "sub", "log", "-1", "--format=%s", commitOfSub)).toBe("New");
    expect(await place.git("-C", "sub", "for-each-ref", "--contains", commitOfSub)).toContain(
      "refs/monoco/FEAT-0001/sessions/1/",
    );
  });

  it("files that go by Git LFS are refused before any work, with words", async () => {
    const place = await openMatrix({
      files: { ".gitattributes": "*.dat filter=lfs\n" },
      work: "echo b > b.txt",
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toMatch(/\.gitattributes uses Git LFS[^]*hint: /);
    await expectNothingLost(place, []);
  });

  it("files behind a filter that is set up here are refused before any work, with the way out, which works", async () => {
    const place = await openMatrix({
      files: { ".gitattributes": "secrets/** filter=crypt\n", "secrets/a": "token\n" },
      before: "git config filter.crypt.clean cat && git config filter.crypt.smudge cat",
      work: "echo b > b.txt",
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toMatch(
      /^error: FEAT-0001: git's filter crypt is in force on secrets\/a: [^]*\nhint: set filters: ignore in monoco\.yaml if the work touches nothing secret/,
    );
    await expectNothingLost(place, []);
    expect(place.all("session.started")).toEqual([]);
    await place.sh("printf '\\nfilters: ignore\\n' >> monoco.yaml && git commit -qam Ignore");
    const again = await place.monoco("run", "FEAT-0001");
    expect(again, again.stdout + again.stderr).toMatchObject({ exitCode: 0 });
    expect(await place.git("show", "main:b.txt")).toBe("b");
  });

  it("a submission with a file behind a filter that is set up here is refused, with words", async () => {
    const place = await openMatrix({
      before:
        "git config filter.crypt.clean rev && echo 'secrets/** filter=crypt' > .gitattributes && git add -A && git commit -qm Crypt",
      work: "mkdir secrets && echo token > secrets/new",
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran.stdout).toContain("git's filter crypt is in force on secrets/new");
    expect(await place.git("ls-tree", "main", "secrets")).toBe("");
  });

  test("5,000 files on both sides", async () => {
    const many = (from: number): string =>
      `mkdir -p many/${from} && (cd many/${from} && seq ${from} ${from + 2_499} | split -l 1 -a 4 - f)`;
    const place = await openMatrix({
      before: `${many(0)} && git add -A && git commit -qm Many`,
      work: `${many(10_000)} && git rm -q -r many/0`,
      theirs: commits(many(20_000)),
      settings: "merge: squash\n",
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectLanded(place, await tipsOf(place, true), "squash");
    expect(await place.sh("ls many; ls many/* | grep -c ^f")).toBe("10000\n20000\n5000");
  });

  test("a commit whose message passes for monoco's own is refused, and lands when it says no such thing", async () => {
    const place = await openMatrix({
      work: "echo b > b.txt; git add -A; git commit -qm 'b\n\nmonoco-executor: person'; echo c > c.txt",
      repair: "git reset -q --soft main; git commit -qm b",
    });
    const base = await tipOf(place);
    const ran = await place.monoco("run", "FEAT-0001");
    expect(place.all("submission.refused").map(({ why }) => why)).toEqual([
      expect.stringMatching(
        /^the message of [0-9a-f]{7,} has trailers that only monoco may write .*: reword it$/,
      ),
    ]);
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectLanded(place, [base], "merge");
    expect(
      await place.git("log", "--format=%(trailers:key=Monoco-Executor,valueonly)", "main"),
    ).not.toContain("person");
  });
});

describe("what is not merged is kept, and named", () => {
  test.for<[string, string, RegExp, (place: Place) => Promise<unknown>]>([
    [
      "a file that somebody wrote into the work clone",
      'echo late > "../FEAT-0001/late, 晚.txt"',
      /FEAT-0001\.kept-1: not committed: late, 晚\.txt$/,
      (place) => place.sandbox.sh(place.around, "cat state/monoco/*/FEAT-0001.kept-1/late*"),
    ],
    [
      "a commit that somebody made in the work clone",
      "cd ../FEAT-0001 && git commit -q --allow-empty -m Late",
      /FEAT-0001\.kept-1: it has commits that no session left$/,
      (place) =>
        place.sandbox.sh(
          place.around,
          "cd state/monoco/*/FEAT-0001.kept-1 && git log -1 --format=%s | grep Late",
        ),
    ],
    [
      "a commit that the person put on the branch",
      `cd "$PERSON" && git update-ref refs/heads/${branch} $(git commit-tree -p ${branch} -m Mine ${branch}^{tree})`,
      /^branch monoco\/FEAT-0001: 1 commits that are not merged$/,
      (place) => place.sh(`git log -1 --format=%s ${branch} | grep Mine`),
    ],
    [
      "a branch that the person has checked out",
      `cd "$PERSON" && git worktree add -q ../held ${branch}`,
      /^branch monoco\/FEAT-0001: .*held has it checked out$/,
      (place) => place.sandbox.git(join(place.around, "held"), "status"),
    ],
  ])("%s", async ([, meanwhile, words, isThere]) => {
    const place = await openPlace(
      { executor: [[run("echo b > b.txt"), commit, submit]], reviewer: [[run(meanwhile), ...approves]] },
      { settings: "merge: squash\n" },
    );
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(place.all("merge.done")).toMatchObject([{ kept: [expect.stringMatching(words)] }]);
    expect(ran.stdout).toMatch(/merged submission 1 as [0-9a-f]{8}; kept: /);
    const status = await place.monoco("relay", "status", "FEAT-0001");
    expect(status.stdout).toMatch(/^ {2}kept {6}\S/m);
    await isThere(place);
  });
});

/** The command that the hint of a parked merge names. */
function commandIn(ran: Ran): string {
  return /; or (git .*), then monoco resume/m.exec(ran.stdout)![1]!;
}
