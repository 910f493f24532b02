/** A table of endings of the real Kimi Code under the ACP driver: each row is a relay of one session, in a sandbox of its own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startChat } from "../../src/probe/chat-model.ts";
import type { ChatTurn } from "../../src/probe/chat-model.ts";
import { eventsOf, openSandbox, processesOf } from "../../test/support/cli.ts";
import { writeFiles } from "../../test/support/repository.ts";
import { expectEnd, withoutNamespaces } from "./ends.ts";
import type { End } from "./ends.ts";
import { cleanEnvironment } from "./environment.ts";
import { kimiDir, kimiHome, kimiVendor as vendor, recordKimi } from "./kimi.ts";
import { shellTurn } from "./story.ts";
import { firstOfEach, testRows } from "../../test/support/full.ts";

export type Row = End & {
  /** The name of the recorded stream. */
  recording: string;
  turns: ChatTurn[];
  /** Requests that reached the model, at the least and at the most. */
  requests: [number, number];
  /** Nothing comes any more: how long that may be. */
  silenceMinutes?: number;
  env?: Record<string, string>;
  /** More of the person's own `config.toml`. */
  config?: string;
  /** In a request to the model. */
  told?: string;
};

const issue = "FEAT-0001";

/** It starts in three seconds on a quiet machine. */
const rowMs = 300_000;

export const bash = (command: string, tokens = 20_000): ChatTurn => shellTurn(vendor, command, tokens);

export function acpTable(rows: ReadonlyArray<[string, Row]>): void {
  const kinds = firstOfEach(rows, ([, { reason }]) => reason);
  testRows(rows, kinds, test.skipIf(!kimiDir).concurrent)(
    "%s",
    { timeout: rowMs },
    async ([, row], { onTestFinished }) => {
      const sandbox = openSandbox();
      const model = await startChat([{ match: issue, turns: row.turns }]);
      onTestFinished(async () => {
        await model.close();
        sandbox.dispose();
      });
      const home = join(sandbox.folder, "home");
      const live = {
        ...cleanEnvironment(home, kimiDir ?? ""),
        ...kimiHome({ home, modelUrl: model.url }, row.config),
      };
      const PATH = row.uncontained ? withoutNamespaces(home, live["PATH"] ?? "") : live["PATH"];
      const project = join(sandbox.folder, "project");
      writeFiles(project, filesOf(row));
      await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
      const ran = await sandbox.monoco(["run", issue, "--once"], { cwd: project, env: { ...live, PATH } });
      expectEnd({ sandbox, project, issue, ran }, row);
      const relay = join(project, ".monoco", "relays", issue);
      const stream = readFileSync(join(relay, "sessions", "0001-executor", "stream.jsonl"), "utf8");
      if (!row.uncontained) recordKimi(row.recording, stream.trim().split("\n"));
      const [least, most] = row.requests;
      expect(model.requests.length).toBeGreaterThanOrEqual(least);
      expect(model.requests.length).toBeLessThanOrEqual(most);
      if (row.told) expect(model.requests.map(({ tail }) => tail).join("\n")).toContain(row.told);
      // None of it is taken for done.
      const types = eventsOf(project, issue).map(({ type }) => type);
      expect(types.filter((type) => type === "session.ended")).toHaveLength(1);
      expect(types).not.toContain("submission.requested");
      expect(processesOf(sandbox.folder)).toEqual([]);
    },
  );
}

function filesOf({ env = {}, silenceMinutes = 5 }: Row): Record<string, string> {
  return {
    "monoco.yaml": `agents:
  acp: ${JSON.stringify({ ...vendor.settings, env })}
roles: { executor: { agents: [acp] }, reviewer: { agents: [acp] } }
exit: { ask: false }
limits: { sessionsMax: 1, backoffSeconds: 0, silenceMinutes: ${silenceMinutes} }
`,
    [`issues/${issue}-meet.md`]: `---\nid: ${issue}\ntitle: Meet it\nstatus: open\nstage: draft\n---\n\n## Objective\n\nSurvive it.\n\n## Acceptance Criteria\n\n- [ ] it is survived\n`,
  };
}
