/** Findings that did not hold back a merge, as items to import. */
import { importedLine, importedText, importedTitle, importedWord } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import type { Opening } from "../journal/relay-state.ts";
import type { Finding } from "../review/verdict-schema.ts";

/** The follow-ups of an opening; notes are matters of taste and stay in the review section. */
export function followUpsOf(opening: Opening): Reading {
  const { issue } = opening;
  const serious = foundBeside(opening).filter(({ severity }) => severity !== "note");
  return { items: serious.map((finding) => itemOf(finding, issue, prefixOf(opening))), remarks: [] };
}

/** `refused`: the finding is from a verdict that did not count. */
export type FoundBeside = Finding & { refused?: true };

/** The findings of all rounds of this opening that did not or could not hold back the merge, each once, in the latest wording. */
export function foundBeside({ submissions }: Opening): FoundBeside[] {
  const byId = new Map<string, FoundBeside>();
  for (const { review, reviews, confirmations, refusals } of submissions) {
    for (const finding of refusals.flatMap(({ findings }) => findings)) {
      byId.delete(finding.id);
      byId.set(finding.id, { ...finding, refused: true });
    }
    const overridden = review?.by === "person" && review.verdict === "approve";
    for (const { by, findings } of [...reviews, ...confirmations]) {
      if (by !== "reviewer") continue;
      for (const finding of findings) {
        byId.delete(finding.id);
        if (!finding.holds || overridden) byId.set(finding.id, finding);
      }
    }
  }
  return [...byId.values()];
}

/** The prefix of finding ids: they start again when an issue is reopened. */
function prefixOf({ submissions }: Opening): string {
  const [first] = submissions;
  return !first || first.submission === 1 ? "" : `${first.submission}.`;
}

function itemOf(finding: Finding, issue: string, before: string): ImportItem {
  const { title, file, line, evidence } = finding;
  const where = file === undefined ? [] : [`Where: ${file}${line === undefined ? "" : `:${line}`}`];
  const shown = evidence.command === undefined ? [] : [`Shown by: ${evidence.command}`];
  const parts = [title, evidence.text, ...where, ...shown, `Found in the review of ${issue}.`];
  return {
    key: importedWord(before + finding.id),
    line: 1,
    type: "fix",
    title: importedTitle(title),
    objective: parts.map(importedText).filter(Boolean).join("\n\n"),
    criteria: [importedLine(`This is no longer so: ${title}`)],
    tasks: [],
    tags: ["follow-up"],
    dependencies: [],
  };
}
