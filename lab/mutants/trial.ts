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
  ["changed files come first", 'Number(a.source.before === "") - Number(b.source.before === "") ||', ""],
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
    ["words stay without the work", "if (comment.length === 0) return text;", "return text;"],
    ["without the work it is as before", "source, source.before, added", "source, source.after, added"],
    ["what is no work alone goes, too", "{ alone: true }", "{ alone: false }"],
    ["lines that must stay first stay", "!stays.test(one)", "true"],
    ["a comment that would be printed is none", "!phpAlone.test(after)", "false"],
  ]),
  ...mutantsOf("src/core/weakening/code-line.ts", "test/core/trial/emptied.test.ts", [
    ["a first line names a program's language", "languageIn(text) : named", "named : named"],
  ]),
];

const overlays = mutantsOf("src/core/trial/overlays.ts", "test/core/trial/overlays.test.ts", [
  ["crossing lays the base's tests", 'of("test", "beside", "config")', 'of("config")'],
  ["crossing lays the base's configuration", 'const config = of("config")', "const config = of()"],
  ["new tests alone are not crossed", "isKnown ? [] : base", "base"],
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

const programs = mutantsOf("src/core/weakening/code-line.ts", "test/core/trial/overlays.test.ts", [
  ["a program without an ending is a source", '    "program",\n', '    "other",\n'],
]);

const settings = mutantsOf("src/core/trial/check-settings.ts", "test/core/trial/overlays.test.ts", [
  [
    "a package.json's scripts are crossed",
    "isRecord(others) ? { ...(isRecord(mine) && mine), ...others } :",
    "isRecord(others) ? mine :",
  ],
  ["its subpath imports are crossed", '"tasks", "imports"]', '"tasks"]'],
  ["its entry is crossed", 'if (key === "exports") made[key] =', "if (false) made[key] ="],
  ["sections for tests are crossed", "of.filter(isOfChecks)", "own.filter(isOfChecks)"],
  ["others stay the submission's", "!isOfChecks(section)", "true"],
  ["a section's name inside a text is none", "quote === undefined && sectionName", "sectionName"],
]);

const plans = mutantsOf("src/core/trial/try-out.ts", "test/core/trial/try-out.test.ts", [
  [
    "tests that pass on the base are told",
    'return result(unclear ? "unclear" : "pass")',
    'return result("fail")',
  ],
  ["tests that fail on the base show the work", 'return result("fail", {', 'return result("pass", {'],
  ["what the base shares is not caused by the work", "if (before.exitCode !== 0) return undefined;", ""],
  [
    "crossed: the base's tests fail on the work",
    'return lacksOnly(output, namesBetween(input).gone) ? "interface" : "weakened";',
    'return "interface";',
  ],
  [
    "interface: a name that is gone",
    'return lacksOnly(output, namesBetween(input).gone) ? "interface" : "weakened";',
    'return "weakened";',
  ],
  [
    "a selection counts where it is green on the submission",
    "return isRun(ran) && ran.exitCode === 0 && !ran.nothing ? command : undefined;",
    "return command;",
  ],
  [
    "what is crossed beside tests needs the whole check",
    "const narrow = onlyTests ?",
    "const narrow = true ?",
  ],
  [
    "unguarded: no check turns red without the lines",
    "if (ran.exitCode !== 0) return {",
    "if (true) return {",
  ],
  [
    "reached: red once its lines are empty",
    'result: "reached", by: command',
    'result: "unguarded", by: command',
  ],
  ["one guard is enough", 'if (until === "guarded" && one.result === "guarded") break;', ""],
  [
    "flaky: a check that ends otherwise again",
    "if (isRun(ran) && ran.exitCode !== 0) flaky.add",
    "if (false) flaky.add",
  ],
  [
    "checks run twice where tests are changed",
    "!review.checkTwice && files.every(",
    "!review.checkTwice || files.every(",
  ],
]);

const unsure = mutantsOf("src/core/trial/try-out.ts", "test/core/trial/try-out.test.ts", [
  ["used by checks: what may belong to the work is no proof", "if (one && aid?.unsure)", "if (false)"],
]);

const aids = mutantsOf("src/relay/review/used-by-checks.ts", "test/relay/used-by-checks.test.ts", [
  [
    "other code's helpers are work",
    "if (user === undefined) return undefined;",
    "if (user === undefined) continue;",
  ],
  ["the work's data is no case", "every((one) => roleOf", "every((one) => true || roleOf"],
  ["files that change with a source are unsure", "...(unsure && { unsure })", "...(false && { unsure })"],
  ["a new file may shadow a library", "of files.filter(isShadow))", "of [] as RoledFile[])"],
]);

const inRelays: readonly (Omit<Mutant, "test"> & Partial<Pick<Mutant, "test">>)[] = [
  {
    rule: "new tests that only miss a name are no guard",
    file: "src/relay/review/try-out.ts",
    find: 'if (onBase.result === "fail" && !(onBase.lacks && isWhole)) return false;',
    replace: 'if (onBase.result === "fail") return false;',
    title: "only for want of a name",
  },
  {
    rule: "a check that was red on the same work is flaky",
    file: "src/relay/review/gather.ts",
    find: "if (red.length === 0) return [];",
    replace: "if (true) return [];",
    title: "was red on the same work",
  },
  {
    rule: "a red that does not repeat shows nothing",
    file: "src/relay/review/trees.ts",
    find: "else if (second.exitCode === 0)",
    replace: "else if (false)",
    title: "a red that does not repeat shows nothing",
  },
  {
    rule: "data without an ending is no program",
    file: "src/relay/review/gather.ts",
    find: 'named === "source" && languageOf(path) === "program" && ',
    replace: "false && ",
    title: "a file without an ending is",
  },
  {
    rule: "a tree runs once",
    file: "src/relay/review/trees.ts",
    find: "if (kept) return kept;",
    replace: "",
    title: "is none for a tree that was tried before",
  },
  {
    rule: "a red for want of a new name is not repeated",
    file: "src/relay/review/trees.ts",
    find: '!due.isSettled?.(run.output ?? "")',
    replace: "true",
    title: "is none for a tree that was tried before",
  },
  {
    rule: "a new test that fails by an assertion needs nothing taken back",
    file: "src/relay/review/try-out.ts",
    find: 'onBase.result !== "fail" || onBase.lacks === true',
    replace: "true",
    test: "test/relay/gate-cost.test.ts",
    title: "a check that takes half of `review.minutes`",
  },
  {
    rule: "taking back is dropped before crossing",
    file: "src/relay/review/try-out.ts",
    find: "    yield* crossing(input);\n    yield* again(input);\n    return yield* takingBack(input);",
    replace: "    yield* takingBack(input);\n    yield* crossing(input);\n    return yield* again(input);",
    test: "test/relay/gate-cost.test.ts",
    title: "has no time for is taking back",
  },
  {
    rule: "beside a session checks have the lowest priority",
    file: "src/relay/run-checks.ts",
    find: 'run.nice ? ["nice"',
    replace: 'false ? ["nice"',
    test: "test/relay/asked-once-more.test.ts",
    title: "who waits here until a check runs on another tree",
  },
  {
    rule: "one core stays free",
    file: "src/relay/review/slots.ts",
    find: "Math.max(1, cores - 1)",
    replace: "cores",
    test: "test/relay/slots.test.ts",
  },
];

export const trial: readonly Mutant[] = [
  ...changes,
  ...emptied,
  ...overlays,
  ...roles,
  ...programs,
  ...settings,
  ...plans,
  ...unsure,
  ...aids,
  ...inRelays.map((row) => ({ test: "test/relay/put-to-test.test.ts", ...row })),
];
