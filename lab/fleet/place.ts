/** The machines of a weekend: a bare remote, a clone and a state folder for each machine, and a log of all sessions and pushes. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openSandbox } from "../../test/support/cli.ts";
import type { Running, Sandbox } from "../../test/support/cli.ts";
import { readJournal } from "../../src/store/journal.ts";
import type { RelayEvent } from "../../src/core/journal/event.ts";
import { textOf } from "./backlog.ts";
import type { Planned } from "./backlog.ts";

export type Session = { issue: string; role: string; beganMs: number; endedMs: number };
/** What the remote was given by one push: how many bytes, and the refs that it moved. */
export type Push = { atMs: number; bytes: number; refs: string[] };

export type Fleet = {
  sandbox: Sandbox;
  clones: string[];
  bare: string;
  start(machine: number, args: readonly string[], env?: Record<string, string>): Running;
  /** What the agents noted. */
  sessions(): Session[];
  pushes(): Push[];
  /** By issue, the events of each machine's journal. */
  events(): Map<string, RelayEvent[][]>;
  /** The issues merged on the remote's base, one for each merge, the oldest first. */
  merged(folder?: string): Promise<string[]>;
  dispose(): void;
};

const settings = (agent: string, log: string): string => `agents:
  worker: { kind: command, run: [sh, ${JSON.stringify(agent)}, ${JSON.stringify(log)}] }
roles: { executor: { agents: [worker] }, reviewer: { agents: [worker] } }
checks: ["for t in test/*.sh; do sh $t || exit 1; done"]
limits: { backoffSeconds: 0, questionsMax: 1, sessionsPerHour: 10000 }
breaker: { coolDownMinutes: 0.02, probesMax: 2 }
`;

/** A hook of a bare remote that notes each push. Its bytes are those of the pack, which git keeps as one until the push is accepted. */
export const pushHook = (log: string): string => `#!/bin/sh
bytes=$(cat "$GIT_QUARANTINE_PATH"/pack/*.pack 2> /dev/null | wc -c)
echo "$(date +%s%3N) $bytes $(cut -d ' ' -f 3 | tr '\\n' ' ')" >> '${log}'
`;

export async function openFleet(backlog: readonly Planned[], machines: number): Promise<Fleet> {
  const sandbox = openSandbox();
  const at = (...names: string[]): string => join(sandbox.folder, ...names);
  const [bare, first, log, pushLog] = [at("bare.git"), at("machine-1"), at("sessions"), at("pushes")];
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  cpSync(join(import.meta.dirname, "agent.sh"), at("agent.sh"));
  write(log, "");
  write(pushLog, "");
  write(join(first, "monoco.yaml"), settings(at("agent.sh"), log));
  write(join(first, "test/there.sh"), "test -d test\n");
  for (const issue of backlog) write(join(first, "issues", `${issue.id}.md`), textOf(issue));
  await sandbox.sh(
    sandbox.folder,
    `git init -q --bare -b main '${bare}' && git -C '${bare}' config transfer.unpackLimit 1 && cd '${first}' && git init -q -b main && git add -A && git commit -qm Begin && git remote add origin '${bare}' && git push -q -u origin main`,
  );
  write(join(bare, "hooks/pre-receive"), pushHook(pushLog), 0o755);
  const clones = [first];
  for (let n = 2; n <= machines; n += 1) {
    clones.push(at(`machine-${n}`));
    await sandbox.git(sandbox.folder, "clone", "--quiet", bare, at(`machine-${n}`));
  }
  return {
    sandbox,
    clones,
    bare,
    start: (machine, args, env = {}) =>
      sandbox.start(args, {
        cwd: clones[machine]!,
        env: { XDG_STATE_HOME: at(`state-${machine}`), ...env },
      }),
    sessions: () =>
      linesOf(log).map((line) => {
        const [issue = "", role = "", began, ended] = line.split(" ");
        return { issue, role, beganMs: Number(began) * 1_000, endedMs: Number(ended) * 1_000 };
      }),
    pushes: () => pushesIn(pushLog),
    events: () => eventsIn(clones),
    merged: async (folder = bare) => {
      const subjects = await sandbox.git(folder, "log", "--first-parent", "--reverse", "--format=%s", "main");
      return subjects.split("\n").flatMap((subject) => /FEAT-\d+/.exec(subject)?.[0] ?? []);
    },
    dispose: () => sandbox.dispose(),
  };
}

export const pushesIn = (log: string): Push[] =>
  linesOf(log).map((line) => {
    const [atMs, bytes, ...refs] = line.trim().split(" ");
    return { atMs: Number(atMs), bytes: Number(bytes), refs };
  });

const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").filter(Boolean);

function eventsIn(clones: readonly string[]): Map<string, RelayEvent[][]> {
  const events = new Map<string, RelayEvent[][]>();
  for (const clone of clones)
    for (const path of globSync(join(clone, ".monoco/relays/*/journal.jsonl"))) {
      const issue = basename(dirname(path));
      events.set(issue, [...(events.get(issue) ?? []), readJournal(path)]);
    }
  return events;
}
