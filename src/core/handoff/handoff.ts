/** RALPH.md, the document that a session leaves for the next one: text to values, in a normal form. */
import { unescapeProse, unescapeRule } from "./escapes.ts";
import { attempt } from "../error/attempt.ts";
import { fieldNames, labelsOf, sectionNameOf } from "./labels.ts";
import type { FieldName, SectionName } from "./labels.ts";
import type { CheckState } from "../text/list-item.ts";
import { proseOf, sections, withoutComments } from "../text/markdown.ts";
import type { Block, Section } from "../text/markdown.ts";
import { oneLine } from "../text/one-line.ts";
import { visible } from "../text/sanitize.ts";

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

/**
 * Parses a handoff, in English or Chinese. Never throws: an unreadable part is empty. The result is normal, so
 * `parseHandoff(renderHandoff(x, language))` is `normaliseHandoff(x)`.
 */
export function parseHandoff(text: string): Handoff {
  return normaliseHandoff(readSections(namedSections(text)));
}

/** The sections of a handoff with a known name; none if the text defeats the parser. */
export function namedSections(text: string): NamedSection[] {
  return attempt(() => {
    return sections(text).flatMap((section) => {
      const name = sectionNameOf(section.heading);
      return name ? [{ name, section }] : [];
    });
  }, []);
}

export interface NamedSection {
  name: SectionName;
  section: Section;
}

export function readSections(sections: readonly NamedSection[]): Handoff {
  const blocks = (name: SectionName): Block[] =>
    sections.flatMap((one) => (one.name === name ? one.section.blocks : []));
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
    postMortem: sections
      .filter(({ name }) => name === "postMortem")
      .map(({ section }) => unescapeProse(proseOf(section)))
      .join("\n\n"),
  };
}

/** `Label: value` as list items or as lines; the first value of a label counts. */
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
  const parts = /^\s*(?!\s)([*_`]*)([^:：*_`]{1,40}?)([*_`]*)\s*[:：]([\s\S]*)$/.exec(line);
  if (!parts) return undefined;
  const [, opened = "", label = "", closed = "", rest = ""] = parts;
  const name = fieldNames.find((field) => labelsOf(field).includes(label.trim().toLowerCase()));
  if (!name) return undefined;
  // The emphasis of `**Issue:** FEAT-0001` closes after the colon.
  const value = opened && !closed ? rest.replace(/^[*_`]+/, "") : rest;
  return { name, value };
}

function itemsOf(block: Block, state: CheckState): HandoffItem[] {
  if (block.kind === "list")
    return block.items.map((item) => ({ text: item.text, state: item.state ?? state }));
  return block.kind === "text" ? [{ text: block.source, state }] : [];
}

/** The texts of a block: one per list item, or the whole of any other block. */
function textsOf(block: Block): string[] {
  if (block.kind === "list") return block.items.map((item) => unescapeRule(item.source));
  return block.kind === "text" ? [block.source] : [];
}

/** The warnings of a block: one per list item, or one per ⚠️ in a paragraph. */
function warningsOf(block: Block): string[] {
  if (block.kind === "list") return block.items.map((item) => item.source);
  return block.kind === "text" ? block.source.split(/⚠\uFE0F?/u) : [];
}

/**
 * The normal form of a handoff: two handoffs that say the same are equal. Control sequences are escaped (`visible`). Metadata is one
 * line without surrounding backticks. An entry keeps its lines, trimmed and joined by `\n`; entries that say nothing (empty, only a
 * comment, "none", 无) are left out; a warning does not begin with ⚠️, which the rendering adds.
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
    workingOn: visible(oneLine(handoff.workingOn)),
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

function token(text: string): string {
  return visible(oneLine(text.replace(/^[\s`]+|(?<![\s`])[\s`]+$/g, "")));
}

function lines(text: string): string {
  const trimmed = text.split(/\r\n|\r|\n/).map((line) => line.replace(/(?<![ \t])[ \t]+$/, ""));
  return visible(trimmed.join("\n").trim());
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
