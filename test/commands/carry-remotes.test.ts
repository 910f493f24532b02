/** monoco relay push and pull with remotes of all kinds: what is carried, and what is said where a remote takes nothing. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processesOf } from "../support/cli.ts";
import { standInGh } from "../support/gh.ts";
import { approves, run } from "../support/place.ts";
import { inTwoSessions, openTwoClones, work } from "../support/two-clones.ts";

const head = "git rev-parse refs/monoco/FEAT-0001/head";

test.for([
  ["an old server, by the first protocol", "receive.advertiseAtomic false", "protocol.version 0"],
  ["one that takes neither deletions nor rewritten refs", "receive.denyDeletes true", "protocol.version 1"],
])("%s takes a relay", async ([, theirs, ours]) => {
  const { a, b, there } = await openTwoClones();
  await there(`git config ${theirs} && git config receive.denyNonFastForwards true`);
  await a.sh(`git config ${ours}`);
  await work(a, "one");
  for (const text of ["two", "three"]) {
    const pushed = await a.monoco("relay push FEAT-0001");
    expect(pushed, pushed.stdout).toMatchObject({ exitCode: 0 });
    await work(a, text);
  }
  expect(await b.monoco("relay pull FEAT-0001")).toMatchObject({ exitCode: 0 });
});

describe("what a remote refuses is said in its words, and nothing moves", () => {
  test.for([
    ["more than one ref at once", "receive.advertiseAtomic false", /does not support --atomic/],
    ["hidden refs", "transfer.hideRefs refs/monoco", /hidden ref/],
  ] as const)("%s", async ([, theirs, words]) => {
    const { a, there } = await openTwoClones();
    await there(`git config ${theirs}`);
    await work(a, "one");
    await a.sh("git update-ref refs/monoco/FEAT-0001/submissions/1 refs/monoco/FEAT-0001/head");
    const pushed = await a.monoco("relay push FEAT-0001");
    expect(pushed, pushed.stdout).toMatchObject({ exitCode: 1 });
    expect(pushed.stdout).toMatch(/^FEAT-0001: origin refused it: /);
    expect(pushed.stdout).toMatch(words);
    expect(await there("git for-each-ref refs/monoco")).toBe("");
  });

  test("a hook for all, a rewritten head, and a branch that is in the way", async () => {
    const { a, bare, there } = await openTwoClones(inTwoSessions, {
      settings: "remote: { namespace: heads }\n",
    });
    await work(a, "one");
    const hook = join(bare, "hooks", "pre-receive");
    writeFileSync(hook, "#!/bin/sh\necho no relays here >&2\nexit 1\n", { mode: 0o755 });
    expect((await a.monoco("relay push FEAT-0001")).stdout).toMatch(
      /^FEAT-0001: origin refused it: .*no relays here/,
    );
    writeFileSync(hook, "#!/bin/sh\n");
    await there("git branch monoco-relays main");
    expect((await a.monoco("relay push FEAT-0001")).stdout).toMatch(/^FEAT-0001: origin refused it: /);
    await there("git branch -D monoco-relays && git config receive.denyNonFastForwards true");
    expect(await a.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    await a.sh("git update-ref refs/monoco/FEAT-0001/head main");
    await work(a, "another");
    expect((await a.monoco("relay push FEAT-0001")).stdout).toMatch(
      /^FEAT-0001: origin refused it: .*non-fast-forward/,
    );
  });
});

test("what was pushed is told, also where the notes then fail, and how they did", async () => {
  const { place, a, there } = await openTwoClones();
  const one = await work(a, "one");
  await a.sh("git notes --ref=monoco add -m words main && git push -q origin refs/notes/monoco");
  const [once, count] = [join(place.around, "once"), join(place.around, "count")];
  writeFileSync(
    once,
    `#!/bin/sh\n[ -e '${count}' ] && exit 1\ntouch '${count}'\nexec git-upload-pack "$@"\n`,
    { mode: 0o755 },
  );
  await a.sh(`git config remote.origin.uploadpack '${once}'`);
  const pushed = await a.monoco("relay push FEAT-0001");
  expect(pushed, pushed.stdout).toMatchObject({ exitCode: 75, stderr: "" });
  expect(pushed.stdout).toMatch(
    /^FEAT-0001: pushed to origin: .*\nnotes: origin does not answer: .*\nhint: git ls-remote origin shows/,
  );
  expect(await there(head)).toBe(one);
  await a.sh(`rm '${count}'`);
  expect(JSON.parse((await a.monoco("relay push FEAT-0001 --json")).stdout)).toMatchObject({
    relays: [{ is: "up_to_date" }],
    notes: { is: "failed", kind: "later" },
  });
});

test("Ctrl-C ends the git that pushes, tells what went before, and says so", async () => {
  const { place, a, there } = await openTwoClones();
  await work(a, "one");
  await work(a, "two", "FEAT-0002");
  const [slow, count] = [join(place.around, "slow"), join(place.around, "count")];
  const stands = `mkfifo '${place.around}/fifos/git' 2> /dev/null; echo here > '${place.around}/fifos/git'; exec sleep 600`;
  writeFileSync(
    slow,
    `#!/bin/sh\n[ -e '${count}' ] && { ${stands}; }\ntouch '${count}'\nexec git-receive-pack "$@"\n`,
    { mode: 0o755 },
  );
  await a.sh(`git config remote.origin.receivepack '${slow}'`);
  const running = place.sandbox.start(["relay", "push", "--all"], { cwd: a.folder });
  await place.heard("git");
  running.kill("SIGINT");
  const ran = await running;
  expect(ran).toMatchObject({
    exitCode: 130,
    stderr: "interrupted; nothing is lost: run the same command again",
  });
  expect(ran.stdout).toMatch(/^FEAT-0001: pushed to origin: 1 ref, head [0-9a-f]{8}$/);
  await expect.poll(() => processesOf(place.around), { timeout: 10_000 }).toEqual([]);
  await a.sh("git config --unset remote.origin.receivepack");
  expect(await a.monoco("relay push --all")).toMatchObject({ exitCode: 0 });
  expect(await there("git for-each-ref refs/monoco/FEAT-0002")).not.toBe("");
});

test.for(["pull", "push"])(
  "notes that cannot be joined here by a %s are told so, and the remote's stay",
  async (verb) => {
    const { a, b, there } = await openTwoClones();
    await a.sh("git notes --ref=monoco add -m theirs main && git push -q origin refs/notes/monoco");
    await b.sh("git commit -q --allow-empty -m more && git notes --ref=monoco add -m ours HEAD");
    const theirs = await there("git rev-parse refs/notes/monoco");
    writeFileSync(join(b.folder, ".git/refs/notes/monoco.lock"), "");
    const carried = await b.monoco(`relay ${verb} --all`);
    expect(carried, carried.stdout).toMatchObject({ exitCode: 3, stderr: "" });
    expect(carried.stdout).toMatch(
      /^notes: not joined with those of origin: .*\nhint: run the same command again/,
    );
    expect(await there("git rev-parse refs/notes/monoco")).toBe(theirs);
  },
);

test("a password in the remote's URL is never printed, nor is a URL taken for a name", async () => {
  const { a } = await openTwoClones();
  await work(a, "one");
  await a.sh("git remote set-url origin https://someone:hunter2@127.0.0.1:1/x.git");
  for (const args of ["relay push FEAT-0001", "relay pull FEAT-0001 --json", "relay push --all"]) {
    const ran = await a.monoco(args);
    expect(ran).toMatchObject({ exitCode: 75 });
    expect(ran.stdout + ran.stderr).not.toContain("hunter2");
  }
  writeFileSync(join(a.folder, "monoco.yaml"), "remote: https://someone:hunter2@127.0.0.1:1/x.git\n");
  expect(await a.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 2 });
});

test("the remote is the one that git means: by insteadOf, and another one after the setting is changed", async () => {
  const { place, a, bare } = await openTwoClones();
  const one = await work(a, "one");
  await a.sh(
    `git remote set-url origin short:bare.git && git config url.'${place.around}/'.insteadOf short:`,
  );
  expect(await a.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
  await a.sh(`git init -q --bare '${bare}-2' && git remote add second '${bare}-2'`);
  writeFileSync(join(a.folder, "monoco.yaml"), "remote: second\n");
  expect((await a.monoco("relay push FEAT-0001")).stdout).toContain("pushed to second: 1 ref");
  expect(await place.sandbox.sh(`${bare}-2`, head)).toBe(one);
});

test("there is nothing to carry: no relay at all, an id of none, one that was cleaned up", async () => {
  const { a, b } = await openTwoClones();
  for (const verb of ["push", "pull"]) {
    expect(await a.monoco(`relay ${verb} --all`)).toMatchObject({
      exitCode: 0,
      stdout: "there are no relays to carry",
    });
    const none = await a.monoco(`relay ${verb} FEAT-0099`);
    expect(none).toMatchObject({ exitCode: 2 });
    expect(none.stdout).toContain("FEAT-0099: there is no relay to carry");
  }
  await a.monoco("run FEAT-0001");
  expect(await a.monoco("relay push feat-1")).toMatchObject({ exitCode: 0 });
  await a.sh("git push -q origin main");
  await a.monoco("relay clear FEAT-0001 --refs");
  expect((await a.monoco("relay push --all")).stdout).not.toContain("FEAT-0001");
  await b.sh("git pull -q");
  const pulled = await b.monoco("relay pull --all");
  expect(pulled, pulled.stdout).toMatchObject({ exitCode: 0 });
  expect(pulled.stdout).not.toContain("next:");
  expect(await b.monoco("resume FEAT-0001")).toMatchObject({ exitCode: 2 });
});

test("refs of somebody hostile are not taken: blobs, tags, odd names, a journal that is none", async () => {
  const { a, b, there } = await openTwoClones(inTwoSessions, { settings: "remote: { carry: [journal] }\n" });
  const one = await work(a, "one");
  await work(a, "two", "FEAT-0002");
  await a.monoco("relay push --all");
  const put = "git update-ref refs/monoco";
  await there(
    [
      "blob=$(echo words | git hash-object -w --stdin)",
      "git -c user.name=x -c user.email=x@x tag -am words words main",
      `${put}/FEAT-0001/submissions/1 $blob && ${put}/FEAT-0001/submissions/2 $(git rev-parse words)`,
      `${put}/FEAT-0001/sessions/1/wip main && ${put}/feat-0001/head main && ${put}/X/head main`,
      `${put}/FEAT-0003/head $blob && git symbolic-ref refs/monoco/FEAT-0004/head refs/heads/main`,
      `${put}/FEAT-0002/journal $(git -c user.name=x -c user.email=x@x commit-tree -m j $(printf '100644 blob %s\\t1\\n' $blob | git mktree))`,
    ].join("; "),
  );
  const pulled = await b.monoco("relay pull --all");
  expect(pulled, pulled.stdout + pulled.stderr).toMatchObject({ exitCode: 2 });
  expect(pulled.stdout).toContain(`FEAT-0001: pulled from origin: head ${one.slice(0, 8)}`);
  expect(pulled.stdout).toContain(
    "FEAT-0002: what origin has as the journal is not taken: the journal speaks of a relay that was never opened\nhint: git log -p refs/monoco/FEAT-0002/there/journal shows it\n",
  );
  expect(await b.sh("git log -p refs/monoco/FEAT-0002/there/journal")).toContain("+words");
  expect(await b.sh("ls .monoco/relays")).toBe("");
  expect(pulled.stdout).toContain("FEAT-0003: there is no relay to carry\nhint: monoco inbox shows");
  expect((await b.monoco("inbox")).stdout).toContain("FEAT-0001");
  const kept = await b.sh("git for-each-ref --format='%(refname:lstrip=2)' refs/monoco");
  expect(kept.split("\n").filter((name) => !/\/(?:there|seen)\//.test(name))).toEqual([
    "FEAT-0001/head",
    "FEAT-0004/head",
  ]);
});

test("a loop is only fetched: the same loop begins anew", async () => {
  const { a, b } = await openTwoClones(
    { ...inTwoSessions, executor: [inTwoSessions.executor[0]!] },
    { settings: "remote: { carry: [journal] }\n" },
  );
  writeFileSync(join(a.folder, "task.md"), "Write a file.\n");
  writeFileSync(join(b.folder, "task.md"), "Write a file.\n");
  await a.monoco("loop task.md --max 1");
  expect(await a.monoco("relay push LOOP-0001")).toMatchObject({ exitCode: 0 });
  const pulled = await b.monoco("relay pull --all");
  expect(pulled).toMatchObject({ exitCode: 0 });
  expect(pulled.stdout).not.toContain("next:");
  await b.monoco("loop task.md --max 1");
  expect(b.all("relay.opened", "LOOP-0001")).toHaveLength(1);
  expect(b.all("relay.opened", "LOOP-0002")).toHaveLength(1);
});

test("the branch of another clone's pull request is not overwritten by the work that goes on here", async () => {
  const { place, a, b, bare, there } = await openTwoClones(
    {
      executor: [[run("echo more >> file.txt; git add -A; git commit -qm work"), { submit: true }]],
      reviewer: [approves],
    },
    { settings: "finish: pr\nremote: { carry: [journal] }\n" },
  );
  const { env } = standInGh(place.sandbox, [], bare);
  await a.sh("git branch -q --set-upstream-to=origin/main main");
  await a.monoco("run FEAT-0001", { env });
  const before = await there("git rev-parse monoco/FEAT-0001");
  await a.monoco("relay push FEAT-0001");
  expect(await b.monoco("relay pull FEAT-0001")).toMatchObject({ exitCode: 0 });
  const went = await b.monoco("resume FEAT-0001", { env });
  expect(went, went.stdout + went.stderr).toMatchObject({ exitCode: 1 });
  expect(went.stdout).toContain("blocked: monoco/FEAT-0001 cannot be pushed to origin");
  expect(await there("git rev-parse monoco/FEAT-0001")).toBe(before);
});
