/** Watching a session, without a clock: what goes in, and what is to be done. */
import { describe, expect, test } from "vitest";
import type { Live } from "../../../src/core/session/live.ts";
import type { InboxMessage, OutboxMessage } from "../../../src/core/session/message.ts";
import { nothingSeen } from "../../../src/core/session/observations.ts";
import { stopWords } from "../../../src/core/reason/ending-rows.ts";
import type { StopCause } from "../../../src/core/reason/ending-schema.ts";
import type { AgentUpdate } from "../../../src/core/session/update.ts";
import { newWatch, step } from "../../../src/core/session/watch.ts";
import type { Effect, Input, Watch } from "../../../src/core/session/watch-step.ts";
import { limitsSchema } from "../../../src/core/settings/limits-schema.ts";

const minute = 60_000;
const startedAtMs = 1_000_000;

const live: Live = {
  v: 1,
  issue: "FEAT-0001",
  title: "T",
  session: 2,
  role: "executor",
  language: "en",
  workspace: "/w",
  base: "main",
  branch: "b",
  contractPath: "c.md",
  checks: [],
  checkMinutes: 10,
  handoffGiven: "",
  startedAtMs,
  deadlineMs: startedAtMs + 30 * minute,
  sessionMinutes: 30,
  toolCalls: 0,
  verdictBySchema: false,
  stopBlocksMax: 8,
};

const talks = {
  reserveTokens: 0,
  tellsStart: true,
  tellsTurns: true,
  messageOnInput: true,
  contextByHook: false,
};

function begun({ live: more, ...rest }: Partial<Omit<Watch, "live">> & { live?: Partial<Live> } = {}): Watch {
  const watch = newWatch(
    {
      session: 2,
      limits: limitsSchema.parse({}),
      agent: talks,
      templates: {
        plan: "plan: {{why}}",
        wrapUp: "wrap up: {{why}}",
        stopAsked: "stop",
        personSays: "a person: {{text}}",
      },
      windowTokens: undefined,
      allowance: {},
      live: { ...live, ...more },
      seen: nothingSeen(),
    },
    startedAtMs,
  );
  return { ...watch, ...rest };
}

const said = (nowMs: number, ...updates: AgentUpdate[]): Input => ({
  type: "updates",
  nowMs: startedAtMs + nowMs,
  updates,
});
const at = (ms: number): Input => ({ type: "now", nowMs: startedAtMs + ms });
const id = "message-1";
const sends = (message: object): Input => ({
  type: "outbox",
  message: { id, atMs: 1, ...message } as OutboxMessage,
  recorded: false,
});
const person = (message: object, asked?: { session: number }): Input => ({
  type: "inbox",
  message: { id, atMs: 1, ...message } as InboxMessage,
  recorded: false,
  asked,
});
const named: AgentUpdate = { type: "identified", agentSessionId: "a" };
const uses = (contextTokens: number, more = {}): AgentUpdate => ({ type: "usage", contextTokens, ...more });
const refuses: AgentUpdate = {
  type: "command",
  command: "ls",
  error: "PreToolUse:Bash hook error: [sh ~/guard.sh]: no such file",
};
const answers = uses(1, { newTokens: 1 });
const tool: AgentUpdate = { type: "tool", name: "Bash", summary: "npm test" };
const times = (count: number, ...inputs: Input[]): Input[] =>
  Array.from({ length: count }, () => inputs).flat();
const fails: AgentUpdate = { type: "command", command: "npm  test", error: "boom" };

/** All effects in words, and the watch that is left. */
function run(watch: Watch, inputs: Input[]): { watch: Watch; did: string[] } {
  const did: string[] = [];
  let now = watch;
  for (const input of inputs) {
    const [next, effects] = step(now, input);
    now = next;
    did.push(...effects.filter((effect) => effect.do !== "write_live" && effect.do !== "show").map(inWords));
  }
  return { watch: now, did };
}

function inWords(effect: Effect): string {
  switch (effect.do) {
    case "record": {
      const { type, ...rest } = effect.event;
      return `${type} ${JSON.stringify(rest)}`;
    }
    case "tell":
      return `tell ${effect.text}`;
    case "stop":
      return `stop in ${effect.graceMs}`;
    case "stop_later":
      return `in ${effect.ms / minute} min: ${effect.reason}: ${stopWords(effect.because)}`;
    case "look_for_handoff":
      return `look for a handoff: ${stopWords(effect.why)}`;
    default:
      return effect.do;
  }
}

