/** The merges that turned out to be wrong, for a terminal: how many, by what had let them through, and which. */
import { named } from "../../core/language/names.ts";
import { t, translatable, translated } from "../../core/language/translate.ts";
import { rateWords } from "../../core/report/escapes.ts";
import type { Escape, Escapes } from "../../core/report/escapes.ts";
import { short, timeOf } from "../../core/text/figures.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { tableLines } from "../table.ts";

export function escapeLines({ since, all, by, escaped }: Escapes): string[] {
  const from = since === null ? "" : t` since ${timeOf(Date.parse(since))}`;
  if (all.merges === 0) return [t`no merges are recorded in this clone${from}`];
  const titles = { evidence: t`by evidence`, reviewer: t`by Reviewer`, gate: t`approved by` };
  const rows = (["evidence", "reviewer", "gate"] as const).flatMap((group) =>
    by[group].map(({ name, ...rate }, at) => [
      at === 0 ? titles[group] : "",
      group === "evidence" && name in ways
        ? translated(ways[name as keyof typeof ways])
        : plainLine(named(name)),
      rateWords(rate),
    ]),
  );
  const merges = escaped.flatMap(({ issue, submission, commit, escapes }) => [
    t`${issue}, submission ${submission}, merged as ${short(commit)}`,
    ...escapes.map((one) => `  ${escapeWords(one)}`),
  ]);
  return [`${rateWords(all)}${from}`, "", ...tableLines(rows), ...(merges.length > 0 ? ["", ...merges] : [])];
}

/** The rules by which evidence counts. */
const ways = translatable({
  written: "a kind that the contract states",
  guard: "a check guards it",
  passes: "a check is the criterion",
  differs: "differs from the base",
  tests: "new tests",
  line: "a line of the diff",
  absent: "is no longer there",
  stays: "stays as before",
  measured: "measured",
});

function escapeWords({ how, by, atMs }: Escape): string {
  const at = timeOf(atMs);
  const what = plainLine(/^[0-9a-f]{40,64}$/.test(by) ? short(by) : by, 300);
  return {
    reverted: t`reverted by ${what}, ${at}`,
    reopened: t`reopened, ${at}`,
    repaired: t`repaired by ${what}, ${at}`,
    marked: t`marked by a person, ${at}: ${what}`,
  }[how];
}
