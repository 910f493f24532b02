/** The checks of a submission: what they see, whether they end the same twice, and what they change. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testRows } from "../support/full.ts";
import { issue, stage, told } from "../support/cast.ts";
import type { Place } from "../support/cast.ts";
import { eventsOf } from "../support/cli.ts";

const inReview = (command: string): string => `case $PWD in *review*) ${command} ;; esac`;
/** On the submission, the first time and again. */
const onSubmission = (command: string): string => `case $PWD in *review* | *trial*) ${command} ;; esac`;
const counted = 'n=$(cat "$HOME/n" 2>/dev/null || echo 0); echo $((n + 1)) > "$HOME/n"; test "$n" -ne 1';

const changedByChecks = (place: Place): string[] =>
  told(place, "submission.inspected")
    .at(-1)!
    .weakened.flatMap(({ kind, file }) => (kind === "changed by checks" ? [file] : []))
    .toSorted();

it("a file that git sees as changed from the start (CRLF), or that the set-up changes, is none that the checks change", async () => {
  const place = await stage({
    executor: "works",
    reviewer: "approves",
    checks: JSON.stringify(["test -f file.txt", inReview("echo >> seen.js")]),
    settings: 'setup: ["echo >> made.js"]',
    texts: { "dos.txt": "one\r\ntwo\r\n", "made.js": "\n", "seen.js": "\n" },
  });
  await place.sandbox.sh(
    place.project,
    "printf '*.txt text\n' > .gitattributes && git add .gitattributes && git commit -qm Attributes",
  );
  await place.start();
  expect(changedByChecks(place)).toEqual(["seen.js"]);
});

// TRAP 78
it("of the files that a check changes, those that decide no check are restored, named once, and hide no other", async () => {
  const documents = Array.from({ length: 9 }, (_, at) => `docs/${at}.md`);
  const harmless = [...documents, "package-lock.json", "src/__snapshots__/a.snap"];
  const decisive = ["src/a.js", "test/a.test.js", "vitest.config.js", "package.json", "run.sh"];
  const all = [...harmless, ...decisive];
  const scripts = JSON.stringify({ scripts: { lint: "true" } });
  const change = `for one in ${all.join(" ")}; do echo >> $one; done; sed -i s/true/false/ package.json`;
  const place = await stage({
    executor: "works",
    reviewer: "approves",
    checks: JSON.stringify(["npm run lint", "sh run.sh", inReview(change)]),
    texts: { ...Object.fromEntries(all.map((path) => [path, "\n"])), "package.json": scripts },
    limits: "sessionsMax: 2",
  });
  const { stdout } = await place.monoco("run", issue);
  expect(changedByChecks(place)).toEqual(decisive.toSorted());
  expect(stdout.match(/warning: .*restored: .*/g)).toMatchInlineSnapshot(`
    [
      "warning: the checks change tracked files, which are restored: docs/0.md, docs/1.md, docs/2.md, docs/3.md, docs/4.md, docs/5.md, docs/6.md, docs/7.md, docs/8.md, package-lock.json, …",
    ]
  `);
});

it("a check that rewrites a lockfile costs no answer", async () => {
  const place = await stage({
    executor: "works",
    reviewer: "approves",
    checks: JSON.stringify(["test -f file.txt", "echo >> package-lock.json"]),
    texts: { "package-lock.json": "{}\n" },
  });
  expect(await place.monoco("run", issue)).toMatchObject({ exitCode: 0 });
  expect(await place.sandbox.git(place.project, "show", "main:package-lock.json")).toBe("{}");
});

it("checks see nothing of monoco; flaky ones and those that change files are listed", async () => {
  const place = await stage({
    executor: "works",
    reviewer: "approves",
    settings: "review: { checkTwice: true }",
    checks: JSON.stringify([
      `! env | grep MONOCO_`,
      onSubmission(counted),
      inReview("echo >> lib.js; echo >> notes.txt"),
    ]),
    texts: { "lib.js": "\n", "notes.txt": "\n" },
    limits: "sessionsMax: 2",
  });
  expect(await place.monoco("run", issue)).toMatchObject({ exitCode: 1 });
  // What is red on the base, too, counts as green.
  const results = told(place, "checks.ran").flatMap((one) => one.results);
  expect(results.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  expect(told(place, "submission.inspected")).toMatchObject([
    {
      weakened: [{ kind: "changed by checks", file: "lib.js" }],
    },
    {
      weakened: [
        { kind: "changed by checks", file: "lib.js" },
        { kind: "flaky", file: expect.stringContaining('test "$n" -ne 1') },
      ],
    },
  ]);
  expect(told(place, "review.refused")[0]?.why).toMatchObject([
    expect.stringMatching(/^W1 \(lib\.js: the checks change this file\) is listed and not answered$/),
    expect.stringMatching(/^W2 \(case .* is listed and not answered$/),
  ]);
  const mark = readFileSync(join(place.project, ".monoco/relays", issue, "mark"), "utf8");
  expect(mark).toMatch(/^V[0-9A-F]{12}=[0-9a-f]{24}\n$/);
  expect(eventsOf(place.project, issue).some(({ type }) => type === "merge.done")).toBe(false);
});

it("a check that somebody else's signal ends is run once more", async () => {
  const place = await stage({
    executor: "works",
    reviewer: "approves",
    checks: JSON.stringify([`[ -e "$HOME/n" ] || { touch "$HOME/n"; kill -9 $$; }; test -f file.txt`]),
  });
  expect(await place.monoco("run", issue)).toMatchObject({ exitCode: 0 });
  expect(told(place, "checks.ran").map(({ ok }) => ok)).not.toContain(false);
});

testRows([
  ["weakens-its-tests", ["flaky"]],
  ["works", []],
] as const)("green checks run a second time where tests are changed: %s", async ([executor, found]) => {
  const checks = JSON.stringify([onSubmission(counted)]);
  const texts = { "test/a.test.js": 'it("holds a word", () => {});\n' };
  const place = await stage({ executor, reviewer: "approves", checks, texts, limits: "sessionsMax: 2" });
  await place.monoco("run", issue);
  const flaky = told(place, "submission.inspected")
    .at(-1)
    ?.weakened.filter(({ kind }) => kind === "flaky");
  expect((flaky ?? []).map(({ kind }) => kind)).toEqual(found);
  expect(told(place, "checks.ran").map(({ ok }) => ok)).toContain(true);
});

// TRAP 72
const sourced = "source ./words.sh && [[ $word == a* ]]";
testRows([
  ["bash, if nothing is set", "", [sourced, "test ! -f file.txt | cat"], true],
  ["bash with pipefail", "shell: bash -o pipefail", [sourced, "test ! -f file.txt | cat"], false],
  ["the words of a list", "shell: [bash, -e]", [sourced, "test ! -f file.txt; true"], false],
] as const)("set-up and checks run under %s", async ([, shell, checks, ok]) => {
  const place = await stage({
    executor: "works",
    reviewer: "approves",
    checks: JSON.stringify(checks),
    settings: `${shell}\nsetup: ["${sourced}"]`,
    texts: { "words.sh": "word=anything\n" },
    limits: "sessionsMax: 1",
  });
  await place.monoco("run", issue);
  expect(told(place, "checks.ran").find(({ target }) => target === "submission")).toMatchObject({ ok });
  await place.sandbox.sh(place.project, "touch file.txt");
  expect(await place.monoco("check")).toMatchObject({ exitCode: ok ? 0 : 1 });
});
