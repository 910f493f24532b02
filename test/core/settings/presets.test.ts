/** Presets: what they set, and which one an issue calls for. */
import { inWords } from "../support/in-words.ts";
import { describe, expect, test } from "vitest";
import type { Issue } from "../../../src/core/issue/issue.ts";
import { choosePreset, presets } from "../../../src/core/settings/presets.ts";
import { readSettings } from "../../../src/core/settings/file.ts";
import { placeOf, settle } from "../../../src/core/settings/layers.ts";
import type { Source } from "../../../src/core/settings/layers.ts";
import { readFlags } from "../../../src/core/settings/env-and-flags.ts";
import { settingsSchema } from "../../../src/core/settings/settings.ts";

test("medium is what the defaults are", () => {
  const { exit, limits } = settingsSchema.parse({});
  expect({ exit, limits }).toMatchObject(presets.medium);
});

const project = (text: string): Source =>
  readSettings({ text, file: "monoco.yaml", from: "project", schema: settingsSchema });

describe("a preset stands below every number that is set one by one", () => {
  test.for<[string, string, [number, number, number, number]]>([
    ["simple", "preset: simple", [1, 2, 25, 10]],
    ["medium", "preset: medium", [2, 3, 30, 30]],
    ["complex", "preset: complex", [3, 4, 35, 50]],
    ["complex, but for one", "preset: complex\nlimits: { sessionsMax: 7 }", [3, 4, 35, 7]],
    ["auto, before it has chosen, is medium", "preset: auto", [2, 3, 30, 30]],
  ])("%s", ([, text, numbers]) => {
    const { exit, limits } = settle([project(text)]).settings;
    expect([exit.doneSessions, exit.testSessions, exit.testSharePercent, limits.sessionsMax]).toEqual(
      numbers,
    );
  });

  test("wherever it is named itself", () => {
    const settled = settle([
      readFlags(["preset=simple"]),
      project("preset: complex\nexit: { doneSessions: 9 }"),
    ]);
    expect(settled.settings).toMatchObject({
      preset: "simple",
      exit: { doneSessions: 9, testSessions: 2 },
      limits: { sessionsMax: 10 },
    });
    expect(placeOf(settled.origins["exit.testSessions"]!)).toBe("preset simple");
  });

  test("what auto chose is told, and leaves another preset alone", () => {
    const auto = settle([project("preset: auto")], "complex");
    expect(auto.settings).toMatchObject({ preset: "auto", limits: { sessionsMax: 50 } });
    expect(placeOf(auto.origins["limits.sessionsMax"]!)).toBe("preset auto: complex");
    expect(settle([project("preset: simple")], "complex").settings.limits.sessionsMax).toBe(10);
  });
});

type Counts = { criteria: number; tasks: number; criticality?: Issue["criticality"]; given?: number };
const issueOf = ({ criteria, tasks, criticality, given = 0 }: Counts) => {
  const items = (count: number, state: "todo" | "cancelled") =>
    Array.from({ length: count }, (_, index) => ({ text: `item ${index}`, state, line: 1 }));
  return {
    criteria: [...items(criteria, "todo"), ...items(given, "cancelled")],
    tasks: [...items(tasks, "todo"), ...items(given, "cancelled")],
    ...(criticality ? { criticality } : {}),
  } as Parameters<typeof choosePreset>[0];
};

describe("auto goes by criteria, tasks and criticality", () => {
  test.for<[Counts, string, string]>([
    [{ criteria: 1, tasks: 0 }, "simple", "1 criterion and 0 tasks make it simple"],
    [{ criteria: 3, tasks: 4 }, "simple", "3 criteria and 4 tasks make it simple"],
    [{ criteria: 4, tasks: 0 }, "medium", "4 criteria and 0 tasks make it medium"],
    [{ criteria: 1, tasks: 5 }, "medium", "1 criterion and 5 tasks make it medium"],
    [{ criteria: 8, tasks: 12 }, "medium", "8 criteria and 12 tasks make it medium"],
    [{ criteria: 9, tasks: 0 }, "complex", "9 criteria and 0 tasks make it complex"],
    [{ criteria: 1, tasks: 13 }, "complex", "1 criterion and 13 tasks make it complex"],
    [{ criteria: 2, tasks: 1, given: 20 }, "simple", "2 criteria and 1 task make it simple"],
    [{ criteria: 1, tasks: 0, criticality: "medium" }, "simple", "1 criterion and 0 tasks make it simple"],
    [
      { criteria: 1, tasks: 0, criticality: "high" },
      "medium",
      "1 criterion and 0 tasks make it simple, criticality high raises it to medium",
    ],
    [{ criteria: 5, tasks: 0, criticality: "high" }, "medium", "5 criteria and 0 tasks make it medium"],
    [
      { criteria: 1, tasks: 0, criticality: "critical" },
      "complex",
      "1 criterion and 0 tasks make it simple, criticality critical raises it to complex",
    ],
    [{ criteria: 9, tasks: 0, criticality: "low" }, "complex", "9 criteria and 0 tasks make it complex"],
  ])("%j is %s", ([counts, name, because]) =>
    expect(inWords(choosePreset(issueOf(counts)))).toMatchObject({ name, because }),
  );
});
