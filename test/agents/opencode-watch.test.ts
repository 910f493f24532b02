/** What of the events of OpenCode's server is passed on, and when its model counts as gone. */
import { expect, test, vi } from "vitest";
import { watchEvents } from "../../src/agents/opencode/watch.ts";
import type { Watch } from "../../src/agents/opencode/watch.ts";

const tool = (status: string, metadata: object = {}, name = "bash") => ({
  type: "message.part.updated",
  properties: {
    sessionID: "s",
    part: { id: "p1", type: "tool", sessionID: "s", tool: name, state: { status, metadata } },
  },
});
const text = (end?: number) => ({
  type: "message.part.updated",
  properties: {
    sessionID: "s",
    part: { id: "p2", type: "text", text: "x", time: end === undefined ? {} : { end } },
  },
});
const answer = (id: string) => ({
  type: "message.updated",
  properties: { sessionID: "s", info: { id, role: "assistant", providerID: "p", modelID: "m" } },
});
const status = (type: string) => ({
  type: "session.status",
  properties: { sessionID: "s", status: { type } },
});

test.for<[string, unknown[], string[]]>([
  ["a text when it is whole", [text(), text(5)], ["message.part.updated"]],
  [
    "a tool when it begins and when it has ended, not with each line of its output",
    [tool("pending"), tool("running"), tool("running", { output: "1" }), tool("completed", { exit: 0 })],
    ["message.part.updated running {}", 'message.part.updated completed {"exit":0}'],
  ],
  [
    "an answer once, with the window of its model",
    [answer("a"), answer("a"), answer("b")],
    ["monoco.window", "message.updated", "monoco.window", "message.updated"],
  ],
  ["a retry, and no other status", [status("busy"), status("retry"), status("idle")], ["session.status"]],
  ["nothing of what it is not told", [{ type: "session.diff", properties: {} }, { type: "x" }, 7, null], []],
  [
    "a sign of life in a long answer, not each piece of it",
    [1, 2, 3].map(() => ({ type: "message.part.delta", properties: { sessionID: "s" } })),
    ["monoco.alive"],
  ],
])("it passes on %s", async ([, events, expected]) => {
  const { said, watch } = watching(events);
  await watch.over;
  expect(said).toEqual(expected);
});

test("a model that is asked and says nothing is gone after a while; one whose tool runs, or that is not asked, is not", async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const silent = async (events: unknown[], asked: boolean) => {
      const { failures, watch } = watching(events, 5_000);
      if (asked) watch.asked();
      await vi.advanceTimersByTimeAsync(6_500);
      return failures.filter((words) => words.startsWith("the model has said nothing")).length > 0;
    };
    expect(await silent([], false)).toBe(false);
    expect(await silent([], true)).toBe(true);
    expect(await silent([tool("running")], true)).toBe(false);
    expect(await silent([tool("running"), tool("completed")], true)).toBe(true);
    expect(await silent([tool("running", {}, "task")], true)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("a stream that stalls, is asked for anew and begins well is silent all that time; what it has said in whole counts", async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const delta = { type: "message.part.delta", properties: { sessionID: "s" } };
    const firstFailure = async (said: unknown[]) => {
      const { failures, watch } = watching(attempts(said), 8_000);
      watch.asked();
      await vi.advanceTimersByTimeAsync(20_000);
      return failures[0];
    };
    expect(await firstFailure([delta])).toBe("the model has said nothing for 8 s");
    expect(await firstFailure([delta, text(1)])).toBe(undefined);
  } finally {
    vi.useRealTimers();
  }
});

test("what a busy server lets it wait for is no silence of the answer behind it", async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const delta = { type: "message.part.delta", properties: { sessionID: "s" } };
    const { failures, watch } = watching(refusedThenSlow(delta), 8_000);
    watch.asked();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(failures).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

/** Twice the server says to come again in three seconds; then pieces of an answer, six seconds apart. */
async function* refusedThenSlow(piece: unknown): AsyncGenerator {
  for (const said of [[status("retry")], [status("retry")], [piece], [piece], [piece]]) {
    yield* said;
    await new Promise((resolve) => setTimeout(resolve, said[0] === piece ? 6_000 : 3_000));
  }
  await new Promise(() => undefined);
}

/** Attempts without end: each says this, then nothing for three seconds, and is tried again. */
async function* attempts(said: unknown[]): AsyncGenerator {
  for (;;) {
    yield* said;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    yield status("retry");
  }
}

function watching(events: unknown[] | AsyncIterable<unknown>, silenceMs = Infinity) {
  const said: string[] = [];
  const failures: string[] = [];
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const watch: Watch = watchEvents({
    events: (async function* () {
      yield* events;
    })(),
    sessionID: "s",
    windows: new Map([["p/m", 100]]),
    silenceMs,
    say: (type, properties) => void said.push(wordsOf(type, properties)),
    fail: (error) => {
      failures.push(error instanceof Error ? error.message : String(error));
      end();
    },
  });
  return { said, failures, watch: { ...watch, over } };
}

function wordsOf(type: string, properties: object = {}): string {
  const part =
    "part" in properties ? (properties.part as { state?: { status: string; metadata: object } }) : {};
  return part.state ? `${type} ${part.state.status} ${JSON.stringify(part.state.metadata)}` : type;
}
