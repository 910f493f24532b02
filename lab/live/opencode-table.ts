/** A table of endings of the real OpenCode: each row is a relay of one session. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ChatTurn } from "../../src/probe/chat-model.ts";
import { opencodeHome, opencodeVendor as vendor } from "../../src/probe/opencode-vendor.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { expectEnd, withoutNamespaces } from "./ends.ts";
import type { End } from "./ends.ts";
import { cleanEnvironment } from "./environment.ts";
import { changeLine, opencodeDir } from "./opencode.ts";
import { keepRecording } from "./record.ts";
import { issue, makeStoryPlace, shellTurn } from "./story.ts";
import { firstOfEach, testRows } from "../../test/support/full.ts";

/** It starts in three seconds on a quiet machine, and in thirty on a busy one. */
const rowMs = 300_000;
const secondsMax = 90;

export type Row = End & {
  /** The adapter's own test keeps the others. */
  recording?: string;
  turns: ChatTurn[];
  /** Requests that reached the model, at the most. */
  requests: number;
  env?: Record<string, string>;
  config?: object;
  /** In a request to the model. */
  told?: string;
};

export const bash = (command: string, tokens = 20_000): ChatTurn => shellTurn(vendor, command, tokens);

export function opencodeTable(rows: ReadonlyArray<[string, Row]>): void {
  const kinds = firstOfEach(rows, ([, { reason }]) => reason);
  testRows(rows, kinds, test.skipIf(!opencodeDir))("%s", { timeout: rowMs }, async ([, row]) => {
    const environment: typeof vendor.environment = (options) => ({
      ...opencodeHome(options, row.config),
      ...(row.uncontained ? { PATH: withoutNamespaces(options.home, pathIn(options.home)) } : {}),
    });
    const settings = { ...vendor.settings, env: { ...vendor.settings.env, ...row.env } };
    const place = await makeStoryPlace(
      { ...vendor, settings, environment },
      [{ match: issue, turns: row.turns }],
      "backoffSeconds: 0, sessionsMax: 1",
    );
    const running = place.start("run", issue, "--once");
    // Without a terminal it would wait for the end of a limit.
    await place.until((text) => /"type":"(?:limit.hit|handoff.recorded)"/.test(text));
    if (row.reason === "usage_limit") running.kill("SIGINT");
    const ran = await running;
    const { sandbox, project, model } = place;
    expectEnd({ sandbox, project, issue, ran }, { secondsMax, ...row });
    const stream = join(project, ".monoco", "relays", issue, "sessions", "0001-executor", "stream.jsonl");
    const lines = readFileSync(stream, "utf8").trim().split("\n");
    if (row.recording) keepRecording("opencode", row.recording, { lines, change: changeLine });
    const events = eventsOf(project, issue);
    expect(model.requests.length).toBeLessThanOrEqual(row.requests);
    if (row.told) expect(model.requests.map(({ tail }) => tail).join("\n")).toContain(row.told);
    expect(events.filter(({ type }) => type === "session.ended")).toHaveLength(1);
    expect(processesOf(sandbox.folder)).toEqual([]);
  });
}

function pathIn(home: string): string {
  return cleanEnvironment(home, opencodeDir ?? "")["PATH"] ?? "";
}
