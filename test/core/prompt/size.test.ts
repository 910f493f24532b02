/** What a session's prompt costs before it has said anything: nothing grows here unseen (docs/performance.md has the tokens). */
import { expect, test } from "vitest";
import type { Language } from "../../../src/core/language/handoff-words.ts";
import { ownWords } from "../support/prompts.ts";

/** Characters: four are a token in English, one and three quarters in Chinese. */
const caps: Record<Language, Record<string, number>> = {
  en: {
    "Executor, first session": 2_560,
    "Executor, successor": 2_690,
    "Executor, after requested changes": 2_760,
    Reviewer: 3_160,
    "Reviewer, verdict in words": 3_490,
    "Reviewer, all sections": 4_600,
    "Reviewer, asked once more": 1_800,
    "Loop, successor": 1_290,
  },
  zh: {
    "Executor, first session": 1_250,
    "Executor, successor": 1_330,
    "Executor, after requested changes": 1_380,
    Reviewer: 1_480,
    "Reviewer, verdict in words": 1_810,
    "Reviewer, all sections": 2_220,
    "Reviewer, asked once more": 700,
    "Loop, successor": 600,
  },
};

test.for<[Language]>([["en"], ["zh"]])(
  "monoco's own words in each kind of prompt keep their size (%s)",
  ([language]) => {
    const sizes = Object.entries(ownWords(language)).map(([kind, prompt]) => ({ kind, size: prompt.length }));
    expect(sizes.map(({ kind }) => kind)).toEqual(Object.keys(caps[language]));
    const tooLong = sizes.filter(({ kind, size }) => size > caps[language][kind]!);
    expect(tooLong).toEqual([]);
  },
);
