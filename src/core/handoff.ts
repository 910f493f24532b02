/** RALPH.md, the document that a session leaves for its successor: text to values, values to text, and its rules. */
import { checkMarks, proseOf, sections, withoutComments } from "./markdown.ts";
import type { Block, CheckState, Fault, Section } from "./markdown.ts";
import { fillTemplate } from "./template.ts";

export interface HandoffItem {
  text: string;
  state: CheckState;
}

export interface Handoff {
  issue: string;
  session: string;
  stopReason: string;
  commit?: string;
  writtenAt?: string;
  stage: string;
  workingOn: string;
  done: HandoffItem[];
  todo: HandoffItem[];
  decisions: string[];
  nextSteps: string[];
  warnings: string[];
  patterns: string[];
  facts: string[];
  postMortem: string;
}

type Language = "en" | "zh";

const sectionNames = [
  "metadata",
  "currentState",
  "done",
  "todo",
  "decisions",
  "nextSteps",
  "warnings",
  "patterns",
  "facts",
  "postMortem",
] as const;
type SectionName = (typeof sectionNames)[number];

/** The headings that monoco writes. */
const headings: Record<SectionName, Record<Language, string>> = {
  metadata: { en: "Metadata", zh: "元数据" },
  currentState: { en: "Current state", zh: "当前状态" },
  done: { en: "Done", zh: "已完成" },
  todo: { en: "To do", zh: "待办" },
  decisions: { en: "Key decisions", zh: "关键决策" },
  nextSteps: { en: "Next steps (read first)", zh: "下一步（继任者必读）" },
  warnings: { en: "Warnings", zh: "警告" },
  patterns: { en: "Patterns", zh: "代码库模式" },
  facts: { en: "Facts", zh: "事实" },
  postMortem: { en: "Post-mortem", zh: "尸检" },
};

/** Other headings that agents write for the same section, lower case. */
const otherHeadings: Partial<Record<SectionName, readonly string[]>> = {
  currentState: ["status", "state"],
  done: ["completed"],
  todo: ["todo", "to-do", "待办事项"],
  decisions: ["decisions", "决策"],
  nextSteps: ["next step", "下一步骤"],
  warnings: ["warning"],
  patterns: ["codebase patterns", "模式"],
  postMortem: ["postmortem", "post mortem"],
};

const fieldNames = ["issue", "session", "stopReason", "commit", "writtenAt", "stage", "workingOn"] as const;
type FieldName = (typeof fieldNames)[number];

const labels: Record<FieldName, Record<Language, string>> = {
  issue: { en: "Issue", zh: "Issue" },
  session: { en: "Session", zh: "Session" },
  stopReason: { en: "Stop reason", zh: "停止原因" },
  commit: { en: "Commit", zh: "提交" },
  writtenAt: { en: "Written at", zh: "写于" },
  stage: { en: "Stage", zh: "阶段" },
  workingOn: { en: "Working on", zh: "正在处理" },
};

/** Other labels for the same field, lower case. */
const otherLabels: Partial<Record<FieldName, readonly string[]>> = {
  issue: ["议题"],
  session: ["会话"],
  writtenAt: ["写入时间"],
};

/**
 * Parses a handoff, in English or Chinese. Never throws: what cannot be read is empty. The result is normal, so
 * `parseHandoff(renderHandoff(x, language))` is `normaliseHandoff(x)`.
 */
export function parseHandoff(text: string): Handoff {
  return normaliseHandoff(readSections(readable(text)));
}

/** The sections of a handoff, those of unknown name left out; none where the text defeats the parser. */
function readable(text: string): NamedSection[] {
  try {
    return sections(text).flatMap((section) => {
      const name = sectionNameOf(section.heading);
      return name ? [{ name, section }] : [];
    });
  } catch {
    return [];
  }
}

interface NamedSection {
  name: SectionName;
  section: Section;
}

