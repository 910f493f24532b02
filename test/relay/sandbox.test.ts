/** The sandbox: what a session and a check can reach from inside, and that each attempt works where there is none. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import { agentNeeds } from "../../src/relay/sandbox.ts";
import { openPlace, run, submit } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full } from "../support/full.ts";

vi.setConfig({ testTimeout: 120_000 });
const works = hasBubblewrap();
if (!works) console.warn("SKIPPED: bubblewrap does not work on this machine");

/** A shell command that succeeds where the attempt does; `$PERSON` is the person's repository, `$RELAY` the relay's folder. */
type Attempt = readonly [
  name: string,
  command: string,
  /** The file, beside `$PERSON`, that it leaves: what a command says of it may be of a folder that is thrown away. */
  leaves?: string,
];

const project = "a project, 项目";
const relay = `${project}/.monoco/relays/FEAT-0001`;
const attempts: readonly Attempt[] = [
  ["reads the person's repository", 'cat "$PERSON/monoco.yaml"'],
  ["writes into the person's repository", 'echo x > "$PERSON/planted"', `${project}/planted`],
  ["moves a branch of the person's", 'git -C "$PERSON" branch planted', `${project}/.git/refs/heads/planted`],
  ["plants a hook", 'echo x > "$PERSON/.git/hooks/post-merge"', `${project}/.git/hooks/post-merge`],
  ["reads the journal", 'cat "$RELAY/journal.jsonl"'],
  ["reads the mark", 'cat "$RELAY/mark"'],
  ["plants a file beside the journal", 'echo x > "$RELAY/planted"', `${relay}/planted`],
  ["puts a letter into the inbox", 'echo x > "$RELAY/inbox/.planted"', `${relay}/inbox/.planted`],
  ["looks at the runner's lock", 'cat "$PERSON/.monoco/locks/FEAT-0001.runner"'],
  ["changes its own prompt", 'test -w "$MONOCO_SESSION_DIR/prompt.md"'],
  ["changes its own limits", 'test -w "$MONOCO_SESSION_DIR/live.json"'],
  ["changes what it has said", 'test -w "$MONOCO_SESSION_DIR/stream.jsonl"'],
  ["reads a key in the home", 'cat "$HOME/.ssh/id_ed25519"'],
  ["reads a token in the home", 'cat "$HOME/.config/gh/hosts.yml"'],
  ["leaves something in the home", 'echo x > "$HOME/.planted"', "home/.planted"],
  ["sees what lies beside its clone", 'cat "$(pwd).ready"'],
  ["speaks to a socket of the person's", `node -e '${connect()}' "$AROUND/socket"`],
  ["reads another's temporary file", 'cat "$AROUND/secret"'],
  ["writes beside the repository", 'echo x > "$AROUND/planted"', "planted"],
  ["goes by a link", 'ln -sfn "$PERSON" out && cat out/monoco.yaml; r=$?; rm -f out; exit $r'],
  ["goes by a process's root", 'cat /proc/self/root"$PERSON/monoco.yaml"'],
  ["uncovers what is hidden", 'umount -l "$PERSON" "$HOME" /tmp /dev/shm; cat "$PERSON/monoco.yaml"'],
  [
    "uncovers it in a namespace",
    'unshare -Urm sh -c "umount -l /tmp /dev/shm; cat \\"$PERSON/monoco.yaml\\""',
  ],
];

function connect(): string {
  return "const c = require(`net`).connect(process.argv[1]); c.on(`connect`, () => process.exit(0)); c.on(`error`, () => process.exit(1))";
}

/** Runs all of them in an Executor's session whose work is merged. Answers with those that worked. */
async function attemptedBy(place: Place): Promise<string[]> {
  const { exitCode, stderr } = await place.monoco("run", "FEAT-0001");
  expect([exitCode, stderr]).toEqual([0, ""]);
  const succeeded = place.read("succeeded.txt").split("\n");
  const worked = attempts.filter(([name, , leaves]) =>
    leaves === undefined ? succeeded.includes(name) : existsSync(join(place.around, leaves)),
  );
  return worked.map(([name]) => name);
}

