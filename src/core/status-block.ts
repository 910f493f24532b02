/** The RALPH_STATUS block at the end of an agent's answer: `KEY: value` lines, JSON or YAML; the last whole one counts. */
import { parse as parseYaml } from "yaml";

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
/** A value may hold braces; more ends than these are no block. */
const endsMax = 20;

/**
 * The last complete block of `text`: a line that is `RALPH_STATUS` (with or without a colon, dashes, a fence before it),
 * followed by its lines. Undefined where there is none; prose that only mentions the words is no block.
 */
export function findStatusBlock(text: string): StatusBlock | undefined {
  const lines = text.slice(-textCharsMax).split(/\r\n|\r|\n/);
  let torn: string | undefined;
  for (let index = lines.length - 1; index >= 0; index--) {
    const heading = headingOf(lines[index] ?? "");
    if (heading === undefined) continue;
    const fields = fieldsOf(
      [heading, ...lines.slice(index + 1, index + blockLinesMax)].join("\n").slice(0, blockCharsMax),
    );
    if (fields && "EXIT_SIGNAL" in fields) {
      const after = lines.slice(index + 1).filter((line) => !(keyOf(line) in fields));
      return { ...judged(fields, torn), ...asking(fields), after: after.join("\n") };
    }
    // One that was begun after the last whole one: what it says already speaks against that one.
    if (fields) torn ??= contradictionIn(fields);
  }
  return undefined;
}

/** What stands behind the colon of a heading line; undefined for any other line. */
function headingOf(line: string): string | undefined {
  const match = /^[\s{*#-]*"?RALPH_STATUS"?[\s*-]*(?::(.*))?$/i.exec(line);
  return match ? (match[1] ?? "").replaceAll("*", "").trim() : undefined;
}

function fieldsOf(block: string): Record<string, string> | undefined {
  const body = block.trimStart().replace(/^(?:```|~~~)[a-z]*\s*\n\s*/i, "");
  if (body.startsWith("{")) return fromJson(body);
  return fromLines(body);
}

/** The first whole object; what follows it does not matter. */
function fromJson(body: string): Record<string, string> | undefined {
  let end = body.indexOf("}");
  for (let ends = 0; end >= 0 && ends < endsMax; ends++, end = body.indexOf("}", end + 1)) {
    const value = parsed(body.slice(0, end + 1));
    if (typeof value === "object" && value !== null) return named(Object.entries(value));
  }
  return undefined;
}

/** JSON, or YAML's flow style, which agents write when they mean JSON. Data only: no tags, no aliases. */
function parsed(text: string): unknown {
  try {
    return parseYaml(text, { schema: "core", maxAliasCount: 0, logLevel: "silent" }) as unknown;
  } catch {
    return undefined;
  }
}

const fieldLine = /^[\s>*-]*"?([A-Za-z][A-Za-z_ ]{1,40})"?\**\s*:\s*(.*)$/;

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
    if (match) entries.push([match[1]!, match[2]!]);
    else if (/^\s*(?:```.*|-{3,}.*)?$/.test(line)) {
      if (entries.length > 0) break;
    } else if (entries.length > 0) {
      // A value that goes on in the next line belongs to it; anything else ends the block.
      if (!/^\s+\S/.test(line)) break;
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

/** Marks around a value are no part of it; a question's words are kept as they are. */
function valueOf(name: string, text: string): string {
  if (name === "QUESTION") return text.replace(/^[\s*"'`]+|[\s*"'`,]+$/g, "");
  return text.replace(/[*"'`,\p{Extended_Pictographic}\u{fe0f}]/gu, "").trim();
}

/** The form's own words, or a word for nothing, are no question. */
function asking(fields: Record<string, string>): { question?: string } {
  const question = fields["QUESTION"] ?? "";
  const none =
    /^(?:|-+|none|no|n\/a|null|无|没有)\.?$/i.test(question) ||
    /^what a person has to decide|^需要人来决定的问题/.test(question);
  return none ? {} : { question };
}

function judged(fields: Record<string, string>, torn: string | undefined): StatusBlock {
  const signal = fields["EXIT_SIGNAL"] ?? "";
  const said = truth(signal);
  const both = signal.split(" / ").map(truth);
  if (both.includes(true) && both.includes(false))
    return { exitSignal: false, fields, contradiction: `EXIT_SIGNAL is ${signal}` };
  // `true | false`, or the prompt's own words: a form that was not filled in.
  if (said === undefined) return { exitSignal: undefined, fields };
  const contradiction = said ? (contradictionIn(fields) ?? torn) : undefined;
  return contradiction === undefined
    ? { exitSignal: said, fields }
    : { exitSignal: false, fields, contradiction };
}

function truth(value: string): boolean | undefined {
  if (/^(?:true|yes|1|是)$/i.test(value)) return true;
  if (/^(?:false|no|0|否)$/i.test(value)) return false;
  return undefined;
}

/** What speaks against an EXIT_SIGNAL of true in the same block. */
function contradictionIn(fields: Record<string, string>): string | undefined {
  const { STATUS: status, PROGRESS: progress } = fields;
  if (status !== undefined && !/^(?:complete|completed|done|finished|完成|已完成)$/i.test(status)) {
    return `STATUS is ${status}`;
  }
  const tests = fields["TESTS_STATUS"] ?? fields["TESTS"];
  if (tests !== undefined && /^(?:[1-9]\d* )?(?:failing|failed|red)|^失败/i.test(tests))
    return `TESTS_STATUS is ${tests}`;
  const share = /^(\d{1,3})(?:\.\d+)? ?%?$/.exec(progress ?? "")?.[1];
  if (share !== undefined && Number(share) < 100) return `PROGRESS is ${progress}`;
  const left = Object.entries(fields).find(
    ([key, value]) =>
      /^(?:REMAINING|TODO|TASKS_REMAINING|REMAINING_TASKS|REMAINING_WORK)$/.test(key) && !isNone(value),
  );
  return left && `${left[0]} is ${left[1]}`;
}

function isNone(value: string): boolean {
  return /^(?:|-|0|none|nothing|n\/a|\[\]|null|无|没有)\.?$/i.test(value);
}