function sectionNameOf(heading: string): SectionName | undefined {
  const plain = heading
    .replace(/\s*(?:[(（:：/—–]|\s-\s).*$/u, "")
    .replace(/^[^\p{L}]+/u, "")
    .trim()
    .toLowerCase();
  return sectionNames.find((name) => {
    const written = Object.values(headings[name]).map((known) =>
      known.replace(/\s*[(（].*$/u, "").toLowerCase(),
    );
    return written.includes(plain) || otherHeadings[name]?.includes(plain) === true;
  });
}

function readSections(named: readonly NamedSection[]): Handoff {
  const blocks = (name: SectionName): Block[] =>
    named.flatMap((one) => (one.name === name ? one.section.blocks : []));
  const fields = readFields([...blocks("metadata"), ...blocks("currentState")]);
  const texts = (name: SectionName): string[] => blocks(name).flatMap(textsOf);
  return {
    issue: fields.issue ?? "",
    session: fields.session ?? "",
    stopReason: fields.stopReason ?? "",
    commit: fields.commit ?? "",
    writtenAt: fields.writtenAt ?? "",
    stage: fields.stage ?? "",
    workingOn: fields.workingOn ?? "",
    done: blocks("done").flatMap((block) => itemsOf(block, "done")),
    todo: blocks("todo").flatMap((block) => itemsOf(block, "todo")),
    decisions: texts("decisions"),
    nextSteps: texts("nextSteps"),
    warnings: blocks("warnings").flatMap(warningsOf),
    patterns: texts("patterns"),
    facts: texts("facts"),
    postMortem: named
      .filter(({ name }) => name === "postMortem")
      .map(({ section }) => unescapeProse(proseOf(section)))
      .join("\n\n"),
  };
}

/** `Label: value`, as list items or as lines; the first of a label counts. */
function readFields(blocks: readonly Block[]): Partial<Record<FieldName, string>> {
  const lines = blocks.flatMap((block) => {
    if (block.kind === "list") return block.items.map((item) => item.source);
    return block.kind === "text" ? block.source.split(/\r\n|\r|\n/) : [];
  });
  const fields: Partial<Record<FieldName, string>> = {};
  for (const line of lines) {
    const field = readField(line);
    if (field) fields[field.name] ??= field.value;
  }
  return fields;
}

function readField(line: string): { name: FieldName; value: string } | undefined {
  const parts = /^\s*([*_`]*)([^:：*_`]{1,40}?)([*_`]*)\s*[:：]([\s\S]*)$/.exec(line);
  if (!parts) return undefined;
  const [, opened = "", label = "", closed = "", rest = ""] = parts;
  const name = fieldNames.find((field) => labelsOf(field).includes(label.trim().toLowerCase()));
  if (!name) return undefined;
  // **Issue:** FEAT-0001 closes its emphasis behind the colon.
  const value = opened && !closed ? rest.replace(/^[*_`]+/, "") : rest;
  return { name, value };
}

function labelsOf(field: FieldName): string[] {
  return [...Object.values(labels[field]).map((label) => label.toLowerCase()), ...(otherLabels[field] ?? [])];
}

function itemsOf(block: Block, state: CheckState): HandoffItem[] {
  if (block.kind === "list")
    return block.items.map((item) => ({ text: item.text, state: item.state ?? state }));
  return block.kind === "text" ? [{ text: block.source, state }] : [];
}

/** One a list item; a paragraph or another block is one too. */
function textsOf(block: Block): string[] {
  if (block.kind === "list") return block.items.map((item) => unescapeRule(item.source));
  return block.kind === "text" ? [block.source] : [];
}

/** One a list item, or one a ⚠️ of a paragraph. */
function warningsOf(block: Block): string[] {
  if (block.kind === "list") return block.items.map((item) => item.source);
  return block.kind === "text" ? block.source.split(/⚠\uFE0F?/u) : [];
}

/**
 * The form in which two handoffs that say the same are equal. Metadata is one line without surrounding backticks; an
 * entry keeps its lines, without blanks at their ends, `\n` between them; entries that say nothing (empty, only a comment,
 * "none", 无) are left out; a warning does not begin with ⚠️, which the rendering adds.
 */
export function normaliseHandoff(handoff: Handoff): Handoff {
  const commit = token(handoff.commit ?? "");
  const writtenAt = token(handoff.writtenAt ?? "");
  return {
    issue: token(handoff.issue),
    session: token(handoff.session),
    stopReason: token(handoff.stopReason),
    ...(commit && { commit }),
    ...(writtenAt && { writtenAt }),
    stage: token(handoff.stage),
    workingOn: oneLine(handoff.workingOn),
    done: normalItems(handoff.done),
    todo: normalItems(handoff.todo),
    decisions: entries(handoff.decisions),
    nextSteps: entries(handoff.nextSteps),
    warnings: entries(handoff.warnings.map((text) => entry(text).replace(/^(?:⚠\uFE0F?\s*)+/u, ""))),
    patterns: entries(handoff.patterns),
    facts: entries(handoff.facts),
    postMortem: lines(handoff.postMortem),
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function token(text: string): string {
  return oneLine(text.replace(/^[\s`]+|[\s`]+$/g, ""));
}

function lines(text: string): string {
  const trimmed = text.split(/\r\n|\r|\n/).map((line) => line.replace(/[ \t]+$/, ""));
  return trimmed.join("\n").trim();
}

function entry(text: string): string {
  const written = lines(text);
  const said = withoutComments(written).trim();
  return said === "" || /^[(（]?(?:none|nothing|n\/a|无|没有)[.。]?[)）]?$/i.test(said) ? "" : written;
}

function entries(texts: readonly string[]): string[] {
  return texts.map(entry).filter((text) => text !== "");
}

function normalItems(items: readonly HandoffItem[]): HandoffItem[] {
  return items.map(({ text, state }) => ({ text: entry(text), state })).filter(({ text }) => text !== "");
}

/**
 * Renders a handoff; the post-mortem only where there is one. Every entry is a list item and its further lines are
 * indented, so nothing in it can begin a section, close a list or swallow what follows. Two escapes remain: an entry that
 * is only dashes, which would make its item a rule, and lines of the post-mortem that begin a heading or a comment; both
 * get a backslash, which parsing takes away.
 */
export function renderHandoff(handoff: Handoff, language: Language): string {
  const parts = renderParts(normaliseHandoff(handoff));
  const written = sectionNames.filter((name) => name !== "postMortem" || parts.postMortem !== "");
  const section = (name: SectionName): string => {
    const body = name === "metadata" || name === "currentState" ? parts[name](language) : parts[name];
    return `## ${headings[name][language]}\n${body}${body && "\n"}`;
  };
  return ["# RALPH.md\n", ...written.map(section)].join("\n");
}

type Parts = Record<Exclude<SectionName, "metadata" | "currentState">, string> &
  Record<"metadata" | "currentState", (language: Language) => string>;

function renderParts(handoff: Handoff): Parts {
  const fields = (names: readonly FieldName[], language: Language): string =>
    names
      .filter((name) => handoff[name] !== undefined)
      .map((name) => `- ${labels[name][language]}: ${handoff[name]}`.trimEnd())
      .join("\n");
  return {
    metadata: (language) => fields(["issue", "session", "stopReason", "commit", "writtenAt"], language),
    currentState: (language) => fields(["stage", "workingOn"], language),
    done: checkboxes(handoff.done),
    todo: checkboxes(handoff.todo),
    decisions: numbered(handoff.decisions),
    nextSteps: numbered(handoff.nextSteps),
    warnings: bullets(handoff.warnings.map((text) => `⚠️ ${text}`)),
    patterns: bullets(handoff.patterns),
    facts: bullets(handoff.facts),
    postMortem: escapeProse(handoff.postMortem),
  };
}

function checkboxes(items: readonly HandoffItem[]): string {
  return items.map(({ text, state }) => listItem("- ", `[${checkMarks[state]}] ${text}`)).join("\n");
}

function numbered(texts: readonly string[]): string {
  return texts.map((text, index) => listItem(`${index + 1}. `, escapeRule(text))).join("\n");
}

function bullets(texts: readonly string[]): string {
  return texts.map((text) => listItem("- ", escapeRule(text))).join("\n");
}

function listItem(marker: string, text: string): string {
  const indent = " ".repeat(marker.length);
  const [first = "", ...rest] = text.split("\n");
  return [marker + first, ...rest.map((line) => line && indent + line)].join("\n");
}

/** "- " before a first line of dashes only would be a rule and no item. */
function escapeRule(text: string): string {
  return /^\\*-[-\s]*(?:\n|$)/.test(text) ? `\\${text}` : text;
}

function unescapeRule(text: string): string {
  return /^\\+-[-\s]*(?:\n|$)/.test(text) ? text.slice(1) : text;
}

function escapeProse(text: string): string {
  return text.replace(/^( {0,3})(?=\\*(?:#{1,2}(?:[ \t]|$)|<!--))/gm, "$1\\");
}

function unescapeProse(text: string): string {
  return text.replace(/^( {0,3})\\(?=\\*(?:#{1,2}(?:[ \t]|$)|<!--))/gm, "$1");
}

/**
 * Fills the template of a handoff. The template decides headings and comments; a post-mortem is added where there is one,
 * in the template's language.
 */
export function scaffoldHandoff(template: string, handoff: Handoff): string {
  const normal = normaliseHandoff(handoff);
  const parts = renderParts(normal);
  const filled = fillTemplate(
    template,
    {
      issue: normal.issue,
      session: normal.session,
      stopReason: normal.stopReason,
      commit: normal.commit ?? "",
      writtenAt: normal.writtenAt ?? "",
      stage: normal.stage,
      workingOn: normal.workingOn,
      done: parts.done,
      todo: parts.todo,
      decisions: parts.decisions,
      nextSteps: parts.nextSteps,
      warnings: parts.warnings,
      patterns: parts.patterns,
      facts: parts.facts,
    },
    "RALPH.md template",
  );
  if (!parts.postMortem) return filled;
  const language = template.includes(`## ${headings.metadata.zh}`) ? "zh" : "en";
  return `${filled.trimEnd()}\n\n## ${headings.postMortem[language]}\n${parts.postMortem}\n`;
}

/** What is wrong with a handoff: an error makes it invalid, a warning does not. */
export interface HandoffFinding extends Fault {
  level: "error" | "warning";
}

export interface HandoffExpected {
  issue: string;
  session: number;
  /** Whether a path named in the document exists. */
  filesKnown?: (path: string) => boolean;
  /** How the last checks ended; undefined where none ran. */
  checksOk?: boolean | undefined;
  budgetBytes: number;
}

/** Everything that is wrong with a handoff, errors first. Never throws. */
export function lintHandoff(text: string, expected: HandoffExpected): HandoffFinding[] {
  const named = readable(text);
  if (named.length === 0) {
    const hint = "write it anew with `monoco relay prepare`: `## Metadata`, `## Next steps` and so on";
    return [{ level: "error", line: 1, message: "no section of a handoff can be read", hint }];
  }
  const handoff = normaliseHandoff(readSections(named));
  const at = (name: SectionName): number => named.find((one) => one.name === name)?.section.line ?? 1;
  return [
    ...lintMetadata(handoff, expected, at("metadata")),
    ...lintNextSteps(handoff, at("nextSteps")),
    ...lintSections(named),
    ...lintState(handoff, expected, at("currentState")),
    ...lintClaims(text, named, expected),
    ...lintSize(text, expected),
  ];
}

function lintMetadata(handoff: Handoff, expected: HandoffExpected, line: number): HandoffFinding[] {
  const found: HandoffFinding[] = [];
  if (handoff.issue !== expected.issue) {
    const message = handoff.issue
      ? `it is about ${handoff.issue.slice(0, 60)}, not ${expected.issue}`
      : "it names no issue";
    found.push({
      level: "error",
      line,
      message,
      hint: `write \`- Issue: ${expected.issue}\` under Metadata`,
    });
  }
  const session = /^(?:\D*?)0*(\d+)(?!\d)/.exec(handoff.session)?.[1];
  if (session !== String(expected.session)) {
    const given = handoff.session.slice(0, 60);
    const message = given
      ? `it is session ${given}'s, not session ${expected.session}'s`
      : "it names no session";
    found.push({
      level: "error",
      line,
      message,
      hint: `write \`- Session: ${expected.session}\` under Metadata`,
    });
  }
  return found;
}

function lintNextSteps(handoff: Handoff, line: number): HandoffFinding[] {
  if (handoff.nextSteps.length > 0) return [];
  const hint = "say under `## Next steps (read first)` what the successor does first: `1. …`";
  return [{ level: "error", line, message: "no next steps", hint }];
}

/** Warnings, facts and a post-mortem may be missing; next steps and metadata are looked at by themselves. */
const sectionsExpected = ["currentState", "done", "todo", "decisions", "warnings", "patterns"] as const;

function lintSections(named: readonly NamedSection[]): HandoffFinding[] {
  const missing = sectionsExpected.filter((name) => named.every((one) => one.name !== name));
  const found: HandoffFinding[] = missing.map((name) => ({
    level: "warning",
    line: 1,
    message: `no section "${headings[name].en}" (${headings[name].zh})`,
    hint: `add \`## ${headings[name].en}\`, empty if there is nothing to say`,
  }));
  for (const { section } of named) {
    const open = section.blocks.find((block) => block.kind === "comment" && !block.source.endsWith("-->"));
    if (!open) continue;
    const message = "a comment that never ends hides the rest of the document";
    found.push({ level: "warning", line: open.line, message, hint: "close it with -->" });
  }
  return found;
}

const stagesKnown = ["planning", "implementing", "testing", "submitting"];
const stagesKnownZh = ["规划", "计划", "实现", "实施", "测试", "提交"];

function lintState(handoff: Handoff, expected: HandoffExpected, line: number): HandoffFinding[] {
  const found: HandoffFinding[] = [];
  const stage = handoff.stage.toLowerCase();
  const known = stagesKnown.includes(stage) || stagesKnownZh.includes(stage.replace(/中$/, ""));
  if (!known) {
    const message = stage ? `the stage cannot be ${handoff.stage.slice(0, 60)}` : "it names no stage";
    found.push({ level: "warning", line, message, hint: `one of ${stagesKnown.join(", ")}` });
  }
  for (const path of pathsIn(handoff.workingOn)) {
    if (expected.filesKnown?.(path) !== false) continue;
    const hint = "name the file as it is called in the workspace, from its root";
    found.push({ level: "warning", line, message: `there is no file ${path.slice(0, 120)}`, hint });
  }
  return found;
}

/** Words that look like files: an extension, no protocol before them, no call behind them. */
function pathsIn(text: string): string[] {
  const words = text
    .slice(0, 4_000)
    .replace(/[\w.]{1,200}\(\)/g, " ")
    .split(/[\s`"'()（）,，;；、<>]+/);
  const paths = words.map((word) =>
    word
      .replace(/^\.\//, "")
      .replace(/[:：#].*$/, "")
      .replace(/[.。]+$/, ""),
  );
  return [...new Set(paths.filter((path, index) => isPath(path) && !words[index]?.includes("://")))];
}

function isPath(word: string): boolean {
  return /(?:\/[^/]+|^[^/.]{2,})\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(word);
}

const claims = [
  /\b(?:all |the |unit |integration )*(?:tests?|test suite|checks?|builds?)\b[^.!?;]{0,20}?\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b/i,
  /(?:测试|检查)[^。；，]{0,8}?(?:通过|全绿)/u,
];
/** With these on the same line it is a plan, a condition or a denial. */
const noClaim =
  /\b(?:not|no|never|until|once|when|if|should|must|make|get|so that|fail\w*)\b|n't\b|未|没有|不|直到|确保|失败|后再/iu;

function lintClaims(
  text: string,
  named: readonly NamedSection[],
  expected: HandoffExpected,
): HandoffFinding[] {
  if (expected.checksOk !== false) return [];
  const lines = text.split(/\r\n|\r|\n/);
  const said = named.filter(({ name }) => !["todo", "nextSteps", "facts", "postMortem"].includes(name));
  return said.flatMap(({ section }) =>
    section.source.split(/\r\n|\r|\n/).flatMap((_, index): HandoffFinding[] => {
      const line = section.line + index;
      const words = lines[line - 1] ?? "";
      if (
        !claims.some((claim) => claim.test(words)) ||
        noClaim.test(words) ||
        /^\s*\S+\s+\[[ /-]\]/.test(words)
      )
        return [];
      const message = "it says that the tests pass, and the last checks failed";
      return [{ level: "warning", line, message, hint: "run `monoco check`, and say what fails" }];
    }),
  );
}

function lintSize(text: string, expected: HandoffExpected): HandoffFinding[] {
  const bytes = bytesOf(text);
  if (bytes <= expected.budgetBytes) return [];
  const message = `${bytes} bytes, over the budget of ${expected.budgetBytes}`;
  return [
    {
      level: "warning",
      line: 1,
      message,
      hint: "hand over the minimum: what the repository shows needs no words",
    },
  ];
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/**
 * Puts the decisions, warnings and patterns of the previous handoff before those of the next one, but for those that it
 * repeats or strikes out (`~~words~~ reason`, with all of the entry's words or a part of at least four characters). What
 * the previous handoff struck out has been read once and is gone.
 */
export function carryOver(previous: Handoff | undefined, next: Handoff): Handoff {
  if (!previous) return next;
  return {
    ...next,
    decisions: carried(previous.decisions, next.decisions),
    warnings: carried(previous.warnings, next.warnings),
    patterns: carried(previous.patterns, next.patterns),
  };
}

function carried(previous: readonly string[], next: readonly string[]): string[] {
  const repeated = new Set(next.map(bare));
  const struck = next.flatMap((text) =>
    [...text.matchAll(/~~([\s\S]+?)~~/g)].map((match) => bare(match[1] ?? "")),
  );
  const isStruck = (text: string): boolean =>
    struck.some(
      (part) =>
        part !== "" && (part === text || part.includes(text) || (part.length >= 4 && text.includes(part))),
    );
  const kept = previous.filter((text) => {
    const words = bare(text);
    return words !== "" && !words.startsWith("~~") && !repeated.has(words) && !isStruck(words);
  });
  return [...kept, ...next];
}

/** An entry's words, however it is spaced and whether or not it bears the warning sign. */
function bare(text: string): string {
  return oneLine(text.replace(/^\s*(?:⚠\uFE0F?\s*)+/u, ""));
}

/**
 * Drops what is oldest until the rendering fits: patterns, then decisions, then warnings, then what is done. Next steps
 * are never dropped; a handoff that is too long for them alone stays too long.
 */
export function fitHandoff(
  handoff: Handoff,
  language: Language,
  budgetBytes: number,
): { handoff: Handoff; dropped: string[] } {
  const { patterns, decisions, warnings, done } = handoff;
  const oldestFirst = [...patterns, ...decisions, ...warnings, ...done.map((item) => item.text)];
  const without = (count: number): Handoff => {
    const [ofPatterns, ofDecisions, ofWarnings, ofDone] = shares(count, [
      patterns,
      decisions,
      warnings,
      done,
    ]);
    return {
      ...handoff,
      patterns: patterns.slice(ofPatterns),
      decisions: decisions.slice(ofDecisions),
      warnings: warnings.slice(ofWarnings),
      done: done.slice(ofDone),
    };
  };
  // Each entry that goes makes it shorter, so the least number that must go is found by halving.
  let fewest = 0;
  let most = oldestFirst.length;
  while (fewest < most) {
    const middle = Math.floor((fewest + most) / 2);
    if (bytesOf(renderHandoff(without(middle), language)) <= budgetBytes) most = middle;
    else fewest = middle + 1;
  }
  return { handoff: without(fewest), dropped: oldestFirst.slice(0, fewest) };
}

/** How many of `count` fall to each list, one list after the other. */
function shares(count: number, lists: readonly (readonly unknown[])[]): number[] {
  let left = count;
  return lists.map((list) => {
    const share = Math.min(left, list.length);
    left -= share;
    return share;
  });
}
