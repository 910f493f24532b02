/** A usage limit at one agent hands the work to the next, here and in every other relay that would use the account. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { eventsOf, openSandbox } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { approvalProgram } from "../support/verdict.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

const tired = (resetsAt: string): string =>
  `#!/bin/sh\ncat >/dev/null\necho half >> half.txt\necho '{"type":"limit","kind":"usage","resetsAt":"${resetsAt}"}'\nexit 1\n`;
const fresh = `#!/bin/sh
cat > "$MONOCO_SESSION_DIR/prompt-seen"
if [ "$MONOCO_ROLE" = reviewer ]; then ${approvalProgram}; exit 0; fi
echo done > file-$MONOCO_ISSUE.txt; git add -A; git commit -qm work; exec monoco issue submit
`;

async function makePlace(resetsAt: string) {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const project = join(sandbox.folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  const write = (path: string, text: string, mode = 0o644): void =>
    writeFileSync(join(project, path), text, { mode });
  write("tired.sh", tired(resetsAt), 0o755);
  write("fresh.sh", fresh, 0o755);
  for (const id of ["FEAT-0001", "FEAT-0002"]) {
    write(
      `issues/${id}-write.md`,
      `---\nid: ${id}\ntitle: Write\nstatus: open\nstage: draft\n---\n\n## Objective\n\nA file.\n\n## Acceptance Criteria\n\n- [ ] the file is there\n`,
    );
  }
  write(
    "monoco.yaml",
    `agents: { tired: { kind: command, run: [./tired.sh] }, fresh: { kind: command, run: [./fresh.sh] } }
roles: { executor: { agents: [tired, fresh] }, reviewer: { agents: [tired, fresh] } }
limits: { backoffSeconds: 0 }
`,
  );
  await sandbox.sh(
    project,
    "git init -q -b main . && git config user.name P && git config user.email p@example.com && git add -A && git commit -qm Begin",
  );
  const players = (issue: string): string[] =>
    eventsOf(project, issue).flatMap((event) =>
      event.type === "session.started" ? [`${event.role} ${event.agent}`] : [],
    );
  return {
    project,
    monoco: (...args: string[]) => sandbox.monoco(args, { cwd: project }),
    players,
    events: (issue: string) => eventsOf(project, issue),
  };
}

test("the next agent takes the handoff, and the next relay does not even try the account", async () => {
  const resetsAt = new Date(Date.now() + 3_600_000).toISOString();
  const place = await makePlace(resetsAt);
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.players("FEAT-0001")).toEqual(["executor tired", "executor fresh", "reviewer fresh"]);
  expect(place.events("FEAT-0001").find((event) => event.type === "handoff.recorded")).toMatchObject({
    session: 1,
    text: expect.stringContaining("half.txt") as string,
  });

  expect(await place.monoco("run", "FEAT-0002")).toMatchObject({ exitCode: 0 });
  expect(place.players("FEAT-0002")).toEqual(["executor fresh", "reviewer fresh"]);
  expect(place.events("FEAT-0002").find((event) => event.type === "agent.suspended")).toMatchObject({
    account: "tired",
    by: "FEAT-0001",
  });
  const status = await place.monoco("relay", "status", "FEAT-0002", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({
    sessionsSpent: 2,
    suspended: [{ account: "tired", untilMs: Date.parse(resetsAt), because: "usage limit of tired" }],
  });
});
