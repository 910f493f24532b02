/** A diff in rows, with a comment at any line. Loaded when a diff is opened, with the parser and the colours. */
import { h } from "preact";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { createTwoFilesPatch } from "diff";
import { parse } from "diff2html/lib-esm/diff-parser.js";
import type { DiffFile, DiffLine } from "diff2html/lib-esm/types.js";
import { coloured } from "./colours.ts";
import { counted } from "../core/language/counted.ts";
import type { ReviewFacts } from "../views/page/facts.ts";
import { nameAt, placeWords } from "./comments.ts";
import type { At } from "./comments.ts";
import { bound, draft, written } from "./drafts.ts";
import { Folded } from "./late.ts";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

/** More lines than these are folded, and a longer file is cut. */
const [openMax, linesMax] = [400, 3_000];

/** With `of`, a person may comment on it. */
export function diffView(text: string, of?: ReviewFacts): JSX.Element {
  const files = parse(text);
  const sum = (count: (file: DiffFile) => number): number =>
    files.reduce((all, file) => all + count(file), 0);
  const [added, deleted] = [sum((file) => file.addedLines), sum((file) => file.deletedLines)];
  const isShort = sum(sizeOf) <= openMax * 4;
  return el(
    "div",
    el("p.dim", t`${counted(files.length, "file")}, +${added} −${deleted}`),
    files.map((file) => h(File, { key: file.newName, file, of, open: isShort && sizeOf(file) <= openMax })),
  );
}

/** The difference of two texts. */
export function textsView(before: string, after: string): JSX.Element {
  const [file] = parse(createTwoFilesPatch("before", "after", before, after));
  return file && sizeOf(file) > 0 ? h(Rows, { file, of: undefined }) : el("p.dim", t`None.`);
}

const sizeOf = ({ blocks }: DiffFile): number => blocks.reduce((all, { lines }) => all + lines.length, 0);

/** git ends a name that holds a blank with a tab. */
const nameOf = ({ newName, oldName, isDeleted }: DiffFile): string =>
  (isDeleted ? oldName : newName).replace(/\t$/, "");

type FileOf = { file: DiffFile; of: ReviewFacts | undefined };

function File({ file, of, open }: FileOf & { open: boolean }): JSX.Element {
  const { isDeleted, isNew, isRename, isBinary, oldName, addedLines, deletedLines } = file;
  const what = isDeleted ? t`deleted` : isNew ? t`new` : isRename ? t`was ${oldName}` : "";
  const summary = [el("code", nameOf(file)), el("span.dim", ` ${what} +${addedLines} −${deletedLines}`)];
  const show = (): JSX.Element => (isBinary ? el("p.dim", t`Not text.`) : h(Rows, { file, of }));
  return h(Folded, { name: "file", summary, open, show });
}

function Rows({ file, of }: FileOf): JSX.Element {
  const writing = useSignal("");
  const path = nameOf(file);
  const paint = useMemo(() => coloured(path), [path]);
  const rows: JSX.Element[] = [];
  let above: number | undefined;
  for (const { header, lines } of file.blocks) {
    rows.push(el("tr.hunk", h("td", { colSpan: 2 }, header)));
    for (const line of lines) {
      if (rows.length > linesMax) break;
      const { oldNumber, newNumber, content } = line;
      above = newNumber ?? above;
      const place = { file: path, ...(above !== undefined && { line: above }) };
      const at: At = newNumber ? place : { ...place, was: `${oldNumber} ${content.slice(1, 400)}` };
      const name = of && nameAt(of, at);
      rows.push(h(Line, { line, at, paint, onWrite: name && (() => (writing.value = name)) }));
      if (name && (writing.value === name || written.value.includes(name)))
        rows.push(h(Comment, { key: name, name, at, onEnd: () => (writing.value = "") }));
    }
  }
  if (rows.length > linesMax)
    rows.push(el("tr.hunk", h("td", { colSpan: 2 }, t`cut here: monoco diff shows all`)));
  return h("table", { class: "diff", "aria-label": path, onKeyDown: steps }, el("tbody", rows));
}

type LineOf = {
  line: DiffLine;
  at: At;
  paint: ReturnType<typeof coloured>;
  onWrite: (() => void) | "" | undefined;
};

function Line({ line, at, paint, onWrite }: LineOf): JSX.Element {
  const { type, oldNumber, newNumber, content } = line;
  const number = newNumber ?? oldNumber;
  return h(
    "tr",
    { class: type },
    el(
      "td.n",
      onWrite
        ? h("button", { "aria-label": t`Comment at ${placeWords(at)}`, onClick: onWrite }, number)
        : number,
    ),
    el(
      "td",
      h("span", { "aria-hidden": "true" }, content.slice(0, 1)),
      oldNumber && newNumber ? null : el("span.sr", newNumber ? t`added` : t`removed`),
      paint(content.slice(1)),
    ),
  );
}

function Comment({ name, at, onEnd }: { name: string; at: At; onEnd(): void }): JSX.Element {
  const text = draft(name);
  return el(
    "tr.comment",
    h(
      "td",
      { colSpan: 2 },
      h("textarea", {
        rows: 2,
        ref: (box: HTMLTextAreaElement | null) => text.peek() === "" && box?.focus(),
        "aria-label": t`What has to change at ${placeWords(at)}`,
        placeholder: t`What has to change here? It is sent with “Request changes”.`,
        ...bound(text),
      }),
      h("button", { class: "small", onClick: () => ((text.value = ""), onEnd()) }, t`Drop`),
    ),
  );
}

/** The arrows go from line to line. */
function steps(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined || !(event.target instanceof HTMLButtonElement)) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLButtonElement>(".n button")];
  event.preventDefault();
  all[all.indexOf(event.target) + by]?.focus();
}
