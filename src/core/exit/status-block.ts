/** The RALPH_STATUS block at the end of an agent's answer: `KEY: value` lines, a table, JSON or YAML; the last whole one counts. */
import { parseDocument } from "yaml";
import { attempt } from "../error/attempt.ts";
import { spokenLines } from "./own-words.ts";
import type { SpokenLine } from "./own-words.ts";
import { questionOf } from "./question-phrases.ts";
import { isRecord } from "../text/record.ts";
import { isNestedDeeper } from "../text/json-depth.ts";
import { plainValue } from "../text/yaml-value.ts";
import { t } from "../language/translate.ts";

/** What the block says. `exitSignal` is false where the block contradicts itself: a contradiction is not done. */
export type StatusBlock = {
  exitSignal: boolean | undefined;
  /** The keys as written, upper case, values as text. */
  fields: Readonly<Record<string, string>>;
  contradiction?: string;
  /** What stands below it: an agent may take it back. */
  after?: string;
  /** What a person has to decide, in the agent's own words. */
  question?: string;
};

/** A block is five lines at the end of an answer: nothing longer is read as one, nor looked for further up. */
const blockCharsMax = 4_000;
const blockLinesMax = 40;
const textCharsMax = 20_000;
/** A value may hold braces; text with more ends than these is not a block. */
const endsMax = 20;
/** Nor are values nested deeper than these: a block has two levels or so, and each end costs a parse. */
const depthMax = 20;

/**
 * The last complete block of `text` that is the agent's own: a line that is `RALPH_STATUS` (with or without a colon, dashes,
 * a fence before it), followed by its lines. Where there is none, or only one above it, a line `EXIT_SIGNAL: false` of its own
 * is a block, too. Prose that mentions the words is not a block, nor is one that is quoted, announced or an example.
 */
export function findStatusBlock(text: string): StatusBlock | undefined {
  const lines = spokenLines(text.slice(-textCharsMax));
  const block = lastBlock(lines);
  const no = lines.findLastIndex(saysNo);
  if (no < 0 || block?.exitSignal === false) return block;
  const line = lines[no]!.text.trim();
  if (block?.exitSignal === undefined) {
    return { ...block, exitSignal: false, fields: { ...block?.fields, EXIT_SIGNAL: "false" } };
  }
  return no > block.at ? { ...block, exitSignal: false, contradiction: t`then it says ${line}` } : block;
}

/** `at` is the line of its heading. */
function lastBlock(lines: readonly SpokenLine[]): (StatusBlock & { at: number }) | undefined {
  let torn: { at: number; fields: Record<string, string>; against: string | undefined } | undefined;
  for (let at = lines.length - 1; at >= 0; at--) {
    const heading = headingOf(lines[at]!);
    if (heading === undefined) continue;
    const body = lines.slice(at + 1, at + blockLinesMax).map(({ text }) => text);
    const fields = fieldsOf([heading, ...body].join("\n").slice(0, blockCharsMax));
    if (fields && "EXIT_SIGNAL" in fields) {
      const below = lines.slice(at + 1).filter(({ text }) => !(keyOf(text) in fields));
      const after = below.map(({ text }) => text).join("\n");
      const question = questionOf(fields["QUESTION"] ?? "");
      return { ...judged(fields, torn?.against), ...(question === undefined ? {} : { question }), after, at };
    }
    // One that was begun after the last whole one, or alone: what it says already speaks against a yes.
    if (fields) torn ??= { at, fields, against: contradictionIn(withoutForms(fields)) };
  }
  if (torn?.against === undefined) return undefined;
  return { at: torn.at, fields: torn.fields, exitSignal: false, contradiction: torn.against };
}

/** `passing | failing`: a form that was not filled in says nothing. */
function withoutForms(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !value.includes("|")));
}

/** What stands behind the colon of a heading line of its own; undefined for any other line. */
function headingOf({ text, own }: SpokenLine): string | undefined {
  const match = own ? /^[-\s=*_#{`]*"?RALPH_STATUS"?[\s*_`=-]*(?:[:：](.*))?$/i.exec(text) : null;
  return match ? (match[1] ?? "").replaceAll("*", "").trim() : undefined;
}

/** The agent's own no, in whatever dress and wherever in its line: its yes takes a whole block. */
function saysNo({ text, own, fenced }: SpokenLine): boolean {
  if (!own) return false;
  if (fenced && /"exit_signal"\s*:\s*false\b/i.test(text)) return true;
  const value = signalLine.exec(text)?.[1];
  return (
    value !== undefined && truth(valueOf("EXIT_SIGNAL", value.replace(/(?:\||<\/.*)\s*$/, ""))) === false
  );
}

/** Marks before it, or words that say it of the agent's own signal: no sentence about signals. */
const signalLine =
  /^[\s|*_`"#<>-]*(?:\d+[.)]\s*)?(?:(?:so|therefore|hence|final|my|our|the|signal:|i(?:['’]ve| have)? (?:set|report|leave|left|keep|kept|give)|setting)[\s*_`]+){0,3}EXIT[_ ]SIGNAL[*_`">]*(?:\s*\([^)]{0,30}\))?\s*(?:[:：=|→-]|[=-]>|[–—]|(?<=>)|\b(?:is|stays|remains|to|as|at)\b|[为是])\s*(.*)$/iu;

function fieldsOf(block: string): Record<string, string> | undefined {
  const body = block.trimStart().replace(/^(?:```|~~~)[a-z]*\s*\n\s*/i, "");
  if (body.startsWith("{")) return fromJson(body);
  return body.startsWith("|") ? fromTable(body) : fromLines(body);
}

