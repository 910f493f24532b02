/** Files of one side that replace those of the other, so that tests run against sources that they were not written for. */
import { withChecksOf } from "./check-settings.ts";
import type { FileRole } from "./roles.ts";

/** A file as git stores it. */
export type Blob = { mode: string; hash: string };

/** A file that differs between two commits; a renamed one is a deleted and a new one. */
export type ChangedFile = { path: string; before?: Blob; after?: Blob };

/** An edit of a tree: a path's new blob or text, or its removal. */
export type Edit = { path: string; to: Blob | { mode: string; text: string } | undefined };

/** A changed file with its role; for a manifest on both sides that also says how checks run, its text on each. */
export type RoledFile = ChangedFile & { role: FileRole; texts?: { before: string; after: string } };

/** The edits of a commit's tree; empty if nothing of the kind changed. */
export type Overlays = {
  /** Over the base: new and changed tests, … */
  tests: Edit[];
  /** … and the submission's changes to how checks run. */
  config: Edit[];
  /** Over the submission: tests, scripts, check configuration and package entries of the base, … */
  baseTests: Edit[];
  /** … or scripts and configuration without the tests, … */
  baseConfig: Edit[];
  /** … or `baseTests` even if they are known: all changed tests are new, and the old ones have run. */
  base: Edit[];
};

export function overlaysOf(files: readonly RoledFile[]): Overlays {
  const of = (...roles: FileRole[]): RoledFile[] => files.filter(({ role }) => roles.includes(role));
  const now = of("test", "beside").filter(({ after }) => after);
  const config = of("config");
  const scripts = (side: "before" | "after", entries?: boolean): Edit[] =>
    files.flatMap((file) => runAs(file, side, entries));
  const crossed = of("test", "beside", "config");
  const manifests = scripts("before", true);
  const base = [...crossed.map(asBefore), ...manifests];
  const isKnown = manifests.length === 0 && crossed.every(({ before, role }) => !before && role !== "config");
  return {
    tests: now.map(({ path, after }) => ({ path, to: after })),
    config: [...config.map(({ path, after }) => ({ path, to: after })), ...scripts("after")],
    baseTests: isKnown ? [] : base,
    baseConfig: [...config.map(asBefore), ...scripts("before")],
    base,
  };
}

function asBefore({ path, before }: ChangedFile): Edit {
  return { path, to: before };
}

/** The manifest of the other side, with the checks of `side`. */
function runAs({ path, before, after, texts }: RoledFile, side: "before" | "after", entries = false): Edit[] {
  const blob = side === "before" ? after : before;
  if (!texts || !blob) return [];
  const [own, of] = side === "before" ? [texts.after, texts.before] : [texts.before, texts.after];
  const text = withChecksOf(path, own, of, entries);
  return text === undefined ? [] : [{ path, to: { mode: blob.mode, text } }];
}

/** The crossed files that an output mentions; all of them if it mentions none. */
export function filesTold(paths: readonly string[], output: string): string[] {
  const mentioned = paths.filter((path) => output.includes(path.slice(path.lastIndexOf("/") + 1)));
  return (mentioned.length > 0 ? mentioned : [...paths]).slice(0, filesToldMax);
}

const filesToldMax = 5;
