/** What evidence is worth, what a verdict needs to count, and what an approval still needs then. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const evidence = [
  ...mutantsOf("src/core/review/evidence.ts", "test/core/review/evidence.test.ts", [
    ["as before: the same on both", 'if (base.exitCode === exitCode) return "as_before";', ""],
    ["shown by absence is not shown", 'return base.missing ? "shown_by_absence" : "shown"', 'return "shown"'],
    ["shown is not shown by absence", "return base.missing ?", "return true ?"],
    ["unseen: it did not end", "if (base === undefined || !isRun(base))", "if (base === undefined)"],
    ["measured: by the median", "sorted[Math.floor(sorted.length / 2)]", "sorted[0]"],
    ["hollow: a constant command", "if (constant.test(command)) return true;", ""],
    ["a pipe ends as its last command does", "pipesAway.test(own) &&", "false &&"],
    ["every part of what only reads does", "parts.every(", "parts.some("],
  ]),
  ...mutantsOf("src/core/trial/output.ts", "test/core/review/evidence.test.ts", [
    ["absence by status 127", "exitCode === 127 || exitCode === 126 ||", ""],
    ["a filter that matches nothing is hollow", "if (nothingRan.test(output)) return true;", ""],
    [
      "Node names a file in which nothing matched",
      "tests.length > 0 && tests.every(",
      "tests.length < 0 && tests.every(",
    ],
  ]),
];

/** What counts, in its order. */
const ways = mutantsOf("src/core/review/verdict/looked-at.ts", "test/core/review/ways.test.ts", [
  [
    "a written kind binds",
    "guessed ? wayOf(text, whole, known) : writtenWay(text, whole, known)",
    "wayOf(text, whole, known)",
  ],
  ["written behaviour needs what runs", "runs && said && showsWork(one)", "said && showsWork(one)"],
  [
    "written as before needs what reaches the project",
    "      reachesProject(text, command, known),",
    "      true,",
  ],
  ["a check that guards counts", 'if (isGuard(command, known)) return "guard";', ""],
  ["a check that passes counts", 'if (exitCode === 0 && saysItPasses(text, command)) return "passes";', ""],
  [
    "what differs counts",
    'return "differs";\n    if (one.emptied === "data"',
    'return undefined;\n    if (one.emptied === "data"',
  ],
  [
    "what is the same without the work does not",
    '[undefined, "differs", "not_tried"].includes(one.emptied)',
    "true",
  ],
  ["a status other than 0 needs words", "if (said && isShown(one)) {", "if (isShown(one)) {"],
  [
    "data beside sources count where they are asked for",
    'one.emptied === "data" && isAboutData(text, known)',
    'one.emptied === "data"',
  ],
  ["documents alone show documents", "!onlyDocuments(known) || isOfDocuments(known)", "true"],
  ["new tests have to fail on the base", 'return trial?.onBase.result === "fail" ||', "return true ||"],
  ["a line of a source shows nothing", 'if (role === "source") return saysThereIsExample(text, file);', ""],
  ["a test is named by its whole name", "|| namesTest(text, known)", "|| true"],
  [
    "an example is there",
    "const isExample = known.changed.some(({ path }) => saysThereIsExample(text, path));",
    "const isExample = true;",
  ],
  ["a line is of a file that is asked for", "if (isAboutFile(text, file)) return true;", ""],
  [
    "a line of a document shares no words",
    "return onlyDocuments(known) && isOfDocuments(known);\n  const",
    "return true;\n  const",
  ],
  [
    "what stays needs green tests of the base",
    "return isGreen && !broken && tried && held;",
    "return isGreen && tried && held;",
  ],
  [
    "what stays needs guarded lines",
    "return isGreen && !broken && tried && held;",
    "return isGreen && !broken && tried;",
  ],
  [
    "code that knows where it runs shows nothing",
    'return knowsWhere(on, exitCode) ? "elsewhere" : "differs";',
    'return "differs";',
  ],
  ["a search for none shows none", "saysNothingRefers(text) && looksForNone.test(command)", "false"],
]);

