/** Tests that are put to the test: over the base, crossed, and with changes taken back. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const changes = mutantsOf("src/core/trial/changes.ts", "test/core/trial/changes.test.ts", [
  ["a change is taken back to what was there", "change.lines, ...change.with", "change.lines"],
  [
    "what is new keeps its name",
    "const parts = bodies.flatMap((body) => {",
    "const parts = [].flatMap((body) => {",
  ],
  ["the most central first", "b.source.namedBy - a.source.namedBy", "a.source.namedBy - b.source.namedBy"],
  [
    "only work is taken back",
    ".some((line) => isWork(line, language))) return [];",
    ".some(() => true)) return [];",
  ],
  ["a check is asked about its folder", 'return folder === "" ||', "return true ||"],
]);

const emptied = [
  ...mutantsOf("src/core/trial/changes.ts", "test/core/trial/emptied.test.ts", [
    ["lines besides bodies are work", "...(alone ? others : [])", ""],
    ["a bracket keeps its other half", "if (!isHead && !isPaired(text))", "if (!isHead)"],
  ]),
  ...mutantsOf("src/core/trial/emptied.ts", "test/core/trial/emptied.test.ts", [
    ["words stay without the work", "if (words.length === 0) return text;", "return text;"],
    [
      "without the work it is as before",
      "source.path, source.before, added",
      "source.path, source.after, added",
    ],
    ["what is no work alone goes, too", "{ alone: true }", "{ alone: false }"],
  ]),
  ...mutantsOf("src/core/review/command-parts.ts", "test/core/review/command-parts.test.ts", [
    ["what only reads is left out", 'natureOf(part) === "reads" &&', "false &&"],
    ["what others need is not left out", "!writes.test(part) &&", ""],
  ]),
];

const overlays = mutantsOf("src/core/trial/overlays.ts", "test/core/trial/overlays.test.ts", [
  ["crossing lays the base's tests", 'of("test", "beside", "config")', 'of("config")'],
  ["crossing lays the base's configuration", 'const config = of("config")', "const config = of()"],
  ["new tests alone are not crossed", "changed || baseConfig.length > 0 ?", "true ?"],
  ["new tests are laid over the base", "tests: now.map(", "tests: now.slice(0, 0).map("],
]);

const roles = mutantsOf("src/core/trial/roles.ts", "test/core/trial/overlays.test.ts", [
  ["manifests stay the submission's", 'if (isManifest(path)) return "manifest";', ""],
  ["files that test runners find are tests", "|| foundByRunners.test(path)", ""],
  [
    "what tests compare with stands next to them",
    "(!isCode(file.language) && expectations.test(path))",
    "false",
  ],
  ["what tests alone import serves them", "mayServeTests(path) && importers.length > 0 && ofTests", "false"],
  ["what the work imports does not", "importers.length > 0 && ofTests", "importers.length > 0"],
  ["a project's own patterns name tests", 'if (by !== undefined && !by.startsWith("!")) return "test";', ""],
]);

const settings = mutantsOf("src/core/trial/check-settings.ts", "test/core/trial/overlays.test.ts", [
  ["a package.json's scripts are crossed", "if (isRecord(others)) made", "if (false) made"],
  ["its subpath imports are crossed", '"tasks", "imports", "exports"', '"tasks", "exports"'],
  ["sections for tests are crossed", "of.filter(isOfChecks)", "own.filter(isOfChecks)"],
  ["others stay the submission's", "!isOfChecks(section)", "true"],
]);

const inRelays: readonly Omit<Mutant, "test">[] = [
  {
    rule: "tests that pass on the base are told",
    file: "src/relay/review/put-to-test.ts",
    find: 'return result(unclear ? "unclear" : "pass")',
    replace: 'return result("fail")',
    title: "that pass there are listed, and an approval asks a person",
  },
  {
    rule: "tests that fail on the base are no hindrance",
    file: "src/relay/review/put-to-test.ts",
    find: 'return result("fail", command)',
    replace: 'return result("pass", command)',
    title: "that fail there are no hindrance",
  },
  {
    rule: "a red that does not repeat shows nothing",
    file: "src/relay/review/tree-runs.ts",
    find: "if (second.exitCode === 0)",
    replace: "if (false)",
    title: "a red that does not repeat shows nothing",
  },
  {
    rule: "unguarded: no check turns red without the lines",
    file: "src/relay/review/take-back.ts",
    find: 'if (ran.exitCode !== 0) return { file, line, lines, result: "guarded"',
    replace: 'if (true) return { file, line, lines, result: "guarded"',
    title: "are listed where all checks stay green without them",
  },
  {
    rule: "evidence by absence notices when all work is gone",
    file: "src/relay/review/without-work.ts",
    find: 'if (sources !== exitCode) return "differs";',
    replace: 'return "differs";',
    title: "are all taken back at once for evidence that only something is there",
  },
  {
    rule: "what the set-up builds is built without the work",
    file: "src/relay/review/without-work.ts",
    find: "(await of.stale())",
    replace: "false",
    title: "is looked at with what the set-up builds from what is left",
  },
  {
    rule: "where data decide, a person is asked",
    file: "src/relay/review/without-work.ts",
    find: '"same" : "data"',
    replace: '"same" : "differs"',
    title: "by nothing but data, or by nothing but tests, asks a person",
  },
  {
    rule: "a tree runs once",
    file: "src/relay/review/tree-runs.ts",
    find: "if (known) return known;",
    replace: "",
    title: "is none for a tree that was tried before",
  },
  {
    rule: "it ends with review.minutes",
    file: "src/relay/review/put-to-test.ts",
    find: "settingsOf(relay).review.minutes * 60_000",
    replace: "600_000",
    title: "ends with review.minutes",
  },
];

export const trial: readonly Mutant[] = [
  ...changes,
  ...emptied,
  ...overlays,
  ...roles,
  ...settings,
  {
    rule: "the checks' time on the base is kept free",
    file: "src/relay/review/put-to-test.ts",
    find: "trying.bench.msForBase = msOnBase(trying, ran);",
    replace: "",
    test: "test/relay/gate-cost.test.ts",
    title: "named as evidence, too",
  },
  ...inRelays.map((row) => ({ ...row, test: "test/relay/put-to-test.test.ts" })),
];
