/** What the model of late letters notices: `npm run torture -w lab -- --only model`. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const test = "lab/test/torture/model.test.ts";

const decides = mutantsOf("src/core/relay/decide.ts", test, [
  ["a relay that is stopped stays so", "    halted(state) ??\n    preparedMerge", "    preparedMerge"],
  [
    "a session that nobody ended is recovered first",
    "  const running = runningSession(state);\n  if (running) {",
    "  const running = runningSession(state);\n  if (running && running.session > 1) {",
  ],
  ["work is checked before it is judged", "if (!current.checks) return {", "if (false) return {"],
  [
    "a submission whose merge failed is over",
    "if (!current || current.outcome) return undefined;",
    "if (!current) return undefined;",
  ],
  [
    "what met the base is confirmed on the merged tree",
    "if (questioned) return confirm(",
    "if (false) return confirm(",
  ],
]);

const gate = mutantsOf("src/core/relay/gate.ts", test, [
  ["as many Reviewers approve as have to", "if (approvals < reviewers) {", "if (approvals < 1) {"],
  ["agents do not approve for a person", "if (isHumanGate(settings, criticality)) {", "if (false) {"],
]);

const verdicts = mutantsOf("src/core/relay/person-verdict.ts", test, [
  [
    "a verdict on an earlier submission comes too late",
    "if (!current || current.submission !== submission)",
    "if (!current)",
  ],
]);

const limits = [
  ...mutantsOf("src/core/relay/out-of-limits.ts", test, [
    ["sessions are limited", "if (spent >= limits.sessionsMax) {", "if (spent > limits.sessionsMax) {"],
  ]),
  ...mutantsOf("src/core/relay/rate-limit.ts", test, [
    ["an hour's sessions are limited", "limits.sessionsPerHour)", "limits.sessionsPerHour + 1)"],
  ]),
];

const letters = [
  ...mutantsOf("src/core/journal/state.ts", test, [
    ["a letter that comes again is known", "if (event.messageId)", "if (event.messageId && event.seq < 0)"],
  ]),
  ...mutantsOf("src/core/session/message.ts", test, [
    [
      "an answer to nothing is none",
      'return asked && { type: "question.answered", session: asked.session, ...event };',
      'return { type: "question.answered", session: asked?.session ?? 1, ...event };',
    ],
  ]),
  ...mutantsOf("src/core/journal/events/relay.ts", test, [
    [
      "a relay that is cancelled does nothing more",
      'halted = {\n        phase: "cancelled",',
      'resumedFrom = {\n        phase: "cancelled",',
    ],
  ]),
];

export const model: readonly Mutant[] = [...decides, ...gate, ...verdicts, ...limits, ...letters].map(
  (row) => ({
    ...row,
    title: "the laws hold",
  }),
);
