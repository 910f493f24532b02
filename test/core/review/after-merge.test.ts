/** When an approval has to be confirmed because the base has moved: by the files of both sides, and by what they import. */
import { describe, expect, test } from "vitest";
import { importWords, toConfirm } from "../../../src/core/review/after-merge.ts";

describe("in a line of one side's file, the name of a file that the other side changed is a meeting", () => {
  test.for<[line: string, file: string, imported: string]>([
    ['import { sum } from "./sum.js";', "src/total.ts", "src/sum.ts"],
    ['} from "../lib/sum"', "src/app/total.ts", "src/lib/sum.ts"],
    ['const sum = require("../sum")', "src/app/total.js", "src/sum/index.js"],
    ['const sum = await import("./sum.mjs")', "total.mjs", "sum.mjs"],
    ['export * from "./sum.ts";', "index.ts", "sum.ts"],
    ['import sum from "@acme/shop/sum";', "web/total.ts", "packages/shop/sum.ts"],
    ["from shop.sum import add", "app/total.py", "shop/sum.py"],
    ["from .sum import add", "shop/total.py", "shop/sum.py"],
    ["import shop", "app/total.py", "shop/__init__.py"],
    ["    from shop import sum", "app/total.py", "shop/sum.py"],
    ['#include "shop/sum.h"', "total.c", "src/shop/sum.h"],
    ["#include <shop/sum.h>", "total.c", "include/shop/sum.h"],
    ['require_relative "sum"', "lib/total.rb", "lib/sum.rb"],
    ["use crate::shop::sum;", "src/main.rs", "src/shop/sum.rs"],
    ["pub mod sum;", "src/lib.rs", "src/sum/mod.rs"],
    ["import com.acme.shop.Sum;", "app/Total.java", "shop/Sum.java"],
    ['\t"example.com/acme/shop"', "cmd/main.go", "shop/sum.go"],
    [". ./lib/sum.sh", "total.sh", "lib/sum.sh"],
    ['source "$HERE/sum.sh"', "bin/total.sh", "lib/sum.sh"],
    ['<script src="js/sum.js"></script>', "index.html", "web/js/sum.js"],
    ['@import "sum.css";', "total.css", "sum.css"],
    ['import { load } from "./+page.server";', "src/+page.ts", "src/+page.server.ts"],
    ['. "./my sum.sh"', "total.sh", "my sum.sh"],
    ['sum = import_module("shop.sum")', "app/total.py", "shop/sum.py"],
  ])("%s", ([line, file, imported]) => {
    const lines = [{ file, line }];
    // git finds the line by a pattern of its own.
    expect(line).toMatch(new RegExp(importWords.replaceAll("[[:space:]]", String.raw`\s`)));
    expect(toConfirm("auto", { ours: [file], theirs: [imported], lines })).toEqual([
      { ours: file, theirs: imported },
    ]);
    expect(toConfirm("auto", { ours: [imported], theirs: [file], lines })).toEqual([
      { ours: imported, theirs: file },
    ]);
  });
});

describe("no meeting is", () => {
  test.for<[line: string, file: string, other: string]>([
    ['import { sum } from "./other/sum.js";', "src/total.ts", "src/sum.ts"],
    ['import { sum } from "./sums.js";', "src/total.ts", "src/sum.ts"],
    ["// use the sum from here", "src/total.ts", "src/sum.ts"],
    ["const sum = source + from;", "src/total.ts", "src/sum.ts"],
    ['import sum from "./total.js";', "src/total.ts", "src/sum.ts"],
  ])("%s", ([line, file, other]) => {
    expect(toConfirm("auto", { ours: [file], theirs: [other], lines: [{ file, line }] })).toBeUndefined();
  });
});

test.for<["auto" | "always", string[], string[], unknown]>([
  ["auto", ["a.ts", "b.ts"], ["b.ts", "c.ts"], [{ ours: "b.ts", theirs: "b.ts" }]],
  ["auto", ["a.ts"], ["c.ts"], undefined],
  ["auto", ["a.ts"], [], undefined],
  ["auto", ["shop/a.go"], ["shop/b.go", "c.go"], [{ ours: "shop/a.go", theirs: "shop/b.go" }]],
  ["always", ["a.ts"], ["c.ts"], []],
  ["always", ["a.ts"], ["a.ts"], [{ ours: "a.ts", theirs: "a.ts" }]],
  ["always", ["a.ts"], [], undefined],
])("%s: the submission changed %j and the base %j", ([mode, ours, theirs, meets]) => {
  expect(toConfirm(mode, { ours, theirs, lines: [] })).toEqual(meets);
});