describe("what is seen stops the session, with its reason", () => {
  const waits: AgentUpdate = { type: "waiting", why: "busy" };
  test.for<[string, Input[], { reason: string; because: StopCause } | undefined, Partial<Watch>?]>([
    ["an agent that talks goes on", [said(0, named), at(9 * minute)], undefined],
    [
      "silence",
      [said(0, named), at(10 * minute)],
      { reason: "silent", because: { rule: "no_output", minutes: 10 } },
    ],
    ["any line ends it", [said(0, named), said(9 * minute), at(18 * minute)], undefined],
    [
      "no sign of a start",
      [said(0), at(2 * minute)],
      { reason: "not_started", because: { rule: "not_begun", seconds: 120 } },
    ],
    [
      "no sign of a start, where its adapter knows none",
      [at(2 * minute)],
      undefined,
      { agent: { ...talks, tellsStart: false, messageOnInput: false } },
    ],
    [
      "turns that come to nothing, more than a minute may have, with the words of the hook",
      [said(0, named), ...times(31, said(1, refuses, uses(1)))],
      {
        reason: "failure",
        because: {
          rule: "idle_turns",
          turns: 31,
          max: 30,
          said: "PreToolUse:Bash hook error: [sh ~/guard.sh]: no such file",
        },
      },
    ],
    [
      "turns that come to nothing, without haste, five times as many",
      [said(0, named), ...Array.from({ length: 151 }, (_, at) => said(at * 5_000, refuses, uses(1)))],
      {
        reason: "failure",
        because: {
          rule: "idle_turns",
          turns: 151,
          max: 30,
          said: "PreToolUse:Bash hook error: [sh ~/guard.sh]: no such file",
        },
      },
    ],
    [
      "a tool that succeeds begins the row anew",
      [said(0, named), ...times(5, ...times(30, said(1, refuses, uses(1))), said(2, { type: "result" }))],
      undefined,
    ],
    [
      "figures of tokens alone are no turns that were refused, however many, behind a failure, too",
      [said(0, named, refuses), ...times(100, said(1, uses(1), { type: "message", text: "on I go" }))],
      undefined,
    ],
    [
      "turns without a word or a tool, more than a minute may have",
      [said(0, named), ...times(31, said(1, answers))],
      { reason: "failure", because: { rule: "idle_turns", turns: 31, max: 30, said: "" } },
    ],
    [
      "such turns without haste, five times as many, behind a tool that failed",
      [said(0, named, tool, fails), ...Array.from({ length: 151 }, (_, at) => said(at * 5_000, answers))],
      { reason: "failure", because: { rule: "idle_turns", turns: 151, max: 30, said: "" } },
    ],
    [
      "turns with a word each, behind which figures of the end follow",
      [said(0, named), ...times(200, said(1, answers, { type: "message", text: "I stop" }, answers))],
      undefined,
    ],
    [
      "looks at a command that runs, behind a hook that refused another",
      [
        said(0, named, tool),
        said(1, answers, { type: "refused", error: "preToolUse hook: no" }),
        ...Array.from({ length: 200 }, (_, at) => said(at * 10_000, answers)),
      ],
      undefined,
    ],
    ["looks at a command that runs", [said(0, named, tool), ...times(200, said(1, answers))], undefined],
    [
      "figures of an agent that are no turns'",
      [said(0, named), ...times(200, said(1, answers))],
      undefined,
      { agent: { ...talks, tellsTurns: false } },
    ],
    [
      "a wait that it does not tell the length of is a limit, and no silence",
      [said(0, named, waits), at(3 * minute)],
      { reason: "usage_limit", because: { rule: "silent_wait", said: "busy" } },
    ],
    [
      "a wait that silence would end sooner is a limit, too",
      [said(0, named, waits), at(2 * minute)],
      { reason: "usage_limit", because: { rule: "silent_wait", said: "busy" } },
      { limits: limitsSchema.parse({ silenceMinutes: 2 }) },
    ],
    [
      "a wait that is over, and then silence, is silence",
      [said(0, named, waits), said(0), at(10 * minute)],
      { reason: "silent", because: { rule: "no_output", minutes: 10 } },
    ],
    [
      "it compacts its own context",
      [said(0, { type: "compacted" })],
      { reason: "context_limit", because: { rule: "compacted" } },
    ],
    [
      "the first reason counts",
      [{ type: "interrupted", because: { rule: "interrupted" } }, { type: "flooded" }, at(10 * minute)],
      { reason: "user_interrupt", because: { rule: "interrupted" } },
    ],
  ])("%s", ([, inputs, expected, more]) => {
    const { watch } = run(begun(more), inputs);
    expect(watch.seen.stoppedBy).toEqual(expected);
  });
});

