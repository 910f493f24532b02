/** The dossier of a submission: whole and unescaped at a terminal, without effect on a page of others. */
import { expect, test } from "vitest";
import { speaking } from "../../../src/app/language.ts";
import { dossierOf } from "../../../src/core/report/dossier.ts";
import type { DossierInput } from "../../../src/core/report/dossier.ts";
import type { Judged } from "../../../src/core/report/judge-figures.ts";
import { catalogue } from "../../../src/views/zh/catalogue.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { judgeFigures } from "../../../src/core/report/judge-figures.ts";
import { ended, executor, journal, opened, requested, reviewer } from "../support/relays.ts";

const command = String.raw`node -e "console.log([1, 2].map((n) => \"<\" + n | 0))" # ${"x".repeat(200)}`;
const criterion = '`discount(200, 10)` is [180], "say" <b> @me';

const judged: readonly Judged[] = [
  { submission: "a", kind: "right", verdict: "approve", counts: true },
  { submission: "b", kind: "wrong", verdict: "approve", counts: false },
  { submission: "c", kind: "subtle", verdict: "request_changes", counts: true },
];

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

test("a verdict of a Reviewer stands beside what is known of it as a judge", () => {
  const told = input({ logs: "/logs" });
  const { opening } = replay(journal([opened, executor, ended("submitted"), requested(), reviewer]));
  const submission = { ...told.submission, review: told.submission.reviews[0]! };
  const judges = { claude: judgeFigures(judged, Date.UTC(2026, 10, 23)) };
  const shown = dossierOf({ ...told, opening: opening!, submission, judges });
  expect(shown).toContain(
    "- **approve** by the Reviewer (session 2)\n- judged by claude (of 2 wrong submissions it missed 1, of 1 right ones it sent back 0, probed 2026-11-23)\n",
  );
});

test("on a page of a code host nothing in it takes effect", () => {
  const shown = dossierOf(input("page"));
  expect(shown).toContain(
    String.raw`| 1 | \`discount(200, 10)\` is \[180], "say" \<b> \@me | behaves (guessed) | met |`,
  );
  expect(shown).toContain(String.raw`- echo \`date\`: exit status 0`);
});

test("a page of a code host is in English, whatever is spoken here", () => {
  const [atTerminal, onPage] = speaking(catalogue, () => [
    dossierOf(input({ logs: "/logs" })),
    dossierOf(input("page")),
  ]);
  expect(onPage).toBe(dossierOf(input("page")));
  expect(atTerminal).toContain("退出码 0，monoco 已重现");
});
