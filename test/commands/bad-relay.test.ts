/** What a relay keeps, spoiled by hand: its journal, its mailbox, the handoff, the clone it works in, the base it merges into. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { lineOf } from "../../src/store/chain.ts";
import { processesOf } from "../support/cli.ts";
import { approves, commit, issue, makePlace, works } from "../support/bad-place.ts";
import type { Place, Story } from "../support/bad-place.ts";
import { ownersRights } from "../support/rights.ts";
import { full as test, testRows } from "../support/full.ts";

const half = [{ write: { "a.txt": "a" } }, commit, { write: { "b.txt": "b" } }];
const twoSessions: Story = { executor: [half, works], reviewer: [approves] };

/** A relay after its first session, which left committed and uncommitted work. */
async function afterOneSession(story: Story = twoSessions): Promise<Place> {
  const place = await makePlace(story);
  expect(await place.monoco(["run", issue, "--once"])).toMatchObject({ exitCode: 1 });
  return place;
}

describe("a journal", () => {
  const all = [
    ["relay", "status", issue, "--json"],
    ["relay", "show", issue],
    ["relay", "resume", issue, "--json"],
    ["run", issue],
    ["relay", "stop", issue],
    ["relay", "clear", issue],
    ["issue", "review", issue],
  ];
  const change = (path: string, from: RegExp | string, to: string): void =>
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));

  testRows<[string, (path: string) => void, RegExp, RegExp]>([
    [
      "was changed by hand",
      (path) => change(path, '"agent":"a"', '"agent":"b"'),
      /journal\.jsonl:3: .* was changed/,
      /git rev-list .* refs\/monoco\/FEAT-0001\/journal \|[^\n]*keep the first 2 lines/,
    ],
    [
      "has an event of an unknown type",
      (path) => change(path, /"type":"(?!relay\.opened)[^"]*"/, '"type":"moon.landed"'),
      /journal\.jsonl:2: an event of a newer monoco \(moon\.landed\)/,
      /use the monoco that wrote it/,
    ],
    // Status looks without the schemas, and asks them once it trips.
    [
      "has a field that is not what it should be",
      (path) => {
        const opened = { v: 1, seq: 1, prev: "", atMs: 1, type: "relay.opened", title: 7 };
        writeFileSync(path, `${lineOf(JSON.stringify(opened))}\n`);
      },
      /journal\.jsonl:1: the journal is damaged/,
      /restore it/,
    ],
  ])("that %s is refused by every command, and stays as it is", async ([, spoil, says, hint]) => {
    const place = await afterOneSession();
    spoil(place.journal);
    for (const args of all) await place.refuses(args, { code: 2, says, hint });
  });

  test("that is damaged keeps nobody from seeing the other relays and issues", async () => {
    const place = await afterOneSession();
    const other = join(place.project, ".monoco/relays/FEAT-0002");
    mkdirSync(other);
    writeFileSync(join(other, "journal.jsonl"), "garbage\nmore\n");
    const status = await place.monoco(["relay", "status", "--json"]);
    expect(status).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/FEAT-0002\/journal\.jsonl:1: /) as string,
    });
    expect(JSON.parse(status.stdout)).toMatchObject([{ issue, phase: "ready" }]);
    expect((await place.monoco(["relay", "status"])).stdout).toContain(issue);
  });

  it("with a torn tail is read up to it, left alone by who only looks, and goes on (TRAP 38, 55)", async () => {
    const place = await afterOneSession();
    appendFileSync(place.journal, '{"v":1,"seq"');
    const torn = readFileSync(place.journal);
    expect(await place.monoco(["relay", "status", issue])).toMatchObject({ exitCode: 0 });
    expect(await place.monoco(["relay", "show", issue])).toMatchObject({ exitCode: 0 });
    expect(await place.monoco(["doctor"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(place.journal)).toEqual(torn);
    const resumed = await place.monoco(["relay", "resume", issue]);
    expect(resumed).toMatchObject({ exitCode: 0 });
    expect(resumed.stdout).toMatch(
      /warning: [^\n]+journal\.jsonl: its last line was not written whole, and 12 bytes were cut off; nothing/,
    );
    expect(place.types().at(-1)).toBe("merge.done");
  });

  test("that is empty is no relay, and run opens one anew beside the work of before", async () => {
    const place = await afterOneSession();
    writeFileSync(place.journal, "");
    for (const args of [
      ["relay", "status", issue],
      ["relay", "show", issue],
      ["relay", "resume", issue],
      ["relay", "clear", issue],
    ]) {
      await place.refuses(args, { code: 2, says: /FEAT-0001/, hint: /monoco run FEAT-0001/ });
    }
    expect((await place.monoco(["relay", "status"])).stdout).toContain("no relays yet");
    expect(await place.monoco(["run", issue])).toMatchObject({ exitCode: 0 });
    expect(await place.sh("git for-each-ref refs/monoco/FEAT-0001 | grep -c lost-journal")).not.toBe("0");
  });
});