describe("context", () => {
  test("three marks: plan, wrap up, stop; each is recorded and told once", () => {
    const { watch, did } = run(begun(), [
      said(0, uses(1_000)),
      said(0, uses(120_000)),
      said(0, uses(130_000)),
      said(0, uses(150_000), uses(170_000)),
    ]);
    const mark = (name: string, contextTokens: number): string =>
      `usage.measured ${JSON.stringify({ session: 2, mark: name, contextTokens, windowTokens: 200_000 })}`;
    const at = (tokens: number, percent: number): StopCause => {
      return { rule: "context_mark", tokens, percent, windowTokens: 200_000 };
    };
    const why = (tokens: number, percent: number): string => stopWords(at(tokens, percent));
    expect(did).toEqual([
      mark("plan", 120_000),
      `tell plan: ${why(120_000, 60)}`,
      mark("wrap_up", 150_000),
      `tell wrap up: ${why(150_000, 75)}`,
      mark("stop", 170_000),
      "stop in 3000",
    ]);
    expect(watch.seen).toMatchObject({
      stoppedBy: { reason: "context_limit", because: at(170_000, 85) },
      wrapUp: { reason: "context_limit", why: at(150_000, 75) },
    });
    expect(watch.live).toMatchObject({
      plan: why(120_000, 60),
      wrapUp: why(170_000, 85),
      wrapUpReason: "context_limit",
      windowAssumed: true,
    });
  });

  test.for<[string, number | undefined, AgentUpdate, Partial<Live>]>([
    ["assumed", undefined, uses(5), { windowTokens: 200_000, windowAssumed: true }],
    [
      "the agent's",
      undefined,
      uses(5, { windowTokens: 1_000 }),
      { windowTokens: 1_000, windowAssumed: false },
    ],
    ["the settings'", 500, uses(5, { windowTokens: 1_000 }), { windowTokens: 500, windowAssumed: false }],
  ])("the window is %s", ([, windowTokens, update, expected]) => {
    expect(run(begun({ windowTokens }), [said(0, update)]).watch.live).toMatchObject(expected);
  });

  test("the view of it is written when it changed by one percent of the window", () => {
    const written = [1_000, 2_000, 2_999, 3_000].map((tokens, index, all) => {
      const before = run(
        begun(),
        all.slice(0, index).map((each) => said(0, uses(each))),
      ).watch;
      return step(before, said(0, uses(tokens)))[1].some((effect) => effect.do === "write_live");
    });
    expect(written).toEqual([true, false, false, true]);
  });
});

