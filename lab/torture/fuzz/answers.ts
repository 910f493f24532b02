/** What agents say in words: verdicts, commands in them, answers that are searched for an end, a question or a limit. */
import { verdictIn } from "../../../src/agents/verdict.ts";
import { readVerdict } from "../../../src/agents/codex/verdict.ts";
import { errorSignature } from "../../../src/core/error/error-signature.ts";
import { failureSignature } from "../../../src/core/error/failure-signature.ts";
import { closingIn } from "../../../src/core/exit/closing.ts";
import { isUndecided, scoreExit } from "../../../src/core/exit/detection.ts";
import { hasPromise } from "../../../src/core/exit/promise.ts";
import { questionOf } from "../../../src/core/exit/field-values.ts";
import { findStatusBlock } from "../../../src/core/exit/status-block.ts";
import { boundVerdict } from "../../../src/core/review/bound-verdict.ts";
import { isAboutFile, saysItPasses, saysItStays, sharesWords } from "../../../src/core/review/about.ts";
import { isConstant, readsOnly } from "../../../src/core/review/evidence.ts";
import { lackedBy, lastNumber, ranNothing } from "../../../src/core/trial/output.ts";
import { commentsOn } from "../../../src/core/review/comments.ts";
import { refusalIn } from "../../../src/core/session/limit-phrases.ts";
import { delayInWords, resetInWords } from "../../../src/core/session/reset-time.ts";
import { parseSettings } from "../../../src/core/settings/file.ts";
import { plain, plainLine, visible } from "../../../src/core/text/sanitize.ts";
import type { AgentUpdate } from "../../../src/index.ts";
import { foundBefore, textsOf } from "./corpus.ts";
import type { Target } from "./target.ts";

const verdicts = [
  JSON.stringify({
    type: "verdict",
    verdict: "request_changes",
    trend: "converging",
    findings: [
      {
        id: "F1",
        severity: "blocker",
        title: "it fails",
        file: "src/a.ts",
        line: 3,
        evidence: { command: "npm test -- a", exitCode: 1, text: "1 failed" },
      },
    ],
    criteria: [{ criterion: 1, result: "met", command: "node a.js", exitCode: 0, text: "it prints 1" }],
    probes: [{ command: "node -e 'process.exit(1)'", exitCode: 1 }],
    answers: [{ id: "P1", text: "the contract says so" }],
    summary: "not yet",
  }),
  'My verdict:\n\n```json\n{"type":"verdict","verdict":"approve","findings":[],"criteria":[],"probes":[]}\n```\n',
  ...textsOf("test/agents/recorded/*/verdict*.jsonl"),
];
const commands = [
  "cd packages/a && CI=1 npm test -- --run 'a b' 2>&1 | tail -5",
  'bash -c "node -e \\"import(\'./src/a.js\').then((m) => console.log(m.total([1, 2])))\\""',
  "for f in test/*.test.js; do node --test $f || exit 1; done; [ -f x ] && grep -q 'a' x",
  "python3 - <<'EOF'\nfrom a import total\nimport subprocess\nsubprocess.run(['npm', 'test'])\nassert total([1]) == 1\nEOF",
];
const limits = [
  "You've reached your usage limit. It resets at 10:00 pm (Europe/Berlin).",
  "rate limit exceeded, please try again in 5 days 22 hours 11 minutes",
  "Claude AI usage limit reached|1795364459",
  "Your quota will reset after 42h1m20s. Upgrade at https://example.com",
  "You've hit your session limit · resets Nov 24, 3am (UTC)",
];
const answers = [
  ...textsOf("test/fixtures/endings/*.yaml", "test/fixtures/wordings/*.yaml", "docs/exit-detection.md"),
  "---RALPH_STATUS---\nSTATUS: COMPLETE\nTASKS_COMPLETED: 3\nEXIT_SIGNAL: true\nQUESTION: none\n---END_RALPH_STATUS---\n",
  'All criteria are met and all tests pass.\n\n```json\n{"done": true, "remaining": [], "question": null}\n```\n',
  "Should I go on with A or with B?\n\n1. A\n2. B\n",
];
const exit = parseSettings("").exit;
/** What a terminal acts upon, besides tabs and the ends of lines. */
const drives = /(?![\t\n\r])\p{Cc}/u;

const target = (name: string, corpus: readonly string[], read: (text: string) => unknown): Target => ({
  name,
  corpus: [...corpus, ...foundBefore(name)],
  read: (text) => void read(text),
});

function bounded(update: AgentUpdate | undefined): void {
  if (update?.type === "verdict") boundVerdict(update.verdict);
}

export const saidByAgents: readonly Target[] = [
  target("verdict", verdicts, (text) => bounded(verdictIn(text))),
  target("verdict-codex", verdicts, (text) => bounded(readVerdict(text))),
  target("command", commands, (text) => {
    isConstant(text);
    readsOnly(text);
    ranNothing(text, text);
  }),
  target("criterion-kind", [...answers, ...commands], (text) => {
    saysItPasses(text, text);
    saysItStays(text);
    isAboutFile(text, text);
    sharesWords(text, text);
  }),
  target("output", [...answers, ...limits], (text) => {
    lackedBy(1, text);
    lastNumber(text);
    errorSignature(text);
    failureSignature(text);
  }),
  target("exit", answers, (text) => {
    const boxes = { resolved: 0, total: 2 };
    scoreExit({ answer: text, boxes, files: [], changed: 1, checksOk: undefined, before: [] }, exit);
    isUndecided(text, boxes, true);
  }),
  target("status-block", answers, findStatusBlock),
  target("promise", answers, hasPromise),
  target("question", answers, questionOf),
  target("closing", answers, closingIn),
  target("limit", limits, (text) => {
    refusalIn(text);
    delayInWords(text);
    const resetsAtMs = resetInWords(text, { nowMs: 1_795_364_459_517, zone: "Europe/Berlin" });
    if (resetsAtMs !== undefined && !Number.isFinite(resetsAtMs)) throw new Error(`a reset at ${resetsAtMs}`);
  }),
  target("comments", textsOf("CHANGELOG.md"), commentsOn),
  target("sanitize", answers, (text) => {
    for (const clean of [plain(text), plainLine(text), visible(text)])
      if (drives.test(clean)) throw new Error("a control character is left");
  }),
];
