/**
 * Bad input of every kind through the command line: each is told in words (file, line where there is one, what to do), with
 * the exit code that the house has for it, and nothing is changed: no file of the repository, no ref, no journal.
 */
import { chmodSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TestContext } from "vitest";
import { approves, issue, issuePath, issueText, makePlace, works } from "../support/bad-place.ts";
import type { Place } from "../support/bad-place.ts";
import { asOwner } from "../support/rights.ts";
import { full as test, testRows } from "../support/full.ts";

const mebibytes = (n: number): string => "#".repeat(n * 1024 * 1024);
const binary = Uint8Array.from({ length: 4_096 }, (_, index) => (index * 37 + 200) & 255);

/** Runs under an owner's rights, also where the tests run as root. */
function ownersRights(context: TestContext): { under: readonly string[] } {
  const under = asOwner();
  return under
    ? { under }
    : context.skip("root may write everywhere, and there is no setpriv to take that away");
}

/** What may stand in a document's place, whatever the document is. */
type Spoiled = [string, (place: Place, path: string) => void, RegExp, RegExp];
const inItsPlace: Spoiled[] = [
  [
    "is a folder",
    (place, path) => {
      place.remove(path);
      place.write(join(path, "inside.txt"), "");
    },
    /: it is a folder/,
    /move it away/,
  ],
  [
    "is a link to nothing",
    (place, path) => {
      place.remove(path);
      place.write(join(path, "../.there"), "");
      symlinkSync("nowhere", join(place.project, path));
    },
    /: it is a link to nothing/,
    /move it away/,
  ],
  [
    "is a link to itself",
    (place, path) => {
      place.remove(path);
      place.write(join(path, "../.there"), "");
      symlinkSync(join(place.project, path), join(place.project, path));
    },
    /: a link leads to itself \(ELOOP, open\)/,
    /remove the link/,
  ],
  [
    "is too large",
    (place, path) => place.write(path, mebibytes(2)),
    /: it is larger than 1048576 bytes/,
    /./,
  ],
  ["is binary", (place, path) => place.write(path, binary), /:1: bytes that are not UTF-8/, /iconv/],
  [
    "is in another encoding",
    (place, path) => place.write(path, Buffer.concat([Buffer.from("# one\n# two\n# "), gbk])),
    /:3: bytes that are not UTF-8/,
    /save it as UTF-8/,
  ],
];
const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 10]);

