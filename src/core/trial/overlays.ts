/** Which files of one side are laid over the other, so that tests meet sources that they were not written with. */
import { withChecksOf } from "./check-settings.ts";
import type { FileRole } from "./roles.ts";

/** A file as git keeps it. */
export type Blob = { mode: string; hash: string };

/** A file that differs between two commits; a renamed one is gone under one name and new under the other. */
export type ChangedFile = { path: string; before?: Blob; after?: Blob };

/** What of a tree is to be otherwise: a path's blob, a text in its place, or nothing. */
export type Edit = { path: string; to: Blob | { mode: string; text: string } | undefined };

/** A changed file with its role; of a manifest that also says how checks run, and that both sides have, its text on each. */
export type RoledFile = ChangedFile & { role: FileRole; texts?: { before: string; after: string } };

/** Each as edits of one commit's tree; empty where nothing of the kind is changed. */
export type Overlays = {
  /** Over the base: new and changed tests, … */
  tests: Edit[];
  /** … and what the submission changes of how checks run. */
  config: Edit[];
  /** Over the submission: tests, scripts and check configuration as they were, … */
  baseTests: Edit[];
  /** … or these without the tests. */
  baseConfig: Edit[];
};

export function overlaysOf(files: readonly RoledFile[]): Overlays {
  const of = (...roles: FileRole[]): RoledFile[] => files.filter(({ role }) => roles.includes(role));
  const now = of("test", "beside").filter(({ after }) => after);
  const config = of("config");
  const scripts = (side: "before" | "after"): Edit[] => files.flatMap((file) => runAs(file, side));
  const crossed = of("test", "beside", "config");
  const baseConfig = [...config.map(asBefore), ...scripts("before")];
  // Where there are only new tests, the old ones have run against these sources.
  const changed = crossed.some(({ before, role }) => before ?? role === "config");
  return {
    tests: now.map(({ path, after }) => ({ path, to: after })),
    config: [...config.map(({ path, after }) => ({ path, to: after })), ...scripts("after")],
    baseTests: changed || baseConfig.length > 0 ? [...crossed.map(asBefore), ...scripts("before")] : [],
    baseConfig,
  };
}

function asBefore({ path, before }: ChangedFile): Edit {
  return { path, to: before };
}

/** The manifest of the other side, with the checks of `side`. */
function runAs({ path, before, after, texts }: RoledFile, side: "before" | "after"): Edit[] {
  const blob = side === "before" ? after : before;
  if (!texts || !blob) return [];
  const [own, of] = side === "before" ? [texts.after, texts.before] : [texts.before, texts.after];
  const text = withChecksOf(path, own, of);
  return text === undefined ? [] : [{ path, to: { mode: blob.mode, text } }];
}

/** Of the files that were crossed, those that an output names; all where it names none. */
export function filesTold(paths: readonly string[], output: string): string[] {
  const named = paths.filter((path) => output.includes(path.slice(path.lastIndexOf("/") + 1)));
  return (named.length > 0 ? named : [...paths]).slice(0, filesToldMax);
}

const filesToldMax = 5;
