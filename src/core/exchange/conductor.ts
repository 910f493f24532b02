/** Reads Conductor's plan.md: the tasks of a track go in their order, and a person verifies each phase by hand. */
import { remarkOn } from "./import-item.ts";
import { boxedOf, itemOf, linesOf, pointedTo } from "./list-entry.ts";
import type { WorkFile, WorkList } from "./list-entry.ts";
import type { ListItem } from "../text/list-item.ts";
import { t } from "../language/translate.ts";

const taskMark = /^\*{0,2}Task:\*{0,2}:?\s+/i;
const byHand = /Conductor\s*-\s*User Manual Verification/i;
/** What Conductor writes behind a task that is done: one commit or more. */
const commit = "[0-9a-f]{7,40}";
const commits = new RegExp(
  `(?:[\\s,—–-]*[[(\`]+(?:(?:checkpoint|commits?|sha):?\\s*)?${commit}[\\])\`]+` +
    // Without brackets it may be a word or a date.
    `|[\\s,]+(?=[a-f]*\\d)(?=\\d*[a-f])${commit})+\\s*$`,
  "i",
);

/** The tasks; undefined if the file is no plan of Conductor. */
export function conductorTasks(
  { entries: all }: WorkFile,
  { file, spec }: { file: string; spec: string | undefined },
): WorkList | undefined {
  const entries = boxedOf(all);
  const isPlan =
    /(?:^|\/)conductor\/.*plan\.md$/i.test(file) ||
    entries.some(({ item }) => taskMark.test(item.text) || byHand.test(item.text));
  if (!isPlan || entries.length === 0) return undefined;
  const work = entries.filter(({ item }) => !byHand.test(item.text));
  const hands = linesOf(entries.filter(({ item }) => byHand.test(item.text)));
  return {
    items: work.map((entry) => pointedTo(itemOf({ ...entry, item: plainItem(entry.item) }), spec)),
    places: work.map(() => ({ phase: "", isParallel: false })),
    remarks: remarkOn(hands, (lines) => t`passed over, being for a person: line ${lines}`),
  };
}

/** The item without Conductor's own marks, at any depth. */
function plainItem(item: ListItem): ListItem {
  const [first = "", ...rest] = item.text.split("\n");
  const text = [first.replace(taskMark, "").replace(commits, ""), ...rest].join("\n");
  return { ...item, text, items: item.items.map(plainItem) };
}
