/** Finds faults in a handoff. Errors make it invalid, warnings do not; every finding says how to fix it. */
import type { Fault } from "../error/fault.ts";
import { namedSections, normaliseHandoff, readSections } from "./handoff.ts";
import type { Handoff, NamedSection } from "./handoff.ts";
import { handoffHeadings, sectionNames } from "./labels.ts";
import type { SectionName } from "./labels.ts";
import { bytesOf } from "../text/bytes.ts";
import { workingOnCharsMax } from "../limits.ts";
import { t } from "../language/translate.ts";

/** A fault of a handoff: an error makes it invalid, a warning does not. */
export interface HandoffFinding extends Fault {
  level: "error" | "warning";
}

export interface HandoffExpected {
  issue: string;
  session: number;
  /** Whether a path exists. */
  filesKnown?: (path: string) => boolean;
  /** Every path that the relay's branch or its uncommitted work changed; undefined if unknown. */
  filesTouched?: readonly string[];
  /** The result of the last checks; undefined if none ran. */
  checksOk?: boolean | undefined;
  budgetBytes: number;
}

/** All faults of a handoff, errors first. Never throws. */
export function lintHandoff(text: string, expected: HandoffExpected): HandoffFinding[] {
  const sections = namedSections(text);
  if (sections.length === 0) {
    const hint = t`write it anew with \`monoco relay prepare\`: \`## Metadata\`, \`## Next steps\` and so on`;
    return [{ level: "error", line: 1, message: t`no section of a handoff can be read`, hint }];
  }
  const handoff = normaliseHandoff(readSections(sections));
  const at = (name: SectionName): number => sections.find((one) => one.name === name)?.section.line ?? 1;
  return [
    ...lintMetadata(handoff, expected, at("metadata")),
    ...lintNextSteps(handoff, at("nextSteps")),
    ...lintSections(sections),
    ...lintState(handoff, expected, at("currentState")),
    ...lintDone(text, sections, expected),
    ...lintClaims(text, sections, expected),
    ...lintSize(text, expected),
  ];
}

function lintMetadata(handoff: Handoff, expected: HandoffExpected, line: number): HandoffFinding[] {
  const findings: HandoffFinding[] = [];
  const say = (message: string, key: string): void =>
    void findings.push({ level: "error", line, message, hint: t`write \`- ${key}\` under Metadata` });
  if (handoff.issue !== expected.issue) {
    const about = t`it is about ${handoff.issue.slice(0, 60)}, not ${expected.issue}`;
    say(handoff.issue ? about : t`it names no issue`, `Issue: ${expected.issue}`);
  }
  const session = /^(?:\D*?)0*(\d+)(?!\d)/.exec(handoff.session)?.[1];
  if (session !== String(expected.session)) {
    const given = handoff.session.slice(0, 60);
    const of = t`it is session ${given}'s, not session ${expected.session}'s`;
    say(given ? of : t`it names no session`, `Session: ${expected.session}`);
  }
  return findings;
}

function lintNextSteps(handoff: Handoff, line: number): HandoffFinding[] {
  if (handoff.nextSteps.length > 0) return [];
  const hint = t`say under \`## Next steps (read first)\` what the successor does first: \`1. …\``;
  return [{ level: "error", line, message: t`no next steps`, hint }];
}

/** Sections whose absence is a warning. Facts and a post-mortem may be missing; next steps and metadata are checked separately. */
const sectionsExpected = ["currentState", "done", "todo", "decisions", "warnings", "patterns"] as const;

function lintSections(sections: readonly NamedSection[]): HandoffFinding[] {
  const missing = sectionsExpected.filter((name) => sections.every((one) => one.name !== name));
  const findings: HandoffFinding[] = missing.map((name) => ({
    level: "warning",
    line: 1,
    message: t`no section "${handoffHeadings[name].en}" (${handoffHeadings[name].zh})`,
    hint: t`add \`## ${handoffHeadings[name].en}\`, empty if there is nothing to say`,
  }));
  for (const { section } of sections) {
    const open = section.blocks.find((block) => block.kind === "comment" && !block.source.endsWith("-->"));
    if (!open) continue;
    const message = t`a comment that never ends hides the rest of the document`;
    findings.push({ level: "warning", line: open.line, message, hint: t`close it with -->` });
  }
  return findings;
}

const stagesKnown = ["planning", "implementing", "testing", "submitting"];
const stagesKnownZh = ["规划", "计划", "实现", "实施", "测试", "提交"];