const about = mutantsOf("src/core/review/about.ts", "test/core/review/ways.test.ts", [
  ["each clause has its own claim", "clausesOf(criterion).every(holds)", "clausesOf(criterion).some(holds)"],
  ["a tool of the kind that is said", "said.test(clause) && run.test(command)", "said.test(clause)"],
]);

const trees = mutantsOf("src/core/trial/evidence-runs.ts", "test/core/trial/evidence-runs.test.ts", [
  ["the words are looked at without the work", 'if (endedAs(words, exitCode)) return "same";', ""],
  ["the names are looked at alone", "if (endedAs(names, exitCode)) return", "if (false) return"],
  ["text: a comment changes nothing", 'if (noticed(comment, exitCode) && !objects) return "text";', ""],
  [
    "a formatter may object to a comment",
    "noticed(comment, exitCode) && !objects",
    "noticed(comment, exitCode)",
  ],
  ["a new file that nothing names", 'if (endedAs(unused, exitCode)) return "unused";', ""],
  ["what the set-up builds is built without the work", "if (input.stale &&", "if (false &&"],
]);

const excused = mutantsOf("src/core/trial/excused.ts", "test/core/trial/excused.test.ts", [
  ["another assertion is not the one that broke", "if (unnamed.length > 1) return false;", ""],
  ["a new value has to be named", "fresh.length > 0 && cites &&", "cites &&"],
  ["an input has to be named", "fresh.length > 0 && cites &&", "fresh.length > 0 &&"],
]);

const verdict = [
  ...mutantsOf("src/core/review/verdict/known.ts", "test/core/review/weigh.test.ts", [
    [
      "a check with a variable in front is another command",
      "all.filter((one) => one === name)",
      "all.filter((one) => name.endsWith(one))",
    ],
  ]),
  ...mutantsOf("src/core/review/verdict/looked-at.ts", "test/core/review/weigh.test.ts", [
    ["evidence has to reproduce", "if (ended !== exitCode) return", "if (false) return"],
    [
      "a line counts that the diff adds",
      '.has(line ?? 0) ? "shown" : "hollow"',
      '.has(line ?? 0) ? "shown" : "shown"',
    ],
    [
      "a figure by the submission's own ruler asks a person",
      'known.ownRulers?.has(criterion.command ?? "")',
      "false",
    ],
    ["measured: the margin has to hold", "&& keepsMargin(margin, figures)", ""],
  ]),
  ...mutantsOf("src/core/review/verdict/against.ts", "test/core/review/weigh.test.ts", [
    [
      "evidence that guards only some changes leaves the place to be answered",
      'changes.every((one) => one.result === "guarded")',
      'changes.some((one) => one.result === "guarded")',
    ],
    ["changes that were not taken back are not guarded", "left === 0", "left >= 0"],
    [
      "a command that looks for a removed text guards nothing",
      "isNew && trial !== undefined",
      "trial !== undefined",
    ],
    ["every criterion needs evidence", "[`${name}: no evidence`]", "[]"],
    ["evidence has to count", "met.some((one) => one.supports)", "met.some(() => true)"],
    ["not verifiable needs a word", "[`${name}: not verifiable, and no word why`]", "[]"],
    ["not verifiable is asked once more", "return known.asked ? [] :", "return true ? [] :"],
    [
      "a criterion that is not met is no approval",
      'if (one.result === "not_met") return [',
      "if (false) return [",
    ],
    ["an approval needs a probe", "if (tried.length === 0) return [", "if (false) return ["],
    ["a check is no probe, however it is spelt", "!own.has(plainCommand(command))", "true"],
    [
      "a constant probe shows nothing",
      'worth !== "hollow" && reproduced !== undefined',
      "reproduced !== undefined",
    ],
    ["no approval with a failed check", "...(red.length > 0 ?", "...(false ?"],
    ["no approval over its own blocker", 'if (holds || severity === "blocker") return true;', ""],
    ["what is listed is answered", "...unanswered(answers ?? [], known),", ""],
    [
      "what only a new file resolves is not confirmed",
      "known.confirms ? onlyByNewFiles(known) : []",
      "[] as Finding[]",
    ],
  ]),
  ...mutantsOf("src/core/review/verdict/weigh.ts", "test/core/review/weigh.test.ts", [
    ["an answer has words", '.filter(({ text }) => text.trim() !== "")', ""],
    ["what only a new file resolves asks a person", "{ unresolved: ids }", "{}"],
    ["a request has to hold something back", ": againstRequest(weighed.findings)", ": []"],
  ]),
  ...mutantsOf("src/core/review/verdict/findings.ts", "test/core/review/weigh.test.ts", [
    [
      "a finding holds until it is resolved",
      "return onBranch(command, known) === exitCode;",
      "return false;",
    ],
    [
      "a finding holds where it fails for want of the same as then",
      "if (isMissing && (lacks === undefined ||",
      "if (isMissing && (true ||",
    ],
    [
      "what only its Reviewer had says nothing of a finding",
      "if (isMissing && (lacks",
      "if (false && (lacks",
    ],
    ["a finding that is shown holds, whatever it cites", "    tellsFromBase(finding) ||\n", ""],
    ["a failure in new code holds", "...(absent && {", "...(false && {"],
    [
      "a grave finding that cites a criterion holds",
      "(criterion > 0 && criterion <= criteria.length)",
      "false",
    ],
    ["a minor finding holds nothing back", "if (!isGrave(finding)) return false;", ""],
    ["what is not met becomes a finding", 'result === "not_met" && !cited.has(criterion)', "false"],
  ]),
  ...mutantsOf("src/core/review/verdict/merge.ts", "test/core/review/merge.test.ts", [
    ["what is not said again stands", "first.criteria.filter(", "[].filter("],
    ["what is said again takes its place", "!again.has(criterion)", "true"],
  ]),
];

