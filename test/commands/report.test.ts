/** monoco report: what a relay came to, for those who were not there, in three forms; nothing that others wrote takes effect in any. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { testRows } from "../support/full.ts";
import { issuePath, issueText, openPlace, run } from "../support/place.ts";
import type { Place } from "../support/place.ts";
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
       - met: \`test -z "$(git diff -I'^[^ ]+ -( [*]/)?$' <hash>)"; sh -c "exit $?"\`, exit status 0, 1 on the base (shown)
       - met: \`sh -c 'exit 0'\`, exit status 0, 0 on the base (as before)

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
  const [html = "", md = ""] = await reportsOf(place);
  const page = place.read(html);
  expect(page).toContain("&lt;img src=x onerror=alert(1)>");
  expect(page.replaceAll("src=x", "")).not.toMatch(/<img|<script|src=|https?:/);
  expect(page).toContain("default-src 'none'");
  for (const form of [page, place.read(md), (await place.monoco("report", "--json")).stdout])
    // eslint-disable-next-line no-control-regex
    expect(form).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  const markdown = place.read(md);
  expect(markdown).toContain("\\<img src=x onerror=alert(1)\\> \\[x\\](javascript:1)");
  await place.monoco("report", "--html", "out.html");
  expect(place.read("out.html").match(/<h2 /g)).toHaveLength(1);
  expect((await place.monoco("report", "--since", "2999-01-01")).stdout).toContain("0 relays");
  expect(await place.monoco("report", "FEAT-0001", "--since", "2026-01-01")).toMatchObject({ exitCode: 2 });
  expect(execFileSync("git", ["status", "--porcelain"], { cwd: place.project, encoding: "utf8" })).toBe(
    "?? out.html\n",
  );
});

/** The kept reports, the oldest first. */
async function reportsOf(place: Place): Promise<string[]> {
  return (await place.sh("ls .monoco/reports/*")).split("\n");
}

test("each run of the backlog keeps its report, with what needs you and what is not pushed on top; an empty run has none", async () => {
  const work = "echo 1 > $MONOCO_ISSUE.txt && git add -A && git commit -qm Work && monoco issue submit";
  const asks = `if [ $MONOCO_ISSUE = FEAT-0002 ]; then monoco relay ask "Which port?"; else ${work}; fi`;
  const place = await openPlace(
    { executor: [[run(asks)]], reviewer: story.reviewer },
    { issues: ["FEAT-0001", "FEAT-0002"], limits: { questionsMax: 1 } },
  );
  await place.sh(
    "git init -q --bare ../hub.git && git remote add origin ../hub.git && git push -q -u origin main",
  );
  await place.monoco("run", "--all");
  const first = await reportsOf(place);
  expect(first).toEqual([
    expect.stringMatching(/^\.monoco\/reports\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.html$/),
    expect.stringMatching(/\.md$/),
  ]);
  const top = place.read(first[1]!).split("\n## ")[0]!;
  const told = transcript({ exitCode: 0, stdout: top, stderr: "", signal: undefined });
  expect(told.replaceAll("<date> <time> UTC", "<date>")).toMatchInlineSnapshot(`
    "# 2 relays with something new since <date>, 1 merged

    3 sessions, none reported a cost (<duration>). Made <date>.

    - needs you: FEAT-0002 Write a file · asks: Which port? → \`monoco answer FEAT-0002 "…"\`
    - not pushed: 2 commits
    "
  `);
  expect(place.read(first[0]!)).toMatch(/<li><span>needs you: FEAT-0002 .*<li><span>not pushed: 2 commits/);
  await place.sh("sed -i s/draft/freezed/ issues/FEAT-0002* && git commit -qam Frozen");
  await place.monoco("run", "--all");
  expect(await reportsOf(place)).toEqual(first);
});
