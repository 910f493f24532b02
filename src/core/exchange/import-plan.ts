/** Plans an import before anything is written: new issues, known issues, and skipped items, each with the reason. */
import { MonocoError } from "../error/error.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { contentHash, importedIssue, isUntouched } from "./imported-issue.ts";
import { slugOf } from "../issue/name.ts";
import type { IssueType } from "../issue/vocabulary.ts";
import type { Language } from "../language/handoff-words.ts";
import { t } from "../language/translate.ts";

/** An issue that names its source. */
export interface KnownIssue {
  source: string;
  /** The hashes that the import wrote: see `importedIssue`. */
  hashes: string;
  id: string;
  path: string;
  /** The branch that the plan named. */
  branch: string;
  /** The issue's file in this worktree; undefined if only another branch or worktree has it. */
  here?: { text: string; draft: boolean; createdAt: string };
  /** The other place that has it. */
  elsewhere?: string;
}

export interface ImportOptions {
  /** The source's name: `prd.json`, `github:owner/name`. */
  name: string;
  existing: readonly KnownIssue[];
  /** The next free number of each type. */
  ids: Readonly<Record<IssueType, { prefix: string; next: number }>>;
  folder: string;
  nowIso: string;
  language: Language;
  /** Imports items that are done at the source, too, as closed issues. */
  all: boolean;
  /** Rewrites issues whose source has changed and whose file has not. */
  update: boolean;
  hash(text: string): string;
}

export interface ImportStep {
  do: "create" | "update" | "keep" | "changed" | "skip";
  source: string;
  title: string;
  id?: string;
  path?: string;
  /** The text of a file that is created or updated. */
  text?: string;
  because: string;
  hint?: string;
}

/** Throws `input` if the whole reading cannot be imported; nothing is written then. */
export function planImport(reading: Reading, options: ImportOptions): ImportStep[] {
  const { items } = reading;
  const epic = items.find((item) => item.key === "");
  refuseOtherPlan(epic, options);
  const ids = idsFor(items, options);
  const byKey = new Map(items.map((item) => [item.key, item]));
  return items.map((item) => {
    const parent = item.key === "" ? undefined : ids.get(item.parent ?? "");
    return step(item, { ...options, ids, byKey, parent });
  });
}

export function sourceOf(name: string, key: string): string {
  return key === "" ? name : `${name}#${key}`;
}

/** Refuses a second plan under the same file name: Ralph loops reuse one name, and number the stories of each plan from 1. */
function refuseOtherPlan(epic: ImportItem | undefined, { name, existing }: ImportOptions): void {
  const before = existing.find((issue) => epic && issue.source === name);
  if (!before || !epic?.branch || before.branch === "" || before.branch === epic.branch) return;
  const message = t`${name} was imported as ${before.id} for the branch ${before.branch}, and is for ${epic.branch} now: it is another plan`;
  throw new MonocoError("input", message, {
    hint: [
      [
        { do: "by_hand", what: t`give it a name of its own` },
        { do: "import", from: "…", as: `${slugOf(epic.branch)}.json` },
      ],
    ],
  });
}

function knownAs(
  item: ImportItem,
  { name, existing }: Pick<ImportOptions, "name" | "existing">,
): KnownIssue | undefined {
  const all = existing.filter(({ source }) => source === sourceOf(name, item.key));
  return all.find(({ here }) => here) ?? all[0];
}

/** The id of each item that is or will be an issue, by key. */
function idsFor(items: readonly ImportItem[], options: ImportOptions): Map<string, string> {
  const next = Object.fromEntries(Object.entries(options.ids).map(([type, { next }]) => [type, next]));
  const ids = new Map<string, string>();
  // The epic comes last: a plan with nothing left to do needs none.
  for (const item of items.toSorted((one, other) => Number(one.key === "") - Number(other.key === ""))) {
    const imported = knownAs(item, options);
    const wanted = item.key === "" ? ids.size > 0 : !item.done || options.all;
    if (imported) ids.set(item.key, imported.id);
    else if (wanted) {
      const { prefix } = options.ids[item.type];
      ids.set(item.key, `${prefix}-${String(next[item.type]).padStart(4, "0")}`);
      next[item.type] = next[item.type]! + 1;
    }
  }
  return ids;
}

type Context = Omit<ImportOptions, "ids"> & {
  ids: ReadonlyMap<string, string>;
  byKey: ReadonlyMap<string, ImportItem>;
  parent: string | undefined;
};

function step(item: ImportItem, context: Context): ImportStep {
  const { name, folder, nowIso, ids } = context;
  const source = sourceOf(name, item.key);
  const common = { source, title: item.title };
  const id = ids.get(item.key);
  if (id === undefined) {
    const because = item.done ? t`${item.done} at the source` : t`nothing in it is left to do`;
    return { ...common, do: "skip", because, hint: t`--all imports what is done too, closed` };
  }
  const before = knownAs(item, context);
  const times = { createdAt: nowIso, updatedAt: nowIso };
  if (!before) {
    const path = `${folder}/${id}-${slugOf(item.title)}.md`;
    return {
      ...common,
      do: "create",
      id,
      path,
      text: textOf(item, { id, source, times }, context),
      because: t`new`,
    };
  }
  return again(item, { ...common, id, path: before.path }, { before, context });
}

/** The step for an item that was imported before. */
function again(
  item: ImportItem,
  step: { source: string; title: string; id: string; path: string },
  { before, context }: { before: KnownIssue; context: Context },
): ImportStep {
  const { source, id } = step;
  const { here } = before;
  if (!here)
    return { ...step, do: "keep", because: t`imported before, on ${before.elsewhere ?? t`another branch`}` };
  const now = contentHash(item, { dependencies: dependenciesOf(item, context), hash: context.hash });
  if (before.hashes.split("-")[0] === now) return { ...step, do: "keep", because: t`imported before` };
  const changed = { ...step, do: "changed" } as const;
  const byHand = t`change ${before.path} by hand, or leave it`;
  if (!here.draft) {
    const because = t`changed at the source since it was imported, and begun here`;
    return { ...changed, because, hint: byHand };
  }
  if (!isUntouched(here.text, before.hashes, context.hash)) {
    const because = t`changed at the source since it was imported, and changed here too`;
    return { ...changed, because, hint: byHand };
  }
  const because = t`changed at the source since it was imported`;
  if (!context.update)
    return { ...changed, because, hint: t`--update writes it anew: it is as it was imported` };
  // An issue that is done at the source is closed by its own merge, never by an update.
  const { done: _, ...open } = item;
  const times = { createdAt: here.createdAt, updatedAt: context.nowIso };
  return { ...step, do: "update", text: textOf(open, { id, source, times }, context), because };
}

/** The ids of what the item waits for. In a file's order, an item that is not imported passes on what it waits for itself. */
function dependenciesOf(item: ImportItem, { ids, byKey }: Context): string[] {
  const keys = new Set(item.dependencies);
  // The loop also visits the keys that it adds.
  for (const key of keys) {
    const other = byKey.get(key);
    if (!ids.has(key) && other?.inOrder) for (const before of other.dependencies) keys.add(before);
  }
  return [...keys].map((key) => ids.get(key)).filter((id) => id !== undefined);
}

function textOf(
  item: ImportItem,
  as: { id: string; source: string; times: { createdAt: string; updatedAt: string } },
  context: Context,
): string {
  const { parent, language, hash } = context;
  const dependencies = dependenciesOf(item, context);
  return importedIssue(item, {
    id: as.id,
    source: as.source,
    ...as.times,
    parent,
    dependencies,
    language,
    hash,
  });
}
