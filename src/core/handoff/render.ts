/** Writes a handoff as the text of RALPH.md, in full or through the template that an agent fills in. */
import { normaliseHandoff, parseHandoff } from "./handoff.ts";
import type { Handoff, HandoffItem } from "./handoff.ts";
import { escapeProse, escapeRule } from "./escapes.ts";
import { handoffHeadings, labels, sectionNames } from "./labels.ts";
import type { FieldName, SectionName } from "./labels.ts";
import { checkMarks } from "../text/list-item.ts";
import type { ValuesOf } from "./template-names.ts";
import { fillTemplate } from "../text/template.ts";
import { sentences } from "../language/handoff-words.ts";
import type { Language } from "../language/handoff-words.ts";

/**
 * Renders a handoff, with a post-mortem if it has one. Every entry is a list item and its further lines are
 * indented, so no entry can begin a section, close a list or swallow the text after it. Two escapes remain: an entry that
 * is only dashes, which would make its item a rule, and post-mortem lines that begin a heading or a comment. Both
 * get a backslash, which parsing removes.
 */
export function renderHandoff(handoff: Handoff, language: Language): string {
  const sections = sectionsOf(handoff, language);
  const written = sections.filter(({ name, body }) => name !== "postMortem" || body !== "");
  return ["# RALPH.md\n", ...written.map(({ text }) => text)].join("\n");
}

/**
 * The part of RALPH.md that a prompt shows: no empty section, and nothing that the prompt has already: metadata, facts,
 * and boxes in the same state as in the issue.
 */
export function renderBrief(text: string, language: Language, boxes: readonly HandoffItem[]): string {
  const handoff = parseHandoff(text);
  const unsaid = ({ state, text }: HandoffItem): boolean =>
    !boxes.some((box) => box.state === state && box.text === text);
  const generated = sentences.generated[language](handoff.session, handoff.stopReason);
  const facts = handoff.facts.filter((fact) => fact === generated);
  const left = { ...handoff, done: handoff.done.filter(unsaid), todo: handoff.todo.filter(unsaid), facts };
  const sections = sectionsOf(left, language).filter(({ name, body }) => name !== "metadata" && body !== "");
  return sections.map(({ text }) => text).join("\n");
}

function sectionsOf(
  handoff: Handoff,
  language: Language,
): { name: SectionName; body: string; text: string }[] {
  const parts = renderParts(normaliseHandoff(handoff));
  return sectionNames.map((name) => {
    const body = name === "metadata" || name === "currentState" ? parts[name](language) : parts[name];
    return { name, body, text: `## ${handoffHeadings[name][language]}\n${body}${body && "\n"}` };
  });
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

/**
 * Fills the template of a handoff. The template sets headings and comments; a post-mortem is added if there is one,
 * in the template's language.
 */
export function scaffoldHandoff(template: string, handoff: Handoff): string {
  const normal = normaliseHandoff(handoff);
  const parts = renderParts(normal);
  const values: ValuesOf<"ralph"> = {
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
  };
  const filled = fillTemplate(template, values, "RALPH.md template");
  if (!parts.postMortem) return filled;
  const language = template.includes(`## ${handoffHeadings.metadata.zh}`) ? "zh" : "en";
  return `${filled.trimEnd()}\n\n## ${handoffHeadings.postMortem[language]}\n${parts.postMortem}\n`;
}
