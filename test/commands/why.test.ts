/** Who made a line, for which issue and in which session; what people wrote stays theirs. */
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { full, testRows } from "../support/full.ts";
import { approves, commit, openPlace, run, submit } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { transcriptOf } from "../support/transcript.ts";

vi.setConfig({ testTimeout: 300_000 });

type Line = { from: number; to: number; by: string; issue?: string; session?: { session: number } };

/** `person`, `nobody`, or the issue and session of each line. */
async function makersOf(place: Place, file: string, cwd = place.project): Promise<string[]> {
  const ran = await place.sandbox.monoco(["why", file, "--json"], { cwd });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  const { lines } = JSON.parse(ran.stdout) as { lines: Line[] };
  return lines.flatMap(({ from, to, by, issue, session }) => {
    const maker = by === "monoco" ? `${issue}/${session?.session ?? "?"}` : by;
    return Array.from({ length: to - from + 1 }, () => maker);
  });
}

const cents =
  "export const price = (n) => n;\n\nexport function cents(n) {\n  return Math.round(n * 100);\n}\n";
const testOfCents =
  'import assert from "node:assert";\nimport { test } from "node:test";\nimport { cents } from "./price.js";\n\ntest("cents", () => assert.equal(cents(1.5), 150));\n';

testRows(["merge", "squash"])(
  "a line leads to its session, its grounds and its guard, after a %s",
  async (merge) => {
    const place = await openPlace(
      {
        executor: [
          [
            { write: { "price.js": cents } },
            commit,
            { handoff: { next: ["Tests"], decisions: ["price.js rounds: floats are not exact"] } },
          ],
          [
            run('cd "$PERSON" && { echo "// Prices are in euros."; cat price.js; } > new && mv new price.js'),
            run('cd "$PERSON" && git commit -qam Mine'),
            { write: { "price.test.js": testOfCents } },
            run("echo 'export const currency = \"EUR\";' >> price.js"),
            commit,
            submit,
          ],
        ],
        reviewer: [
          [
            {
              verdict: "approve",
              evidence:
                "node --input-type=module -e 'import { cents } from \"./price.js\"; process.exit(cents(1.5) === 150 ? 0 : 1)'",
              findings: [
                { id: "n1", severity: "note", title: "One currency only", file: "price.js", line: 6 },
              ],
            },
          ],
        ],
      },
      {
        files: { "price.js": "export const price = (n) => n;\n", "package.json": '{ "type": "module" }\n' },
        settings: `merge: ${merge}\nchecks: ["node --test"]\n`,
      },
    );
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    // A code host's squash has a message of its own; the record of the same change leads on.
    await place.sh(
      "git switch -qc hosted main^ && git checkout -q main -- . && git commit -qm 'FEAT-0001: Write a file (#12)'",
    );
    const onHost = await makersOf(place, "price.js");
    expect(onHost).toEqual(
      "person person FEAT-0001/1 FEAT-0001/1 FEAT-0001/1 FEAT-0001/1 FEAT-0001/2".split(" "),
    );
    await place.sh("git switch -q main && git branch -qD hosted");
    await place.sh("echo '// More.' >> price.js && mkdir -p deep && git worktree add -q ../linked");
    expect(await makersOf(place, "price.js")).toEqual(
      "person person FEAT-0001/1 FEAT-0001/1 FEAT-0001/1 FEAT-0001/1 FEAT-0001/2 nobody".split(" "),
    );
    expect(await makersOf(place, "../price.js", join(place.project, "deep"))).toHaveLength(8);
    expect(await makersOf(place, "price.js:7-7", join(place.around, "linked"))).toEqual(["FEAT-0001/2"]);
    expect(
      await transcriptOf(place.monoco, [
        ["why", "price.js:5"],
        ["why", "price.js:1-2"],
        ["why", "price.js:99"],
        ["why", "price.js:4-3"],
        ["why", "none.js"],
        ["why", "deep"],
        ["why", "../price.js"],
      ]),
    ).toMatchInlineSnapshot(`
      "$ monoco why price.js:5
      price.js
      5  FEAT-0001 "Write a file", submission 1, merged as <hash>
         session 1 by a: <hash> "work"
         reviewed by session 3, a
         criterion 1, "the file is there": met: node --input-type=module -e 'import { cents } from "./price.js"; process.exit(cents(1.5) === 150 ? 0 : 1)', exit status 0, 1 on the base (shown by absence)
         decided in session 1: price.js rounds: floats are not exact
         finding n1 (note): One currency only
         a check fails if price.js:5 is removed (node --test)
      $ monoco why price.js:1-2
      price.js
      1  not by monoco: <hash> "Mine" by P
      2  not by monoco: <hash> "Begin" by Test
      $ monoco why price.js:99
      ! error: price.js has 8 lines, and no line 99
      exit 2
      $ monoco why price.js:4-3
      ! error: price.js:4-3: expected FILE:LINE or FILE:FROM-TO, the lines from 1 upwards
      exit 2
      $ monoco why none.js
      ! error: no such file in the last commit: none.js
      ! hint: name a file that is committed, as git ls-files lists it; git log -- :/none.js lists the commits of one that is gone
      exit 2
      $ monoco why deep
      ! error: deep: expected a file, got a folder
      exit 2
      $ monoco why ../price.js
      ! error: ../price.js: expected a file of /place/a project, 项目
      exit 2"
    `);
    // A clone has the trailers, but neither journal nor submissions.
    await place.sh("git clone -q . ../clone");
    const cwd = join(place.around, "clone");
    expect(await makersOf(place, "price.js", cwd)).toEqual(
      "person person FEAT-0001/? FEAT-0001/? FEAT-0001/? FEAT-0001/? FEAT-0001/?".split(" "),
    );
    const { stdout } = await place.sandbox.monoco(["why", "price.js:5"], { cwd });
    expect(stdout).toContain("its journal is not here");
  },
);

