import { expect, test } from "vitest";
import { Recent } from "../../../src/core/text/recent.ts";

test("the oldest go where all would be too large, and what is kept anew counts once", () => {
  const recent = new Recent<number>(10);
  recent.set("abcd", 1);
  recent.set("efgh", 2);
  recent.set("efgh", 3);
  expect([recent.get("abcd"), recent.get("efgh"), recent.get("x")]).toEqual([1, 3, undefined]);
  recent.set("ijklm", 4);
  expect([recent.get("abcd"), recent.get("efgh"), recent.get("ijklm")]).toEqual([undefined, 3, 4]);
  recent.set("n", 5, 8);
  expect([recent.get("efgh"), recent.get("ijklm"), recent.get("n")]).toEqual([undefined, undefined, 5]);
});

test("as many relays as there are have theirs", () => {
  const recent = new Recent<number>(400_000);
  const texts = Array.from({ length: 64 }, (_, n) => String(n).repeat(1_500));
  for (const [n, text] of texts.entries()) recent.set(text, n);
  expect(texts.map((text) => recent.get(text))).toEqual(texts.map((_, n) => n));
});