describe("monoco.yaml", () => {
  const reads = [["run", issue, "--json"], ["check"], ["issue", "create", "Another"]];

  testRows<[string, string, RegExp, RegExp]>([
    ["is broken YAML", "base: main\nchecks: [a\n", /monoco\.yaml:3: /, /plain YAML/],
    ["has a tab", "base: main\nlimits:\n\tsessionsMax: 3\n", /monoco\.yaml:3: /, /plain YAML/],
    [
      "has a value of the wrong type",
      "limits:\n  sessionsMax: many\n",
      /monoco\.yaml:2: limits\.sessionsMax: /,
      /default/,
    ],
    ["has an unknown key", "base: main\nchekcs: []\n", /monoco\.yaml:2: chekcs: /, /known keys: base/],
    [
      "has an unknown agent",
      "roles: { executor: { agents: [nobody] } }\n",
      /monoco\.yaml:1: no agent /,
      /known agents/,
    ],
    ["is a list", "- base\n", /monoco\.yaml:1: the file: /, /./],
    ["has two documents", "base: main\n---\nbase: x\n", /monoco\.yaml:2: a second document/, /keep one/],
    [
      "has an expression as base",
      "base: 'main^{commit}'\n",
      /monoco\.yaml:1: base: expected the name of a branch/,
      /./,
    ],
    ["has NUL in a check", 'checks: ["echo \\0"]\n', /monoco\.yaml:1: checks\.0: it holds a NUL/, /./],
    [
      "has NUL in a command",
      'agents: { x: { kind: command, run: ["a", "\\0"] } }\n',
      /monoco\.yaml:1: agents\.x\.run\.1: /,
      /./,
    ],
    [
      "has a variable that none can be",
      'agents: { x: { kind: claude, env: { "A=": b } } }\n',
      /monoco\.yaml:1: agents\.x\.env\.A=: /,
      /./,
    ],
  ])("that %s is refused by everything that reads it", async ([, text, says, hint]) => {
    const place = await makePlace();
    place.write("monoco.yaml", text);
    for (const args of reads) await place.refuses(args, { code: 2, says, hint });
  });

  testRows(inItsPlace)("that %s is refused by everything that reads it", async ([, spoil, says, hint]) => {
    const place = await makePlace();
    spoil(place, "monoco.yaml");
    for (const args of [...reads, ["init"]]) await place.refuses(args, { code: 2, says, hint });
  });

  test("that may not be read is refused, and a fifo holds nobody up", async (context) => {
    const place = await makePlace();
    chmodSync(join(place.project, "monoco.yaml"), 0);
    await place.refuses(
      ["check"],
      { code: 2, says: /monoco\.yaml: permission denied/, hint: /right/ },
      ownersRights(context),
    );
    place.remove("monoco.yaml");
    await place.sh("mkfifo monoco.yaml");
    await place.refuses(["check"], { code: 2, says: /monoco\.yaml: expected a regular file/ });
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
  const put = async (place: Place, content: string | Uint8Array): Promise<void> => {
    place.write(issuePath, content);
    await place.sh("git add -A && git commit -qm Spoil");
  };
  /** On the base branch by run and check, in the worktree by the others. */
  const reads = [
    ["run", issue, "--json"],
    ["check", issue],
    ["issue", "show", issue, "--json"],
  ];
  const spoiled = (from: RegExp | string, to: string): string => issueText.replace(from, to);

  testRows<[string, string | Uint8Array, RegExp, RegExp?]>([
    ["has broken YAML", spoiled("Write a file", "[a"), /write-a-file\.md:4: Flow sequence/, /plain YAML/],
    [
      "has a value of the wrong type",
      spoiled("status: open", "status: 7"),
      /write-a-file\.md:4: status cannot be 7/,
      /one of open/,
    ],
    [
      "has code as front matter",
      spoiled("---", "---js"),
      /write-a-file\.md:1: front matter must begin/,
      /never code/,
    ],
    [
      "has front matter that never ends",
      spoiled("draft\n---\n", "draft\n"),
      /write-a-file\.md:1: the front matter never ends/,
    ],
    ["has no front matter", "# A title\n", /write-a-file\.md:1: no front matter/, /monoco issue create/],
    ["is empty", "", /write-a-file\.md:1: no front matter/],
    ["has NUL in its title", spoiled("Write a file", '"a\\0b"'), /write-a-file\.md:3: title cannot be/],
    [
      "has NUL in a check",
      spoiled("draft\n", 'draft\nchecks: ["a\\0"]\n'),
      /write-a-file\.md:6: checks cannot be/,
    ],
    [
      "is in another encoding",
      Buffer.concat([Buffer.from(issueText), gbk]),
      /write-a-file\.md:15: bytes that are not UTF-8/,
      /iconv/,
    ],
    ["is binary", binary, /write-a-file\.md:1: bytes that are not UTF-8/],
    ["is too large", issueText + mebibytes(2), /write-a-file\.md[^\n]* it is larger than 1048576 bytes/],
  ])("that %s is refused with file and line, and named by list and lint", async ([, content, says, hint]) => {
    const place = await makePlace();
    await put(place, content);
    for (const args of reads) await place.refuses(args, { code: 2, says, ...(hint ? { hint } : {}) });
    const list = await place.monoco(["issue", "list", "--json"]);
    expect(list).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(says) as string });
    const lint = await place.monoco(["issue", "lint"]);
    expect(lint).toMatchObject({ exitCode: 2, stdout: expect.stringMatching(says) as string });
    expect(lint.stdout).toContain("  hint: ");
  });

  test("that is missing is told with what to do, by every command that needs it", async () => {
    const place = await makePlace();
    await place.sh(`git rm -q ${issuePath} && git commit -qm Gone`);
    for (const [args, says] of [
      [["run", issue], /FEAT-0001 is not on main/],
      [["check", issue], /FEAT-0001 is not on main/],
      [["issue", "show", issue], /no such file: issues\/\*\*\/FEAT-0001/],
      [["issue", "lint", issue], /no such file: issues\/\*\*\/FEAT-0001/],
      [["relay", "resume", issue], /FEAT-0001 is not on main/],
    ] as const) {
      await place.refuses(args, { code: 2, says });
    }
  });

  testRows<[string, string, RegExp]>([
    ["a folder", "mkdir $F && touch $F/inside.txt", /FEAT-0001 is not on main/],
    ["a link", "ln -s ../story.yaml $F", /write-a-file\.md on main: expected a regular file/],
    ["a link to nothing", "ln -s nowhere $F", /write-a-file\.md on main: expected a regular file/],
  ])("with %s in its place is refused, and lint says so", async ([, command, says]) => {
    const place = await makePlace();
    await place.sh(
      `git rm -q ${issuePath}; mkdir -p issues; F=${issuePath}; ${command}; git add -A; git commit -qm Spoil`,
    );
    await place.refuses(["run", issue], { code: 2, says });
    await place.refuses(["issue", "show", issue], {
      code: 2,
      says: /write-a-file\.md:1: it is a (folder|link)/,
    });
    const lint = await place.monoco(["issue", "lint", "--json"]);
    expect(lint.exitCode).toBe(2);
    expect(JSON.parse(lint.stdout)).toMatchObject({ faults: [{ file: issuePath, line: 1 }] });
  });

  it("whose file names another id than it has is refused: two relays could work on it", async () => {
    const place = await makePlace();
    await put(place, spoiled("id: FEAT-0001", "id: FEAT-0007"));
    await place.refuses(["run", issue], {
      code: 2,
      says: /write-a-file\.md:2: its id is FEAT-0007, not FEAT-0001/,
      hint: /the same/,
    });
  });

  it("an id that stands in two files is refused", async () => {
    const place = await makePlace();
    place.write("issues/FEAT-0001-again.md", issueText);
    await place.sh("git add -A && git commit -qm Twice");
    await place.refuses(["run", issue], {
      code: 2,
      says: /FEAT-0001 stands in 2 files on main/,
      hint: /keep one/,
    });
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

  testRows<[string, (place: Place) => void]>([
    ["a file", (place) => place.write("issues", "")],
    ["a link to nothing", (place) => symlinkSync("nowhere", join(place.project, "issues"))],
  ])("the folder of the issues is %s", async ([, spoil]) => {
    const place = await makePlace();
    place.remove("issues");
    spoil(place);
    for (const args of [
      ["issue", "list"],
      ["issue", "lint"],
      ["issue", "show", issue],
      ["issue", "create", "T"],
      ["init"],
    ]) {
      await place.refuses(args, { code: 2, says: /issues: expected a folder/, hint: /move it away/ });
    }
  });

  testRows<[string, string[], RegExp]>([
    ["no title", ["issue", "create", ""], /an issue needs a title/],
    [
      "a title of nothing that can be seen",
      ["issue", "create", " \u200b\u001b[0m\n"],
      /an issue needs a title/,
    ],
    ["an unknown type", ["issue", "create", "T", "--type", "wish"], /unknown issue type "wish"/],
  ])("with %s is not created", async ([, args, says]) => {
    await (await makePlace()).refuses(args, { code: 2, says });
  });
});

describe("a role", () => {
  testRows([
    ...inItsPlace,
    [
      "is empty",
      (place, path) => place.write(path, " \n"),
      /:1: it is empty/,
      /the one that comes with monoco/,
    ] satisfies Spoiled,
  ])("that %s is refused before the relay opens", async ([, spoil, says, hint]) => {
    const place = await makePlace();
    place.write("roles/.there", "");
    spoil(place, "roles/reviewer.md");
    const expected = { code: 2, says: new RegExp(`roles/reviewer\\.md(${says.source})`), hint };
    await place.refuses(["run", issue], expected);
  });
});

describe("a template", () => {
  testRows([
    ...inItsPlace,
    ["is empty", (place, path) => place.write(path, ""), /:1: it is empty/, /./] satisfies Spoiled,
    [
      "has a name that is not known",
      (place, path) => place.write(path, "one\n{{nothing}}\n"),
      /:2: \{\{nothing\}\} is not known here/,
      /known names: session/,
    ] satisfies Spoiled,
  ])("that %s is refused before the relay opens", async ([, spoil, says, hint]) => {
    const place = await makePlace();
    // One that is needed after a failure only: it would be met in the night.
    spoil(place, "templates/post-mortem.md");
    await place.refuses(["run", issue], {
      code: 2,
      says: new RegExp(`post-mortem\\.md(${says.source})`),
      hint,
    });
  });

  test("that goes wrong while a relay runs counts from the next run on", async () => {
    const place = await makePlace({
      executor: [[{ run: 'mkdir -p "$PERSON/templates/executor-prompt.md"' }], works],
      reviewer: [approves],
    });
    expect(await place.monoco(["run", issue])).toMatchObject({ exitCode: 0 });
  });

  testRows<[string, string, RegExp]>([
    [
      "no front matter",
      "hello\n",
      /issue-feature\.md:1: no front matter \(in an issue made from this template\)/,
    ],
    [
      "an unknown name",
      "---\nid: {{id}}\n---\n{{today}}\n",
      /issue-feature\.md:4: \{\{today\}\} is not known/,
    ],
  ])("of an issue with %s makes no issue", async ([, text, says]) => {
    const place = await makePlace();
    place.write("templates/en/issue-feature.md", text);
    await place.refuses(["issue", "create", "T"], { code: 2, says });
  });

  it("of monoco.yaml that is broken sets nothing up", async () => {
    const place = await makePlace();
    place.remove("monoco.yaml");
    place.write("templates/monoco.yaml", "base: {{bse}}\n");
    await place.refuses(["init"], {
      code: 2,
      says: /templates\/monoco\.yaml:1: \{\{bse\}\}/,
      hint: /known names: base/,
    });
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

  // The kernel ends an argument at a NUL: none can come this way.
  testRows<[string, string, RegExp]>([
    ["leads out of its folder", "../x", /"\.\.\/x" is not an issue's id/],
    ["leads out of its folder further on", "FEAT-0001/../../x", /is not an issue's id/],
    ["is a path", "/etc/passwd", /is not an issue's id/],
    ["is nothing", "", /"" is not an issue's id/],
    ["is a blank", " ", /" " is not an issue's id/],
    ["ends in a line end", "FEAT-0001\n", /"FEAT-0001\\n" is not an issue's id/],
    ["carries escape codes", "FEAT-0001\u001b[31m", /"FEAT-0001\\u001b\[31m" is not an issue's id/],
    ["is very long", `${"A".repeat(100_000)}-0001`, /"A{80}" is not an issue's id/],
    ["has digits of another script", "FEAT-\u0660\u0660\u0660\u0661", /is not an issue's id/],
    ["is a shell's command", "FEAT-0001;id", /is not an issue's id/],
    ["is the name of something in the language", "constructor", /is not an issue's id/],
  ])("that %s is refused by every command that takes one", async ([, id, says]) => {
    const place = await makePlace();
    await Promise.all(
      commands.map((command) => place.refuses([...command, id], { code: 2, says, hint: /FEAT-0001/ })),
    );
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

describe("a number", () => {
  testRows<[string[], RegExp]>([
    [["run", issue, "--jobs", "0"], /--jobs: expected a whole number above 0, got "0"/],
    [["run", issue, "-j", "0.5"], /--jobs: expected a whole number above 0, got "0\.5"/],
    [["run", issue, "-j", "many"], /--jobs: expected a whole number above 0, got "many"/],
    [
      ["relay", "show", issue, "--session", "1e999"],
      /--session: expected a whole number above 0, got "1e999"/,
    ],
    [["relay", "log", issue, "-n", "0.5"], /--last: expected a whole number above 0, got "0\.5"/],
    [
      ["relay", "extend", "--minutes", "Infinity", "--because", "x"],
      /--minutes: expected a number above 0, got "Infinity"/,
    ],
  ])("%j is refused, and the option named", async ([args, says]) => {
    await (await makePlace()).refuses(args, { code: 2, says });
  });
});

describe("a file to import", () => {
  it("that is not there is refused in words that hold for a mistyped path", async () => {
    const place = await makePlace();
    await place.refuses(["import", "nofile.json"], {
      code: 2,
      says: /nofile\.json: no such file or folder$/m,
      hint: /check the path/,
    });
  });
});

describe("a script of the scripted agent", () => {
  it("without a role's sessions is refused before the relay opens", async () => {
    const place = await makePlace();
    place.write("story.yaml", "executor:\n  - - say: hi\n");
    const expected = { code: 2, says: /story\.yaml: reviewer: is missing/, hint: /executor: and reviewer:/ };
    await place.refuses(["run", issue], expected);
  });
});
