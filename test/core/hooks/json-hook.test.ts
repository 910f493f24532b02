/** A hook in an agent's settings: added where it belongs, taken out again, and every other byte stays. */
import { describe, expect, test } from "vitest";
import { addHook, removeHook } from "../../../src/core/hooks/json-hook.ts";
import type { Edited } from "../../../src/core/hooks/json-hook.ts";

const at = { event: "Stop", hook: { type: "command", command: "ours", timeout: 30 } } as const;
const strict = { comments: false, ours: /^ours$/ };
const entry = { hooks: [at.hook] };

const textOf = (edited: Edited): string => {
  expect(edited).toHaveProperty("text");
  return "text" in edited ? edited.text : "";
};

const other = '{"type":"command","command":"theirs"}';
const settings: [name: string, text: string, hooks: object][] = [
  ["an empty object", "{}", { Stop: [entry] }],
  ["an empty object over lines", "{\n}\n", { Stop: [entry] }],
  ["one line", '{"model": "m"}', { Stop: [entry] }],
  ["tabs and CRLF", '{\r\n\t"model": "m"\r\n}\r\n', { Stop: [entry] }],
  ["four blanks, no line end", '{\n    "a": [1,2],\n    "b": {"c":1}\n}', { Stop: [entry] }],
  ["a BOM", '\uFEFF{\n  "a": 1\n}\n', { Stop: [entry] }],
  ["another event", `{"hooks": {"PreToolUse": [{"hooks":[${other}]}]}}`, { Stop: [entry] }],
  ["an empty event", '{\n  "hooks": { "Stop": [] }\n}\n', { Stop: [entry] }],
  [
    "another's hook at the event",
    `{\n  "hooks": {\n    "Stop": [\n      { "hooks": [${other}] }\n    ]\n  }\n}\n`,
    { Stop: [{ hooks: [JSON.parse(other)] }, entry] },
  ],
];

describe("added and taken out", () => {
  test.for(settings)("%s", ([, text, hooks]) => {
    const added = textOf(addHook(text, at, strict));
    const before = JSON.parse(text.replace(/^\uFEFF/, "")) as { hooks?: object };
    expect(JSON.parse(added.replace(/^\uFEFF/, ""))).toEqual({
      ...before,
      hooks: { ...before.hooks, ...hooks },
    });
    // Nothing of what was there has moved: it is still there, in its order, around one new stretch.
    let same = 0;
    while (text[same] === added[same] && same < text.length) same += 1;
    expect(added.endsWith(text.slice(same)), added).toBe(true);
    expect(addHook(added, at, strict)).toEqual({ text: added });
    const left = textOf(removeHook(added, "Stop", strict)).replace(/^\uFEFF/, "");
    const emptied = text.includes('"Stop": []') ? {} : before;
    expect(JSON.parse(left)).toEqual(emptied);
    // Byte for byte, but where an empty place of the person's goes too.
    if (emptied === before && text.includes(":")) expect(left).toBe(text.replace(/^\uFEFF/, ""));
  });
});

test("new settings have the hook alone", () => {
  expect(textOf(addHook(undefined, at, strict))).toBe(
    `${JSON.stringify({ hooks: { Stop: [entry] } }, undefined, 2)}\n`,
  );
});

test("what a person adds around it stays when it goes, their own hook in its entry too", () => {
  const added = textOf(addHook('{\n  "a": 1\n}\n', at, strict));
  const changed = added
    .replace('"a": 1', '"a":   2')
    .replace('"hooks": [', `"hooks": [\n          ${other},`);
  const left = textOf(removeHook(changed, "Stop", strict));
  expect(left).toContain('"a":   2');
  expect(JSON.parse(left)).toEqual({ a: 2, hooks: { Stop: [{ hooks: [JSON.parse(other)] }] } });
});

test("comments stay, where the agent reads them", () => {
  const text = '{\n  // mine\n  "a": 1 // one\n}\n';
  expect(textOf(addHook(text, at, { ...strict, comments: true }))).toContain("// mine");
  expect(addHook(text, at, strict)).toMatchObject({ fault: { line: 2 } });
});

test.for<[string, string, number, string]>([
  ["no JSON", '{\n  "a": ,\n}', 2, "invalid JSON"],
  ["nothing", "", 1, "invalid JSON"],
  ["a list", "[]", 1, "expected an object of settings, got array"],
  ["hooks that are none", '{\n"hooks": []}', 2, "hooks: expected an object, got array"],
  ["an event that is no list", '{\n"hooks": {\n"Stop": {}}}', 3, "hooks.Stop: expected a list, got object"],
])("%s is refused with its line", ([, text, line, message]) => {
  for (const edited of [addHook(text, at, strict), removeHook(text, "Stop", strict)])
    expect(edited).toEqual({
      fault: { line, message: expect.stringContaining(message), hint: expect.any(String) },
    });
});
