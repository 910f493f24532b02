/** What the real Kimi Code meets under the ACP driver: what the protocol tells, and what nothing tells. */
import type { ChatTurn } from "../../../src/probe/chat-model.ts";
import { kimiVendor as vendor } from "../kimi.ts";
import { shellTurn } from "../story.ts";
import { cellsOf, leftBehind, lookAtLeft, stays, stops, wasAlive } from "./fault.ts";
import type { Column } from "./fault.ts";

/** It tries ten times by itself, for two minutes. */
const twice = { KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: "2" };
const error = { message: "This model's maximum context length is 200000 tokens.", param: null };
const tooLong = { error: { ...error, type: "context_length_exceeded", code: "context_length_exceeded" } };
const bash = (command: string, tokens = 20_000): ChatTurn => shellTurn(vendor, command, tokens);

const { failure, needsLogin, silent, stopped, unknown } = cellsOf<ChatTurn, string>();
/** The protocol's own answer to an error that has no place in it. */
const wordless = (turns: ChatTurn | ChatTurn[], more: Parameters<typeof unknown>[2]) =>
  unknown(turns, "end_turn without a word", more);

export const kimiFaults: Column<ChatTurn, string> = {
  busy: wordless({ status: 429 }, { env: twice, asked: 2 }),
  // It is tried again in silence.
  "busy-for-ever": silent({ status: 429 }, 0.4, { asked: [3, 9] }),
  "busy-for-a-second": stopped([{ status: 429, headers: { "retry-after": "1" } }, ...stops], { asked: 3 }),
  "busy-for-long": silent({ status: 429, headers: { "retry-after": "3600" } }, 0.4, {
    asked: 1,
    as: "busy-for-an-hour",
  }),
  "server-error": wordless({ status: 500 }, { env: twice, asked: 2 }),
  // It is asked once more.
  "server-error-later": wordless([bash("echo one"), { status: 500 }], {
    env: twice,
    asked: 5,
    told: vendor.refusal,
  }),
  overloaded: wordless({ status: 503 }, { env: twice, asked: 2 }),
  // Nothing tells what came of it from an answer that is whole; so it is with a cut answer and with a compaction.
  "connection-cut": stopped({ cut: true }, { env: twice, asked: 4 }),
  "no-server": wordless([], { env: twice, unreachable: true, asked: 0 }),
  "never-answers": silent({ deaf: true }, 0.4, { asked: 1 }),
  "silent-stream": silent({ hang: true }, 0.4, { asked: 1 }),
  unauthorized: needsLogin({ status: 401 }, "Authentication required: 401 scripted 401", { asked: 1 }),
  forbidden: needsLogin({ status: 403 }, "Authentication required: 403 scripted 403", { asked: 1 }),
  "not-logged-in": "its key is in its settings",
  "no-credit": "it is told as a used-up plan is",
  "no-such-model": wordless({ status: 404 }, { asked: 1 }),
  "usage-limit": wordless(vendor.usedUp(0), { asked: 1, as: "no-credit" }),
  // It is compacted, which only words tell; where that fails, too.
  "context-full": stopped([bash("echo one"), { status: 400, body: tooLong }], {
    asked: [4, 8],
    told: "You are about to run out of context",
  }),
  compaction: stopped([bash("echo one", 195_000), { text: "A summary." }, ...stops], {
    asked: 4,
    told: "You are about to run out of context",
  }),
  "cut-answer": stopped(
    [
      { text: "I beg", finish: "length" },
      { text: "I beg", finish: "length" },
    ],
    { asked: 2 },
  ),
  refusal: failure({ text: "Half", finish: "content_filter" }, "stop reason refusal", { asked: 1 }),
  // Only the model is told; what a person would be asked for is allowed.
  denied: stopped([bash("touch denied.txt"), bash("echo yes > asked.txt"), ...stops], {
    config: `[[hooks]]
event = "PreToolUse"
matcher = "Bash"
command = "grep -q '\\"command\\":\\"touch' && echo not here >&2 && exit 2 || exit 0"
`,
    asked: 4,
    told: "not here",
    missing: ["denied.txt"],
    made: { "asked.txt": /^yes$/m },
  }),
  terminated: failure(
    bash("kill -TERM $PPID; sleep 60"),
    "the agent ended in the middle of the conversation: SIGTERM",
    { asked: 1 },
  ),
  killed: failure(
    bash("kill -KILL $PPID; sleep 60"),
    "the agent ended in the middle of the conversation: SIGKILL",
    { asked: 1 },
  ),
  // It outlives its tool, but not its session.
  background: stopped(
    [
      { tools: [{ name: "Bash", input: { command: stays, run_in_background: true, description: "stay" } }] },
      bash(`until [ -s left.pid ]; do sleep 0.1; done; ${lookAtLeft}`),
      ...stops,
    ],
    { asked: 4, told: "automatic_notification: true", made: wasAlive },
  ),
  ...leftBehind(bash, { driver: "acp/program", terminated: "exit status 143" }),
};
