/** The table vendor × fault: how a session of each real CLI ends, as `monoco run` records it, in bounded time and with nothing left. */
import { describe, test, vi } from "vitest";
import type { ModelRequest, Turn } from "../../src/probe/scripted-model.ts";
import { firstOfEach, testRows } from "../../test/support/full.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { claudeFaults } from "./faults/claude.ts";
import { codexFaults } from "./faults/codex.ts";
import { faults } from "./faults/fault.ts";
import type { Cell, Column } from "./faults/fault.ts";
import { geminiFaults } from "./faults/gemini.ts";
import { kimiFaults } from "./faults/kimi.ts";
import { meet } from "./faults/meet.ts";
import { opencodeFaults } from "./faults/opencode.ts";
import { gemini } from "./gemini.ts";
import { kimi } from "./kimi.ts";
import { opencode } from "./opencode.ts";
import { dirOf } from "./subject.ts";
import type { Subject } from "./subject.ts";

// OpenCode starts in three seconds on a quiet machine, and in thirty on a busy one.
vi.setConfig({ testTimeout: 300_000, maxConcurrency: 4 });

column(claude, claudeFaults);
column(codex, codexFaults);
column(gemini, geminiFaults);
column(opencode, opencodeFaults);
column(kimi, kimiFaults);

function column<T extends Turn, Config, R extends ModelRequest>(
  subject: Subject<T, Config, R>,
  cells: Column<T, Config, R>,
): void {
  const words: Record<string, string> = faults;
  type Row = readonly [title: string, fault: string, cell: Cell<T, Config, R>];
  const rows = Object.entries(cells).flatMap(([fault, cell]): Row[] =>
    typeof cell === "string" ? [] : [[`${words[fault] ?? fault}: ${cell.ends[0]}`, fault, cell]],
  );
  describe.concurrent(`a session of ${subject.name}`, () => {
    const kinds = firstOfEach(rows, ([, , { ends }]) => ends[0]);
    testRows(
      rows,
      kinds,
      test.skipIf(!dirOf(subject)),
    )("%s", ([, fault, cell], context) => meet(subject, { fault, cell }, context));
    for (const [fault, cell] of Object.entries(cells))
      if (typeof cell === "string") test.skip(`${words[fault] ?? fault}: ${cell}`);
  });
}
