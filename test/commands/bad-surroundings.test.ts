/** Where monoco is run: no repository or an odd one, agents that are not there, folders that may not be written, an odd environment. */
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { cliPath, processesOf } from "../support/cli.ts";
import { expectWords, pictureOf } from "../support/picture.ts";
import { approves, issue, makePlace, works } from "../support/bad-place.ts";
import { ownersRights } from "../support/rights.ts";
import { skipWithout } from "../support/namespaces.ts";
import { full as test, testRows } from "../support/full.ts";

/** One of each kind of command: they read, write, and look at relays. */
const kinds = [
  ["relay", "status", "--json"],
  ["issue", "list", "--json"],
  ["issue", "create", "Another"],
  ["run", issue, "--json"],
  ["relay", "stop", issue],
  ["check"],
  ["init"],
];

describe("a repository", () => {
  testRows<[string, string, RegExp, RegExp]>([
    ["that is none", "mkdir ../there", /there is not inside a git repository/, /git init/],
    [
      "whose configuration is broken",
      "git clone -q . ../there && echo '[broken' >> ../there/.git/config",
      /bad config line/,
      /fix what git says/,
    ],
    [
      "whose .git leads nowhere",
      "mkdir ../there && echo 'gitdir: /nowhere' > ../there/.git",
      /not a git repository: \/nowhere/,
      /fix what git says/,
    ],
  ])("%s is refused by every command", async ([, make, says, hint]) => {
    const place = await makePlace();
    await place.sh(make);
    const cwd = join(place.sandbox.folder, "there");
    const before = pictureOf(place.sandbox.folder);
    for (const args of kinds) await place.refuses(args, { code: 2, says, hint }, { cwd });
    expect(pictureOf(place.sandbox.folder)).toEqual(before);
  });

  it("of another user's is refused with git's own reason (TRAP 48)", async (context) => {
    if (process.getuid?.() !== 0) context.skip("only root can give a repository away");
    const place = await makePlace();
    chownSync(place.project, 65_534, 65_534);
    await place.refuses(["relay", "status"], { code: 2, says: /dubious ownership/, hint: /safe\.directory/ });
  });

  it("folder that was deleted under the person's feet is refused", async () => {
    const place = await makePlace();
    const ran = await execa(
      "/bin/sh",
      [
        "-c",
        'mkdir gone && cd gone && rmdir ../gone && exec "$@"',
        "sh",
        process.execPath,
        cliPath,
        "relay",
        "status",
      ],
      { cwd: place.sandbox.folder, env: place.sandbox.env, extendEnv: false, reject: false },
    );
    expectWords(ran);
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^error: the current folder: .*\nhint: /) as string,
    });
  });

  testRows<[string, string, RegExp, RegExp]>([
    [
      "without a commit",
      "rm -rf .git && git init -q -b main .",
      /branch main does not exist or has no commit/,
      /first commit/,
    ],
    [
      "without the base",
      "git branch -m main trunk",
      /branch main does not exist or has no commit/,
      /base: NAME/,
    ],
    [
      "whose base is a tag only",
      "git tag main2 && git branch -m main trunk && git tag main",
      /branch main does not exist or has no commit/,
      /base: NAME/,
    ],
  ])("%s has nothing to run", async ([, spoil, says, hint]) => {
    const place = await makePlace();
    await place.sh(spoil);
    for (const args of [
      ["run", issue, "--json"],
      ["check", issue],
    ])
      await place.refuses(args, { code: 2, says, hint });
    expect(await place.monoco(["relay", "status"])).toMatchObject({ exitCode: 0 });
    expect(await place.monoco(["issue", "list"])).toMatchObject({ exitCode: 0 });
  });

  test("that only speaks of Git LFS is worked in", async () => {
    const place = await makePlace();
    place.write("a/.gitattributes", "# *.bin filter=lfs\n");
    await place.sh("git add -A && git commit -qm Talk");
    expect(await place.monoco(["run", issue])).toMatchObject({ exitCode: 0 });
  });
});

