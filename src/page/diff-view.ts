/** A diff in rows, with a comment at any line that the submission has. Loaded when a diff is opened, with the parser and the colours. */
import { h } from "preact";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { createTwoFilesPatch } from "diff";
import { parse } from "diff2html/lib-esm/diff-parser.js";
import type { DiffFile, DiffLine } from "diff2html/lib-esm/types.js";
import { coloured } from "./colours.ts";
import { counted } from "../core/language/counted.ts";
import { bound } from "./drafts.ts";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

type CommentAt = (file: string, line: number) => Signal<string>;
/** More lines than these are folded, and a longer file is cut. */
const [openMax, linesMax] = [400, 3_000];

export function diffView(text: string, commentAt?: CommentAt): JSX.Element {
  const files = parse(text);
  const lines = files.reduce((sum, file) => sum + sizeOf(file), 0);
  return el(
    "div",
    el(
      "p.dim",
      t`${counted(files.length, "file")}, +${sum(files, "addedLines")} −${sum(files, "deletedLines")}`,
    ),
    files.map((file) =>
      h(File, { key: file.newName, file, commentAt, open: lines <= openMax * 4 && sizeOf(file) <= openMax }),
    ),
  );
}

/** The difference of two texts. */
export function textsView(before: string, after: string): JSX.Element {
  const [file] = parse(createTwoFilesPatch("before", "after", before, after));
  return file && sizeOf(file) > 0 ? h(Rows, { file, commentAt: undefined }) : el("p.dim", t`None.`);
}

const sum = (files: readonly DiffFile[], of: "addedLines" | "deletedLines"): number =>
  files.reduce((all, file) => all + file[of], 0);
const sizeOf = ({ blocks }: DiffFile): number => blocks.reduce((all, { lines }) => all + lines.length, 0);
const nameOf = ({ newName, oldName, isDeleted }: DiffFile): string => (isDeleted ? oldName : newName);

type FileOf = { file: DiffFile; commentAt: CommentAt | undefined };

function File({ file, commentAt, open }: FileOf & { open: boolean }): JSX.Element {
  const isOpen = useSignal(open);
  const what = file.isDeleted
    ? t`deleted`
    : file.isNew
      ? t`new`
      : file.isRename
        ? t`was ${file.oldName}`
        : "";
  return h(
    "details",
    {
      class: "file",
      open: isOpen.value,
      onToggle: (event: { currentTarget: HTMLDetailsElement }) => (isOpen.value = event.currentTarget.open),
    },
    el(
      "summary",
      el("code", nameOf(file)),
      el("span.dim", ` ${what} +${file.addedLines} −${file.deletedLines}`),
    ),
    isOpen.value ? (file.isBinary ? el("p.dim", t`Not text.`) : h(Rows, { file, commentAt })) : null,
  );
}

function Rows({ file, commentAt }: FileOf): JSX.Element {
  const writing = useSignal<number | undefined>(undefined);
  const name = nameOf(file);
  const paint = useMemo(() => coloured(name), [name]);
  const rows: JSX.Element[] = [];
  for (const { header, lines } of file.blocks) {
    rows.push(el("tr.hunk", h("td", { colSpan: 3 }, header)));
    for (const line of lines) {
      if (rows.length > linesMax) break;
      rows.push(h(Line, { line, name, paint, onWrite: commentAt && ((at: number) => (writing.value = at)) }));
      const at = line.newNumber;
      if (commentAt && at !== undefined) {
        const text = commentAt(name, at);
        if (writing.value === at || text.value !== "")
          rows.push(h(Comment, { key: `c${at}`, text, at, name, onEnd: () => (writing.value = undefined) }));
      }
    }
  }
  if (rows.length > linesMax)
    rows.push(el("tr.hunk", h("td", { colSpan: 3 }, t`cut here: monoco diff shows all`)));
  return h("table", { class: "diff", "aria-label": name, onKeyDown: steps }, el("tbody", rows));
}

type LineOf = {
  line: DiffLine;
  name: string;
  paint: ReturnType<typeof coloured>;
  onWrite: ((at: number) => void) | undefined;
};

function Line({ line, name, paint, onWrite }: LineOf): JSX.Element {
  const { type, oldNumber, newNumber, content } = line;
  const text = content.slice(1);
  const sign = content.slice(0, 1);
  return h(
    "tr",
    { class: type },
    h("td", { class: "n old" }, oldNumber ?? ""),
    el(
      "td.n",
      newNumber !== undefined && onWrite
        ? h(
            "button",
            { "aria-label": t`Comment at ${name}:${newNumber}`, onClick: () => onWrite(newNumber) },
            newNumber,
          )
        : (newNumber ?? ""),
    ),
    el(
      "td",
      h("span", { "aria-hidden": "true" }, sign),
      oldNumber && newNumber ? null : el("span.sr", newNumber ? t`added` : t`removed`),
      paint(text),
    ),
  );
}

function Comment({
  text,
  at,
  name,
  onEnd,
}: {
  text: Signal<string>;
  at: number;
  name: string;
  onEnd(): void;
}): JSX.Element {
  return el(
    "tr.comment",
    h(
      "td",
      { colSpan: 3 },
      h("textarea", {
        rows: 2,
        ref: (box: HTMLTextAreaElement | null) => text.peek() === "" && box?.focus(),
        "aria-label": t`What has to change at ${name}:${at}`,
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
