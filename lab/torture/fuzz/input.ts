/** Makes inputs of a corpus: small damage, splices, nesting, and long runs of one token, which show what is quadratic. */
import type { Dice } from "../../../test/core/support/simulation.ts";

export type Made = { how: string; text: string };

/** Signs that mean something to one reader or another, and those that mean nothing anywhere. */
const tokens: readonly string[] = [
  ..."\n|\r\n|\r|\t| |  |a|0|-|- |* |# |## |---\n|...\n|> |: |::|:|；|：|，|。|⚠️|、|“|”|「".split("|"),
  ..."```|```js\n|~~~|`|``|<!--|-->|<|>|<a |</|&|&amp;|[|]|(|)|{|}|[ ]|- [ ] |- [x] |![|](|*|**|_|__".split(
    "|",
  ),
  ...'"|\'|\\|\\"|\\\\|\\u0000|\\ud83d|\\n|{"|":|","|[[|{"a":|null|true|-1|1e999|NaN|__proto__|constructor'.split(
    "|",
  ),
  ..."&a |*a |!!js |<<: |%|@@ -1 +1 @@\n|diff --git a/x b/x\n|--- a/x\n|+++ b/x\n|\n+|\n-|+expect(|.skip(".split(
    "|",
  ),
  ..."RALPH_STATUS|---RALPH_STATUS---|EXIT_SIGNAL: true|<promise>COMPLETE</promise>|done|not |all tests pass".split(
    "|",
  ),
  ..."resets at |try again in 5 |5 h |10:00 pm |(Europe/Berlin)|reached your |limit|quota|1234567890".split(
    "|",
  ),
  ..."$(|&&|;|'x'|cd |bash -c '|echo |=|A=|/|./|../|.test.ts|:1|$|#!".split("|"),
  "||",
  "|",
  "\0",
  "\u0007",
  "\u001b[31m",
  "\u007f",
  "\u0085",
  "\u2028",
  "\u202e",
  "\ufeff",
  "\ufffd",
  "\ud83d",
  "é",
  "字",
  "👍🏽",
];

/** One input in so many is long: short ones find what throws, long ones what is slow. */
const longEvery = 50;
/** A long input's characters. */
const longCharsMin = 10_000;
const longCharsMax = 200_000;

export function makeInput(corpus: readonly string[], dice: Dice): Made {
  const seed = pick(corpus.length > 0 ? corpus : [""], dice);
  if (dice(longEvery) === 0) return long(seed, dice);
  let text = seed;
  const how: string[] = [];
  for (let left = 1 + dice(6); left > 0; left -= 1) {
    const [name, change] = pick(changes, dice);
    text = change(text, corpus, dice);
    how.push(name);
  }
  return { how: how.join(", "), text };
}

type Change = (text: string, corpus: readonly string[], dice: Dice) => string;

const changes: readonly (readonly [name: string, change: Change])[] = [
  ["bits", (text, _, dice) => inBytes(text, dice, (byte) => [byte ^ (1 << dice(8))])],
  ["bytes out", (text, _, dice) => inBytes(text, dice, () => [])],
  ["bytes twice", (text, _, dice) => inBytes(text, dice, (byte) => [byte, byte])],
  ["bytes in", (text, _, dice) => inBytes(text, dice, (byte) => [dice(256), byte])],
  ["cut", (text, _, dice) => text.slice(dice(text.length + 1), dice(text.length + 1))],
  ["head", (text, _, dice) => text.slice(0, dice(text.length + 1))],
  ["token", (text, _, dice) => put(text, pick(tokens, dice), dice)],
  ["tokens", (text, _, dice) => put(text, pick(tokens, dice) + pick(tokens, dice), dice)],
  ["run", (text, _, dice) => put(text, pick(tokens, dice).repeat(1 + dice(100)), dice)],
  ["splice", (text, corpus, dice) => splice(text, pick(corpus, dice), dice)],
  ["lines moved", (text, _, dice) => moved(text, dice)],
  ["part twice", (text, _, dice) => put(text, part(text, dice), dice)],
  ["nested", (text, _, dice) => nested(text, 1 + dice(300), dice)],
];

function inBytes(text: string, dice: Dice, change: (byte: number) => number[]): string {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return text;
  const at = dice(bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
  return Buffer.concat([before, Buffer.from(change(bytes[at]!)), after]).toString("utf8");
}

function put(text: string, what: string, dice: Dice): string {
  const at = dice(text.length + 1);
  return text.slice(0, at) + what + text.slice(at);
}

function splice(text: string, other: string, dice: Dice): string {
  return text.slice(0, dice(text.length + 1)) + other.slice(dice(other.length + 1));
}

function moved(text: string, dice: Dice): string {
  const lines = text.split("\n");
  const [line = ""] = lines.splice(dice(lines.length), 1);
  lines.splice(dice(lines.length + 1), 0, line);
  return lines.join("\n");
}

function part(text: string, dice: Dice): string {
  const at = dice(text.length + 1);
  return text.slice(at, at + 1 + dice(40));
}

const brackets = [
  ["{", "}"],
  ["[", "]"],
  ['{"a":', "}"],
  ["(", ")"],
  ["> ", ""],
  ["- ", ""],
  ["*", "*"],
  ["<b>", "</b>"],
  ["[a](", ")"],
  ["$(", ")"],
] as const;

function nested(text: string, depth: number, dice: Dice): string {
  const [open, close] = pick(brackets, dice);
  return put(text, open.repeat(depth) + pick(tokens, dice) + close.repeat(depth), dice);
}

/** A token, a part of the corpus, or both, again and again, in a text where its meaning is not lost; then what may break the match. */
function long(seed: string, dice: Dice): Made {
  const chars = Math.round(longCharsMin * (longCharsMax / longCharsMin) ** (dice(1_000) / 1_000));
  const units: (() => string)[] = [
    () => pick(tokens, dice),
    () => pick(tokens, dice) + pick(tokens, dice),
    () => part(seed, dice),
    () => `${part(seed, dice)}${pick(tokens, dice)}`,
  ];
  const unit = pick(units, dice)() || "a";
  const run =
    dice(6) === 0 ? nested("", Math.ceil(chars / 8), dice) : unit.repeat(Math.ceil(chars / unit.length));
  const at = dice(seed.length + 1);
  const text = seed.slice(0, at) + run.slice(0, chars) + pick(tokens, dice) + seed.slice(at);
  return { how: `${chars} characters of ${JSON.stringify(unit.slice(0, 40))}`, text };
}

function pick<T>(all: readonly T[], dice: Dice): T {
  return all[dice(all.length)]!;
}
