/** When an answer of Gemini CLI counts as one that goes silent again and again. */
import { expect, test } from "vitest";
import { listen } from "../../src/agents/gemini/silence.ts";

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const begun = line({ type: "message", role: "assistant", content: "Begun", delta: true });
const prompt = line({ type: "message", role: "user", content: "…" });
const tool = line({ type: "tool_use", tool_name: "run_shell_command", tool_id: "1" });

/** Seconds, and what comes then. */
type Heard = [number, string];

test.for<[string, Heard[], number | undefined]>([
  [
    "a stream that stalls and begins again, and again",
    [
      [0, prompt],
      [1, begun],
      [304, begun],
      [607, begun],
    ],
    606,
  ],
  [
    "one long silence, such as before a long thought: that is the relay's to end",
    [
      [0, prompt],
      [590, begun],
    ],
    undefined,
  ],
  [
    "one stall between two long thoughts",
    [
      [0, prompt],
      [120, begun],
      [420, begun],
      [421, tool],
    ],
    undefined,
  ],
  [
    "a long thought before a first and a second try",
    [
      [0, prompt],
      [120, begun],
      [540, begun],
    ],
    undefined,
  ],
  [
    "an answer in pieces that come after less than a minute",
    Array.from({ length: 30 }, (_, index): Heard => [index * 55, begun]),
    undefined,
  ],
  [
    "silences of several answers, each of them whole",
    [
      [0, prompt],
      [300, begun],
      [301, tool],
      [600, tool],
      [900, begun],
    ],
    undefined,
  ],
  [
    "a line in two pieces is one",
    [
      [0, prompt],
      [1, begun],
      [301, begun.slice(0, 20)],
      [601, begun.slice(20)],
    ],
    600,
  ],
])("%s", ([, heard, expected]) => {
  const silence = listen(480_000, 0);
  const told = heard.map(([seconds, chunk]) => silence.heard(chunk, seconds * 1000));
  expect(told.slice(0, -1).every((one) => one === undefined)).toBe(true);
  expect(told.at(-1)).toBe(expected === undefined ? undefined : expected * 1000);
});
