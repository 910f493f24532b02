/** How a session of the real Kimi Code ends under the ACP driver: what the protocol tells, what nothing tells, and nothing left behind. */
import { acpTable, bash } from "./acp-table.ts";
import type { Row } from "./acp-table.ts";
import { leave, lookAtLeft, signalDriver, stays, wasAlive } from "./ends.ts";
import { kimiVendor as vendor } from "./kimi.ts";

/** It tries ten times by itself, for two minutes. */
const twice = { KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: "2" };
const failed = (code: string, message: string) => ({ error: { message, type: code, param: null, code } });
const tooLong = failed(
  "context_length_exceeded",
  "This model's maximum context length is 200000 tokens. However, your messages are longer.",
);

/** What stops too early is asked to go on, once. */
const stops = [{ text: "Done." }, { text: "Yes." }];

/** The protocol's own answer to an error that has no place in it. */
const wordless = { reason: "unknown", evidence: "end_turn without a word" } as const;
const silent = { reason: "silent", evidence: "no output for 0.4 minutes", silenceMinutes: 0.4 } as const;
/** Nothing tells it from an answer that is whole. */
const byItself = { reason: "completed_without_submit", evidence: "it ended by itself" } as const;

acpTable([
  [
    "a login that is refused needs a person", // TRAP 15
    {
      recording: "unauthorized",
      turns: [{ status: 401 }],
      reason: "needs_login",
      evidence: "Authentication required: 401 scripted 401",
      requests: [1, 1],
    },
  ],
  [
    "an account that is forbidden needs a person", // TRAP 15
    {
      recording: "forbidden",
      turns: [{ status: 403 }],
      reason: "needs_login",
      evidence: "Authentication required: 403 scripted 403",
      requests: [1, 1],
    },
  ],
  [
    "a model that is not there ends its turn without a word: unknown, never done",
    { recording: "no-such-model", turns: [{ status: 404 }], ...wordless, requests: [1, 1] },
  ],
  [
    "a plan that is used up, told in the same way: unknown, never done", // TRAP 14
    { recording: "no-credit", turns: [vendor.usedUp(0)], ...wordless, requests: [1, 1] },
  ],
  [
    "a busy server is tried again in silence, and our watchdog ends it", // TRAP 14
    { recording: "busy-for-ever", turns: [{ status: 429 }], ...silent, requests: [3, 9] },
  ],
  [
    "a busy server, as often as it is tried: unknown, never done",
    { recording: "busy", turns: [{ status: 429 }], env: twice, ...wordless, requests: [2, 2] },
  ],
  [
    "a 429 that names a second is waited for",
    {
      recording: "busy-for-a-second",
      turns: [{ status: 429, headers: { "retry-after": "1" } }, ...stops],
      ...byItself,
      requests: [3, 3],
    },
  ],
  [
    "a 429 that names an hour is waited for in silence, and our watchdog ends it", // TRAP 14
    {
      recording: "busy-for-an-hour",
      turns: [{ status: 429, headers: { "retry-after": "3600" } }],
      ...silent,
      requests: [1, 1],
    },
  ],
  [
    "a broken server: unknown, never done",
    { recording: "server-error", turns: [{ status: 500 }], env: twice, ...wordless, requests: [2, 2] },
  ],
  [
    "a server that breaks in the middle of the work is asked once more, and unknown then, never done",
    {
      recording: "server-error-later",
      turns: [bash("echo one"), { status: 500 }],
      env: twice,
      ...wordless,
      requests: [5, 5],
      told: vendor.refusal,
    },
  ],
  [
    "a stream that is cut again and again is told as its words so far",
    { recording: "connection-cut", turns: [{ cut: true }], env: twice, ...byItself, requests: [4, 4] },
  ],
  [
    "a hang before the first header is silence",
    { recording: "never-answers", turns: [{ deaf: true }], ...silent, requests: [1, 1] },
  ],
  [
    "a stall in the stream is silence",
    { recording: "silent-stream", turns: [{ hang: true }], ...silent, requests: [1, 1] },
  ],
  [
    "a context that is full is compacted, which only words tell; where that fails, too", // TRAP 13
    {
      recording: "context-full",
      turns: [bash("echo one"), { status: 400, body: tooLong }],
      ...byItself,
      requests: [4, 8],
      told: "You are about to run out of context",
    },
  ],
  [
    "a compaction at its own mark is told in words only", // TRAP 13
    {
      recording: "compaction",
      turns: [bash("echo one", 195_000), { text: "A summary." }, ...stops],
      ...byItself,
      requests: [4, 4],
      told: "You are about to run out of context",
    },
  ],
  [
    "an answer that is cut off at the output limit is told as a whole one", // TRAP 11
    {
      recording: "cut-answer",
      turns: [
        { text: "I beg", finish: "length" },
        { text: "I beg", finish: "length" },
      ],
      ...byItself,
      requests: [2, 2],
    },
  ],
  [
    "a content filter is a failure",
    {
      recording: "refusal",
      turns: [{ text: "Half", finish: "content_filter" }],
      reason: "failure",
      evidence: "stop reason refusal",
      requests: [1, 1],
    },
  ],
  [
    "what a hook of the person's denies is denied, which only the model is told; what they would be asked for is allowed",
    {
      recording: "denied",
      turns: [bash("touch denied.txt"), bash("echo yes > asked.txt"), ...stops],
      config: `[[hooks]]
event = "PreToolUse"
matcher = "Bash"
command = "grep -q '\\"command\\":\\"touch' && echo not here >&2 && exit 2 || exit 0"
`,
      ...byItself,
      requests: [4, 4],
      told: "not here",
      missing: ["denied.txt"],
      made: { "asked.txt": /^yes$/m },
    },
  ],
  [
    "a TERM from outside is a failure", // TRAP 11
    {
      recording: "terminated",
      turns: [bash("kill -TERM $PPID; sleep 60")],
      reason: "failure",
      evidence: "the agent ended in the middle of the conversation: SIGTERM",
      requests: [1, 1],
    },
  ],
  [
    "a KILL is a failure",
    {
      recording: "killed",
      turns: [bash("kill -KILL $PPID; sleep 60")],
      reason: "failure",
      evidence: "the agent ended in the middle of the conversation: SIGKILL",
      requests: [1, 1],
    },
  ],
  [
    "a driver that is told to stop from outside has failed, and takes its agent and its tools along",
    {
      recording: "driver-terminated",
      turns: [bash(signalDriver("TERM"))],
      reason: "failure",
      evidence: "exit status 143",
      requests: [1, 1],
      made: { "signalled.txt": /acp\/program/ },
    },
  ],
  ...[false, true].map((uncontained): [string, Row] => [
    `a driver that is killed takes its agent and its tools along${uncontained ? ", also without a namespace" : ""}`, // TRAP 7
    {
      recording: "driver-killed",
      turns: [bash(signalDriver("KILL"))],
      reason: "failure",
      evidence: uncontained ? "killed by SIGKILL" : "killed by signal 9",
      requests: [1, 1],
      made: { "signalled.txt": /acp\/program/ },
      ...(uncontained ? { uncontained } : {}),
    },
  ]),
  [
    "a background task outlives its tool, but not its session", // TRAP 7
    {
      recording: "background",
      turns: [
        {
          tools: [{ name: "Bash", input: { command: stays, run_in_background: true, description: "stay" } }],
        },
        bash(`until [ -s left.pid ]; do sleep 0.1; done; ${lookAtLeft}`),
        ...stops,
      ],
      ...byItself,
      requests: [4, 4],
      told: "automatic_notification: true",
      made: wasAlive,
    },
  ],
  ...[false, true].map((uncontained): [string, Row] => [
    `a grandchild that left its session is gone with it${uncontained ? ", also without a namespace" : ""}`, // TRAP 7
    {
      recording: "orphan",
      turns: [bash(leave), bash(lookAtLeft), ...stops],
      ...byItself,
      requests: [4, 4],
      made: wasAlive,
      ...(uncontained ? { uncontained } : {}),
    },
  ]),
]);
