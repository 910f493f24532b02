/** What agents, files, commits and issues are called by others reaches no file, prompt or terminal in a form that acts there. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commit, issuePath, issueText, openPlace, run, submit } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const evil = "\u001b]0;title\u0007x\u009b31my\u202ez\u001b[31m";
const inShell = `$(printf '\\033]0;title\\007x\\302\\233\\063\\061my\\342\\200\\256z\\033[31m')`;

const acts = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

// TRAP 44
it("escapes, C1 and bidi in names, subjects, titles and words act in nothing that monoco writes or prints", async () => {
  const finding = (severity: string) => ({
    id: `F-${severity}`,
    severity,
    title: `Look ${evil}`,
    criterion: "1",
    file: `a${evil}.txt`,
    evidence: { command: `true # ${evil}`, exitCode: 0, text: evil },
  });
  const place = await openPlace(
    {
      executor: [
        [
          run(`echo a > "a${inShell}.txt" && git add -A && git commit -qm "Work ${inShell}"`),
          run(`echo b > "b${inShell}.txt"`),
          { exit: 1 },
        ],
        [
          {
            handoff: { next: [evil], decisions: [evil], warnings: [evil], patterns: [evil], workingOn: evil },
          },
        ],
        [{ say: evil }, commit, submit],
        [run("echo c > c.txt"), commit, submit],
      ],
      reviewer: [
        [{ verdict: "request_changes", summary: evil, findings: [finding("blocker")] }],
        [{ verdict: "approve", summary: evil, findings: [finding("minor")] }],
      ],
    },
    {
      issues: [],
      files: {
        [issuePath("FEAT-0001")]: issueText("FEAT-0001").replace(
          "title: Write a file",
          'title: "Write \\e[31m\\u009b \\u202e a file"',
        ),
      },
      settings: `checks: ["printf '\\\\033]0;title' && test -f c.txt || test ! -f 'b\${0}'"]\n`,
    },
  );
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  const relay = join(place.project, ".monoco", "relays", "FEAT-0001");
  const written = readdirSync(relay, { recursive: true, encoding: "utf8" }).filter((path) =>
    /(?:prompt|RALPH|review)\.md$|journal\.jsonl$/.test(path),
  );
  const texts: [string, string][] = [
    ...written.map((path): [string, string] => [path, readFileSync(join(relay, path), "utf8")]),
    ["the issue", await place.git("show", `main:${issuePath("FEAT-0001")}`)],
    ["the merge", await place.git("log", "-1", "--format=%B", "main")],
    ["run", ran.stdout + ran.stderr],
  ];
  for (const command of [
    "relay status FEAT-0001",
    "relay status FEAT-0001 --json",
    "relay log FEAT-0001",
    "relay log FEAT-0001 --json",
    "relay explain FEAT-0001",
    "issue review FEAT-0001",
    "issue show FEAT-0001",
  ]) {
    const { stdout, stderr } = await place.monoco(...command.split(" "));
    texts.push([command, stdout + stderr]);
  }
  expect(texts.filter(([, text]) => text.trim() === "").map(([name]) => name)).toEqual([]);
  const acting = texts.flatMap(([name, text]) =>
    text.split("\n").flatMap((line) => (acts.test(line) ? [[name, JSON.stringify(line.slice(0, 300))]] : [])),
  );
  expect(acting).toEqual([]);
  // What was called so is still there to be found.
  const prompts = texts.filter(([name]) => name.endsWith("prompt.md")).map(([, text]) => text);
  expect(
    prompts.some((text) => text.includes("a\\u001b]0;title\\u0007x\\u009b31my\\u202ez\\u001b[31m.txt")),
  ).toBe(true);
});

test("and in no name of an issue's file", async () => {
  const named = `issues/FEAT-0001-a${evil}.md`;
  const place = await openPlace(
    { executor: [[]], reviewer: [[]] },
    { issues: [], files: { [named]: issueText("FEAT-0001", "priority: whenever\n") } },
  );
  for (const command of ["issue lint", "issue start FEAT-0001", "issue show FEAT-0001", "run FEAT-0002"]) {
    const { stdout, stderr } = await place.monoco(...command.split(" "));
    expect(stdout + stderr).not.toBe("");
    expect(stdout + stderr, command).not.toMatch(acts);
  }
});
