/**
 * Bad input of each source through the command line: it is told with file, line and remedy, with the exit code that the house
 * has for it, and nothing is changed: no file of the repository, no ref, no journal. What else may be wrong with a document:
 * test/store/document.test.ts and the tests of what parses it.
 */
import { chmodSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { approves, issue, issuePath, issueText, makePlace, works } from "../support/bad-place.ts";
import type { Place } from "../support/bad-place.ts";
import { ownersRights } from "../support/rights.ts";
import { full as test, testRows } from "../support/full.ts";

const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 10]);

describe("monoco.yaml", () => {
  const reads = [["run", issue, "--json"], ["check"], ["issue", "create", "Another"]];

  it("that cannot be used is refused by everything that reads it", async () => {
    const place = await makePlace();
    place.write("monoco.yaml", "limits:\n  sessionsMax: many\n");
    expect(await place.refusals(...reads)).toMatchInlineSnapshot(`
      "! error: monoco.yaml:2: limits.sessionsMax: it must be a number
      ! hint: fix the line, or leave the key out: every key has a default
      exit 2"
    `);
    place.remove("monoco.yaml");
    place.write("monoco.yaml/inside.txt", "");
    expect(await place.refusals(...reads, ["init"])).toMatchInlineSnapshot(`
      "! error: /place/a project, 项目/monoco.yaml: it is a folder
      ! hint: move it away, or put a text file in its place
      exit 2"
    `);
  });

  it("that is missing, or empty, is all defaults", async () => {
    const place = await makePlace();
    place.remove("monoco.yaml");
    const ran = await place.monoco(["issue", "create", "Another", "--json"]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ id: "FEAT-0002" });
    place.write("monoco.yaml", "");
    await place.refuses(["check"], { code: 2, says: /no checks are configured/, hint: /monoco\.yaml/ });
  });
});

