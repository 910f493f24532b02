/** Recognises the value of a report's field as a question, or as a word for "nothing". */

/** The question in a field, if it has a letter and does not begin with a word for "nothing"; "None of the two fits" is a question. */
export function questionOf(value: string): string | undefined {
  const text = value.replace(/^[\s*_"'`([{<（【—–-]+/u, "");
  if (!/\p{L}/u.test(text) || /^what a person has to decide|^需要人来决定的问题/i.test(text))
    return undefined;
  return none.test(text) && !/[?？]/.test(text) ? undefined : value;
}

const none =
  /^(?:(?:none|no|nope|nothing|nil|null|n\/a|na|not (?:applicable|at this time)|keine[nrs]?|kein|nichts|nein|ninguna?|ningún|nada|aucune?|rien|nenhuma?|nenhum|nessuna?|niente|geen|ingen|inga|нет|отсутствуют)(?![\p{L}\p{N}])(?! of\b)|无|無|没有|沒有|暂无|暫無|否|不需要|なし|無し|ありません|없음|없다|없습니다)/iu;

/** Whether a list entry means "nothing"; "no test for the error path" does not. */
export function isNothing(value: string): boolean {
  return /^[(（]?(?:[-—–]*|\[\]|无|没有|暂无|keine?|(?:0|no|none|not|nothing|nil|null|n\/a)(?: (?:more|open|remaining|known|other|blocked|tasks?|items?|work|todos?|criteria|steps?|blockers?|issues?|questions?|left|remains?|at this time))*)[.。)）]*(?: ?[(（].*)?$/i.test(
    value.trim(),
  );
}