async function placeWith(settings: string): Promise<Place> {
  const script = attempts.map(
    ([name, command]) => `if (${command}) > /dev/null 2>&1; then echo "${name}" >> succeeded.txt; fi`,
  );
  script.unshift('AROUND="$(dirname "$PERSON")"; RELAY="$MONOCO_SESSION_DIR/../.."; echo > succeeded.txt');
  const work = [...script, "git add -A", "git commit -qm Work"].join("\n");
  const place = await openPlace(
    { executor: [[run(work), submit]], reviewer: [[{ verdict: "approve" }]] },
    { settings },
  );
  const { folder, env } = place.sandbox;
  const home = env["HOME"] ?? "";
  for (const [path, text] of [
    [join(home, ".ssh/id_ed25519"), "key"],
    [join(home, ".config/gh/hosts.yml"), "token"],
    [join(folder, "secret"), "secret"],
  ] as const) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
  const server = createServer((socket) => socket.end()).listen(join(folder, "socket"));
  onTestFinished(() => void server.close());
  return place;
}

describe.runIf(works)("in a sandbox", () => {
  test("a session reaches nothing of the person's, and does its work all the same", async () => {
    const place = await placeWith("sandbox: bwrap");
    expect(await attemptedBy(place)).toEqual([]);
    expect(place.all("session.started").map(({ containment }) => containment)).toEqual([
      "bubblewrap",
      "bubblewrap",
    ]);
    expect((await place.monoco("status", "FEAT-0001")).stdout).toContain("sandbox   bubblewrap");
    expect(await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)")).toContain(
      "bubblewrap",
    );
  });

  full("of what the runner has open, and of the kernel's settings, it can use nothing", async () => {
    const look =
      "ls /proc/self/fd > open.txt; test -w /proc/sys/kernel/core_pattern && echo writable >> open.txt";
    const place = await openPlace(
      {
        executor: [[run(`${look}; git add -A && git commit -qm Work`), submit]],
        reviewer: [[{ verdict: "approve" }]],
      },
      { settings: "sandbox: bwrap" },
    );
    const under = ["bash", "-c", 'exec 200< "$0"; exec "$@"', place.project];
    const ran = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, under });
    expect(ran).toMatchObject({ exitCode: 0 });
    // The last is that of ls itself.
    expect(place.read("open.txt").trim().split("\n")).toEqual(["0", "1", "2", "3"]);
  });

  test("what a person's own sessions go by is not shown where it is a link", async () => {
    const place = await openPlace({ executor: [[submit]], reviewer: [[submit]] });
    const home = place.sandbox.env["HOME"] ?? "";
    mkdirSync(join(home, ".claude"), { recursive: true });
    symlinkSync(place.project, join(home, ".claude", "skills"));
    const needs = (): object =>
      agentNeeds({ env: place.sandbox.env } as unknown as Parameters<typeof agentNeeds>[0], "claude", {});
    expect(needs).toThrow(/skills is a link/);
  });
});

test("without one each of them works", async () => {
  const place = await placeWith("sandbox: none");
  expect(await attemptedBy(place)).toEqual(attempts.map(([name]) => name));
});

test("where bubblewrap does not work, bwrap refuses before anything is begun, and auto goes on and says so", async () => {
  const place = await openPlace(
    {
      executor: [[run("echo x > x && git add -A && git commit -qm Work"), submit]],
      reviewer: [[{ verdict: "approve" }]],
    },
    { settings: "sandbox: bwrap" },
  );
  // A namespace in which nobody may make another.
  const none = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
  const under = ["unshare", "-Ur", "sh", "-c", none, "sh"];
  const refused = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, under });
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("sandbox: bwrap does not work on this machine"),
  });
  expect(existsSync(join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl"))).toBe(false);
  const ran = await place.sandbox.monoco(["run", "FEAT-0001", "--set", "sandbox=auto"], {
    cwd: place.project,
    under,
  });
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)")).toMatch(
    /^none \(/,
  );
});