function lintState(handoff: Handoff, expected: HandoffExpected, line: number): HandoffFinding[] {
  const findings: HandoffFinding[] = [];
  const stage = handoff.stage.toLowerCase();
  const isStage = stagesKnown.includes(stage) || stagesKnownZh.includes(stage.replace(/中$/, ""));
  if (!isStage) {
    const message = stage ? t`the stage cannot be ${handoff.stage.slice(0, 60)}` : t`it names no stage`;
    findings.push({ level: "warning", line, message, hint: t`one of ${stagesKnown.join(", ")}` });
  }
  for (const path of pathsIn(handoff.workingOn)) {
    if (expected.filesKnown?.(path) !== false) continue;
    const hint = t`name the file as it is called in the workspace, from its root`;
    findings.push({ level: "warning", line, message: t`no such file: ${path.slice(0, 120)}`, hint });
  }
  return findings;
}

/** Words that look like files: with an extension, without a protocol before them or a call after them. */
export function pathsIn(text: string): string[] {
  const tokens = text
    .slice(0, workingOnCharsMax)
    .replace(/[\w.]{1,200}\(\)/g, " ")
    .split(/[\s`"'()（）,，;；、<>]+/);
  const paths = tokens.map((word) =>
    word
      .replace(/^\.\//, "")
      .replace(/[:：#].*$/, "")
      .replace(/(?<![.。])[.。]+$/, ""),
  );
  return [...new Set(paths.filter((path, index) => isPath(path) && !tokens[index]?.includes("://")))];
}

function isPath(word: string): boolean {
  return /(?:\/[^/]+|^[^/.]{2,})\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(word);
}

const claims = [
  /\b(?:tests?|test suite|checks?|builds?)\b[^.!?;]{0,20}?\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b/i,
  /(?:测试|检查)[^。；，]{0,8}?(?:通过|全绿)/u,
];
/** Words that turn a line into a plan, a condition or a denial. */
const noClaim =
  /\b(?:not|no|never|until|once|when|if|should|must|make|get|so that|fail\w*)\b|n't\b|未|没有|不|直到|确保|失败|后再/iu;

/** Whether a line says that tests, checks or builds pass. */
export function claimsToPass(line: string): boolean {
  return claims.some((claim) => claim.test(line)) && !noClaim.test(line);
}

/** The sections in which a session describes the present; the others hold plans, or are written by monoco. */
const claiming: readonly SectionName[] = sectionNames.filter(
  (name) => !["todo", "nextSteps", "facts", "postMortem"].includes(name),
);

function lintClaims(
  text: string,
  sections: readonly NamedSection[],
  expected: HandoffExpected,
): HandoffFinding[] {
  if (expected.checksOk !== false) return [];
  return linesOf(text, sections, claiming).flatMap(({ line, source }): HandoffFinding[] => {
    if (!claimsToPass(source) || /^\s*\S+\s+\[[ /-]\]/.test(source)) return [];
    const message = t`it says that the tests pass, and the last checks failed`;
    return [{ level: "warning", line, message, hint: t`run \`monoco check\`, and say what fails` }];
  });
}

/** Warns of a ticked item whose files the branch has not changed. */
function lintDone(
  text: string,
  sections: readonly NamedSection[],
  { filesTouched }: HandoffExpected,
): HandoffFinding[] {
  if (!filesTouched) return [];
  const touched = (path: string): boolean =>
    filesTouched.some((file) => file === path || file.endsWith(`/${path}`));
  return linesOf(text, sections, ["done"]).flatMap(({ line, source }): HandoffFinding[] => {
    const paths = /^\s*\S+\s+\[[xX]\]/.test(source) ? pathsIn(source) : [];
    if (paths.length === 0 || paths.some(touched)) return [];
    const message = t`it is ticked, and ${paths[0]!.slice(0, 120)} was never touched`;
    const hint = t`tick only what the branch shows, or name the file that was changed`;
    return [{ level: "warning", line, message, hint }];
  });
}

/** The document's lines within sections of these names. */
function linesOf(
  text: string,
  sections: readonly NamedSection[],
  wanted: readonly SectionName[],
): { line: number; source: string }[] {
  const lines = text.split(lineEnd);
  return sections
    .filter(({ name }) => wanted.includes(name))
    .flatMap(({ section }) =>
      section.source.split(lineEnd).map((_, index) => {
        const line = section.line + index;
        return { line, source: lines[line - 1] ?? "" };
      }),
    );
}

const lineEnd = /\r\n|\r|\n/;

function lintSize(text: string, expected: HandoffExpected): HandoffFinding[] {
  const bytes = bytesOf(text);
  if (bytes <= expected.budgetBytes) return [];
  const message = t`${bytes} bytes, over the budget of ${expected.budgetBytes}`;
  return [
    {
      level: "warning",
      line: 1,
      message,
      hint: t`hand over the minimum: what the repository shows needs no words`,
    },
  ];
}
