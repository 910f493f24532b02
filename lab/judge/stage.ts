/** Plays a row: a real repository in a temp folder, a whole relay with scripted agents, and what became of it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RelayEvent } from "../../src/index.ts";
import { sharedCommand } from "../../src/core/relay/gate.ts";
import type { Inspection } from "../../src/core/review/inspection-schema.ts";
import { eventsOf, openSandbox } from "../../test/support/cli.ts";
import type { Sandbox } from "../../test/support/cli.ts";
import type { Row } from "./row.ts";

const issue = "FEAT-0001";

/** `place`: the file of a place that is listed; `answered`: an approval that counted said why it may stand. */
export type Listed = { file: string; answered: boolean };

export type Played = {
  merged: boolean;
  /** A person is asked, or has to look at why it stopped: the reason's rule. */
  stopped: string | undefined;
  /** Why verdicts did not count. */
  refused: string[];
  listed: Listed[];
  /** The number of criteria for which the deciding verdict gives one command; 0 if each has its own. */
  shared: number;
  seconds: number;
  /** What `monoco verify` says of the merge on a fresh clone: its lines that do not hold; empty if all do. */
  verified?: string[];
};

/** `keep` leaves the folder, and says where it is; `verify` verifies what was merged. */
export async function play(row: Row, { keep = false, verify = false } = {}): Promise<Played> {
  const sandbox = openSandbox();
  const project = join(sandbox.folder, "project");
  const began = performance.now();
  try {
    layOut(row, { project, story: join(sandbox.folder, "story.yaml") });
    await sandbox.sh(
      project,
      "git init -q -b main && git config user.name P && git config user.email p@example.com && git add -A && git commit -qm Begin",
    );
    const ran = await sandbox.monoco(["run", issue], { cwd: project });
    const events = eventsOf(project, issue);
    if (keep) process.stderr.write(`${row.name}: ${sandbox.folder}\n${ran.stdout}\n${ran.stderr}\n`);
    if (events.length === 0) throw new Error(`${row.name}: no relay was opened: ${ran.stdout}${ran.stderr}`);
    const seconds = (performance.now() - began) / 1000;
    const outcome = outcomeOf(events);
    const verified = verify && outcome.merged ? await verifiedOn(sandbox) : undefined;
    return { ...outcome, seconds, ...(verified && { verified }) };
  } finally {
    if (!keep) sandbox.dispose();
  }
}

async function verifiedOn(sandbox: Sandbox): Promise<string[]> {
  const notes = "refs/notes/monoco:refs/notes/monoco";
  await sandbox.sh(
    sandbox.folder,
    `git clone -q --no-local project clone && git -C clone fetch -q origin ${notes}`,
  );
  const ran = await sandbox.monoco(["verify"], { cwd: join(sandbox.folder, "clone") });
  const wrong = `${ran.stdout}\n${ran.stderr}`.split("\n").filter((line) => /^ {2}DIFFERS|^error/.test(line));
  return ran.exitCode === 0 ? [] : [`exit status ${ran.exitCode}`, ...wrong.map((line) => line.trim())];
}

function layOut(row: Row, { project, story }: { project: string; story: string }): void {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const files = { ...row.project.files, ...row.files };
  for (const [path, text] of Object.entries(files)) put(join(project, path), text);
  const criteria = row.criteria ?? ["discount(200, 10) is 180"];
  const front = `id: ${issue}\ntitle: Discounts are wrong\nstatus: open\nstage: draft\n${row.front ?? ""}`;
  const boxes = criteria.map((one) => `- [ ] ${one}\n`).join("");
  put(
    join(project, `issues/${issue}-discounts-are-wrong.md`),
    `---\n${front}---\n\n## Objective\n\nA discount is a share of the price.\n\n## Acceptance Criteria\n\n${boxes}`,
  );
  const submits = [{ run: "git add -A && git commit -qm work" }, { submit: true }];
  const executor = [[...row.work, ...submits], ...(row.after ?? [])];
  put(story, JSON.stringify({ executor, reviewer: row.reviewer }));
  const env = JSON.stringify({ PERSON: project });
  put(
    join(project, "monoco.yaml"),
    `agents: { a: { kind: scripted, script: ${JSON.stringify(story)}, env: ${env} } }
roles: { executor: { agents: [a] }, reviewer: { agents: [a] } }
checks: ${JSON.stringify(row.project.checks)}
breaker: { reopen: manual }
limits: { backoffSeconds: 0, stalledMax: 2, reviewRoundsMax: 2, sessionsMax: 8 }
${row.settings ?? ""}\n`,
  );
}

type Of<T extends RelayEvent["type"]> = Extract<RelayEvent, { type: T }>;

function outcomeOf(events: readonly RelayEvent[]): Omit<Played, "seconds"> {
  const all = <T extends RelayEvent["type"]>(type: T): Of<T>[] =>
    events.filter((event): event is Of<T> => event.type === type);
  const merged = all("merge.done").length > 0;
  const [inspected, decided] = [all("submission.inspected").at(-1), all("review.decided").at(-1)];
  const answered = new Set(decided?.answers?.map(({ id }) => id));
  const blocked = all("relay.blocked").at(-1)?.reason;
  return {
    merged,
    stopped: merged ? undefined : blocked ? ruleOf(blocked) : (events.at(-1)?.type ?? "nothing"),
    refused: all("review.refused").flatMap(({ why }) => why),
    listed: inspected ? listedIn(inspected, answered) : [],
    shared: sharedCommand(decided?.criteria ?? []),
  };
}

function listedIn(inspected: Inspection, answered: ReadonlySet<string>): Listed[] {
  return [
    ...inspected.protected.map(({ path }, at) => ({ file: path, answered: answered.has(`P${at + 1}`) })),
    // What crossing has found names all test files that it put back.
    ...inspected.weakened.flatMap(({ file }, at) =>
      file.split(", ").map((one) => ({ file: one, answered: answered.has(`W${at + 1}`) })),
    ),
  ];
}

function ruleOf(reason: object): string {
  return "rule" in reason ? String(reason.rule) : JSON.stringify(reason);
}
