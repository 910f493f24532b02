/** schema/monoco.schema.json against the settings' own schema: the same verdict on examples. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { allKeys, schemaAt } from "../src/core/settings/keys.ts";
import { abouts } from "../src/core/settings/setting.ts";
import { projectSchema } from "../src/core/settings/settings.ts";

const published = readFileSync(new URL("../schema/monoco.schema.json", import.meta.url), "utf8");

test("each key has words for an editor", () => {
  const silent = allKeys(projectSchema).filter(
    (key) => !abouts.has(schemaAt(projectSchema, key.split("."))!),
  );
  expect(silent).toEqual([]);
});

/** The published text, read by itself: nothing of the source's schema is in it. */
const editor = z.fromJSONSchema(JSON.parse(published) as Parameters<typeof z.fromJSONSchema>[0]);

describe("an editor that goes by it and monoco agree on", () => {
  test.for<[string, boolean]>([
    ["{}", true],
    ["base: trunk\nlanguage: zh\nquality: anything", true],
    ["checks: [npm test]\nsetup: [npm ci]\ncache: [node_modules]\ncheckAfterSession: false", true],
    ["agents: { mine: { kind: command, run: [./mine, -q], env: { A: b }, windowTokens: 1000 } }", true],
    ["agents: { claude: { kind: claude, model: opus, args: [-v] } }", true],
    ["roles: { executor: { agents: [claude] }, reviewer: { agents: [codex, claude] } }", true],
    ["preset: auto", true],
    ["extends: ../policy.yaml", true],
    ["exit: { submit: false, doneSessions: 1, testSharePercent: 0, threshold: 1 }", true],
    ["breaker: { reopen: manual, coolDownMinutes: 0.5 }", true],
    ["limits: { sessionsMax: 5, contextMarks: [50, 60000, 70000], backoffSeconds: 0 }", true],
    ["merge: squash\nfinish: pr", true],
    ["finish: { by: branch }", true],
    ["finish: {}", true],
    ["merge: octopus", false],
    ["finish: push", false],
    ["finish: { by: push }", false],
    ["finish: { via: pr }", false],
    ["bse: main", false],
    ["limits: { sessionMax: 5 }", false],
    ["limits: { sessionsMax: 0 }", false],
    ["limits: { sessionsMax: 1.5 }", false],
    ["limits: { sessionsMax: many }", false],
    ["limits: { contextMarks: [60, 75] }", false],
    ["limits: { contextMarks: [60, 75, -1] }", false],
    ["limits: { backoffSeconds: -1 }", false],
    ["exit: { threshold: 1.1 }", false],
    ["language: de", false],
    ["preset: huge", false],
    ["checks: npm test", false],
    ['checks: [""]', false],
    ["roles: { executor: { agents: [] } }", false],
    ["roles: { tester: { agents: [claude] } }", false],
    ["agents: { a: { model: x } }", false],
    ["agents: { a: { kind: gpt } }", false],
    ["agents: { a: { kind: claude, env: { 1A: x } } }", false],
    ["agents: { a: { kind: claude, modle: x } }", false],
    ["- base", false],
  ])("%s: %s", ([text, good]) => {
    const value: unknown = parse(text);
    expect([projectSchema.safeParse(value).success, editor.safeParse(value).success]).toEqual([good, good]);
  });
});