/** The first whole object; what follows it does not matter. */
function fromJson(body: string): Record<string, string> | undefined {
  if (isNestedDeeper(body, depthMax)) return undefined;
  let end = body.indexOf("}");
  for (let ends = 0; end >= 0 && ends < endsMax; ends++, end = body.indexOf("}", end + 1)) {
    const value = parsed(body.slice(0, end + 1));
    if (isRecord(value)) return named(Object.entries(value));
  }
  return undefined;
}

/** JSON, or YAML's flow style, which agents write when they mean JSON. Data only: no tags, no aliases. */
function parsed(text: string): unknown {
  return attempt(() => {
    const document = parseDocument(text, { schema: "core", prettyErrors: false, logLevel: "silent" });
    return document.errors.length > 0 ? undefined : plainValue(document, { maxAliasCount: 0 });
  }, undefined);
}

/** A row a key, or the keys in the first row and the values in the second. */
function fromTable(body: string): Record<string, string> | undefined {
  const lines = body.split("\n");
  const end = lines.findIndex((line) => !/^\s*\|/.test(line));
  const rows = lines
    .slice(0, end < 0 ? lines.length : end)
    .filter((line) => !/^[\s|:-]+$/.test(line))
    .map((line) =>
      line
        .trim()
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.replace(/[*`]/g, "").trim()),
    );
  const [keys = [], values = []] = rows;
  if (rows.length === 2 && keys.length > 2) return named(keys.map((key, at) => [key, values[at] ?? ""]));
  const pairs = rows.flatMap(([key, value]) => (key && value !== undefined ? [[key, value] as const] : []));
  return pairs.length > 0 ? named(pairs) : undefined;
}

const fieldLine = /^[\s>*`-]*"?([A-Za-z][A-Za-z_ ]{1,40})"?[*`]*\s*[:：=]\s*(.*)$/;

function keyOf(line: string): string {
  return nameOf(fieldLine.exec(line)?.[1] ?? "");
}

function nameOf(key: string): string {
  return key.trim().toUpperCase().replaceAll(" ", "_");
}

/** `KEY: value` lines, indented or not (YAML); the block ends at the first line that is neither such nor blank. */
function fromLines(body: string): Record<string, string> | undefined {
  const entries: [string, string][] = [];
  for (const line of body.split("\n")) {
    const match = fieldLine.exec(line);
    const last = entries.at(-1);
    const left = last !== undefined && leftKeys.test(nameOf(last[0]));
    const item = left
      ? /^\s*(?:[-*+]|\d+[.)])\s+(?!["*`]*[A-Z]{2,}[A-Z_ ]*["*`]*\s*[:：=])(\S.*)$/.exec(line)
      : null;
    // A list below its key.
    if (item && left) last[1] = last[1].trim() === "" ? item[1]! : `${last[1]}; ${item[1]!}`;
    else if (match) entries.push([match[1]!, match[2]!]);
    else if (/^\s*(?:```.*|-{3,}.*|={3,}.*)?$/.test(line)) {
      if (entries.length > 0) break;
    } else if (entries.length > 0) {
      // A value that goes on in the next line belongs to it; anything else ends the block.
      if (!/^\s+\S/.test(line)) break;
    } else if (/^\s*\|/.test(line)) {
      return fromTable(body.slice(body.indexOf(line)));
    } else return undefined;
  }
  return entries.length > 0 ? named(entries) : undefined;
}

/** A key that stands there twice with two values has both. */
function named(entries: readonly (readonly [string, unknown])[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [key, value] of entries) {
    const name = nameOf(key);
    const text = valueOf(name, typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
    const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
    fields[name] = before === undefined || before === text ? text : `${before} / ${text}`;
  }
  return fields;
}

/** Marks around a value are not part of it; a question's words are kept as they are. */
function valueOf(name: string, text: string): string {
  if (name === "QUESTION") return text.replace(/^[\s*"'`]+/, "").replace(/(?<![\s*"'`,])[\s*"'`,]+$/, "");
  return text.replace(/[*"'`,\p{Extended_Pictographic}\u{fe0f}]/gu, "").trim();
}

function judged(fields: Record<string, string>, torn: string | undefined): StatusBlock {
  const signal = fields["EXIT_SIGNAL"] ?? "";
  const said = truth(signal);
  const both = signal.split(" / ").map(truth);
  if (both.includes(true) && both.includes(false))
    return { exitSignal: false, fields, contradiction: says("EXIT_SIGNAL", signal) };
  // `true | false`, or the prompt's own words: a form that was not filled in.
  if (said === undefined) return { exitSignal: undefined, fields };
  const contradiction = said ? (contradictionIn(fields) ?? torn) : undefined;
  return contradiction === undefined
    ? { exitSignal: said, fields }
    : { exitSignal: false, fields, contradiction };
}

/** A condition takes a yes back, and leaves a no a no. */
const condition = /\b(?:if|once|when|unless|after|until|only|or|else|false)\b|如果|当|一旦|否/i;
const formOfNo = /\b(?:or|if|else)\b.{0,200}\b(?:true|yes)\b|\b(?:true|yes)\b.{0,200}\b(?:if|when)\b/i;

/** "Not yet", "no two criteria are open" (marks are gone): neither a form nor a rule. */
const inWords =
  /^(?:(?:not|no)\b(?! questions?\b)|未|没)(?!.*(?:[|→/]|\b(?:true|yes|if|else|or)\b)).{1,120}$/i;

/** A yes or a no, alone or with its reason; both of them, or a condition, is a form that was not filled in. */
function truth(value: string): boolean | undefined {
  if (inWords.test(value)) return false;
  const [, word = "", reason = ""] =
    /^(true|yes|1|是|false|no|0|否)(?:\s*(?:[.!。！；;]|[(（#—–-]|\/\/|(?:because|since|as|until|while)\b)(.*))?$/i.exec(
      value,
    ) ?? [];
  if (word === "") return undefined;
  if (!/^(?:true|yes|1|是)$/i.test(word)) return formOfNo.test(reason) ? undefined : false;
  return condition.test(reason) ? undefined : true;
}

const says = (key: string, value: string): string => t`${key} is ${value}`;

/** What speaks against an EXIT_SIGNAL of true in the same block. */
function contradictionIn(fields: Record<string, string>): string | undefined {
  const { STATUS: status, PROGRESS: progress } = fields;
  if (status !== undefined && !isComplete(status)) return says("STATUS", status);
  const tests = fields["TESTS_STATUS"] ?? fields["TESTS"];
  if (tests !== undefined && isRed(tests)) return says("TESTS_STATUS", tests);
  if (progress !== undefined && isPartial(progress)) return says("PROGRESS", progress);
  const left = Object.entries(fields).find(([key, value]) => leftKeys.test(key) && !isNone(value));
  return left && says(...left);
}

const complete =
  /\b(?:completed?|done|finished|success|successful|succeeded|pass|passed|passing|ready|implemented|verified|resolved)\b|\b100 ?%|完成|成功|通过/i;
const incomplete =
  /\b(?:not|in|un\w+|partial\w*|almost|nearly|mostly|half|progress|blocked|fail\w*|pending|waiting|needs?|wip|part|phase|step|but|except)\b|\b\d{1,2}(?:\.\d+)? ?%|未|没|部分|还/i;

function isComplete(status: string): boolean {
  const words = status.replaceAll("_", " ").replace(/\s#.*$/, "");
  return complete.test(words) && !incomplete.test(words) && !isFraction(words);
}

const noneRed =
  /\b(?:0|no|zero|without|none) (?:tests? )?(?:are |were )?(?:fail\w*|errors?|broken|red)\b|\bfail\w*[:：=]? ?0\b/gi;

function isRed(tests: string): boolean {
  const words = tests.replace(noneRed, " ");
  return /\b(?:fail\w*|broken|red|errors?)\b|失败/i.test(words) || isFraction(words);
}

function isPartial(progress: string): boolean {
  const share =
    /(?:^|\s)(\d{1,3}(?:\.\d+)?) ?%/.exec(progress)?.[1] ?? /^\d{1,3}(?:\.\d+)?$/.exec(progress)?.[0];
  return share === undefined ? isFraction(progress) : Number(share) < 100;
}

/** `4/5`, `4 of 5`: fewer than all. */
function isFraction(words: string): boolean {
  const [, part, whole] = /\b(\d{1,6}) ?(?:\/|of|out of) ?(\d{1,6})\b/i.exec(words) ?? [];
  return part !== undefined && Number(part) < Number(whole);
}

const leftKeys =
  /^(?:REMAINING|TODOS?|PENDING|OPEN|UNFINISHED|BLOCKERS|(?:TASKS|WORK|CRITERIA|ITEMS)_(?:REMAINING|PENDING|OPEN|LEFT)|(?:REMAINING|PENDING|OPEN)_(?:TASKS|WORK|CRITERIA|ITEMS))$/;

/** Nothing, in as many words as there are; "no test for the error path" is something. */
export function isNone(value: string): boolean {
  return /^(?:|[-—–]+|(?:(?:0|no|none|nothing|nil|null|zero|n\/a)(?: (?:more|open|pending|remaining|known|other))?(?: (?:tasks?|items?|work|todos?|criteria|criterion|steps?|boxes|blockers?|issues?|questions?))?(?: (?:left|remain(?:s|ing)?|open|pending|at this time))?)|\[\]|无|没有|暂无|keine?)[.。]?(?: ?[(（].*[)）])?$/i.test(
    value,
  );
}