describe("time", () => {
  const talk = (ms: number): Input[] => [said(ms, named), at(ms)];

  test("three marks", () => {
    const { watch, did } = run(
      begun(),
      [18, 24, 30].flatMap((minutes) => talk(minutes * minute)),
    );
    expect(did.slice(1)).toEqual([
      "tell plan: 18 of 30 minutes used",
      "tell wrap up: 24 of 30 minutes used",
      "stop in 3000",
    ]);
    expect(watch.seen.stoppedBy).toEqual({
      reason: "timeout",
      because: { rule: "time_mark", usedMinutes: 30, allowedMinutes: 30 },
    });
  });

  test("a session that a budget has shortened ends of the budget, unless it is writing its handoff", () => {
    const watch = begun({ live: { sessionMinutes: 10, deadlineMs: startedAtMs + 10 * minute } });
    const late = run(watch, talk(10 * minute));
    const why = { rule: "time_mark", usedMinutes: 10, allowedMinutes: 10 } as const;
    expect(late.did.at(-1)).toBe("look for a handoff: 10 of 10 minutes used");
    const writes = run(late.watch, [{ type: "handoff", isThere: true, why }]);
    expect(writes.did).toEqual(["in 2 min: budget: 10 of 10 minutes used"]);
    expect(writes.watch.seen.stoppedBy).toBeUndefined();
    const idles = run(late.watch, [{ type: "handoff", isThere: false, why }]);
    expect(idles.watch.seen.stoppedBy).toEqual({ reason: "budget", because: why });
  });

  const wish = sends({ type: "extend", minutes: 20, because: "tests are slow" });
  const granted = (minutes: number): string =>
    `extension.granted ${JSON.stringify({ session: 2, minutes, because: "tests are slow", messageId: id })}`;

  test("an extension moves the deadline, and takes back what the time had asked for", () => {
    const { watch, did } = run(begun(), [...talk(24 * minute), wish, ...talk(29 * minute)]);
    expect(did.slice(3)).toEqual([granted(20), "take"]);
    expect(watch.live.deadlineMs).toBe(startedAtMs + 50 * minute);
    expect([watch.live.wrapUp, watch.live.wrapUpReason, watch.seen.wrapUp]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("it does not take back what the context has asked for", () => {
    const { watch } = run(begun(), [said(0, named, uses(150_000)), wish]);
    expect(watch.seen.wrapUp?.reason).toBe("context_limit");
    expect(watch.live.wrapUpReason).toBe("context_limit");
  });

  test.for<[string, Partial<Live>, number, string[]]>([
    ["twice the session's limit in all", {}, 3, [granted(20), granted(10)]],
    ["what its budgets leave", { minutesMax: 35 }, 2, [granted(5)]],
    ["ten wishes", { minutesMax: 10_000 }, 12, Array.from({ length: 10 }, () => granted(20))],
  ])("up to %s", ([, more, times, expected]) => {
    const { did } = run(
      begun({ live: more }),
      Array.from({ length: times }, () => wish),
    );
    expect(did.filter((what) => what !== "take")).toEqual(expected);
    expect(did.filter((what) => what === "take")).toHaveLength(times);
  });

  test("a wish that the journal has already is only removed", () => {
    expect(run(begun(), [{ ...wish, recorded: true } as Input]).did).toEqual(["take"]);
  });
});

test("a budget has the same marks, and what is told only with the end stops nothing", () => {
  const ended: AgentUpdate = { type: "ended", ending: "completed", evidence: "done" };
  const watch = begun({ allowance: { costUsd: 2 } });
  const { did } = run(watch, [said(0, uses(10, { costUsd: 1.2 })), said(0, uses(10, { costUsd: 2 }))]);
  expect(did).toEqual([
    `usage.measured {"session":2,"mark":"plan","contextTokens":10,"costUsd":1.2,"reason":{"rule":"budget_mark","unit":"costUsd","used":1.2,"max":2}}`,
    "tell plan: $1.20 of its budget of $2.00 used",
    `usage.measured {"session":2,"mark":"stop","contextTokens":10,"costUsd":2,"reason":{"rule":"budget_mark","unit":"costUsd","used":2,"max":2}}`,
    "look for a handoff: $2.00 of its budget of $2.00 used",
  ]);
  expect(run(watch, [said(0, uses(10, { costUsd: 2 }), ended)]).did).toEqual(["end_input"]);
});

test("a command that fails in the same way again and again is told to wrap up, once", () => {
  const { watch, did } = run(
    begun(),
    Array.from({ length: 6 }, () => said(0, fails)),
  );
  expect(did).toEqual(["tell wrap up: `npm test` has failed 4 times in the same way"]);
  const why = { rule: "same_failure", command: "npm test", times: 4 };
  expect(watch.seen.wrapUp).toEqual({ reason: "failure", why });
});

test("a session that calls itself by ever new names is recorded under eight of them", () => {
  const names = Array.from({ length: 20 }, (_, index): Input =>
    said(0, { type: "identified", agentSessionId: `s${index}`, model: "m" }),
  );
  const { did } = run(begun(), [names[0]!, ...names]);
  expect(did).toHaveLength(8);
  expect(did[0]).toBe(`session.identified {"session":2,"agentSessionId":"s0","model":"m"}`);
});

test("each MCP server that failed to start is recorded once, and twenty at most", () => {
  const failed = (server?: string): Input =>
    said(0, { type: "server_failed", ...(server !== undefined && { server }), error: "a\nb" });
  const { did } = run(begun(), [failed("s"), failed("s"), failed(), failed()]);
  expect(did).toEqual([
    `server.failed {"session":2,"server":"s","error":"a b"}`,
    `server.failed {"session":2,"error":"a b"}`,
  ]);
  expect(
    run(
      begun(),
      Array.from({ length: 30 }, (_, index) => failed(`s${index}`)),
    ).did,
  ).toHaveLength(20);
});

test("tool calls are counted and shown, with the words and figures", () => {
  const tool: AgentUpdate = { type: "tool", name: "Bash", summary: "ls" };
  const text: AgentUpdate = { type: "message", text: "hello" };
  const [watch, effects] = step(begun(), said(0, tool, text, tool));
  expect(watch.live.toolCalls).toBe(2);
  expect(effects.filter((effect) => effect.do === "show").map(({ update }) => update)).toEqual([
    tool,
    text,
    tool,
  ]);
});

describe("messages of the session", () => {
  test.for<[string, object, string[]]>([
    ["submit", { type: "submit", commit: "a".repeat(40) }, [late("handed_over", "it has submitted")]],
    ["handoff", { type: "handoff" }, [late("handed_over", "it has handed over")]],
    [
      "ask",
      { type: "ask", text: "Why?" },
      [
        `question.asked ${JSON.stringify({ session: 2, text: "Why?", messageId: id })}`,
        "take",
        late("question", "it has asked"),
      ],
    ],
  ])("%s lets it end by itself, which it is given time for once", ([, message, expected]) => {
    const { watch, did } = run(begun(), [sends(message), sends({ type: "handoff" })]);
    expect(did).toEqual(expected);
    expect(watch.live.letStop).toBeDefined();
  });

  function late(reason: string, why: string): string {
    return `in 2 min: ${reason}: ${why}, but it did not end by itself`;
  }
});

describe("messages of people", () => {
  const note = (told?: number): string =>
    `note.said ${JSON.stringify({ by: "person", text: "Hi", ...(told === undefined ? {} : { told }), messageId: id })}`;
  const paused = `relay.paused ${JSON.stringify({ by: "person", reason: { rule: "person", asked: "stop" }, messageId: id })}`;
  const deaf = { ...talks, messageOnInput: false };
  const says = { type: "say", text: "Hi" };
  const answers = { type: "answer", text: "Yes" };
  test.for<[string, Input, string[], Partial<Watch>?]>([
    ["a note is journaled and told", person(says), [note(2), "take", "tell a person: Hi"]],
    [
      "a note waits for the next session of an agent that takes none",
      person(says),
      [note(), "take"],
      { agent: deaf },
    ],
    [
      "one that the journal has already is only removed",
      { ...person(says), recorded: true } as Input,
      ["take"],
    ],
    [
      "an answer",
      person(answers, { session: 1 }),
      [
        `question.answered ${JSON.stringify({ session: 1, by: "person", text: "Yes", told: 2, messageId: id })}`,
        "take",
        "tell a person: Yes",
      ],
    ],
    ["an answer to no question is only removed", person(answers), ["take"]],
    ["a submission waits until the session is over", person({ type: "submit", commit: "a".repeat(40) }), []],
    [
      "a stop is journaled at once, and the session may hand over",
      person({ type: "stop" }),
      [paused, "take", "tell stop", "in 2 min: user_interrupt: a person asked it to stop"],
    ],
    [
      "a stop does not wait for an agent that cannot be told",
      person({ type: "stop" }),
      [paused, "take", "tell stop", "in 0 min: user_interrupt: a person asked it to stop"],
      { agent: deaf },
    ],
  ])("%s", ([, input, expected, more]) => {
    expect(run(begun(more), [input]).did).toEqual(expected);
  });
});