describe("an agent", () => {
  const scripted = "kind: scripted, script: story.yaml";
  const command = (run: string): string => `kind: command, run: ["${run}"]`;

  it("that cannot be started is an error with 4, and no relay opens", async () => {
    const place = await makePlace();
    const bin = join(place.sandbox.folder, "bin");
    mkdirSync(join(bin, "a-folder"), { recursive: true });
    place.write("not-executable.sh", "#!/bin/sh\n");
    place.write("folder.sh/x", "");
    symlinkSync("nowhere", join(place.project, "link.sh"));
    const settings = place.read("monoco.yaml");
    const env = { PATH: `${bin}:${place.sandbox.env["PATH"]}` };
    for (const [entry, says] of [
      [command("no-such-agent"), /: no-such-agent/],
      [command("a-folder"), /: a-folder/],
      [command("./missing.sh"), /: [^\n]*missing\.sh/],
      [command("./folder.sh"), /: [^\n]*folder\.sh/],
      [command("./link.sh"), /: [^\n]*link\.sh/],
      [command("./not-executable.sh"), /not-executable\.sh \(it is not executable: chmod \+x\)/],
      ["kind: scripted, script: missing.yaml", /missing\.yaml \(the script does not exist\)/],
    ] as const) {
      place.write("monoco.yaml", settings.replace(scripted, entry));
      const why = new RegExp(`no agent for the executor can be used${says.source.replace(/^(?!:)/, ".*")}`);
      const expected = { code: 4, says: why, hint: /name another in monoco\.yaml/ };
      await place.refuses(["run", issue, "--json"], expected, { env });
    }
  });

  test("that reports no cost is refused under a budget in money, by the settings that are missing", async () => {
    const place = await makePlace();
    const bin = join(place.sandbox.folder, "bin");
    place.write("../bin/codex", "#!/bin/sh\nexit 1\n");
    chmodSync(join(bin, "codex"), 0o755);
    const env = { PATH: `${bin}:${place.sandbox.env["PATH"]}` };
    const roles = "roles: { executor: { agents: [codex] }, reviewer: { agents: [codex] } }\n";
    const budget =
      "budgets: { relay: { costUsd: 5 } }\nbreaker: { reopen: manual }\nlimits: { backoffSeconds: 0, stalledMax: 1 }\n";
    const model = "agents: { codex: { kind: codex, model: gpt-x } }\n";
    place.write("monoco.yaml", roles + budget);
    const unnamed =
      /codex \(it reports no cost, and budgets\.relay\.costUsd is set: set agents\.codex\.model and the model's entry under prices:/;
    await place.refuses(["run", issue], { code: 4, says: unnamed }, { env });
    place.write("monoco.yaml", roles + budget + model);
    await place.refuses(
      ["run", issue],
      { code: 4, says: /set prices\.gpt-x, or a budget in tokens/ },
      { env },
    );
    place.write("monoco.yaml", `${roles}${budget}${model}prices: { gpt-x: { input: 1, output: 2 } }\n`);
    await place.monoco(["run", issue], { env });
    expect(place.types()).toContain("session.started");
  });

  test("that nobody named is an error of the command line", async () => {
    const expected = { code: 2, says: /no agent is called "nobody"/, hint: /known agents: a, claude/ };
    await (await makePlace()).refuses(["run", issue, "--agent", "nobody"], expected);
  });

  it("that is gone when a relay goes on is an error with 4, and the relay stays as it is", async () => {
    const place = await makePlace({ executor: [[{ write: { "a.txt": "a" } }], works], reviewer: [approves] });
    await place.monoco(["run", issue, "--once"]);
    place.remove("story.yaml");
    const before = place.types();
    const ran = await place.monoco(["relay", "resume", issue]);
    expect(ran).toMatchObject({
      exitCode: 4,
      stderr: expect.stringMatching(/story\.yaml \(the script does not exist\)\)?[^\n]*\nhint: /) as string,
    });
    expect(place.types()).toEqual(before);
  });
});

