/** Ids are given once: across branches, clones and relays; what two clones gave independently is found and mended. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { full as test } from "../support/full.ts";

const issue = (id: string, title: string, more = ""): string =>
  `---\nid: ${id}\ntitle: ${title}\ntags: ["#${id}"] # kept\n${more}---\n\n# ${id}: ${title}\n\n## Objective\n\nx\n\n## Acceptance Criteria\n\n- [ ] y\n`;

let sandbox: Sandbox;
let one: string;
let two: string;
const monoco = (cwd: string, ...args: string[]): Promise<Ran> => sandbox.monoco(args, { cwd });
const write = (cwd: string, path: string, text: string): void => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
const read = (cwd: string, path: string): string => readFileSync(join(cwd, path), "utf8");
const commit = (cwd: string): Promise<string> => sandbox.sh(cwd, "git add -A && git commit -qm work");
const faults = async (
  cwd: string,
  ...args: string[]
): Promise<{ file: string; message: string; hint: string }[]> =>
  (JSON.parse((await monoco(cwd, "issue", "lint", "--json", ...args)).stdout) as { faults: never[] }).faults;

/** Two clones of one origin, in which somebody has made an issue each, with the same id. */
beforeEach(async () => {
  sandbox = openSandbox();
  one = join(sandbox.folder, "one");
  two = join(sandbox.folder, "two");
  await sandbox.sh(
    sandbox.folder,
    "git init -q --bare -b main origin.git && git clone -q origin.git one 2> /dev/null && git -C one checkout -q -b main",
  );
  write(one, "monoco.yaml", "checks: [make test]\n");
  await commit(one);
  await sandbox.sh(sandbox.folder, "git -C one push -q origin main && git clone -q origin.git two");
  write(one, "issues/FEAT-0001-login.md", issue("FEAT-0001", "Login", "created_at: 2026-01-01T09:00:00Z\n"));
  await commit(one);
  await sandbox.sh(one, "git push -q origin main");
  write(
    two,
    "issues/FEAT-0001-logout.md",
    issue("FEAT-0001", "Logout", "created_at: 2026-01-02T09:00:00Z\n"),
  );
  write(
    two,
    "issues/FEAT-0002-menu.md",
    issue("FEAT-0002", "Menu", 'dependencies: [FEAT-0001]\nrelated: ["FEAT-0001"]\n'),
  );
  await commit(two);
});
afterEach(() => sandbox.dispose());

// TRAP 35
it("after a merge lint finds the id that both clones gave, and --fix renumbers the younger issue with all that names it", async () => {
  await sandbox.sh(two, "git fetch -q && git merge -q --no-edit origin/main");
  write(two, "issues/FEAT-0004-later.md", issue("FEAT-0004", "Later", "related: [FEAT-0001]\n"));
  await commit(two);
  expect(await faults(two)).toMatchObject([
    {
      file: "issues/FEAT-0001-logout.md",
      message: "FEAT-0001 is also in issues/FEAT-0001-login.md",
      hint: "monoco issue lint --fix gives this one, the younger, a new id",
    },
  ]);
  const before = await sandbox.sh(two, "git status --porcelain; cat issues/*");
  const dry = await monoco(two, "issue", "lint", "--dry-run");
  expect(dry.stdout).toContain("+++ issues/FEAT-0005-logout.md");
  expect(dry.stdout).toContain("-id: FEAT-0001\n+id: FEAT-0005");
  // Written when both were there: nobody knows which one it means.
  expect(dry.stdout).toContain("look at issues/FEAT-0004-later.md:5: it names FEAT-0001");
  expect(await sandbox.sh(two, "git status --porcelain; cat issues/*")).toBe(before);

  const fixed = await monoco(two, "issue", "lint", "--fix", "--json");
  expect(fixed.exitCode, fixed.stdout).toBe(0);
  expect(JSON.parse(fixed.stdout)).toMatchObject({
    renumbered: [
      {
        from: "FEAT-0001",
        to: "FEAT-0005",
        newPath: "issues/FEAT-0005-logout.md",
        unclear: ["issues/FEAT-0004-later.md:5"],
      },
    ],
    faults: [],
  });
  expect(readdirSync(join(two, "issues"))).toEqual([
    "FEAT-0001-login.md",
    "FEAT-0002-menu.md",
    "FEAT-0004-later.md",
    "FEAT-0005-logout.md",
  ]);
  expect(read(two, "issues/FEAT-0005-logout.md")).toBe(
    issue("FEAT-0005", "Logout", "created_at: 2026-01-02T09:00:00Z\n"),
  );
  expect(read(two, "issues/FEAT-0002-menu.md")).toBe(
    issue("FEAT-0002", "Menu", 'dependencies: [FEAT-0005]\nrelated: ["FEAT-0005"]\n'),
  );
  expect(read(two, "issues/FEAT-0004-later.md")).toContain("related: [FEAT-0001]");
  await commit(two);
  // Once more changes nothing.
  expect(JSON.parse((await monoco(two, "issue", "lint", "--fix", "--json")).stdout)).toMatchObject({
    fixed: [],
    renumbered: [],
    faults: [],
  });
  expect(await sandbox.sh(two, "git status --porcelain")).toBe("");
});

test("a relay holds its id: the file that it works from is not renumbered, though it is the younger one", async () => {
  write(
    two,
    "monoco.yaml",
    `agents: { a: { kind: scripted, script: story.yaml } }\nroles: { executor: { agents: [a] }, reviewer: { agents: [a] } }\nlimits: { backoffSeconds: 0 }\n`,
  );
  write(two, "story.yaml", JSON.stringify({ executor: [[{ exit: 1 }]], reviewer: [[]] }));
  await commit(two);
  expect((await monoco(two, "run", "FEAT-0001", "--once")).exitCode).toBe(1);
  await sandbox.sh(two, "git fetch -q && git merge -q --no-edit origin/main");
  const fixed = await monoco(two, "issue", "lint", "--fix", "--json");
  expect(JSON.parse(fixed.stdout)).toMatchObject({
    renumbered: [
      { from: "FEAT-0001", path: "issues/FEAT-0001-login.md", newPath: "issues/FEAT-0003-login.md" },
    ],
  });
});

test("new ids are above those of remote branches and of what a relay's branch made; many at once are all different", async () => {
  await sandbox.sh(
    two,
    "git checkout -q -b far && git mv issues/FEAT-0002-menu.md issues/FEAT-0041-menu.md && git commit -qm far && git push -q origin far 2> /dev/null",
  );
  await sandbox.sh(one, "git fetch -q");
  expect(JSON.parse((await monoco(one, "issue", "create", "A", "--json")).stdout)).toMatchObject({
    id: "FEAT-0042",
  });
  await sandbox.sh(
    one,
    "git checkout -q --orphan lost && git mv issues/FEAT-0001-login.md issues/FEAT-0050-x.md && git commit -qm x && git update-ref refs/monoco/FEAT-0001/head HEAD && git checkout -q main && git branch -q -D lost",
  );
  const made = await Promise.all(
    ["B", "C", "D", "E"].map((title) => monoco(one, "issue", "create", title, "--json")),
  );
  const ids = made.map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id);
  expect(ids.toSorted()).toEqual(["FEAT-0051", "FEAT-0052", "FEAT-0053", "FEAT-0054"]);
  expect(await sandbox.sh(one, "git status --porcelain -- . ':!issues'")).toBe("");
});