describe("an issue", () => {
  /** On the base branch, and in the worktree. */
  const reads = [
    ["run", issue, "--json"],
    ["issue", "show", issue, "--json"],
  ];
  const commit = (place: Place, command: string): Promise<string> =>
    place.sh(`F=${issuePath}; ${command} && git add -A && git commit -qm Spoil`);

  it("that cannot be read is refused with file and line, and named by list", async () => {
    const place = await makePlace();
    await commit(place, "sed -i 's/status: open/status: 7/' $F");
    expect(await place.refusals(...reads)).toMatchInlineSnapshot(`
      "! error: issues/FEAT-0001-write-a-file.md:4: status cannot be 7
      ! hint: one of open, closed, backlog
      exit 2"
    `);
    const list = await place.monoco(["issue", "list", "--json"]);
    expect(list).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("status cannot be 7") as string,
    });
  });

  testRows<[string, string, RegExp, RegExp]>([
    [
      "that is too large",
      "head -c 2000000 /dev/zero | tr '\\0' '#' >> $F",
      /larger than 262144 bytes/,
      /larger/,
    ],
    ["that is a folder", "git rm -q $F && mkdir -p $F && touch $F/x", /FEAT-0001 exists nowhere/, /a folder/],
    [
      "that is a link",
      "git rm -q $F && mkdir issues && ln -s ../story.yaml $F",
      /expected a regular/,
      /a link/,
    ],
  ])("%s is refused on the base and in the worktree", async ([, command, onBase, here]) => {
    const place = await makePlace();
    await commit(place, command);
    await place.refuses(["run", issue], { code: 2, says: onBase });
    await place.refuses(["issue", "show", issue], {
      code: 2,
      says: new RegExp(`write-a-file\\.md:1: .*${here.source}`),
    });
    expect((await place.monoco(["issue", "lint"])).stdout).toMatch(here);
  });

  test("that is missing is told with what to do, by every command that needs it", async () => {
    const place = await makePlace();
    await commit(place, "git rm -q $F");
    for (const [args, says] of [
      [["run", issue], /FEAT-0001 exists nowhere/],
      [["check", issue], /FEAT-0001 exists nowhere/],
      [["issue", "show", issue], /FEAT-0001 is not here/],
      [["issue", "lint", issue], /FEAT-0001 is not here/],
      [["relay", "resume", issue], /FEAT-0001 exists nowhere/],
    ] as const) {
      await place.refuses(args, { code: 2, says });
    }
  });

  testRows<[string, string, RegExp, RegExp]>([
    [
      "whose file names another id than it has",
      "sed -i 's/^id: .*/id: FEAT-0007/' $F",
      /write-a-file\.md:2: its id is FEAT-0007, not FEAT-0001/,
      /the same/,
    ],
    [
      "that is in two files",
      "cp $F issues/FEAT-0001-again.md",
      /FEAT-0001 is in 2 files on main/,
      /keep one/,
    ],
  ])("%s is refused: two relays could work on it", async ([, command, says, hint]) => {
    const place = await makePlace();
    await commit(place, command);
    await place.refuses(["run", issue], { code: 2, says, hint });
  });

  it("that may not be read is named, and the others are shown", async (context) => {
    const place = await makePlace();
    const as = ownersRights(context);
    place.write("issues/FEAT-0002-other.md", issueText.replace(issue, "FEAT-0002"));
    chmodSync(join(place.project, issuePath), 0);
    const list = await place.monoco(["issue", "list"], as);
    expect(list).toMatchObject({ exitCode: 2, stdout: expect.stringContaining("FEAT-0002") as string });
    expect(list.stderr).toMatch(/write-a-file\.md:1: permission denied/);
    // Its id is taken all the same.
    const created = await place.monoco(["issue", "create", "Next", "--json"], as);
    expect(JSON.parse(created.stdout)).toMatchObject({ id: "FEAT-0003" });
  });

  it("in a folder of issues that is none is refused", async () => {
    const place = await makePlace();
    const commands = [
      ["issue", "list"],
      ["issue", "lint"],
      ["issue", "show", issue],
      ["issue", "create", "T"],
      ["init"],
    ];
    for (const put of [
      () => place.write("issues", ""),
      () => symlinkSync("no", join(place.project, "issues")),
    ]) {
      place.remove("issues");
      put();
      const expected = { code: 2, says: /issues: expected a folder/, hint: /move it away/ };
      for (const args of commands) await place.refuses(args, expected);
    }
  });

  it("without a title, or of an unknown type, is not created", async () => {
    const titles = [[""], [" \u200b\u001b[0m\n"], ["T", "--type", "wish"]];
    const refused = await (await makePlace()).refusals(...titles.map((args) => ["issue", "create", ...args]));
    expect(refused).toMatchInlineSnapshot(`
      "! error: an issue needs a title
      ! hint: monoco issue create "Add a login page"
      exit 2
      ! error: unknown issue type "wish"
      ! hint: types: feature, fix, chore, epic
      exit 2"
    `);
  });
});

