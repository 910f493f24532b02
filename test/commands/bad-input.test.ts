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
  ["is too large", (place, path) => place.write(path, mebibytes(2)), /: it is larger than 262144 bytes/, /./],
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

  test("that cannot be used is refused by everything that reads it", async () => {
    const place = await makePlace();
    const told: string[] = [];
    for (const [what, text] of [
      ["is broken YAML", "base: main\nchecks: [a\n"],
      ["has a tab", "base: main\nlimits:\n\tsessionsMax: 3\n"],
      ["has a value of the wrong type", "limits:\n  sessionsMax: many\n"],
      ["has an unknown key", "base: main\nchekcs: []\n"],
      ["has an unknown agent", "roles: { executor: { agents: [nobody] } }\n"],
      ["is a list", "- base\n"],
      ["has two documents", "base: main\n---\nbase: x\n"],
      ["has an expression as base", "base: 'main^{commit}'\n"],
      ["has NUL in a check", 'checks: ["echo \\0"]\n'],
      ["selects files nowhere", "checks: [{ run: npm test, select: node --test }]\n"],
      ["has NUL in a command", 'agents: { x: { kind: command, run: ["a", "\\0"] } }\n'],
      ["has a variable that none can be", 'agents: { x: { kind: claude, env: { "A=": b } } }\n'],
    ] as const) {
      place.write("monoco.yaml", text);
      told.push(`that ${what}\n${await place.refusals(...reads)}`);
    }
    expect(told.join("\n")).toMatchInlineSnapshot(`
      "that is broken YAML
      ! error: monoco.yaml:3: Flow sequence in block collection must be sufficiently indented and end with a ]
      ! hint: write plain YAML; or monoco init (writes a commented example)
      exit 2
      that has a tab
      ! error: monoco.yaml:3: Tabs are not allowed as indentation
      ! hint: write plain YAML; or monoco init (writes a commented example)
      exit 2
      that has a value of the wrong type
      ! error: monoco.yaml:2: limits.sessionsMax: it must be a number
      ! hint: fix the line, or leave the key out: every key has a default
      exit 2
      that has an unknown key
      ! error: monoco.yaml:2: chekcs: unknown key
      ! hint: did you mean checks? known keys: base, language, setup, cache, checks, protected, checkAfterSession, quality, preset, agents, roles, gates, reviewers, clones, sandbox, sandboxRead, sandboxWrite, network, networkHosts, sessions, learnings, merge, review, finish, exit, breaker, limits, budgets, notify, prices, extends
      exit 2
      that has an unknown agent
      ! error: monoco.yaml:1: no agent is called "nobody"
      ! hint: known agents: claude, codex, gemini, opencode; define it under agents: with a kind (claude, codex, gemini, opencode, acp, command, scripted)
      exit 2
      that is a list
      ! error: monoco.yaml:1: the file: it must be a map of keys
      ! hint: fix the line, or leave the key out: every key has a default
      exit 2
      that has two documents
      ! error: monoco.yaml:2: a second document begins here
      ! hint: keep one: take the --- out, and what follows
      exit 2
      that has an expression as base
      ! error: monoco.yaml:1: base: expected the name of a branch
      ! hint: fix the line, or leave the key out: every key has a default
      exit 2
      that has NUL in a check
      ! error: monoco.yaml:1: checks.0: it holds a NUL character
      ! hint: fix the line, or leave the key out: every key has a default
      exit 2
      that selects files nowhere
      ! error: monoco.yaml:1: checks.0.select: expected {files} in it
      ! hint: fix the line, or leave the key out: every key has a default
      exit 2
      that has NUL in a command
      ! error: monoco.yaml:1: agents.x.run.1: it holds a NUL character
      ! hint: fix the line, or leave the key out: every key has a default
      exit 2
      that has a variable that none can be
      ! error: monoco.yaml:1: agents.x.env.A=: Invalid key in record
      ! hint: fix the line, or leave the key out: every key has a default
      exit 2"
    `);
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
  /** On the base branch, and in the worktree. */
  const reads = [
    ["run", issue, "--json"],
    ["issue", "show", issue, "--json"],
  ];
  const spoiled = (from: RegExp | string, to: string): string => issueText.replace(from, to);

  test("that cannot be read is refused with file and line, and named by list and lint", async () => {
    const place = await makePlace();
    const told: string[] = [];
    const rows: [string, string | Uint8Array][] = [
      ["has broken YAML", spoiled("Write a file", "[a")],
      ["has a value of the wrong type", spoiled("status: open", "status: 7")],
      ["has code as front matter", spoiled("---", "---js")],
      ["has front matter that never ends", spoiled("draft\n---\n", "draft\n")],
      ["has no front matter", "# A title\n"],
      ["is empty", ""],
      ["has NUL in its title", spoiled("Write a file", '"a\\0b"')],
      ["has NUL in a check", spoiled("draft\n", 'draft\nchecks: ["a\\0"]\n')],
      ["is in another encoding", Buffer.concat([Buffer.from(issueText), gbk])],
      ["is binary", binary],
      ["is too large", issueText + mebibytes(2)],
    ];
    for (const [what, content] of rows) {
      await put(place, content);
      const refused = await place.refusals(...reads);
      told.push(`that ${what}\n${refused}`);
      const [, said = ""] = /: ([^:\n]+)\n! hint/.exec(refused) ?? [];
      const list = await place.monoco(["issue", "list", "--json"]);
      expect(list).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(said) as string });
      const lint = await place.monoco(["issue", "lint"]);
      expect(lint).toMatchObject({ exitCode: 2, stdout: expect.stringContaining(said) as string });
      expect(lint.stdout).toContain("  hint: ");
    }
    expect(told.join("\n")).toMatchInlineSnapshot(`
      "that has broken YAML
      ! error: issues/FEAT-0001-write-a-file.md:4: Flow sequence in block collection must be sufficiently indented and end with a ]
      ! hint: front matter must be plain YAML, one \`key: value\` a line; quote values that hold \`: \` or \` #\`
      exit 2
      that has a value of the wrong type
      ! error: issues/FEAT-0001-write-a-file.md:4: status cannot be 7
      ! hint: one of open, closed, backlog
      exit 2
      that has code as front matter
      ! error: issues/FEAT-0001-write-a-file.md:1: front matter must begin with a line of exactly ---, not ---js
      ! hint: front matter is plain YAML, never code
      exit 2
      that has front matter that never ends
      ! error: issues/FEAT-0001-write-a-file.md:1: the front matter never ends
      ! hint: end the front matter with a line of exactly ---
      exit 2
      that has no front matter
      ! error: issues/FEAT-0001-write-a-file.md:1: no front matter
      ! hint: begin the file with ---, \`id: FEAT-0001\` and ---; or monoco issue create (writes an issue)
      exit 2
      that is empty
      ! error: issues/FEAT-0001-write-a-file.md:1: no front matter
      ! hint: begin the file with ---, \`id: FEAT-0001\` and ---; or monoco issue create (writes an issue)
      exit 2
      that has NUL in its title
      ! error: issues/FEAT-0001-write-a-file.md:3: title cannot be "a\\u0000b"
      ! hint: a word, or a list of words
      exit 2
      that has NUL in a check
      ! error: issues/FEAT-0001-write-a-file.md:6: checks cannot be ["a\\u0000"]
      ! hint: a word, or a list of words
      exit 2
      that is in another encoding
      ! error: issues/FEAT-0001-write-a-file.md:15: bytes that are not UTF-8
      ! hint: save it as UTF-8 (iconv converts it)
      exit 2
      that is binary
      ! error: issues/FEAT-0001-write-a-file.md:1: bytes that are not UTF-8
      ! hint: save it as UTF-8 (iconv converts it)
      exit 2
      that is too large
      ! error: issues/FEAT-0001-write-a-file.md on main: it is larger than 262144 bytes
      ! hint: commit a Markdown file of a sane size in its place
      exit 2
      ! error: issues/FEAT-0001-write-a-file.md:1: it is larger than 262144 bytes
      ! hint: move it away, or put a text file in its place
      exit 2"
    `);
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
      says: /FEAT-0001 is in 2 files on main/,
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
  it("that is none is refused, by every command that takes one", async () => {
    const place = await makePlace();
    const everywhere = await place.refusals(...commands.map((command) => [...command, "../x"]));
    expect(everywhere).toBe(await place.refusals(["run", "../x"]));
    const told: string[] = [];
    for (const [what, id] of [
      ["leads out of its folder", "../x"],
      ["leads out of its folder further on", "FEAT-0001/../../x"],
      ["is a path", "/etc/passwd"],
      ["is nothing", ""],
      ["is a blank", " "],
      ["ends in a line end", "FEAT-0001\n"],
      ["carries escape codes", "FEAT-0001\u001b[31m"],
      ["is very long", `${"A".repeat(100_000)}-0001`],
      ["has digits of another script", "FEAT-\u0660\u0660\u0660\u0661"],
      ["is a shell's command", "FEAT-0001;id"],
      ["is the name of something in the language", "constructor"],
    ] as const)
      told.push(`that ${what}\n${await place.refusals(["run", id])}`);
    expect(told.join("\n")).toMatchInlineSnapshot(`
      "that leads out of its folder
      ! error: "../x" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that leads out of its folder further on
      ! error: "FEAT-0001/../../x" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that is a path
      ! error: "/etc/passwd" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that is nothing
      ! error: "" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that is a blank
      ! error: " " is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that ends in a line end
      ! error: "FEAT-0001\\n" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that carries escape codes
      ! error: "FEAT-0001\\u001b[31m" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that is very long
      ! error: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that has digits of another script
      ! error: "FEAT-٠٠٠١" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that is a shell's command
      ! error: "FEAT-0001;id" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      that is the name of something in the language
      ! error: "constructor" is not an issue's id
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

describe("a number", () => {
  it("that is out of range is refused, and the option named", async () => {
    const place = await makePlace();
    const refused = await place.refusals(
      ["run", issue, "--jobs", "0"],
      ["run", issue, "-j", "0.5"],
      ["run", issue, "-j", "many"],
      ["relay", "show", issue, "--session", "1e999"],
      ["relay", "log", issue, "-n", "0.5"],
      ["relay", "extend", "--minutes", "Infinity", "--because", "x"],
    );
    expect(refused).toMatchInlineSnapshot(`
      "! error: --jobs: expected a whole number above 0, got "0"
      ! hint: write it like --jobs 3
      exit 2
      ! error: --jobs: expected a whole number above 0, got "0.5"
      ! hint: write it like --jobs 3
      exit 2
      ! error: --jobs: expected a whole number above 0, got "many"
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
