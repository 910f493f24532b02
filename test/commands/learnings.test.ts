/** What a merged relay learned is given to the next, and a person decides what becomes of it. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPlace, run } from "../support/place.ts";
import { transcriptOf } from "../support/transcript.ts";
import { full } from "../support/full.ts";

const hands = [
  {
    handoff: { next: ["Go on"], patterns: ["Prices are in cents", "Dates are UTC", "日期是 UTC"] },
  },
];
const works = [run("echo 1 > $MONOCO_ISSUE.txt && git add -A && git commit -qm Work && monoco issue submit")];

test("patterns of a merged relay reach the next one's prompt where that is switched on; a person promotes and drops", async () => {
  const place = await openPlace(
    { executor: [hands, works], reviewer: [[{ verdict: "approve" }]] },
    { issues: ["FEAT-0001", "FEAT-0002"], settings: "learnings: true\n" },
  );
  const prompt = (issue: string, session: string): string =>
    readFileSync(join(place.project, ".monoco/relays", issue, "sessions", session, "prompt.md"), "utf8");
  expect((await place.monoco("learnings")).stdout).toMatch(/^nothing yet/);
  await place.monoco("run", "FEAT-0001");
  expect(prompt("FEAT-0001", "0001-executor")).not.toContain("What earlier issues taught");
  await place.monoco("run", "FEAT-0002");
  expect(prompt("FEAT-0002", "0001-executor")).toMatch(
    /## What earlier issues taught[^]*```data\n- 日期是 UTC \(FEAT-0001\)\n- Dates are UTC \(FEAT-0001\)\n- Prices are in cents \(FEAT-0001\)\n```/,
  );
  place.write("AGENTS.md", "# Agents\r\n\r\n## Learnings\r\n\r\n- Old\r\n\r\n## Else\r\n");
  expect(
    await transcriptOf(place.monoco, [
      ["learnings"],
      ["learnings", "1", "--promote"],
      ["learnings", "--json"],
      ["learnings", "2", "--drop"],
      ["learnings", "9", "--drop"],
      ["learnings", "--promote"],
      ["learnings"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco learnings
    1  FEAT-0001  Prices are in cents
    2  FEAT-0001  Dates are UTC
    3  FEAT-0001  日期是 UTC
    $ monoco learnings 1 --promote
    AGENTS.md: 1 added
    next: look at it, and commit it
    $ monoco learnings --json
    [{"number":1,"text":"Dates are UTC","from":"FEAT-0001"},{"number":2,"text":"日期是 UTC","from":"FEAT-0001"}]
    $ monoco learnings 2 --drop
    1 dropped: no session is given them any more
    $ monoco learnings 9 --drop
    ! error: expected a number from 1 to 1, got "9"
    ! hint: monoco learnings shows the numbers
    exit 2
    $ monoco learnings --promote
    ! error: --promote and --drop take the numbers of entries, and nothing else does
    ! hint: monoco learnings shows the numbers; monoco learnings 2 --promote
    exit 2
    $ monoco learnings
    1  FEAT-0001  Dates are UTC"
  `);
  expect(place.read("AGENTS.md")).toBe(
    "# Agents\r\n\r\n## Learnings\r\n\r\n- Prices are in cents\r\n- Old\r\n\r\n## Else\r\n",
  );
  rmSync(join(place.project, "AGENTS.md"));
  expect(await place.monoco("learnings", "1", "--promote")).toMatchObject({ exitCode: 0 });
  expect(place.read("AGENTS.md")).toBe("## Learnings\n\n- Dates are UTC\n");
});

test("by default no session is given them, and they are kept for a person to promote", async () => {
  const place = await openPlace(
    { executor: [hands, works], reviewer: [[{ verdict: "approve" }]] },
    { issues: ["FEAT-0001", "FEAT-0002"] },
  );
  await place.monoco("run", "FEAT-0001");
  await place.monoco("run", "FEAT-0002");
  const prompt = ".monoco/relays/FEAT-0002/sessions/0001-executor/prompt.md";
  expect(place.read(prompt)).not.toContain("Prices are in cents");
  expect(await place.monoco("learnings", "1", "--promote")).toMatchObject({ exitCode: 0 });
  expect(place.read("AGENTS.md")).toBe("## Learnings\n\n- Prices are in cents\n");
});

full("a file of learnings that cannot be written holds up no merge", async () => {
  const place = await openPlace({ executor: [hands, works], reviewer: [[{ verdict: "approve" }]] });
  await place.sh("mkdir -p .monoco/learnings.md");
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.events().at(-1)).toMatchObject({
    type: "merge.done",
    kept: [expect.stringContaining("learnings.md: it is a folder")],
  });
  expect(await place.monoco("learnings")).toMatchObject({ exitCode: 2, stdout: "" });
});
