/** The dossier of a submission: whole and unescaped at a terminal, without effect on a page of others. */
import { expect, test } from "vitest";
import { speaking } from "../../../src/app/language.ts";
import { dossierOf } from "../../../src/core/report/dossier.ts";
import { pullRequestBody } from "../../../src/core/report/pull-request-body.ts";
import type { Criterion } from "../../../src/core/review/verdict-schema.ts";
import type { DossierInput } from "../../../src/core/report/dossier.ts";
import { catalogue } from "../../../src/views/zh/catalogue.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { checked, checkResult, journal, opened } from "../support/relays.ts";

const command = String.raw`node -e "console.log([1, 2].map((n) => \"<\" + n | 0))" # ${"x".repeat(200)}`;
const criterion = '`discount(200, 10)` is [180], "say" <b> @me';

const input = (reader: DossierInput["reader"]): DossierInput => ({
  opening: replay(journal([opened])).opening!,
  submission: {
    submission: 1,
    head: "a".repeat(40),
    tree: "b".repeat(40),
    by: "executor",
    sessionsThen: 1,
    tampered: [],
    refusals: [],
    confirmations: [],
    reviews: [
      {
        type: "review.decided",
        submission: 1,
        by: "reviewer",
        session: 2,
        verdict: "approve",
        findings: [],
        criteria: [{ criterion: 1, result: "met", command, exitCode: 0, reproduced: true }],
        probes: [{ command: "echo `date`", exitCode: 0, reproduced: true }],
      },
    ],
  },
  criteria: [criterion],
  stat: "",
  reader,
});

test("at a terminal every criterion and every command can be copied as it was written", () => {
  const shown = dossierOf(input({ logs: "/logs" }));
  expect(shown).toContain(`| 1 | ${criterion} | behaves (guessed) | met | \`${command}\` | 0 |  |  |\n`);
  expect(shown).toContain("- `` echo `date` ``: exit status 0, reproduced by monoco\n");
});

test.for<[string, string[], boolean]>([
  ["1 command for 2 criteria is said", ["node a.js", "node a.js"], true],
  ["2 commands for 2 criteria are not", ["node a.js", "node b.js"], false],
  ["1 command for 1 criterion is not", ["node a.js"], false],
])("%s", ([, commands, isSaid]) => {
  const { submission, ...others } = input({ logs: "/logs" });
  const criteria = commands.map((one, at) => {
    return { criterion: at + 1, result: "met", command: one, exitCode: 0 } as const;
  });
  const reviews = submission.reviews.map((one) => ({ ...one, criteria }));
  const shown = dossierOf({
    ...others,
    submission: { ...submission, reviews },
    criteria: commands.map(() => criterion),
  });
  expect(/\n\n1 command for 2 criteria\n/.test(shown)).toBe(isSaid);
});

test.for<[Partial<Criterion>, string]>([
  [{ worth: "measured", ownRuler: true }, "measured by a program that the submission changes"],
  [{ worth: "shown_by_absence" }, "fails on the base because what it needs is missing"],
  [{ worth: "shown", emptied: "differs" }, "shown; fails when the change is removed"],
  [{ worth: "shown", emptied: "same" }, "shown; result is the same when the change is removed"],
  [{ worth: "shown", emptied: "text" }, "shown; result changes when only a comment is added"],
  [{ worth: "shown", emptied: "elsewhere" }, "shown; result differs in another folder"],
  [{ worth: "shown", emptied: "words" }, "shown; result differs when the removed text is kept in a comment"],
  [{ worth: "shown", emptied: "tests" }, "shown; result depends only on tests"],
])("what a command shows is a sentence: %j", ([more, words]) => {
  const { submission, ...others } = input({ logs: "/logs" });
  const criteria = [{ criterion: 1, result: "met", command: "node a.js", exitCode: 0, ...more } as const];
  const reviews = submission.reviews.map((one) => ({ ...one, criteria }));
  expect(dossierOf({ ...others, submission: { ...submission, reviews } })).toContain(`| 0 |  | ${words} |\n`);
});

test("on a page of a code host nothing in it takes effect", () => {
  const shown = dossierOf(input("page"));
  expect(shown).toContain(
    String.raw`| 1 | \`discount(200, 10)\` is \[180], "say" \<b> \@me | behaves (guessed) | met |`,
  );
  expect(shown).toContain("- <code>echo &#96;date&#96;</code>: exit status 0");
});

test("nor in a command, which a reader can copy as it was written, also from a pull request", () => {
  const { submission, ...others } = input("page");
  const written = `${command}\n:tada: &lt; <b> </code> @me #1 https://x.org/#2 $x_y_ ~~z~~ 某`;
  const criteria = [{ criterion: 1, result: "met", command: written, exitCode: 0 } as const];
  const reviews = submission.reviews.map((one) => ({ ...one, criteria }));
  const shown = pullRequestBody(dossierOf({ ...others, submission: { ...submission, reviews } }), []);
  const [, cell = ""] = /met \| <code>(.*?)<\/code> \| 0 \|/.exec(shown) ?? [];
  expect(cell.replaceAll("<br>", "")).not.toMatch(/[<>`*_[\]\\|@~!$]/);
  const read = cell
    .replaceAll("<br>", "\n")
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
  expect(read).toBe(written);
});

test.for([
  ["with the same failures", "same", "red on the base, too, with the same failures (exit status 1)"],
  [
    "in a way that cannot be compared",
    "unread",
    "red on the base, too; whether by the same tests cannot be read (exit status 1)",
  ],
  ["in another way", undefined, "RED (exit status 1)"],
] as const)("a check that was red on the base %s is shown as such", ([, asBefore, words]) => {
  const { submission, ...rest } = input({ logs: "/logs" });
  const red = { ...checkResult(false), ...(asBefore && { asBefore }) };
  const checks = { ...checked("red")(replay(journal([opened]))), results: [red] };
  const shown = dossierOf({ ...rest, submission: { ...submission, checks } });
  expect(shown).toContain(`- \`npm test\`: ${words} (/logs/checks/1.log)\n`);
});

test("a page of a code host is in English, whatever is spoken here", () => {
  const [atTerminal, onPage] = speaking(catalogue, () => [
    dossierOf(input({ logs: "/logs" })),
    dossierOf(input("page")),
  ]);
  expect(onPage).toBe(dossierOf(input("page")));
  expect(atTerminal).toContain("退出码 0，monoco 已重现");
});
