/** Reads the RALPH_STATUS block at the end of an answer, as `KEY: value` lines or JSON, and a bare negative line without a block. */
import { linesWithBlocks } from "./own-words.ts";
import { isNothing, questionOf } from "./field-values.ts";

export type StatusBlock = {
  exitSignal: boolean | undefined;
  /** Keys in upper case, values as text. */
  fields: Readonly<Record<string, string>>;
  /** The line of the block that contradicts its yes. */
  contradiction?: string | undefined;
  /** The decision that the agent asks of a person, in its own words. */
  question?: string | undefined;
};

/** A block is five lines at the end of an answer; no more than this is searched. */
const textCharsMax = 20_000;
const blockLinesMax = 40;

/** The last complete block, with the fields of a torn one below it; a later no overrules both. */
export function findStatusBlock(text: string): StatusBlock | undefined {
  const lines = linesWithBlocks(text.slice(-textCharsMax));
  const blocks = [...lines.keys()]
    .filter((at) => heading.test(lines[at]!))
    .map((at) => ({ at, fields: fieldsOf(lines.slice(at, at + blockLinesMax)) }));
  const whole = blocks.findLastIndex(({ fields }) => "EXIT_SIGNAL" in fields);
  const no = lines.findLastIndex((line) => truth(signal.exec(line)?.[1] ?? "") === false);
  if (whole < 0 && no < 0) return undefined;
  const pairs = blocks.slice(Math.max(whole, 0)).flatMap((block) => Object.entries(block.fields));
  const fields = Object.fromEntries(pairs);
  const denied = no > (blocks[whole]?.at ?? -1);
  const exitSignal = denied ? false : truth(fields["EXIT_SIGNAL"] ?? "");
  const question = questionOf(fields["QUESTION"] ?? "");
  return { exitSignal, fields, question, contradiction: exitSignal ? contradictionIn(fields) : undefined };
}

/** The heading of a block; lines of a listing or a diff are not the agent's own. */
const heading = /^(?! {4}|\t|-\w)[-\s=*_#{`]*"?RALPH_STATUS"?[\s*_`=-]*(?:[:：].*)?$/i;
const signal = /^(?! {4}|\t|-\w)[-\s*_`"]*EXIT_SIGNAL[\s*_`"]*[:：][\s*_`"]*(.*)$/i;

/** The truth value of a field; an unfilled form ("true | false", "true only if …, else false") has none. */
function truth(value: string): boolean | undefined {
  if (/^(?:false|no|否)(?!\w|\s*[|/]|.*\b(?:true|or|else)\b)/i.test(value)) return false;
  const yes = /^(?:true|yes|是)(?!\w|\s*[|/]|.*\b(?:false|or|if|once|when|unless|until|only|else)\b)/i;
  return yes.test(value) ? true : undefined;
}

/** The fields of a JSON object, or of the lines up to a blank one; markup around values is removed. */
function fieldsOf([first = "", ...rest]: readonly string[]): Record<string, string> {
  const text = [first.replace(/^.*?RALPH_STATUS["\s*_`=-]*[:：]?/i, ""), ...rest].join("\n").trim();
  const lines = text.startsWith("{")
    ? text.slice(0, text.lastIndexOf("}") + 1).split(/[{}\n]|,\s*(?=")/)
    : text.split(/\n\s*\n/, 1)[0]!.split("\n");
  const pairs = lines.flatMap((line) => {
    const [, key, value] = /^[\s*`-]*"?([A-Z_]{2,40})"?[*`]*\s*[:：]\s*(.*)$/i.exec(line) ?? [];
    return key === undefined
      ? []
      : [[key.toUpperCase(), value!.replace(/^[\s*"'`]+|[\s*"'`,]+$/g, "")] as const];
  });
  return Object.fromEntries(pairs);
}

/** Fields that contradict a yes: incomplete status, tests or progress, or remaining work. */
const against: Readonly<Record<string, (value: string) => boolean>> = {
  STATUS: (value) => !complete.test(value) || incomplete.test(value),
  TESTS_STATUS: (value) => /(?<!\b(?:0|no) )\bfail|broken|失败/i.test(value),
  PROGRESS: (value) => Number.parseFloat(value) < 100 && !/\b(\d+) ?(?:\/|of) ?\1\b/.test(value),
  REMAINING: (value) => !isNothing(value),
  PENDING: (value) => !isNothing(value),
};

const complete = /complete|done|finished|success|pass|ready|implemented|verified|完成|成功|通过/i;
const incomplete = /\b(?:not|in|incomplete|partial\w*|almost|blocked|fail\w*|pending)\b|\b\d?\d ?%|未|没/i;

function contradictionIn(fields: Readonly<Record<string, string>>): string | undefined {
  const field = Object.entries(fields).find(([key, value]) => against[key]?.(value));
  return field?.join(": ");
}
