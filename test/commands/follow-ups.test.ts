/** What Reviewers found beside the criteria: in the review section after the merge, and issues of their own by --follow-ups. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { approves, commit, issuePath, openPlace, run, submit, works } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const id = "FEAT-0001";
const evidence = { command: "wc -l file.txt", exitCode: 0, text: "one line" };
const found = [
  { id: "short", severity: "minor", title: "It is short: one line", file: "file.txt", line: 1, evidence },
  { id: "taste", severity: "note", title: "I would say `content`", evidence },
];

test("what does not hold back becomes issues, once, and stands in the review section; notes stand there only", async () => {
  const rejects = [
    {
      verdict: "request_changes",
      findings: [...found, { ...found[0], id: "end", severity: "major", title: "No end", criterion: "1" }],
    },
  ];
  const place = await openPlace({
    executor: [works, [run("echo more >> file.txt"), commit, submit]],
    reviewer: [rejects, approves],
  });
  const ran = await place.monoco("run", id, "--follow-ups");
  expect(ran).toMatchObject({ exitCode: 0 });
  const files = (): string[] =>
    readdirSync(join(place.project, "issues")).filter((name) => !name.startsWith(id));
  expect(files()).toEqual(["FIX-0001-it-is-short-one-line.md"]);
  expect(ran.stdout).toContain("follow-up FIX-0001: It is short: one line");
  const text = place.read("issues/FIX-0001-it-is-short-one-line.md");
  for (const words of [
    "source: monoco:FEAT-0001#short",
    "Where: file.txt:1",
    "Shown by: wc -l file.txt",
    "- [ ] This is no longer so: It is short: one line",
  ])
    expect(text).toContain(words);
  expect(await place.monoco("issue", "lint", "FIX-0001")).toMatchObject({ exitCode: 0 });
  await place.monoco("run", id, "--follow-ups");
  expect(files()).toHaveLength(1);
  const closed = await place.git("show", `main:${issuePath(id)}`);
  expect(closed).toContain("minor: It is short: one line");
  expect(closed).toContain("note: I would say `content`");
  expect(closed).not.toContain("No end");
});
