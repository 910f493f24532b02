/** monoco report: what a relay came to, for those who were not there, in three forms; nothing that others wrote takes effect in any. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { testRows } from "../support/full.ts";
import { issuePath, issueText, openPlace, run } from "../support/place.ts";
import { transcript } from "../support/transcript.ts";

const evil = "<img src=x onerror=alert(1)> [x](javascript:1) \u001b[31m @all \u202e";
const story = {
  executor: [[run("echo 1 > $MONOCO_ISSUE.txt && git add -A && git commit -qm Work && monoco issue submit")]],
  reviewer: [[{ verdict: "approve" }]],
};

test("it tells what was asked, decided, shown and spent, and how to undo it", async () => {
  const place = await openPlace(story);
  await place.monoco("run", "FEAT-0001");
  const told = transcript(await place.monoco("report", "FEAT-0001"));
  expect(told.replaceAll(/<date> (?:<time> UTC|\d\d:\d\d)/g, "<date>")).toMatchInlineSnapshot(`
    "## FEAT-0001: Write a file

    **done**: merged as <hash>. 2 sessions, none reported a cost (<duration>).

    ### Asked

    A file.

    ### Evidence by criterion

    1. the file is there
       - met: test -z "$(git diff -I'^\\[^ \\]+ -( \\[\\*\\]/)?$' <hash>)"; sh -c "exit $?", exit status 0, 1 on the base (shown)
       - met: sh -c 'exit 0', exit status 0, 0 on the base (as before)

    ### Decided

    - <date> submission 1: approved by the reviewer
    - <date> merged submission 1 as <hash>

    ### Undo

        git revert -m 1 <hash>"
  `);
});

testRows(["merge", "squash"])("its way back undoes what was landed by %s", async (merge) => {
  const place = await openPlace(story, { settings: `merge: ${merge}\n` });
  await place.monoco("run", "FEAT-0001");
  expect(await place.sh("ls")).toContain("FEAT-0001.txt");
  const [undo = ""] = /git revert .*/.exec((await place.monoco("report")).stdout) ?? [];
  await place.sh(`${undo} --no-edit`);
  expect(await place.sh("ls")).not.toContain("FEAT-0001.txt");
});

test("each form is for its reader, and none of them lets the words of others act", async () => {
  const text = issueText("FEAT-0001").replace("title: Write a file", `title: ${JSON.stringify(evil)}`);
  const place = await openPlace(story, {
    files: { [issuePath("FEAT-0001")]: text.replace("A file.", evil) },
  });
  await place.monoco("run", "--all");
  // The run of a whole backlog leaves it behind.
  const page = place.read(".monoco/report.html");
  expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;");
  expect(page.replaceAll("src=x", "")).not.toMatch(/<img|<script|src=|https?:/);
  expect(page).toContain("default-src 'none'");
  for (const form of [page, place.read(".monoco/report.md"), (await place.monoco("report", "--json")).stdout])
    // eslint-disable-next-line no-control-regex
    expect(form).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  const markdown = place.read(".monoco/report.md");
  expect(markdown).toContain("\\<img src=x onerror=alert(1)\\> \\[x\\](javascript:1)");
  await place.monoco("report", "--html", "out.html");
  expect(place.read("out.html").match(/<h2 /g)).toHaveLength(1);
  expect((await place.monoco("report", "--since", "2999-01-01")).stdout).toContain("0 relays");
  expect(await place.monoco("report", "FEAT-0001", "--since", "2026-01-01")).toMatchObject({ exitCode: 2 });
  expect(execFileSync("git", ["status", "--porcelain"], { cwd: place.project, encoding: "utf8" })).toBe(
    "?? out.html\n",
  );
});
