/** What a person is asked: the question of a status block, or the last paragraph of an answer that asks. */
import { ownLines } from "./own-words.ts";

/** A question in a field: it has a letter, and does not begin with a word for nothing. "None of the two fits" is one. */
export function questionOf(value: string): string | undefined {
  const words = value.replace(/^[\s*_"'`([{<（【—–-]+/u, "");
  if (!/\p{L}/u.test(words) || /^what a person has to decide|^需要人来决定的问题/i.test(words))
    return undefined;
  return none.test(words) && !/[?？]/.test(words) ? undefined : value;
}

const none =
  /^(?:(?:none|no|nope|nothing|nil|null|n\/a|na|not (?:applicable|at this time)|keine[nrs]?|kein|nichts|nein|ninguna?|ningún|nada|aucune?|rien|nenhuma?|nenhum|nessuna?|niente|geen|ingen|inga|нет|отсутствуют)(?![\p{L}\p{N}])(?! of\b)|无|無|没有|沒有|暂无|暫無|否|不需要|なし|無し|ありません|없음|없다|없습니다)/iu;

/** An entry of a list that says that nothing is there; "no test for the error path" is something. */
export function isNothing(value: string): boolean {
  return /^[(（]?(?:[-—–]*|\[\]|无|没有|暂无|keine?|(?:0|no|none|not|nothing|nil|null|n\/a)(?: (?:more|open|remaining|known|other|blocked|tasks?|items?|work|todos?|criteria|steps?|blockers?|issues?|questions?|left|remains?|at this time))*)[.。)）]*(?: ?[(（].*)?$/i.test(
    value.trim(),
  );
}

const charsMax = 4_000;

/** The last paragraph, if it asks, with the question above it and options. An offer ("anything else?") asks for nothing. */
export function closingQuestion(answer: string): string | undefined {
  const text = ownLines(answer.slice(-charsMax)).join("\n").trim();
  const last = text.split(/\n\s*\n/).slice(-4);
  const isLast = last.findLast((paragraph) => !/^\s*(?:[-*+]|\(?\w[.)])\s/.test(paragraph));
  return isLast !== undefined && asks(isLast) ? last.slice(last.findIndex(asks)).join("\n\n") : undefined;
}

function asks(paragraph: string): boolean {
  const lead = paragraph.replace(/[*_`]+/g, "").split(/\n\s*(?:[-+]|\d+[.)])\s/, 1)[0]!;
  return (/[?？][^\p{L}]*$/u.test(lead) || requests.test(lead)) && !offers.test(lead);
}

const offers =
  /\b(?:anything|something) else\b|\bany (?:other |further )?(?:questions|adjustments|changes|details)\b|\bif you (?:need|have|want)\b|其他需要/i;

const requests =
  /\b(?:let me know|tell me|please (?:advise|choose|confirm|specify)|(?:would|could) you (?:like|prefer|please)|i need (?:to know|your|you to)|waiting for your|which (?:one|option|approach)|once you(?:['’]ve| have)? (?:decided?|provide|choose))\b|请(?:确认|告诉|选择|决定|问)/i;
