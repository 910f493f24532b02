/** What a person is asked: the question of a status block, or the last words of an answer that end in one. */
import { ownLines } from "./promise.ts";

/** The question that the value of a `QUESTION` is; undefined for a word for nothing, and for the form's own words. */
export function questionOf(value: string): string | undefined {
  const words = value.replace(/^[\s*_"'`([{<（【—–-]+/u, "");
  if (!/\p{L}/u.test(words)) return undefined;
  if (/^what a person has to decide|^需要人来决定的问题/i.test(words)) return undefined;
  return none.test(words) && !/[?？]/.test(words) ? undefined : value;
}

/** Begins with a word for nothing, in the languages that agents report in. "None of the two fits" does not count. */
const none =
  /^(?:(?:none|no|nope|nothing|nil|null|n\/a|na|not (?:applicable|at this time)|keine[nrs]?|kein|nichts|nein|ninguna?|ningún|nada|aucune?|rien|nenhuma?|nenhum|nessuna?|niente|geen|ingen|inga|нет|отсутствуют)(?![\p{L}\p{N}])(?! of\b)|无|無|没有|沒有|暂无|暫無|否|不需要|なし|無し|ありません|없음|없다|없습니다)/iu;

const charsMax = 4_000;
const paragraphsMax = 4;

/**
 * The last words of an answer, if they ask a person for something before the work can go on: a question, or a request for a
 * choice, with the options that belong to it. An offer ("anything else?") asks for nothing.
 */
export function closingQuestion(answer: string): string | undefined {
  const paragraphs = ownLines(answer.slice(-charsMax))
    .join("\n")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => /\p{L}/u.test(paragraph));
  for (let count = 1; count <= paragraphsMax && count <= paragraphs.length; count++) {
    const [first = "", ...rest] = paragraphs.slice(-count);
    if (asks(first)) return [first, ...rest].join("\n\n");
    // Options, and what closes them, belong to a question above.
    if (!isOptions(first) && !closing.test(first)) return undefined;
  }
  return undefined;
}

/** A list, or a sentence that leads on from it. */
function isOptions(paragraph: string): boolean {
  return paragraph.split("\n").every((line) => /^\s*(?:[-*+]|\(?\w[.)])\s/.test(line));
}

const closing =
  /^(?:\**)(?:(?:please )?let me know|once (?:you|i have)|i(?:'ll| will) (?:then|proceed)|or,? if|或者|然后|之后)/i;

function asks(paragraph: string): boolean {
  const lines = paragraph.split("\n");
  const lead = lines
    .slice(0, lines.findIndex((line) => /^\s*(?:[-*+]|\d+[.)])\s/.test(line)) >>> 0)
    .join(" ");
  const words = (lead.trim() === "" ? paragraph : lead).replace(/[*_`]+/g, "").trim();
  if (offers.test(words)) return false;
  const last = words.replace(
    /(?<![\s\p{Extended_Pictographic}\u{fe0f})"”」])[\s\p{Extended_Pictographic}\u{fe0f})"”」]+$/u,
    "",
  );
  return /[?？]$/.test(last) || requests.some((pattern) => pattern.test(words));
}

/** Courtesy: nothing waits for an answer. */
const offers =
  /\b(?:anything|something) else\b|\bany (?:other |further )?(?:questions|adjustments|changes|details)\b|\bif you (?:need|have|want|would like|['’]d like|wish)\b|其他需要|还有什么/i;

/** Asks for an answer, with a question mark or without, wherever it stands in the paragraph. */
const requests: readonly RegExp[] = [
  /\b(?:could|can|would|will) you (?:please )?\w[^?]*\?/i,
  /\b(?:should|shall|may|can) (?:i|we)\b[^?]*\?/i,
  /\b(?:would you (?:like|prefer)|do you (?:want|prefer|need)|want me|how would you|what would you|which (?:one|option|approach|of))\b/i,
  /\b(?:let me know|tell me|advise|specify|choose|decide|confirm|clarify) (?:me |us )?(?:which|whether|how|what|who|where|when|your (?:choice|decision|preference))\b/i,
  /\bi (?:still )?need (?:to know|your|you to|clarification|a decision|an answer|confirmation)\b/i,
  /\b(?:awaiting|waiting for) your\b|\bplease advise\b|\bonce you(?:['’]ve| have) decided\b/i,
  /\b(?:soll|sollen|möchten|wollen) (?:ich|wir|sie)\b[^?]*\?/i,
  /请(?:您)?(?:先)?(?:确认|告诉我|告知|选择|说明|回答|指示|决定|问)|是否需要我|您(?:希望|想要|更倾向)/u,
];
