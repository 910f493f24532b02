/** What is said to people has an entry in the catalogue of Chinese, and the script that holds it to the source finds what is wrong. */
import { expect, test } from "vitest";
import { faultsOf, readCatalogue, sentences, sentencesOf } from "../scripts/catalogue.ts";

test("everything that is said has its entry, and no entry says what nobody says", () => {
  expect(faultsOf(sentences, readCatalogue())).toEqual([]);
});

const key = "it has {0} boxes";

test.each([
  { of: "nothing", source: "say(t`it has ${n} boxes`)", zh: { [key]: "有 {0} 个复选框" }, fault: [] },
  {
    of: "a missing entry",
    source: "say(t`it has ${n} boxes`)",
    zh: {},
    fault: [`src/a.ts:1: no entry for "${key}"`],
  },
  {
    of: "a text that is not said",
    source: "\nsay(`it has ${n} boxes`)",
    zh: {},
    fault: [`src/a.ts:2: not said: "${key}"`],
  },
  {
    of: "an entry that nothing says",
    source: "",
    zh: { [key]: "有 {0} 个复选框" },
    fault: [`zh.json: nothing says "${key}"`],
  },
  {
    of: "other values",
    source: "say(t`it has ${n} boxes`)",
    zh: { [key]: "有 {1} 个复选框" },
    fault: [`zh.json: other values in "有 {1} 个复选框" than in "${key}"`],
  },
  {
    of: "an empty entry",
    source: "say(t`it has ${n} boxes`)",
    zh: { [key]: "" },
    fault: [`zh.json: empty: "${key}"`],
  },
])("the fault of $of is found", ({ source, zh, fault }) => {
  expect(faultsOf(sentencesOf("src/a.ts", source), new Map([["zh.json", zh]]))).toEqual(fault);
});

test("an entry that stands in two files is found", () => {
  const said = sentencesOf("src/a.ts", "say(t`it is there`)");
  const both = new Map(["one.json", "two.json"].map((file) => [file, { "it is there": "在" }]));
  expect(faultsOf(said, both)).toEqual(['one.json: said twice, also in two.json: "it is there"']);
});

/** `said`: the keys that need an entry; `unsaid`: those that a fault names. */
test.each([
  { of: "a sentence in a value of one", source: 't`a ${b ? t`one` : "two"}`', said: ["a {0}", "one"] },
  {
    of: "what is marked",
    source: 'translatable({ a: "one", b: ["two three"] })',
    said: ["one", "two three"],
  },
  { of: "what is asked for by its English", source: 'translated("one two")', said: ["one two"] },
  { of: "a number of things", source: 'counted(n, "session")', said: ["{0} session"] },
  { of: "a text without a tag", source: 'say("no word of it")', unsaid: ["no word of it"] },
  { of: "a word, a key, an import", source: 'import "a b"; x["one"] = { "two words": 1 }' },
  { of: "a text in both languages", source: 'const a = { en: "one two", zh: "一二" }' },
  { of: "the description of a schema", source: 'z.string().describe("what is left")' },
  { of: "a list of words", source: 'const a = ("npm test " + "git diff").split(" ")' },
  { of: "a pattern", source: 'const a = "one(?:two| three four)"' },
  { of: "a value that code compares", source: 'const a = "guard removed"' },
])("$of", ({ source, said = [], unsaid = [] }) => {
  const found = sentencesOf("src/a.ts", source);
  expect(found.filter(({ isSaid }) => isSaid).map((one) => one.key)).toEqual(said);
  expect(found.filter(({ isSaid }) => !isSaid).map((one) => one.key)).toEqual(unsaid);
});
