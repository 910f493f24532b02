/** The library as a program imports it: the built package, by its exports. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import * as library from "../dist/index.js";
import { openSandbox } from "./support/cli.ts";
import { issue, makeDemo } from "./support/demo.ts";
import { full as test } from "./support/full.ts";

const sandbox = openSandbox();
afterEach(() => sandbox.dispose());

test("a relay that was run by the command line is read by the library: journal, state, report", async () => {
  const project = await makeDemo(sandbox);
  await sandbox.monoco(["run", issue], { cwd: project });
  const events = library.readJournal(join(project, ".monoco", "relays", issue, "journal.jsonl"));
  const state = library.replay(events);
  expect(library.phaseOf(state)).toBe("done");
  expect(library.reportOf(state, { runnerAlive: false, nowMs: 0 })).toMatchObject({
    issue,
    sessionsSpent: 6,
    next: "nothing",
  });
  expect(library.decide(state, state.opening!.settings.limits, 0)).toMatchObject({
    do: "rest",
    phase: "done",
  });
  mkdirSync(join(sandbox.folder, "broken"));
  writeFileSync(join(sandbox.folder, "broken", "journal.jsonl"), '{"v":2}\n');
  expect(() => library.readJournal(join(sandbox.folder, "broken", "journal.jsonl"))).toThrow(
    library.MonocoError,
  );
});
