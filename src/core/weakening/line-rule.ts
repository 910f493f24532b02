/** A rule about one added line, and which files it is for. */
import type { SourceFile } from "./code-file.ts";
import type { WeakeningKind } from "./kinds.ts";

/**
 * `in`: the code of a line (texts are `""`, comments gone), its comments alone, or all of it. Patterns have no two ways to
 * read one text, so that each is linear in the line.
 */
export type LineRule = {
  kind: WeakeningKind;
  for: (file: SourceFile) => boolean;
  in: "code" | "comment" | "line";
  pattern: RegExp;
  unless?: RegExp;
};

type Language = SourceFile["language"];

export const inTests =
  (...languages: Language[]) =>
  (file: SourceFile): boolean =>
    file.test && languages.includes(file.language);

export const inCode =
  (...languages: Language[]) =>
  (file: SourceFile): boolean =>
    languages.includes(file.language);

export function rule(
  kind: WeakeningKind,
  of: LineRule["for"],
  view: LineRule["in"],
  pattern: string,
  unless?: string,
): LineRule {
  const flags = view === "comment" ? "m" : "";
  return {
    kind,
    for: of,
    in: view,
    pattern: new RegExp(pattern, flags),
    ...(unless === undefined ? {} : { unless: new RegExp(unless) }),
  };
}
