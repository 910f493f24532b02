/** The nesting of a line of JSON, without parsing it. */
import { expect, test } from "vitest";
import { isNestedDeeper } from "../../../src/core/text/json-depth.ts";

test.for<[string, string, boolean]>([
  ["as deep as it may be", "[[1]]", false],
  ["one deeper", "[[[1]]]", true],
  ["objects in arrays", '[{"a":{"b":1}}]', true],
  ["many, side by side", "[[1],[1],[1],[1]]", false],
  ["brackets in strings", '{"code":"[[[[{{{{","more":"\\"[[[["}', false],
  ["a string that ends in a backslash", '["\\\\",[[1]]]', true],
  ["a blank before it", " \t\r[[[1]]]", true],
  ["plain text", "see [[[[this]]]]", false],
])("%s", ([, line, expected]) => {
  expect(isNestedDeeper(line, 2)).toBe(expected);
});

test.for<[string, boolean]>([
  ["[[1],[1],[1]]", false],
  ["[[1],[1],{}, []]", true],
  ['[[1],[1],{}, "[]"]', false],
])("more than four arrays and objects in all: %s", ([line, expected]) => {
  expect(isNestedDeeper(line, 2, 4)).toBe(expected);
});

test("V8 does not keep the line, as it would keep one that a regular expression has matched", () => {
  expect(/^last$/.test("last")).toBe(true);
  isNestedDeeper("[[[1]]]", 2);
  expect(Reflect.get(RegExp, "input")).toBe("last");
});