test("what a person commits on a relay's branch is the person's, and so is what is merged into it", async () => {
  const place = await openPlace({
    executor: [
      [{ write: { "a.txt": "one line of the first session\n" } }, commit, { handoff: { next: ["Go on"] } }],
      [
        run(
          'git fetch -q "$PERSON" theirs && git merge -q --no-edit FETCH_HEAD && echo a line of the second session >> a.txt',
        ),
        commit,
        submit,
      ],
    ],
    reviewer: [
      [
        {
          verdict: "request_changes",
          unless: "false",
          findings: [{ id: "f1", severity: "major", title: "More", criterion: "1" }],
        },
      ],
      approves,
    ],
  });
  await place.sh(
    "git switch -qc theirs && echo a line of another branch > theirs.txt && git add -A && git commit -qm Theirs && git switch -q main",
  );
  await place.monoco("run", "FEAT-0001", "--once");
  await place.sh(
    "git switch -q monoco/FEAT-0001 && echo a line of the person >> a.txt && git commit -qam Mine",
  );
  expect(await makersOf(place, "a.txt")).toEqual(["FEAT-0001/1", "person"]);
  expect((await place.monoco("why", "a.txt:1")).stdout).toContain('FEAT-0001 "Write a file", not merged');
  await place.monoco("issue", "submit");
  await place.sh("git switch -q main");
  const ran = await place.monoco("resume", "FEAT-0001");
  expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
  expect(await makersOf(place, "a.txt")).toEqual(["FEAT-0001/1", "person", "FEAT-0001/3"]);
  expect(await makersOf(place, "theirs.txt")).toEqual(["person"]);
  expect((await place.monoco("why", "a.txt:2")).stdout).toContain("in submission 2 of FEAT-0001");
});