describe("a message", () => {
  it("that is none is set aside and told, and the next one is taken", async () => {
    const place = await afterOneSession();
    writeFileSync(join(place.project, `.monoco/relays/${issue}/inbox/1.json`), "stop!");
    const stopped = await place.monoco(["relay", "stop", issue, "--json"]);
    expect(stopped).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^warning: inbox\/1\.json: not JSON/) as string,
    });
    expect(JSON.parse(stopped.stdout)).toEqual({ issue, stop: "taken" });
    expect(place.types().at(-1)).toBe("relay.paused");
    expect(readdirSync(join(place.project, `.monoco/relays/${issue}/inbox`))).toEqual(["1.json.rejected"]);
  });

  test("that a runner finds is told among its lines", async () => {
    const place = await afterOneSession();
    writeFileSync(join(place.project, `.monoco/relays/${issue}/inbox/1.json`), "stop!");
    const ran = await place.monoco(["relay", "resume", issue]);
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("warning: inbox/1.json: not JSON") as string,
    });
  });

  it("whose command failed is taken back: it does not come true later", async () => {
    const place = await makePlace();
    await place.sh("git checkout -q -b mine && touch file.txt && git add -A && git commit -q -m Mine");
    place.write("roles/executor.md", "");
    await place.sh("git add -A && git commit -q -m 'A broken role'");
    await place.refuses(["issue", "submit", issue], { code: 2, says: /executor\.md:1: it is empty/ });
  });

  test("that is refused is an error with the reason: a person's submission that changes submodules", async () => {
    const place = await makePlace();
    await place.sh(
      "git checkout -q -b mine && touch file.txt && git add -A && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && git commit -q -m Mine",
    );
    const ran = await place.monoco(["issue", "submit", issue]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error: FEAT-0001: the submission is refused: submodules are changed[^\n]*: sub\nhint: /,
    );
  });

  test("in an outbox that is none harms nobody", async () => {
    const command = 'echo x > "$MONOCO_SESSION_DIR/outbox/1.json"';
    const place = await makePlace({
      executor: [[{ run: command }, { write: { "a.txt": "a" } }, commit]],
      reviewer: [approves],
    });
    expect(await place.monoco(["run", issue, "--once"])).toMatchObject({ exitCode: 1, stderr: "" });
    expect(place.events().find((event) => event.type === "session.ended")).toMatchObject({ commits: 1 });
  });
});

describe("a handoff", () => {
  testRows<[string, string]>([
    ["a link to somebody's file", "ln -s /etc/passwd RALPH.md"],
    [
      "another session's",
      "printf '# RALPH.md\\n\\n## Metadata\\n- Issue: FEAT-0009\\n- Session: 7\\n' > RALPH.md",
    ],
  ])("that is %s is generated", async ([, command]) => {
    const place = await makePlace({
      executor: [[{ write: { "a.txt": "a" } }, commit, { run: command }], works],
      reviewer: [approves],
    });
    expect(await place.monoco(["run", issue, "--once"])).toMatchObject({ exitCode: 1, stderr: "" });
    expect(place.events().find((event) => event.type === "handoff.recorded")).toMatchObject({
      source: "generated",
    });
    expect(place.events().find((event) => event.type === "session.ended")).toMatchObject({ commits: 1 });
  });

  test.for<[string, string]>([
    ["a folder", "mkdir RALPH.md"],
    ["a link to nothing", "ln -s nowhere RALPH.md"],
    ["not to be read", "echo x > RALPH.md; chmod 0 RALPH.md"],
  ])("%s: relay prepare says so in words, or puts a scaffold in its place", async ([, command], context) => {
    const place = await makePlace({
      executor: [[{ run: `${command}; monoco relay prepare; echo "prepared: $?"` }]],
      reviewer: [approves],
    });
    await place.monoco(["run", issue, "--once"], ownersRights(context));
    const said = readFileSync(
      join(place.project, `.monoco/relays/${issue}/sessions/0001-executor/stream.jsonl`),
      "utf8",
    );
    expect(said).toMatch(/prepared: [02]\b/);
    expect(said).not.toMatch(/node:internal|a bug in monoco/);
  });
});

