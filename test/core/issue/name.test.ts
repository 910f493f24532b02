import * as fc from "fast-check";
import { expect, test } from "vitest";
import { idMeant, slugOf } from "../../../src/core/issue/name.ts";

test.for([
  ["FEAT-0001", "FEAT-0001"],
  ["feat-1", "FEAT-0001"],
  ["FEAT-00012", "FEAT-00012"],
  ["../x", undefined],
  ["FEAT-0001/../../x", undefined],
  ["/etc/passwd", undefined],
  ["", undefined],
  [" ", undefined],
  ["FEAT-0001\n", undefined],
  ["FEAT-0001\u001b[31m", undefined],
  [`${"A".repeat(25)}-0001`, undefined],
  ["FEAT-\u0660\u0660\u0660\u0661", undefined],
  ["FEAT-0001;id", undefined],
  ["constructor", undefined],
  ["-rf", undefined],
])("%j means the id %s", ([text, id]) => expect(idMeant(text!)).toBe(id));

test.for([
  ["Add Log-in: now!", "add-log-in-now"],
  ["添加 登录（OAuth）", "添加-登录-oauth"],
  ["../../etc/passwd", "etc-passwd"],
  ["Ünïcode ＡＢＣ", "ünïcode-abc"],
  ["हिन्दी", "हिन्दी"],
  ["!!", "untitled"],
])("the slug of %j is %s", ([title, slug]) => expect(slugOf(title!)).toBe(slug));

test("a slug is always a short file name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (title) => {
      expect(slugOf(title)).toMatch(/^[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*$/u);
      expect(Array.from(slugOf(title)).length).toBeLessThanOrEqual(60);
    }),
  );
});
