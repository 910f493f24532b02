/** The names that the sources of a submission add and lose. */
import type { Plan } from "./changes.ts";
import { namesIn } from "./output.ts";
import type { RoledFile } from "./overlays.ts";

/** `gone`: names that changed or deleted sources no longer have. `added`: those that changed or new ones did not have. */
export function namesBetween({ files, plan }: { files: readonly RoledFile[]; plan: Plan }): {
  gone: Set<string>;
  added: Set<string>;
} {
  const texts = [...plan.sources.values()];
  const sources = files.filter(({ role }) => role === "source");
  const ofFiles = (all: readonly RoledFile[]): string[] =>
    all.flatMap(({ path }) => namesIn(path.slice(path.lastIndexOf("/") + 1)));
  return {
    gone: new Set([
      ...texts.flatMap(({ before, after }) => namesOnlyIn(before, after)),
      ...ofFiles(sources.filter(({ after }) => !after)),
    ]),
    added: new Set([
      ...texts.flatMap(({ before, after }) => namesOnlyIn(after, before)),
      ...ofFiles(sources.filter(({ before }) => !before)),
    ]),
  };
}

function namesOnlyIn(text: string, other: string): string[] {
  const others = new Set(namesIn(other));
  return namesIn(text).filter((word) => !others.has(word));
}
