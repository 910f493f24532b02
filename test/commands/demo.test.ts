/** monoco demo: the whole story, on a real repository, with the built-in agent. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { parseHandoff } from "../../src/core/handoff/handoff.ts";
import { eventsOf, openSandbox, processesOf } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { recordedLines } from "../../scripts/record-demo.ts";
import { testRows } from "../support/full.ts";
import { isHere } from "../support/namespaces.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

testRows<["en" | "zh", string]>([
  ["en", "DEMO-0001"],
  ["zh", "DEMO-0002"],
])(
  "the demo's story, in %s: context mark, kill, submit, changes requested, approval, merge",
  async ([language, issue]) => {
    const sandbox = openSandbox();
    opened.push(sandbox);
    const folder = join(sandbox.folder, "demo");
    mkdirSync(folder);
    const ran = await sandbox.monoco(["demo", "--language", language, "--folder", folder]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stderr: "" });
    const project = join(folder, "project");
    const events = eventsOf(project, issue);
    const sessions = events.flatMap((event) =>
      event.type === "session.ended" ? [`${event.session} ${event.reason}`] : [],
    );
    expect(sessions).toEqual([
      "1 context_limit",
      "2 failure",
      "3 submitted",
      "4 decided",
      "5 submitted",
      "6 decided",
    ]);
    const handoffs = events.flatMap((event) => (event.type === "handoff.recorded" ? [event] : []));
    expect(handoffs.map((event) => [event.session, event.source])).toEqual([
      [1, "agent"],
      [2, "generated"],
      [3, "generated"],
    ]);
    // A decision of session 1 survives the kill of session 2, whose handoff carries a post-mortem.
    for (const handoff of handoffs) expect(parseHandoff(handoff.text).decisions).toHaveLength(1);
    expect(parseHandoff(handoffs[1]!.text).postMortem).not.toBe("");
    // The successor's session.started names the hash of what it was given.
    const given = events.flatMap((event) =>
      event.type === "session.started" && event.handoff ? [event.handoff] : [],
    );
    expect(given).toEqual(handoffs.map(({ session, sha256 }) => ({ session, sha256 })));
    // It prints the timeline and where to look, and every path that it names is there.
    for (const words of [
      "journal",
      language === "zh" ? "交接" : "handoff",
      "git log --graph",
      `${language === "zh" ? "通过" : "green"}  node --test`,
    ])
      expect(ran.stdout).toContain(words);
    const told = ran.stdout.split("\n").filter((line) => /^\d\d:|^ {2}\+ /.test(line));
    expect(told.length).toBeGreaterThan(20);
    // It was recorded where a namespace says how a session was killed.
    if (language === "en" && isHere("a PID namespace")) expectRecordedIn(told);
    const inChinese = told.filter((line) => /\p{Script=Han}/u.test(line));
    expect(inChinese).toEqual(language === "zh" ? told : []);
    if (language === "zh")
      expect(ran.stdout).not.toMatch(/\b(?:session|started|ended|merged|submission|approved)\b/);
    for (const path of ran.stdout.match(/\/\S+(?:journal\.jsonl|RALPH\.md)/g) ?? [])
      expect(readFileSync(path, "utf8")).not.toBe("");
    expect(processesOf(sandbox.folder)).toEqual([]);
    // Its folder is no repository of this person's.
    expect(existsSync(sandbox.env["XDG_STATE_HOME"]!)).toBe(false);
    await sandbox.sh(project, "node --test");
  },
);

/** docs/demo.svg shows lines that the demo prints today, whatever their times, hashes and figures (npm run record-demo). */
function expectRecordedIn(told: readonly string[]): void {
  const shape = (line: string): string => line.replaceAll(/\b[0-9a-f]{7,}\b|[\d.]+/g, "#");
  const shapes = told.map(shape);
  const lines = recordedLines().filter((line) => /^\d\d:/.test(line));
  expect(lines.length).toBeGreaterThan(20);
  const unknown = lines.filter(
    (line) => !shapes.some((one) => one.startsWith(shape(line.replace(/…$/, "")))),
  );
  expect(unknown).toEqual([]);
}
