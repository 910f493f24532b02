/** Reads work lists in Markdown: those of spec-kit and Conductor, and fix_plan.md, in which each list entry becomes an item. */
import { conductorTasks } from "./conductor.ts";
import { faultError } from "../error/fault.ts";
import { inFileOrder } from "./file-order.ts";
import { remarkOn } from "./import-item.ts";
import type { Reading } from "./import-item.ts";
import { itemKeys } from "./item-keys.ts";
import { entriesOf, itemOf, linesOf, workFile } from "./list-entry.ts";
import type { Entry, WorkFile, WorkList } from "./list-entry.ts";
import { specKitTasks } from "./spec-kit.ts";
import type { Spec } from "./spec-kit.ts";
import { hasBox } from "../text/list-item.ts";
import { t } from "../language/translate.ts";

/** Headings of sections that are not work, and of those whose boxes say when work is done. */
const notesHeading =
  /^\W*(?:notes?|references?|legend|how to|how this|maintenance|learnings|discoveries|about)\b|备注|说明|笔记/iu;
const criteriaHeading =
  /\b(?:acceptance|success|exit)\b.*\b(?:criteria|checklist)\b|\bdefinition of done\b|验收标准|成功标准/iu;

/** Throws `input` with file and line if there is nothing to import. `spec`: spec.md in the same folder. */
export function readChecklist(text: string, file: string, spec?: Spec): Reading {
  const read = workFile(text);
  const { items, places, remarks } =
    specKitTasks(read, spec) ?? conductorTasks(read, { file, spec: spec?.path }) ?? listed(read);
  if (items.length === 0) {
    const hint = t`write them as \`- [ ] …\`, below headings such as ## High Priority`;
    throw faultError({ line: 1, message: t`no items`, hint }, file);
  }
  const keyed = itemKeys(items);
  if ("fault" in keyed) throw faultError(keyed.fault, file);
  return { items: places ? inFileOrder(keyed.items, places) : keyed.items, remarks };
}

function listed({ entries }: WorkFile): WorkList {
  const found = entriesOf(entries);
  const boxes = found.some(({ item }) => hasBox(item));
  const isBelow = ({ headings }: Entry, pattern: RegExp): boolean =>
    headings.some((heading) => pattern.test(heading.text));
  const criteria = found.filter((entry) => isBelow(entry, criteriaHeading));
  const counting = found.filter(
    (entry) => !criteria.includes(entry) && (boxes ? hasBox(entry.item) : !isBelow(entry, notesHeading)),
  );
  const work = counting.filter(({ item }) => itemOf({ item, headings: [] }).title !== "");
  const left = found.filter((entry) => !counting.includes(entry) && !criteria.includes(entry));
  return {
    items: work.map(itemOf),
    remarks: [
      ...remarkOn(linesOf(left), (lines) =>
        boxes
          ? t`passed over, having no checkbox as others have: line ${lines}`
          : t`passed over, being notes: line ${lines}`,
      ),
      ...remarkOn(linesOf(criteria), (lines) => t`passed over, being criteria: line ${lines}`),
    ],
  };
}
