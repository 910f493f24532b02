/** The docs against the program: every event, section and variable is named, and the examples run. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stopReasons } from "../src/core/journal/events/session-schema.ts";
import { roles } from "../src/core/settings/agent-kinds.ts";
import { knownEventTypes } from "../src/core/journal/events/records.ts";
import { blockRules } from "../src/core/reason/block-schema.ts";
import { exitWeights } from "../src/core/exit/detection.ts";
import { lintHandoff } from "../src/core/handoff/lint.ts";
import { handoffHeadings } from "../src/core/handoff/labels.ts";
import { handoffBytes } from "../src/core/limits.ts";
import {
  criterionSchema,
  findingSchema,
  probeSchema,
  verdictSchema,
} from "../src/core/review/verdict-schema.ts";
import { eventsOf, openSandbox } from "./support/cli.ts";
import { lastBlock, rowsOf } from "./support/markdown.ts";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "..", name), "utf8");
const firstCells = (text: string, header: string): string[] =>
  rowsOf(text, header).map(([cell]) => cell!.replaceAll("`", ""));

test("docs/journal.md names every event", () => {
  expect(firstCells(read("docs/journal.md"), "type | what happened | keys")).toEqual([...knownEventTypes]);
});

test("docs/exit-detection.md has the weights of the rules as they are", () => {
  const rows = rowsOf(read("docs/exit-detection.md"), "signal | weight").map(([name, weight]) => [
    name!.replaceAll("`", ""),
    Number(weight),
  ]);
  expect(Object.fromEntries(rows)).toEqual(exitWeights);
});

test("docs/blocked.md has a section for every rule, in their order", () => {
  const rules = [...read("docs/blocked.md").matchAll(/^## .+\n\n`(\w+)`\. /gm)].map(([, rule]) => rule);
  expect(rules).toEqual([...blockRules]);
});

test("docs/handoff.md names every section in both languages", () => {
  const told = rowsOf(read("docs/handoff.md"), "English | Chinese").map(([en, zh]) => ({ en, zh }));
  expect(told).toEqual(Object.values(handoffHeadings));
});

test("the handoff of docs/handoff.md is valid, without a warning", () => {
  const text = lastBlock(read("docs/handoff.md"), "markdown");
  expect(lintHandoff(text, { issue: "FEAT-0001", session: 2, budgetBytes: handoffBytes })).toEqual([]);
});

test("docs/words.md names every stop reason", () => {
  const row = rowsOf(read("docs/words.md"), "word | meaning").find(([word]) => word === "stop reason")!;
  const named = [...row[1]!.matchAll(/`([a-z_]+)`/g)].map(([, reason]) => reason);
  expect(named).toEqual([...stopReasons]);
});

test("the agent of docs/command-agent.md is the one in examples/", () => {
  expect(lastBlock(read("docs/command-agent.md"), "bash")).toBe(read("examples/agent.sh"));
});

test("the agent of docs/command-agent.md carries an issue to its merge, and is given the variables that are named there", async () => {
  const seen = join(mkdtempSync(join(tmpdir(), "monoco-test-")), "seen");
  onTestFinished(() => rmSync(dirname(seen), { recursive: true }));
  const program = lastBlock(read("docs/command-agent.md"), "bash").replace("\n", `\nenv >> ${seen}\n`);
  const project = await projectWith({
    settings: `checks: ["test -s work.log"]\n${agents('{ kind: command, run: ["./agent.sh"] }')}`,
    files: { "agent.sh": program },
  });
  expect(await project.run()).toMatchObject({ exitCode: 0 });
  expect(project.reasons()).toEqual(["submitted", "decided"]);
  const names = [...readFileSync(seen, "utf8").matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
  const persons = ["PATH", "HOME", "LANG", "XDG_STATE_HOME", "NODE_COMPILE_CACHE"];
  const shells = ["PWD", "OLDPWD", "SHLVL", "_"];
  const given = new Set(names.filter((name) => ![...persons, ...shells].includes(name)));
  // The relay's mark has a name of its own in each relay.
  const told = [...given].map((name) => (/^V[0-9A-F]{12}$/.test(name) ? "V…" : name));
  expect(told.toSorted()).toEqual(firstCells(read("docs/command-agent.md"), "variable | value").toSorted());
});

test("docs/command-agent.md names every field of a verdict, a criterion, a probe and a finding", () => {
  const text = read("docs/command-agent.md");
  const shapes = [verdictSchema, criterionSchema, probeSchema, findingSchema];
  for (const { shape } of shapes)
    for (const field of Object.keys(shape)) expect(text).toContain(`"${field}":`);
});

test("the script of docs/scripted-agent.md carries an issue to its merge", async () => {
  const project = await projectWith({
    settings: agents("{ kind: scripted, script: story.yaml }"),
    files: { "story.yaml": lastBlock(read("docs/scripted-agent.md"), "yaml") },
  });
  expect(await project.run()).toMatchObject({ exitCode: 0 });
  expect(project.reasons()).toEqual(["handed_over", "submitted", "decided"]);
});

test("docs/scripted-agent.md names every step", () => {
  const program = read("src/agents/scripted/program.ts");
  const taken = [...program.matchAll(/"(\w+)" in step/g)].map(([, step]) => step!);
  const told = firstCells(read("docs/scripted-agent.md"), "step | what it does").map(
    (cell) => /^\w+/.exec(cell)![0],
  );
  expect(new Set(told)).toEqual(new Set([...taken, "kill"]));
});

const agents = (entry: string): string =>
  `agents:\n  mine: ${entry}\nroles:\n${roles.map((role) => `  ${role}: { agents: [mine] }\n`).join("")}`;

const contract = `---
id: FEAT-0001
type: feature
title: A small thing
status: open
stage: draft
---

# A small thing

## Objective

It is there.

## Acceptance Criteria

- [ ] It is there
`;

async function projectWith(of: { settings: string; files: Record<string, string> }) {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const project = join(sandbox.folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  const files = { "monoco.yaml": of.settings, "issues/FEAT-0001-a-small-thing.md": contract, ...of.files };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  if (of.files["agent.sh"]) chmodSync(join(project, "agent.sh"), 0o755);
  await sandbox.sh(project, "git init -q -b main && git add -A && git commit -qm Begin");
  return {
    run: () => sandbox.monoco(["run", "FEAT-0001"], { cwd: project }),
    reasons: () =>
      eventsOf(project, "FEAT-0001").flatMap((event) =>
        event.type === "session.ended" ? [event.reason] : [],
      ),
  };
}
