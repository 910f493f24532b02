/** monoco issue list, board and show: which issues, where they stand, and how that looks in a terminal of any width. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import widthOf from "string-width";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";
import { transcript, transcriptOf } from "../support/transcript.ts";

let sandbox: Sandbox;
let project: string;
const monoco = (...args: string[]): Promise<Ran> => sandbox.monoco(args, { cwd: join(project, "issues") });
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
};

const issues: Record<string, { front: string; title?: string; body?: string }> = {
  "EPIC-0001": { front: "stage: doing\n", title: "登录与账户" },
  "FEAT-0001": {
    front: "parent: EPIC-0001\npriority: P1\ntags: ['#auth', ui]\n",
    title: "登录页面需要支持多种语言",
  },
  "FEAT-0002": {
    front: "parent: EPIC-0001\ndependencies: [FEAT-0001]\ncriticality: high\n",
    title: "Sign out",
  },
  "FEAT-0003": { front: "stage: review\npriority: high\n", body: "the word is Zanzibar" },
  "FEAT-0004": { front: "status: closed\nstage: done\nsolution: wontfix\n" },
  "FEAT-0005": { front: "dependencies: [FEAT-0004]\n" },
  "FIX-0001": { front: "status: backlog\nstage: freezed\n" },
  "FIX-0002": { front: "stage: freezed\ndependencies: [FEAT-0404]\n" },
  "CHORE-0001": { front: "stage: doing\npriority: low\n", title: "evil \u001b[31mred\u001b[0m \u202e title" },
};

beforeAll(async () => {
  sandbox = openSandbox();
  project = join(sandbox.folder, "project");
  mkdirSync(project);
  for (const [id, { front, title = "A title", body = "x" }] of Object.entries(issues)) {
    const text = `---\nid: ${id}\ntitle: ${JSON.stringify(title)}\n${front}---\n## Objective\n\n${body}\n\n## Acceptance Criteria\n\n- [ ] y\n`;
    write(`issues/deep/${id}-x.md`, text);
  }
  const roles = "{ executor: { agents: [a] }, reviewer: { agents: [a] } }";
  write(
    "monoco.yaml",
    `agents: { a: { kind: scripted, script: story.yaml } }\nroles: ${roles}\nlimits: { backoffSeconds: 0 }\n`,
  );
  write("story.yaml", JSON.stringify({ executor: [[{ exit: 1 }]], reviewer: [[]] }));
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  // A relay that is open: its journal says that the issue is begun, the file says draft.
  expect(await sandbox.monoco(["run", "FEAT-0001", "--once"], { cwd: project })).toMatchObject({
    exitCode: 1,
  });
});
afterAll(() => sandbox.dispose());

testRows<[string[], string[]]>([
  [[], ["CHORE-0001", "EPIC-0001", "FEAT-0001", "FEAT-0002", "FEAT-0003", "FEAT-0005", "FIX-0002"]],
  [["--all"], Object.keys(issues).toSorted()],
  [
    ["--status", "closed,backlog"],
    ["FEAT-0004", "FIX-0001"],
  ],
  [
    ["--stage", "doing"],
    ["CHORE-0001", "EPIC-0001", "FEAT-0001"],
  ],
  [
    ["--type", "epic,chore"],
    ["CHORE-0001", "EPIC-0001"],
  ],
  [["--tag", "AUTH"], ["FEAT-0001"]],
  [
    ["--parent", "EPIC-0001"],
    ["FEAT-0001", "FEAT-0002"],
  ],
  [
    ["--priority", "high"],
    ["FEAT-0001", "FEAT-0003"],
  ],
  [["--criticality", "high"], ["FEAT-0002"]],
  [["--ready"], ["CHORE-0001", "FEAT-0001", "FEAT-0003"]],
  [["zanzibar", "word"], ["FEAT-0003"]],
  [["登录", "--type", "feature"], ["FEAT-0001"]],
  [["--tag", "none"], []],
])("list %j", async ([args, expected]) => {
  const listed = await monoco("issue", "list", "--json", ...args);
  expect(listed).toMatchObject({ exitCode: 0, stderr: "" });
  const { issues: found } = JSON.parse(listed.stdout) as { issues: { id: string }[] };
  expect(found.map(({ id }) => id)).toEqual(expected);
  const lines = (await monoco("issue", "list", ...args)).stdout.split("\n");
  expect(lines.flatMap((line) => /^[A-Z]+-\d+/.exec(line)?.[0] ?? [])).toEqual(expected);
});

it("a filter that no issue can fit names those that one can", async () => {
  const wrong = [
    ["--status", "opne"],
    ["--stage", "open"],
    ["--type", "story"],
    ["--criticality", "huge"],
    ["--priority", "soon"],
    ["--parent", "../x"],
  ];
  const told = (command: string): Promise<string> =>
    transcriptOf(
      monoco,
      wrong.map((args) => ["issue", command, ...args]),
    );
  const list = await told("list");
  expect(list).toMatchInlineSnapshot(`
    "$ monoco issue list --status opne
    ! error: unknown status "opne"
    ! hint: one of open, closed, backlog; several with commas
    exit 2
    $ monoco issue list --stage open
    ! error: unknown stage "open"
    ! hint: one of draft, doing, review, done, freezed; several with commas
    exit 2
    $ monoco issue list --type story
    ! error: unknown type "story"
    ! hint: one of feature, fix, chore, epic; several with commas
    exit 2
    $ monoco issue list --criticality huge
    ! error: unknown criticality "huge"
    ! hint: one of low, medium, high, critical; several with commas
    exit 2
    $ monoco issue list --priority soon
    ! error: unknown priority "soon"
    ! hint: one of critical, urgent, highest, p0, high, p1, medium, normal, p2, low, p3, lowest, trivial, p4; several with commas
    exit 2
    $ monoco issue list --parent ../x
    ! error: "../x" is not an issue's id
    ! hint: a parent is named by its id, like EPIC-0001
    exit 2"
  `);
  expect(await told("board")).toBe(list.replaceAll("issue list", "issue board"));
});

it("list says what an issue waits for; show lists the children of a parent, and what is not done", async () => {
  expect(
    await transcriptOf(monoco, [
      ["issue", "list"],
      ["issue", "show", "EPIC-0001"],
      ["issue", "show", "FEAT-0005"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco issue list
    CHORE-0001  open/doing  evil red title
    EPIC-0001  open/doing  登录与账户  waits for FEAT-0001, FEAT-0002
    FEAT-0001  open/doing  登录页面需要支持多种语言  relay: ready
    FEAT-0002  open/draft  Sign out  waits for FEAT-0001
    FEAT-0003  open/review  A title
    FEAT-0005  open/draft  A title  waits for FEAT-0004
    FIX-0002  open/freezed  A title  waits for FEAT-0404
    $ monoco issue show EPIC-0001
    ---
    id: EPIC-0001
    title: "登录与账户"
    stage: doing
    ---
    ## Objective

    x

    ## Acceptance Criteria

    - [ ] y

    criteria
      1  behaves (guessed)  y

    children
      FEAT-0001  open/doing  登录页面需要支持多种语言  relay: ready
      FEAT-0002  open/draft  Sign out  waits for FEAT-0001
    $ monoco issue show FEAT-0005
    ---
    id: FEAT-0005
    title: "A title"
    dependencies: [FEAT-0004]
    ---
    ## Objective

    x

    ## Acceptance Criteria

    - [ ] y

    criteria
      1  behaves (guessed)  y

    waits for
      FEAT-0004  closed/done  A title"
  `);
  const json = JSON.parse((await monoco("issue", "show", "EPIC-0001", "--json")).stdout) as {
    children: { id: string; stage: string }[];
    waitsFor: string[];
    criteria: object[];
  };
  expect(json.criteria).toEqual([{ text: "y", state: "todo", line: 12, kind: "behaves", guessed: true }]);
  expect(json.children).toMatchObject([
    { id: "FEAT-0001", stage: "doing" },
    { id: "FEAT-0002", stage: "draft" },
  ]);
  expect(json.waitsFor).toEqual(["FEAT-0001", "FEAT-0002"]);
});

testRows([[30], [60], [98], [140], [300]])(
  "the board fits into %i columns, each issue stands on it",
  async ([width]) => {
    const board = await monoco("issue", "board", "--width", String(width));
    expect(board).toMatchObject({ exitCode: 0, stderr: "" });
    const lines = board.stdout.split("\n");
    for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(width!);
    const names = new Set(lines.join(" ").match(/\b[A-Z]+-\d{4}\b/g));
    expect([...names].toSorted()).toEqual([...Object.keys(issues), "FEAT-0404"].toSorted());
    // Nothing of a title moves the cursor, or turns the line around.
    expect(board.stdout).not.toContain("\u001b");
    expect(board.stdout).not.toContain("\u202e");
    expect(board.stdout).toContain("evil red title");
  },
);

test("columns stand beside each other where there is room: the right edge of each is straight, with Chinese in it too", async () => {
  const board = await monoco("issue", "board", "--width", "140");
  expect(transcript(board)).toMatchInlineSnapshot(`
    "backlog 2                   draft 2                     doing 3                     review 1                    done 1
    ──────────────────────────  ──────────────────────────  ──────────────────────────  ──────────────────────────  ──────────────────────────

    FIX-0001                    FEAT-0002                   CHORE-0001 low              FEAT-0003 high              FEAT-0004
    A title                     Sign out                    evil red title              A title                     A title
                                waits for FEAT-0001
    FIX-0002                                                EPIC-0001
    A title                     FEAT-0005                   登录与账户
    waits for FEAT-0404         A title                     waits for FEAT-0001,
                                waits for FEAT-0004         FEAT-0002

                                                            FEAT-0001 P1
                                                            登录页面需要支持多种语言
                                                            relay: ready"
  `);
  const lines = board.stdout.split("\n");
  const each = (140 - 8) / 5;
  const column = (line: string, at: number): string => {
    let text = "";
    for (const sign of line) if (widthOf(text + sign) <= Math.floor(each + 2) * (at + 1)) text += sign;
    return text;
  };
  // A card of the fourth column begins where its heading does.
  const heading = lines[0]!.indexOf("review");
  const card = lines.find((line) => line.includes("FEAT-0003"))!;
  expect(widthOf(card.slice(0, card.indexOf("FEAT-0003")))).toBe(heading);
  const chinese = lines.find((line) => line.includes("登录与账户"))!;
  expect(widthOf(column(chinese, 1))).toBeLessThanOrEqual(heading);
});

it("the board as JSON has the columns with what is in them, and the phases of relays", async () => {
  const { stdout } = await monoco("issue", "board", "--json", "--parent", "EPIC-0001");
  const { columns } = JSON.parse(stdout) as {
    columns: { name: string; count: number; issues: { id: string; relay: string }[] }[];
  };
  expect(columns.map(({ name, count }) => [name, count])).toEqual([
    ["backlog", 0],
    ["draft", 1],
    ["doing", 1],
    ["review", 0],
    ["done", 0],
  ]);
  expect(columns[2]?.issues).toMatchObject([{ id: "FEAT-0001", relay: "ready" }]);
});
