/** Words that no machine can check, with how to say the same so that one can. Data: English and Chinese. */

import { translatable, translated } from "../language/translate.ts";

/** `say` completes "instead of it, …". */
export type VagueWords = { words: readonly RegExp[]; say: string };

export const vagueWords: readonly VagueWords[] = translatable([
  {
    words: [
      /\b(?:fast(?:er)?|quick(?:er|ly)?(?!\s?sort)|(?:not|less) slow|speed(?:y|ier| up)|performant|responsive|low latency|snapp(?:y|ier))\b/i,
      /\b(?:good|better|improved?|acceptable|high) performanc(?:e|es)\b/i,
      /(?:更|变|足够|尽量)快|快(?:一?点|一些|速(?!排序))|性能(?:更?好|良好|优化|提升)|提[高升]性能|流畅|不卡/u,
    ],
    say: "name the measure, its bound and the command: `GET /login answers in under 200 ms (npm run bench)`",
  },
  {
    words: [
      /\b(?:user[- ]friendly|intuitive(?:ly)?|easy to use|easier to use|convenient(?:ly)?|usable|seamless(?:ly)?|smooth(?:ly)?)\b/i,
      /(?:用户|更)?友好|易用|好用|方便(?:使用)?|直观|顺手|体验(?:更?好|良好|优化|提升)/u,
    ],
    say: "say what somebody does and sees: `with an empty password the form stays, and says that it is missing`",
  },
  {
    words: [
      /\b(?:nicer?|nicely|beautiful(?:ly)?|prett(?:y(?![- ]print)|ier)|modern (?:look|design|feel)|polished|looks? (?:good|better)|elegant(?:ly)?)\b/i,
      /好看|美观|漂亮|美化|精美|优雅|现代化|大气/u,
    ],
    say: "say what can be seen and compared: `at 360 px width no text is cut off (npm run screenshots)`",
  },
  {
    words: [
      /\b(?:better|improved?|improvements?|enhanced?|optimi[sz]ed?|refactor(?:ed)?|cleaner|cleaned(?: up)?|simpler|simplif(?:y|ied)(?! chinese))\b/i,
      /更好|更佳|改[进善]|优化|完善|提升|增强|重构|整理一下|清理一下|简化/u,
    ],
    say: 'say what holds afterwards and did not before: `parse("1h") returns 3600`, `npm run lint reports 0 warnings`',
  },
  {
    words: [
      /\b(?:robust(?:ly)?|reliabl[ey]|stable(?! (?:sort|order|ids?|names?))|resilient|secure(?:ly)?(?! (?:cookies?|flag|context|attribute|header))|scalable|maintainable|flexible|high[- ]quality|production[- ]ready)\b/i,
      /健壮|稳定(?!排序)|可靠|可扩展|可维护|灵活|高质量/u,
    ],
    say: "name the case and what happens then: `a second login within 1 s gets status 429 (npm test)`",
  },
  {
    words: [
      /\b(?:as needed|as appropriate|where (?:appropriate|possible|necessary)|if (?:possible|necessary|needed)|reasonabl[ey]|appropriate(?:ly)?|properly|correctly|sensibl[ey]|adequate(?:ly)?|sufficient(?:ly)?|and so on|etc|various|works? (?:well|fine|as expected|as intended))(?![\w-])/i,
      /适当|合适|合理|必要时|按需|视情况|尽可能|尽量|等等|正常(?:工作|运行|使用)?$|没有?问题|差不多|之类/u,
    ],
    say: "name the cases, and for each what must come of it: `an id that is not there gets status 404`",
  },
]);

/** What can be checked: a number, code, a quotation. With one of them, the words beside it mean something. */
const measurable =
  /\d|`[^`]+`|"[^"]+"|“[^“”]+”|「[^「」]+」|『[^『』]+』|(?<![零一二两三四五六七八九十百千])[零一二两三四五六七八九十百千]+\s*(?:秒|毫秒|分钟|个|次|行|条|像素)/u;

/** The first vague word of a criterion that names nothing to check, and how to say it. */
export function vagueIn(text: string): { word: string; say: string } | undefined {
  if (measurable.test(text)) return undefined;
  for (const { words, say } of vagueWords) {
    for (const pattern of words) {
      const word = pattern.exec(text)?.[0];
      if (word !== undefined) return { word, say: translated(say) };
    }
  }
  return undefined;
}