describe("a role, or a template", () => {
  it("that cannot be used is refused before the relay opens", async () => {
    const place = await makePlace();
    const told: string[] = [];
    for (const [path, text] of [
      ["roles/reviewer.md", " \n"],
      // One that is needed after a failure only: it would be met in the night.
      ["templates/post-mortem.md", "one\n{{nothing}}\n"],
      ["templates/post-mortem.md", gbk],
    ] as const) {
      place.write(path, text);
      told.push(await place.refusals(["run", issue]));
      place.remove(path);
    }
    expect(told.join("\n")).toMatchInlineSnapshot(`
      "! error: FEAT-0001: /place/a project, 项目/roles/reviewer.md:1: it is empty
      ! hint: write it, or remove it: the one that comes with monoco then counts
      exit 2
      ! error: FEAT-0001: /place/a project, 项目/templates/post-mortem.md:2: {{nothing}} is not known here
      ! hint: known names: session, reason, evidence, lastWords, failures, own
      exit 2
      ! error: FEAT-0001: /place/a project, 项目/templates/post-mortem.md:1: bytes that are not UTF-8
      ! hint: save it as UTF-8 (iconv converts it)
      exit 2"
    `);
  });

  test("that goes wrong while a relay runs counts from the next run on", async () => {
    const place = await makePlace({
      executor: [[{ run: 'mkdir -p "$PERSON/templates/executor-prompt.md"' }], works],
      reviewer: [approves],
    });
    expect(await place.monoco(["run", issue])).toMatchObject({ exitCode: 0 });
  });

  it("of an issue, or of monoco.yaml, makes nothing where it is broken", async () => {
    const place = await makePlace();
    place.write("templates/en/issue-feature.md", "hello\n");
    const noFront = /issue-feature\.md:1: no front matter \(in an issue made from this template\)/;
    await place.refuses(["issue", "create", "T"], { code: 2, says: noFront });
    place.write("templates/en/issue-feature.md", "---\nid: {{id}}\n---\n{{today}}\n");
    const unknown = /issue-feature\.md:4: \{\{today\}\} is not known/;
    await place.refuses(["issue", "create", "T"], { code: 2, says: unknown });
    place.remove("monoco.yaml");
    place.write("templates/monoco.yaml", "base: {{bse}}\n");
    const says = /templates\/monoco\.yaml:1: \{\{bse\}\}/;
    await place.refuses(["init"], { code: 2, says, hint: /known names: [^\n]*\bbase/ });
  });
});

describe("init", () => {
  testRows<[string, (place: Place) => void, RegExp]>([
    [
      "AGENTS.md is a folder",
      (place) => place.write("AGENTS.md/x", ""),
      /AGENTS\.md: a folder stands where a file has to be|a folder stands where/,
    ],
    [
      "AGENTS.md is a link to nothing",
      (place) => symlinkSync("nowhere", join(place.project, "AGENTS.md")),
      /AGENTS\.md: no such file or folder/,
    ],
  ])("sets nothing up where %s", async ([, spoil, says]) => {
    const place = await makePlace();
    place.remove("monoco.yaml");
    spoil(place);
    await place.refuses(["init"], { code: 2, says });
  });

  it("keeps every byte, the mode and the link of AGENTS.md, and of the excluded patterns", async () => {
    const place = await makePlace();
    place.write("docs/agents.md", Buffer.concat([gbk, Buffer.from("no line end")]));
    chmodSync(join(place.project, "docs/agents.md"), 0o640);
    symlinkSync("docs/agents.md", join(place.project, "AGENTS.md"));
    place.write(".git/info/exclude", gbk);
    expect(await place.monoco(["init"])).toMatchObject({ exitCode: 0 });
    const agents = readFileSync(join(place.project, "docs/agents.md"));
    expect(agents.subarray(0, gbk.length)).toEqual(gbk);
    expect(agents.toString("latin1")).toContain("no line end\n\n<!-- monoco:begin");
    expect(await place.sh("stat -c %a docs/agents.md && readlink AGENTS.md")).toBe("640\ndocs/agents.md");
    const exclude = readFileSync(join(place.project, ".git/info/exclude"));
    expect(exclude.subarray(0, gbk.length)).toEqual(gbk);
    expect(exclude.toString("latin1")).toContain("\n/.monoco/\n/RALPH.md\n");
  });
});

