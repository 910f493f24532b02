/** A large backlog: the views read each journal once, and of each issue its file once, without parsing its text. */
import fs from "node:fs";
import { mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../src/store/journal.ts";
import { journal, merged, opened, prepared, review, submitted } from "../core/support/relays.ts";
import { openSandbox } from "../support/cli.ts";
import { initRepository } from "../support/repository.ts";
import { issuePath, issueText } from "../support/place.ts";

const idOf = (n: number): string => `FEAT-${String(n).padStart(4, "0")}`;
const { readFileSync, openSync } = fs;
afterEach(() => {
  Object.assign(fs, { readFileSync, openSync });
  syncBuiltinESMExports();
});

/** How often each file is read while `does` runs; a descriptor counts when it is opened. */
async function readsOf(does: () => Promise<unknown>): Promise<Map<string, number>> {
  const reads = new Map<string, number>();
  let isInside = false;
  const count = (path: unknown): void => {
    if (typeof path === "string" && !isInside) reads.set(path, (reads.get(path) ?? 0) + 1);
  };
  Object.assign(fs, {
    readFileSync: (...args: Parameters<typeof readFileSync>) => {
      count(args[0]);
      isInside = true;
      try {
        return readFileSync(...args);
      } finally {
        isInside = false;
      }
    },
    openSync: (...args: Parameters<typeof openSync>) => {
      count(args[0]);
      return openSync(...args);
    },
  });
  syncBuiltinESMExports();
  await does();
  return reads;
}

test("1,000 issues and 200 merged relays: each journal and each issue is read once", async () => {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const project = join(sandbox.folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  for (let n = 1; n <= 1_000; n++) {
    const closed = n <= 200;
    const text = closed
      ? issueText(idOf(n)).replace("open\nstage: draft", "closed\nstage: done\nsolution: implemented")
      : issueText(idOf(n));
    writeFileSync(join(project, issuePath(idOf(n))), text);
  }
  initRepository(project);
  await sandbox.sh(project, "git add -A && git commit -qm Begin");
  const events = journal([opened, ...submitted, ...review("approve"), prepared, merged]);
  for (let n = 1; n <= 200; n++) {
    const path = join(project, ".monoco/relays", idOf(n), "journal.jsonl");
    mkdirSync(dirname(path), { recursive: true });
    const writer = openJournal(path);
    for (const { v: _v, prev: _prev, seq, atMs, ...body } of events)
      writer.append(seq - 1, body.type === "relay.opened" ? { ...body, issue: idOf(n) } : body, atMs);
    writer.close();
  }
  for (const args of [[], ["relay", "status"], ["report", "--since", "1970-01-01"]]) {
    let printed = "";
    const reads = await readsOf(
      async () => (printed = (await sandbox.monoco(args, { cwd: project })).stdout),
    );
    const journals = [...reads].filter(([path]) => path.endsWith("journal.jsonl"));
    expect(journals.length, args.join(" ")).toBe(200);
    expect(journals.filter(([, times]) => times > 1).slice(0, 3), args.join(" ")).toEqual([]);
    const issues = [...reads].filter(([path]) => path.startsWith(join(project, "issues/")));
    expect(
      issues.filter(([, times]) => times > 1),
      args.join(" "),
    ).toEqual([]);
    if (args.length === 0) expect(printed).toMatch(/^done +200 merged$/m);
    if (args.length === 0) expect(printed).toMatch(/^not begun +800 ready$/m);
  }
}, 120_000);