describe("a workspace", () => {
  const clone = (place: Place): string =>
    join(place.state, "monoco", readdirSync(join(place.state, "monoco"))[0]!, issue);

  testRows<[string, (place: Place) => void]>([
    ["deleted by hand", (place) => rmSync(clone(place), { recursive: true })],
    ["deleted with all that stands beside it", (place) => rmSync(place.state, { recursive: true })],
    [
      "replaced by a file",
      (place) => (rmSync(clone(place), { recursive: true }), writeFileSync(clone(place), "x")),
    ],
    [
      "replaced by a link to the person's repository",
      (place) => (rmSync(clone(place), { recursive: true }), symlinkSync(place.project, clone(place))),
    ],
    ["without its .git", (place) => rmSync(join(clone(place), ".git"), { recursive: true })],
  ])("that is %s between sessions is made again, with its uncommitted work", async ([, spoil]) => {
    const place = await afterOneSession();
    spoil(place);
    expect(await place.monoco(["relay", "status", issue])).toMatchObject({ exitCode: 0 });
    expect(await place.monoco(["relay", "resume", issue])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await place.sh("git show main:a.txt main:b.txt main:file.txt")).toBe("abtext");
    expect(await place.sh("git status --porcelain")).toBe("");
  });

  testRows<[string, string]>([
    ["becomes a file", "cd ..; rm -rf FEAT-0001; echo x > FEAT-0001"],
    ["may not be entered any more", "chmod 0 ."],
    ["has a .git that may not be read", "chmod 0 .git"],
    ["has files that may not be read", "echo x > new.txt; echo y > story.yaml; chmod 0 new.txt story.yaml"],
    ["has a folder that may not be read", "mkdir d; echo x > d/x; chmod 0 d"],
  ])("that %s during a session ends it in words, and the next one goes on", async ([, command], context) => {
    const place = await makePlace({
      executor: [
        [{ run: command }],
        [{ run: "chmod -R u+rwX . || true; git checkout -q story.yaml || true; rm -rf new.txt d" }, ...works],
      ],
      reviewer: [approves],
    });
    const ran = await place.monoco(["run", issue], ownersRights(context));
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(place.types().at(-1)).toBe("merge.done");
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  });

  test("whose unreadable files are work is kept with them", async (context) => {
    const place = await makePlace({
      executor: [[{ run: "echo mine > new.txt; chmod 0 new.txt" }]],
      reviewer: [approves],
    });
    expect(await place.monoco(["run", issue, "--once"], ownersRights(context))).toMatchObject({
      exitCode: 1,
    });
    expect(await place.sh("git show refs/monoco/FEAT-0001/sessions/1/wip:new.txt")).toBe("mine");
  });

  test("of the Reviewer that is deleted under it costs no verdict", async () => {
    // Written out: no command can be run in a folder that is gone.
    const shown = { command: "echo test -s file.txt | sh", exitCode: 0 };
    const approval = {
      verdict: "approve",
      criteria: [{ criterion: 1, result: "met", ...shown }],
      probes: [shown],
    };
    const place = await makePlace({ executor: [works], reviewer: [[{ run: 'rm -rf "$PWD"' }, approval]] });
    expect(await place.monoco(["run", issue])).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("of a relay whose runtime folder becomes a file during a session: words, and nobody is left", async () => {
    const place = await makePlace({
      executor: [[{ run: 'rm -rf "$PERSON/.monoco" && echo x > "$PERSON/.monoco"' }, { sleep: 600 }]],
      reviewer: [approves],
    });
    const ran = await place.monoco(["run", issue]);
    // Whichever of its files it misses first: it says so, and a person is needed.
    expect([1, 2]).toContain(ran.exitCode);
    expect(ran.stderr).toMatch(
      /error: [^\n]*\.monoco[^\n]*(?:: a file stands where a folder|was removed or replaced)/,
    );
    expect(ran.stderr).toContain("\nhint: ");
    expect(ran.stderr).not.toMatch(/^ {4}at /m);
    await expect.poll(() => processesOf(place.sandbox.folder)).toEqual([]);
  });
});

describe("at the merge", () => {
  const reviewerRuns = (command: string): Story => ({
    executor: [works],
    reviewer: [[{ run: command }, ...approves]],
  });

  testRows([
    ["its ref", "refs/heads/main.lock"],
    ["HEAD", "HEAD.lock"],
  ])(
    "a checkout of the base stays as it is where %s is locked by somebody who died; without the lock it goes on (TRAP 27)",
    async ([, path = ""]) => {
      const place = await makePlace(reviewerRuns(`touch -d "1 minute ago" "$PERSON/.git/${path}"`));
      const head = await place.sh("git rev-parse HEAD");
      const ran = await place.monoco(["run", issue]);
      expect(ran).toMatchObject({ exitCode: 1, stderr: "" });
      expect(ran.stdout).toContain(basename(path));
      expect(ran.stdout).toMatch(/no git is at work there, so a killed one left its lock: rm /);
      expect(await place.sh("git rev-parse main && git status --porcelain")).toBe(head);
      rmSync(join(place.project, ".git", path));
      expect(await place.monoco(["relay", "resume", issue])).toMatchObject({ exitCode: 0 });
      expect(await place.sh("git status --porcelain && cat file.txt")).toBe("text");
    },
  );

  /** A filter of the person's that kills git as it writes a file: the index is locked, and the files are halfway. */
  const killer = (command: string): string =>
    [
      'cd "$PERSON"',
      "printf 'file.txt filter=kill\n' >> .git/info/attributes",
      `git config filter.kill.smudge 'if rm .git/armed 2> /dev/null; then ${command}; fi; cat'`,
      "touch .git/armed",
    ].join(" && ");

  test("a kill of git halfway through the files is told, and resume merges once the lock is gone", async () => {
    const place = await makePlace(reviewerRuns(killer("kill -KILL $PPID")));
    const ran = await place.monoco(["run", issue]);
    expect(ran).toMatchObject({ exitCode: 1, stderr: "" });
    const command = /a killed (?:one left its lock|git has left it): (rm .*index\.lock'?),/.exec(
      ran.stdout,
    )?.[1];
    expect(command, ran.stdout).toBeDefined();
    const doctor = await place.monoco(["doctor"]);
    expect(doctor.stdout).toMatch(/git is locked: [^\n]+index\.lock\n +fix: [^\n]*a killed/);
    expect(doctor.stdout).toContain(command);
    await place.sh(command!);
    expect(await place.monoco(["relay", "resume", issue])).toMatchObject({ exitCode: 0 });
    expect(await place.sh("git status --porcelain && cat file.txt")).toBe("text");
  });

  test("a lock that is left beside a merge that was finished is told", async () => {
    const place = await makePlace(reviewerRuns('touch "$PERSON/.git/packed-refs.lock"'));
    const ran = await place.monoco(["run", issue]);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout + ran.stderr).toMatch(
      /warning: main has moved, and a lock of git's is left: [^\n]*a killed (?:one|git) [^\n]+: rm [^\n]+packed-refs\.lock/,
    );
  });

  test("a base that nobody has checked out, and whose ref is locked, has not moved: said at once", async () => {
    const place = await makePlace(reviewerRuns('touch "$PERSON/.git/refs/heads/main.lock"'));
    await place.sh("git checkout -q -b other");
    const ran = await place.monoco(["run", issue]);
    expect(ran).toMatchObject({ exitCode: 1, stderr: "" });
    expect(ran.stdout).toMatch(/main cannot be moved: [^\n]*main\.lock/);
    expect(ran.stdout).toMatch(
      /hint: [^\n]*a killed (?:one|git) [^\n]+: rm [^\n]+main\.lock'?, then monoco resume/,
    );
    expect(place.types().filter((type) => type === "merge.prepared")).toHaveLength(1);
    rmSync(join(place.project, ".git/refs/heads/main.lock"));
    expect(await place.monoco(["relay", "resume", issue])).toMatchObject({ exitCode: 0 });
  });

  test("a lock of a relay's own ref that nobody holds is removed, and the run goes on", async () => {
    const place = await makePlace({
      executor: [[{ run: 'touch "$PERSON/.git/refs/monoco/FEAT-0001/head.lock"' }, ...works], works],
      reviewer: [approves],
    });
    expect(await place.monoco(["run", issue])).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(place.project, ".git/refs/monoco/FEAT-0001/head.lock"))).toBe(false);
    expect(await place.sh("git show main:file.txt")).toBe("text");
  });
});
