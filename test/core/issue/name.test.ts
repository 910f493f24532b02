import * as fc from "fast-check";
import { expect, test } from "vitest";
import { slugOf } from "../../../src/core/issue/name.ts";

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
