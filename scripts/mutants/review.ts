/** What evidence is worth, what a verdict needs to count, and what an approval still needs then. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const evidence = mutantsOf("src/core/review/evidence.ts", "test/core/review/evidence.test.ts", [
  ["hollow: a constant command", 'if (nature === "constant") return "hollow";', ""],
  ["unseen: it did not end", "base.exitCode === null || branch.exitCode === null", "false"],
  ["as before: the same on both", 'if (base.exitCode === branch.exitCode) return "as_before";', ""],
  ["shown by absence is not shown", 'return base.missing ? "shown_by_absence" : "shown"', 'return "shown"'],
  ["shown is not shown by absence", "return base.missing ?", "return true ?"],
  ["measured: the margin has to hold", "&& keepsMargin(margin, now, before)", ""],
  ["measured: by the median", "sorted[Math.floor(sorted.length / 2)]", "sorted[0]"],
  ["behaviour needs what runs the work", 'return differs && nature === "runs" &&', "return differs &&"],
  ["behaviour needs a difference", 'return differs && nature === "runs" &&', 'return nature === "runs" &&'],
  ["a status other than 0 needs words", '(exitCode === 0 || (text ?? "").trim() !== "")', "true"],
  [
    "absence that is the same without the work shows nothing",
    'if (emptied === "same" || isForPerson(emptied)) return false;',
    "if (isForPerson(emptied)) return false;",
  ],
  [
    "a new file that nothing names shows nothing",
    'if (emptied === "same" || isForPerson(emptied)) return false;',
    'if (emptied === "same") return false;',
  ],
  ["as before has to succeed", 'nature === "runs" && exitCode === 0;', 'nature === "runs";'],
  [
    "a document needs a difference",
    'case "document":\n      return differs',
    'case "document":\n      return true',
  ],
  ["a figure needs its margin", 'return worth === "measured"', "return true"],
  ["absence by status 127", "exitCode === 127 || exitCode === 126 ||", ""],
]);

const verdict = [
  ...mutantsOf("src/core/review/verdict/looked-at.ts", "test/core/review/weigh.test.ts", [
    ["evidence has to reproduce", "if (ran.exitCode !== exitCode)", "if (false)"],
    [
      "a line counts that the diff adds",
      '.has(line ?? 0) ? "shown" : "hollow"',
      '.has(line ?? 0) ? "shown" : "shown"',
    ],
    ["a figure by the submission's own ruler asks a person", 'known.ownRulers?.has(command ?? "")', "false"],
  ]),
  ...mutantsOf("src/core/review/verdict/against.ts", "test/core/review/weigh.test.ts", [
    ["every criterion needs evidence", "[`${name}: no evidence`]", "[]"],
    ["evidence has to be of its kind", "met.some((one) => one.supports)", "met.some(() => true)"],
    ["not verifiable needs a word", "return one.text?.trim() ? [] :", "return true ? [] :"],
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
    ["no approval over its own blocker", 'holds || severity === "blocker"', "false"],
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
    ["a finding holds until it is resolved", "return now?.exitCode === exitCode;", "return false;"],
    [
      "a finding holds where it fails for want of the same as then",
      "if (ran?.missing && (lacks === undefined || ran.lacks !== lacks)) return false;",
      "if (ran?.missing) return false;",
    ],
    [
      "what only its Reviewer had says nothing of a finding",
      "if (ran?.missing && (lacks === undefined || ran.lacks !== lacks)) return false;",
      "",
    ],
    ["a finding that is shown holds, whatever it cites", "    tellsFromBase(finding) ||\n", ""],
    ["a grave finding that cites a criterion holds", "citedBy(finding, criteria).length > 0", "false"],
    ["a minor finding holds nothing back", "if (!isGrave(finding)) return false;", ""],
    ["what is not met becomes a finding", 'result === "not_met" && !cited.has(criterion)', "false"],
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
  [
    "tests that pass on the base ask a person",
    'if (tests?.result !== "pass" || !tests.required)',
    "if (true)",
  ],
]);

const listing = mutantsOf("src/core/review/inspection.ts", "test/core/review/inspection.test.ts", [
  ["what running has shown takes the place of what it showed before", "!ranKinds.has(kind)", "true"],
  ["more than is listed is counted", "more.protected + more.weakened > 0", "false"],
]);

const nature = mutantsOf("src/core/review/command-nature.ts", "test/core/review/command-nature.test.ts", [
  ["what only asks a tool runs nothing", 'own === "runs" && asksOnly(words)', "false"],
  ["a module's name is no code", "/^-[acflnpsStTuUvwWX\\d]*[eE]$/", "/^-\\w*[eE]$/"],
]);

const lines = mutantsOf("src/core/review/lines-added.ts", "test/core/review/lines-added.test.ts", [
  ["a document has words", 'words.trim() !== "" && ', ""],
  ["words that were there before document nothing", " && !before.some((one) => one.includes(words))", ""],
  ["the issue's own file documents nothing", "path !== contract", "true"],
]);

export const review: readonly Mutant[] = [...nature, ...lines, ...evidence, ...verdict, ...gate, ...listing];