test("uncommitted work is of those who left it, and what a revert brings back of those who wrote it", async () => {
  const place = await openPlace({
    executor: [
      [run("echo a line that session 1 left uncommitted >> a.txt"), { handoff: { next: ["Go on"] } }],
      [run("echo a line of session 2 >> a.txt"), commit, submit],
    ],
    reviewer: [approves],
  });
  await place.sh("git switch -qc mine/FEAT-0001 && echo a line that a person left uncommitted > a.txt");
  await place.monoco("relay", "prepare");
  const scaffold = place.read("RALPH.md");
  place.write("RALPH.md", scaffold.replace(/(## Next steps \(read first\)\n)/, "$11. Go on\n"));
  const handed = await place.monoco("relay", "prepare");
  expect(handed, handed.stderr).toMatchObject({ exitCode: 0 });
  await place.sh("git switch -qf main && rm a.txt RALPH.md");
  const ran = await place.monoco("resume", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  const makers = ["person", "FEAT-0001/1", "FEAT-0001/2"];
  expect(await makersOf(place, "a.txt")).toEqual(makers);
  await place.sh("git revert -m 1 --no-edit HEAD && git revert --no-edit HEAD");
  expect(await makersOf(place, "a.txt")).toEqual(makers);
});

/** Lines that name their maker, put into, moved in and taken from some files; the same for the same number. The first file always changes. */
const edit = `
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const [maker, seed, ...files] = process.argv.slice(2);
let state = [...maker + seed].reduce((sum, one) => (sum * 31 + one.codePointAt(0)) >>> 0, 7);
const below = (n) => (state = (state * 1664525 + 1013904223) >>> 0) % n;
for (const [at, file] of files.entries()) {
  if (at > 0 && below(3) === 0 && existsSync(file)) continue;
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\\n").filter(Boolean) : [];
  for (let n = 0; n < 2 + below(5); n++)
    lines.splice(below(lines.length + 1), 0, maker + " wrote line " + n + " " + state + below(1e9) + " " + below(1e9) + " " + below(1e9));
  if (lines.length > 30) lines.splice(below(lines.length - 4), 3);
  if (lines.length > 12 && below(3) === 0) lines.push(...lines.splice(below(lines.length - 8), 6));
  writeFileSync(file, lines.join("\\n") + "\\n");
}
`;

const merges = Number(process.env["WHY_MERGES"] ?? 40);

full.for(["merge", "squash", "merge, with people", "squash, with people"])(
  "of every line of many relays' work the maker is right: %s",
  { timeout: 3_600_000 },
  async (how) => {
    const issues = Array.from({ length: merges }, (_, at) => `FEAT-${String(at + 1).padStart(4, "0")}`);
    const files = ["a.txt", "b.txt", "deep/c.txt", "deep/d.txt"];
    const all = [...files, "moved.txt", "mine.txt"];
    const withPeople = how.includes("people");
    const works = (seed: number) =>
      run(`node "$PERSON/../edit.mjs" "$MONOCO_ISSUE/$MONOCO_SESSION" ${seed} ${files.join(" ")}`);
    // Beside a session: the base moves, files are renamed, and work stays uncommitted for the next session.
    const moves = run(
      'cd "$PERSON" && node ../edit.mjs person "$MONOCO_ISSUE" mine.txt && git add -A && git commit -qm Mine',
    );
    const renames = run("case $MONOCO_ISSUE in *[05]) git mv -f deep/c.txt moved.txt;; esac");
    const leaves = run(
      `case $MONOCO_ISSUE in *[13579]) node "$PERSON/../edit.mjs" "$MONOCO_ISSUE/$MONOCO_SESSION" 2 ${files.join(" ")};; esac`,
    );
    const place = await openPlace(
      {
        executor: [
          [works(1), commit, ...(withPeople ? [leaves] : []), { handoff: { next: ["Go on"] } }],
          [...(withPeople ? [moves, renames] : []), works(3), commit, submit],
        ],
        reviewer: [approves],
      },
      {
        issues,
        files: { "deep/e.txt": "\n" },
        limits: { sessionsPerHour: 10_000 },
        settings: `merge: ${how.split(",")[0]!}\n`,
      },
    );
    place.write("../edit.mjs", edit);
    const writes = (seed: string) =>
      place.sh(
        `node ../edit.mjs person ${seed} ${files.join(" ")} && git add -A && git commit -qm "Mine, ${seed}"`,
      );
    for (const [at, issue] of issues.entries()) {
      await writes(issue);
      if (withPeople && at % 4 === 3) {
        // A person takes over after the first session, and submits.
        await place.monoco("run", issue, "--once");
        await place.sh(`git switch -q monoco/${issue}`);
        await writes(`${issue} by hand`);
        await place.monoco("issue", "submit");
        await place.sh("git switch -q main");
      }
      const ran = await place.monoco(withPeople && at % 4 === 3 ? "resume" : "run", issue);
      expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
      const parent = how.startsWith("merge") ? "-m 1" : "";
      if (withPeople && at % 5 === 4)
        await place.sh(`git revert ${parent} --no-edit HEAD && git revert --no-edit HEAD`);
    }
    const wrong: string[] = [];
    const counts = { monoco: 0, person: 0 };
    for (const file of withPeople ? all : files) {
      const makers = await makersOf(place, file);
      for (const [at, line] of place.read(file).split("\n").filter(Boolean).entries()) {
        const [, maker = ""] = /^(\S+) wrote/.exec(line) ?? [];
        counts[maker === "person" ? "person" : "monoco"] += 1;
        if (makers[at] !== maker) wrong.push(`${file}:${at + 1} ${line}: ${makers[at]}`);
      }
    }
    console.info(`${how}: ${JSON.stringify(counts)}, ${wrong.length} wrong`);
    expect(wrong).toEqual([]);
    expect(counts.monoco).toBeGreaterThan(merges);
    expect(counts.person).toBeGreaterThan(merges / 4);
  },
);
