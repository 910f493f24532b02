/** A journal in parts: put together they are the journal, and what is appended changes only the last. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { partBytes, partsOf } from "../../../src/core/journal/copy-parts.ts";

/** Lengths of lines, some beyond a part. */
const lengths = fc.array(fc.oneof(fc.nat(3_000), fc.nat(3 * partBytes)), { maxLength: 60 });
const journalOf = (lines: readonly number[]): Buffer =>
  Buffer.from(lines.map((length, at) => `${String(at % 10).repeat(length)}\n`).join(""));

test("a journal's parts are the journal, in whole lines, each but the last long enough", () => {
  fc.assert(
    fc.property(lengths, (lines) => {
      const journal = journalOf(lines);
      const parts = partsOf(journal);
      expect(Buffer.concat(parts.map(({ content }) => content)).equals(journal)).toBe(true);
      expect(parts.map(({ name }) => name)).toEqual(parts.map(({ name }) => name).toSorted());
      for (const { content } of parts) expect(content.at(-1)).toBe(10);
      for (const { content } of parts.slice(0, -1)) expect(content.length).toBeGreaterThanOrEqual(partBytes);
    }),
  );
});

test("what is appended leaves all parts but the last as they were, also behind a line that was half written", () => {
  fc.assert(
    fc.property(lengths, lengths, fc.nat(), (lines, more, cut) => {
      const journal = journalOf([...lines, ...more]);
      const before = partsOf(journal.subarray(0, cut % (journal.length + 1)));
      const after = partsOf(journal);
      for (const [at, { name, content }] of before.slice(0, -1).entries()) {
        expect(after[at]?.name).toBe(name);
        expect(after[at]?.content.equals(content)).toBe(true);
      }
    }),
  );
});
