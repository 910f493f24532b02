/** Texts from the repository that inputs are made of: what agents sent, documents, journals, and what was found before. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/source.ts";

/** A longer file is cut: a mutation in its middle says as much as one further on. */
const corpusCharsMax = 8_000;

/** The files that a pattern names, as monoco decodes them. */
export function textsOf(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: root })
    .toSorted()
    .map((path) => readFileSync(join(root, path)).toString("utf8").slice(0, corpusCharsMax));
}

/** What broke a reader once, by its name: `test/fixtures/fuzz/handoff.unclosed-comment.txt`. */
export function foundBefore(target: string): string[] {
  return textsOf(`test/fixtures/fuzz/${target}.*`);
}