describe("a folder for the runtime state", () => {
  const wholeRelay = [
    ["run", issue, "--json"],
    ["relay", "resume", issue],
    ["relay", "stop", issue],
    ["relay", "clear", issue],
  ];

  it(".monoco that is a file is refused, and who needs none of it goes on", async () => {
    const place = await makePlace();
    place.write(".monoco", "");
    const says = /\.monoco\/[^\n]*: a file stands where a folder has to be/;
    await place.refuses(["run", issue, "--json"], { code: 2, says });
    expect(await place.monoco(["issue", "list"])).toMatchObject({ exitCode: 0 });
    expect(await place.monoco(["relay", "status"])).toMatchObject({ exitCode: 0 });
    for (const args of wholeRelay.slice(1))
      expect(await place.monoco(args)).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test(".monoco that is read-only after a session: status, show and review read it, all others are refused", async (context) => {
    const place = await makePlace({ executor: [[{ write: { "a.txt": "a" } }], works], reviewer: [approves] });
    const as = ownersRights(context);
    await place.monoco(["run", issue, "--once"], as);
    await place.sh("chmod -R a-w .monoco");
    for (const args of [
      ["relay", "status", issue, "--json"],
      ["relay", "status"],
      ["relay", "show", issue],
      ["issue", "list"],
    ]) {
      expect(await place.monoco(args, as)).toMatchObject({ exitCode: 0, stderr: "" });
    }
    for (const args of [...wholeRelay, ["run", issue]]) {
      await place.refuses(args, { code: 2, says: /\.monoco\/[^\n]*: permission denied/, hint: /right/ }, as);
    }
    await place.sh("chmod -R u+w .monoco");
    expect(await place.monoco(["relay", "resume", issue], as)).toMatchObject({ exitCode: 0 });
  });

  test("XDG_STATE_HOME that may not be written: nothing is opened", async (context) => {
    const place = await makePlace();
    const as = ownersRights(context);
    mkdirSync(place.state);
    chmodSync(place.state, 0o555);
    const ran = await place.monoco(["run", issue, "--json"], as);
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^error: .*state\/.*: permission denied.*\nhint: .*right.*$/);
    expect(existsSync(place.journal)).toBe(false);
    expect(await place.sh("git for-each-ref refs/monoco; git status --porcelain")).toBe("");
    expect(await place.monoco(["relay", "status"], as)).toMatchObject({ exitCode: 0 });
  });
});

describe("an environment", () => {
  test("without git on its PATH is refused by every command, the demo too, which leaves its folder empty", async () => {
    const place = await makePlace();
    const env = { PATH: join(place.sandbox.folder, "nothing") };
    const demo = join(place.sandbox.folder, "demo");
    for (const args of [...kinds, ["demo", "--folder", demo]]) {
      await place.refuses(args, { code: 2, says: /git is not on the PATH/, hint: /install git/ }, { env });
    }
    expect(existsSync(demo)).toBe(false);
    // As a process: none waits for a git that has not begun.
    const ran = await place.sandbox.start(["status"], { cwd: place.project, env });
    expect(ran).toMatchObject({ exitCode: 2, signal: undefined });
  });

  test("without HOME, of a locale that is not UTF-8, and without standard input, runs a relay all the same", async () => {
    const place = await makePlace();
    const env = { HOME: undefined, LANG: "zh_CN.GB18030", LC_ALL: "zh_CN.GB18030" };
    const created = await place.monoco(["issue", "create", "按人的写法"], { env });
    expect(created).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("issues/FEAT-0002-按人的写法.md") as string,
    });
    const closed = ["/bin/sh", "-c", 'exec "$@" <&-', "sh"];
    expect(await place.monoco(["run", issue], { env, under: closed })).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    expect(await place.monoco(["hook", "on-stop"], { env, under: closed })).toMatchObject({ exitCode: 0 });
  });

  it("without HOME and without XDG_STATE_HOME still has a place for the clones, the system's own", async () => {
    const place = await makePlace();
    const env = { HOME: undefined, XDG_STATE_HOME: undefined };
    expect(await place.monoco(["relay", "status"], { env })).toMatchObject({ exitCode: 0 });
  });

  testRows([["--version"], ["--help"], ["issue", "list"]])(
    "whose reader has gone (`| head -1`): %j ends with its own exit code, and says nothing",
    async (args) => {
      const place = await makePlace();
      for (let n = 2; n < 40; n++)
        place.write(
          `issues/FEAT-${String(n).padStart(4, "0")}.md`,
          `---\nid: FEAT-${String(n).padStart(4, "0")}\ntitle: T\n---\n`,
        );
      const gone = ["/bin/sh", "-c", '{ "$@"; echo "code $?" >&2; } | true', "sh"];
      const ran = await place.monoco(args, { under: gone });
      expect(ran.stderr).toBe("code 0");
    },
  );

  test("of a run has the local time of day on each line", async () => {
    const place = await makePlace();
    const { stdout } = await place.monoco(["run", issue], { env: { TZ: "Etc/GMT-9" } });
    for (const line of stdout.split("\n")) expect(line).toMatch(/^\d\d:\d\d:\d\d {2}FEAT-0001 {2}/);
    const openedAtMs = place.events()[0]!.atMs;
    // The line is printed at once after the event: a second may pass in between.
    const east = [0, 1, 2].map((seconds) => openedAtMs + 9 * 3_600_000 + seconds * 1_000);
    expect(east.map((ms) => new Date(ms).toISOString().slice(11, 19))).toContain(stdout.slice(0, 8));
  });

  test("whose reader goes away in the middle costs a relay nothing", async () => {
    const place = await makePlace();
    const first = ["/bin/sh", "-c", '{ "$@"; echo "code $?" >&2; } | head -1', "sh"];
    const ran = await place.monoco(["run", issue], { under: first });
    expect(ran).toMatchObject({
      stdout: expect.stringMatching(/^\d\d:\d\d:\d\d {2}FEAT-0001 {2}opened[^\n]*$/) as string,
      stderr: "code 0",
    });
    expect(place.types().at(-1)).toBe("merge.done");
  });

  test("whose standard output is on a full disk: the work is done, and the loss is told", async (context) => {
    if (!existsSync("/dev/full")) context.skip("this system has no /dev/full");
    const place = await makePlace();
    const full = ["/bin/sh", "-c", 'exec "$@" > /dev/full', "sh"];
    const ran = await place.monoco(["run", issue], { under: full });
    expect(ran).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: standard output: no room is left on the disk/) as string,
    });
    expect(place.types().at(-1)).toBe("merge.done");
    expect(
      await place.monoco(["relay", "status", issue], {
        under: ["/bin/sh", "-c", 'exec "$@" 2> /dev/full', "sh"],
      }),
    ).toMatchObject({ exitCode: 0 });
  });

  test("without a watch left in the kernel hears of messages all the same", async (context) => {
    const none = [
      "unshare",
      "--user",
      "--map-root-user",
      "--fork",
      "--kill-child=KILL",
      "--",
      "/bin/sh",
      "-c",
      'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"',
      "sh",
    ];
    skipWithout("a user namespace", context);
    const place = await makePlace({
      executor: [[{ run: "true" }, { sleep: 600 }], works],
      reviewer: [approves],
    });
    const running = place.start(["run", issue], { under: none });
    await expect.poll(() => place.types(), { timeout: 60_000 }).toContain("session.identified");
    expect(await place.monoco(["relay", "stop", issue])).toMatchObject({ exitCode: 0 });
    const ran = await running;
    expectWords(ran);
    expect(ran).toMatchObject({ exitCode: 1, stderr: "" });
    expect(place.types()).toContain("relay.paused");
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  });

  it("with a session's folder without live.json: commands say so, hooks let the agent stop", async () => {
    const place = await makePlace();
    const env = { MONOCO_SESSION_DIR: place.project };
    for (const args of [
      ["issue", "submit"],
      ["relay", "prepare"],
      ["relay", "stop", issue],
      ["check"],
      ["run", issue],
    ]) {
      await place.refuses(args, { code: 2, says: /live\.json/, hint: /MONOCO_SESSION_DIR/ }, { env });
    }
    for (const name of ["on-stop", "on-session-start"]) {
      expect(await place.monoco(["hook", name], { env, input: "not JSON" })).toMatchObject({
        exitCode: 0,
        stdout: "",
        stderr: "",
      });
    }
  });

  test("with an outbox that is gone: a hook lets its agent stop (an exit status would hold it)", async () => {
    const place = await makePlace({
      executor: [
        [
          {
            run: 'rm -rf "$MONOCO_SESSION_DIR/outbox"; for h in on-session-start on-stop; do monoco hook $h < /dev/null; echo "$h: $?"; done',
          },
        ],
      ],
      reviewer: [approves],
    });
    await place.monoco(["run", issue, "--once"]);
    const said = readFileSync(
      join(place.project, `.monoco/relays/${issue}/sessions/0001-executor/stream.jsonl`),
      "utf8",
    );
    expect(said).toContain("on-session-start: 0");
    expect(said).toContain("on-stop: 0");
  });
});