describe("an id", () => {
  const commands = [
    ["run"],
    ["relay", "status"],
    ["relay", "resume"],
    ["relay", "stop"],
    ["relay", "show"],
    ["relay", "clear"],
    ["issue", "show"],
    ["issue", "lint"],
    ["issue", "submit"],
    ["issue", "review"],
    ["check"],
  ];

  it("that is none is refused by every command that takes one", async () => {
    const place = await makePlace();
    const everywhere = await place.refusals(...commands.map((command) => [...command, "../x"]));
    const unusual = await place.refusals(["run", "FEAT-0001\u001b[31m"], ["run", "A".repeat(100_000)]);
    expect(`${everywhere}\n${unusual}`).toMatchInlineSnapshot(`
      "! error: "../x" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      ! error: "FEAT-0001\\u001b[31m" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      ! error: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2"
    `);
  });

  test("that looks like an option is refused by every command that takes one", async () => {
    const place = await makePlace();
    for (const command of commands) {
      const ran = await place.monoco([...command, "-rf"]);
      expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
      expect(ran.stderr).toMatch(/^error: unknown option '-r/);
    }
    // After `--` it is an argument.
    await place.refuses(["run", "--", "-rf"], { code: 2, says: /"-rf" is not an issue's id/ });
  });

  test("that nobody gave is told, with what to do, by every command that takes one", async () => {
    const place = await makePlace();
    for (const command of commands.filter((each) => each.at(-1) !== "submit")) {
      await place.refuses([...command, "FEAT-9999"], { code: 2, says: /FEAT-9999/, hint: /monoco |git add/ });
    }
  });

  it("that comes from the environment or the branch is looked at like any other", async () => {
    const place = await makePlace();
    const env = { MONOCO_ISSUE: "../../x" };
    await place.refuses(["relay", "show"], { code: 2, says: /"\.\.\/\.\.\/x" is not/ }, { env });
    await place.sh("git checkout -q -b 'monoco/x;y'");
    await place.refuses(["relay", "show"], { code: 2, says: /"x;y" is not/ });
  });
});

it("a number that is out of range is refused, and the option named", async () => {
  const place = await makePlace();
  const refused = await place.refusals(
    ["run", issue, "--jobs", "0"],
    ["relay", "show", issue, "--session", "1e999"],
    ["relay", "log", issue, "-n", "0.5"],
    ["relay", "extend", "--minutes", "Infinity", "--because", "x"],
  );
  expect(refused).toMatchInlineSnapshot(`
    "! error: --jobs: expected a whole number above 0, got "0"
    ! hint: write it like --jobs 3
    exit 2
    ! error: --session: expected a whole number above 0, got "1e999"
    ! hint: write it like --session 3
    exit 2
    ! error: --last: expected a whole number above 0, got "0.5"
    ! hint: write it like --last 3
    exit 2
    ! error: --minutes: expected a number above 0, got "Infinity"
    ! hint: write it like --minutes 10 or --minutes 0.5
    exit 2"
  `);
});

it("a file to import that is not there is refused in words that hold for a mistyped path", async () => {
  const says = /nofile\.json: no such file or folder$/m;
  await (await makePlace()).refuses(["import", "nofile.json"], { code: 2, says, hint: /check the path/ });
});

it("a script of the scripted agent without a role's sessions is refused before the relay opens", async () => {
  const place = await makePlace();
  place.write("story.yaml", "executor:\n  - - say: hi\n");
  const expected = { code: 2, says: /story\.yaml: reviewer: is missing/, hint: /executor: and reviewer:/ };
  await place.refuses(["run", issue], expected);
});

it("a command of another tool is answered with the one that does it here", async () => {
  const place = await makePlace();
  const words = "view open logs pause kill approve reject add".split(" ");
  for (const word of words) {
    const ran = await place.monoco([word, issue]);
    const [, command = ""] = /^hint: did you mean monoco (.+)\?$/m.exec(ran.stderr) ?? [];
    expect([word, ran.exitCode, command]).toEqual([word, 2, expect.stringMatching(/./) as string]);
    // It exists, with its flags.
    const parts = command.replaceAll(/ (?:ID|"…"|"Title")/g, "").split(" ");
    const flags = parts.flatMap((one) => /^--?[a-z-]+/.exec(one) ?? []);
    const spelled = parts.filter((one) => /^[a-z]+$/.test(one));
    const help = await place.monoco([...spelled, "--help"]);
    expect(help, command).toMatchObject({ exitCode: 0 });
    for (const flag of flags) expect(help.stdout).toContain(flag);
  }
});