const gate = mutantsOf("src/core/relay/gate.ts", "test/core/relay/decide.test.ts", [
  ["protected paths ask a person", "if (paths.length > 0) return", "if (false) return"],
  [
    "what the contract allows asks nobody",
    "gatedKinds.includes(kind) && !allowed",
    "gatedKinds.includes(kind)",
  ],
  ["only what decides about the work is gated", "gatedKinds.includes(kind) && !allowed", "!allowed"],
  ["a gate by criticality asks a person", "if (isHumanGate(settings, criticality))", "if (false)"],
  ["a second Reviewer where two are asked for", "if (approvals < reviewers)", "if (false)"],
  ["what could not be verified asks a person", "if (unclear.length > 0)", "if (false)"],
  ["a finding that only a new file resolves asks a person", "if (unresolved.length > 0)", "if (false)"],
  ["a broken test of the base asks a person", "if (broken.length > 0) return", "if (false) return"],
  [
    "a test that the contract changes asks nobody",
    'result === "weakened" && !excused',
    'result === "weakened"',
  ],
  ["what could not be crossed asks a person", 'crossing.result === "time" ||', "false ||"],
  [
    "unguarded work that one command shows asks a person",
    "trial.unguarded && sharesEvidence(criteria)",
    "false",
  ],
]);

const listing = mutantsOf("src/core/review/inspection.ts", "test/core/review/inspection.test.ts", [
  [
    "what running has shown takes the place of what it showed before",
    "filter((one) => !isOld(one))",
    "filter(() => true)",
  ],
  ["what is proved is not to be answered", 'kind === "crossed" ?', "false ?"],
  ["more than is listed is counted", "more.protected + more.weakened > 0", "false"],
]);

const lines = mutantsOf("src/core/review/lines-added.ts", "test/core/review/lines-added.test.ts", [
  ["a document has words", 'content.trim() !== "" && ', ""],
  ["words that were there before document nothing", " && !before.some((one) => one.includes(content))", ""],
  ["the issue's own file documents nothing", "path !== contract", "true"],
]);

export const review: readonly Mutant[] = [
  ...lines,
  ...evidence,
  ...ways,
  ...about,
  ...trees,
  ...excused,
  ...verdict,
  ...gate,
  ...listing,
];
