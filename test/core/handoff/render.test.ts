import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normaliseHandoff, parseHandoff } from "../../../src/core/handoff/handoff.ts";
import { renderHandoff, scaffoldHandoff } from "../../../src/core/handoff/render.ts";
import { sample } from "../support/handoff-sample.ts";
import { full, handoffs, text } from "../support/handoffs.ts";
import { runs } from "../../support/runs.ts";

const languages = ["en", "zh"] as const;
const language = fc.constantFrom(...languages);
const templates = Object.fromEntries(
  languages.map((it) => [
    it,
    readFileSync(new URL(`../../../templates/${it}/RALPH.md`, import.meta.url), "utf8"),
  ]),
);

describe("writing", () => {
  test("has exactly the sections of the protocol, the post-mortem last", () => {
    expect(renderHandoff(full, "en")).toBe(`# RALPH.md

## Metadata
- Issue: FEAT-0001
- Session: 3
- Stop reason: failure
- Commit: abc1234
- Written at: 2026-01-31T09:00:00Z

## Current state
- Stage: testing
- Working on: src/a.ts:12

## Done
- [x] wrote it

## To do
- [/] test it
  - the odd case
- [ ] ship it

## Key decisions
1. keep the bus

## Next steps (read first)
1. run \`npm test\`
2. mend what fails:

   \`\`\`
   line 3
   \`\`\`

## Warnings
- ⚠️ do not touch the lock

## Patterns
- tests live in test/

## Facts
- 2 commits

## Post-mortem
It hung.

Twice.
`);
  });

  test("in Chinese has the sample's headings, and none for a post-mortem that is not there", () => {
    const headings = renderHandoff(parseHandoff(sample), "zh").match(/^## .*$/gm);
    expect(headings).toEqual([
      "## 元数据",
      "## 当前状态",
      "## 已完成",
      "## 待办",
      "## 关键决策",
      "## 下一步（继任者必读）",
      "## 警告",
      "## 代码库模式",
      "## 事实",
    ]);
  });

  test("what is written is read back, whatever it says", () => {
    fc.assert(
      fc.property(handoffs, language, (handoff, language) => {
        const normal = normaliseHandoff(handoff);
        expect(normaliseHandoff(normal)).toStrictEqual(normal);
        expect(parseHandoff(renderHandoff(handoff, language))).toStrictEqual(normal);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("what is written in one language and written anew in the other says the same, through a file's bytes too", () => {
    fc.assert(
      fc.property(handoffs, language, (handoff, language) => {
        const normal = normaliseHandoff(handoff);
        const other = language === "en" ? "zh" : "en";
        const file = Buffer.from(renderHandoff(handoff, language), "utf8");
        const read = parseHandoff(file.toString("utf8"));
        expect(parseHandoff(renderHandoff(read, other))).toStrictEqual(normal);
      }),
      { numRuns: runs(250) },
    );
  });

  test("the handoffs of these laws have post-mortems, both languages' headings and odd characters in them", () => {
    const seen = fc.sample(handoffs, 500);
    const texts = seen.flatMap((one) => [
      one.postMortem,
      ...one.decisions,
      ...one.done.map((item) => item.text),
    ]);
    expect(seen.filter((one) => one.postMortem.trim() !== "").length).toBeGreaterThan(100);
    for (const part of ["## Done", "## 警告", "```", "\r\n", "\0", "\u2028", "---", "⚠️"])
      expect(
        texts.some((text) => text.includes(part)),
        JSON.stringify(part),
      ).toBe(true);
  });

  test("the shipped scaffold is read back as the handoff that filled it", () => {
    fc.assert(
      fc.property(handoffs, language, (handoff, language) => {
        expect(parseHandoff(scaffoldHandoff(templates[language]!, handoff))).toStrictEqual(
          normaliseHandoff(handoff),
        );
      }),
      { numRuns: runs(500) },
    );
  });

  test("any document, once read, survives being written", () => {
    const heading = fc.constantFrom(
      "\n## Done\n",
      "\n## Metadata\n",
      "\n## Warnings\n",
      "\n## Post-mortem\n",
      "\n## 下一步\n",
    );
    const documents = fc.array(fc.oneof(text, heading), { maxLength: 10 }).map((it) => it.join(""));
    fc.assert(
      fc.property(documents, (document) => {
        const read = parseHandoff(document);
        expect(parseHandoff(renderHandoff(read, "en"))).toStrictEqual(read);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
