/** What a session can reach from where it runs: each attempt is made by one session of one relay, whose work is merged. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, onTestFinished } from "vitest";
import { probeContainment } from "../../src/agents/containment.ts";
import { onOwnMounts } from "../support/namespaces.ts";
import type { Need } from "../support/namespaces.ts";
import { openPlace, run, submit } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { shared, stands } from "./attack.ts";
import type { Attack, Stand } from "./attack.ts";

/** A shell command that succeeds where the attempt does; `$PERSON` is the person's repository, `$RELAY` the relay's folder. */
type Attempt = readonly [
  name: string,
  command: string,
  /** The file, beside `$PERSON`, that it leaves: what a command says of it may be of a folder that is thrown away. */
  leaves?: string,
];

const project = "a project, 项目";
const relay = `${project}/.monoco/relays/FEAT-0001`;
/** The person's own, and nothing that monoco passes on. */
const token = { PERSONS_TOKEN: "a token of the person's" };

const uncovers = "uncovers what is hidden";
const uncoversApart = "uncovers it in a namespace";
/** Outside of a sandbox only the namespaces of a session keep the first from the machine's own mounts. */
const needs: Readonly<Record<string, Need>> = {
  [uncovers]: "a PID namespace",
  [uncoversApart]: "a user namespace",
};

const hidden: readonly Attempt[] = [
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
  ["reads a toolchain's token", 'grep token "$HOME/.cargo/credentials.toml"'],
  ["reads a registry's token", 'grep token "$HOME/.npmrc"'],
  ["changes a toolchain", 'echo x > "$HOME/.cargo/bin/planted"', "home/.cargo/bin/planted"],
  ["poisons the person's package cache", 'echo x > "$HOME/.npm/planted"', "home/.npm/planted"],
  ["leaves something in the home", 'echo x > "$HOME/.planted"', "home/.planted"],
  ["sees what lies beside its clone", 'cat "$(pwd).ready"'],
  ["speaks to a socket of the person's", `node -e '${connect()}' "$AROUND/socket"`],
  ["reads another's temporary file", 'cat "$AROUND/secret"'],
  ["writes beside the repository", 'echo x > "$AROUND/planted"', "planted"],
  ["goes by a link", 'ln -sfn "$PERSON" out && cat out/monoco.yaml; r=$?; rm -f out; exit $r'],
  ["goes by a process's root", 'cat /proc/self/root"$PERSON/monoco.yaml"'],
  [uncovers, onOwnMounts('umount -l "$PERSON" "$HOME" /tmp /dev/shm; cat "$PERSON/monoco.yaml"')],
  [
    uncoversApart,
    `unshare -Urm sh -c '${onOwnMounts('umount -l /tmp /dev/shm; cat "$PERSON/monoco.yaml"')}'`,
  ],
  [
    "takes the runner's lock away",
    'l="$PERSON/.monoco/locks/FEAT-0001.runner"; mv "$l" "$l.x" && mv "$l.x" "$l"',
  ],
  ["changes the settings of the next run", 'test -w "$PERSON/monoco.yaml"'],
  ["changes what monoco runs a session with", 'test -w "$PERSON/story.yaml"'],
  ["writes into the person's shell profile", 'echo x >> "$HOME/.profile"', "home/.profile"],
];

const open: readonly Attempt[] = [
  ["speaks to a service on this machine (loopback)", `node -e '${connect()}' "$PORT"`],
  ["speaks to such a service through the proxy, if there is one", `node -e '${throughProxy()}' "$PORT"`],
  ["speaks to an abstract socket", `node -e '${connect("`\\0monoco-attack-${process.argv[1]}`")}' "$PORT"`],
];

const always: readonly Attempt[] = [
  ["finds the person's secrets in its environment", 'test -n "$PERSONS_TOKEN"'],
];

/** Other processes; `other` is one of the person's, for the control. */
const apart: readonly (readonly [name: string, command: string, other: string])[] = [
  [
    "reads the environment of monoco (/proc/PID/environ)",
    'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep "^PERSONS_TOKEN=a token"',
    "PERSONS_TOKEN='a token' sleep 5",
  ],
  [
    "signals monoco",
    'for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline | grep "[c]li.js run FEAT-0001" && kill -0 ${p#/proc/} && exit 0; done; exit 1',
    "sh -c 'sleep 5; :' cli.js run FEAT-0001",
  ],
];

const attempts = [...hidden, ...open, ...always, ...apart.map(([name, command]): Attempt => [name, command])];

function connect(to = "process.argv[1]"): string {
  return `const c = require(\`net\`).connect(${to}); c.on(\`connect\`, () => process.exit(0)); c.on(\`error\`, () => process.exit(1))`;
}

function throughProxy(): string {
  const ask =
    "require(`http`).get(process.env.http_proxy || to, { path: to }, (got) => process.exit(got.statusCode === 200 ? 0 : 1))";
  return "const to = `http://127.0.0.1:${process.argv[1]}/`; " + ask + ".on(`error`, () => process.exit(1))";
}

const settingsAt: Readonly<Record<Stand, string>> = {
  none: "sandbox: none",
  bwrap: "sandbox: bwrap",
  vendors: "sandbox: bwrap\nnetwork: vendors",
  closed: "sandbox: bwrap\nnetwork: none",
};

/** All of them in an Executor's session. Answers with those that worked. */
const play = shared(async (stand: Stand): Promise<ReadonlySet<string>> => {
  const script = attempts.map(
    ([name, command]) => `if (${command}) > /dev/null 2>&1; then echo "${name}" >> succeeded.txt; fi`,
  );
  script.unshift(
    'AROUND="$(dirname "$PERSON")"; RELAY="$MONOCO_SESSION_DIR/../.."; PORT="$(cat port)"; echo > succeeded.txt',
  );
  const work = [...script, "git add -A", "git commit -qm Work"].join("\n");
  const place = await openPlace(
    { executor: [[run(work), submit]], reviewer: [[{ verdict: "approve" }]] },
    { settings: settingsAt[stand], files: { port: String(await listen()) } },
  );
  await keep(place);
  const ran = await place.sandbox.start(["run", "FEAT-0001"], { cwd: place.project, env: token });
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  const succeeded = place.read("succeeded.txt").split("\n");
  const worked = attempts.filter(([name, , leaves]) =>
    leaves === undefined ? succeeded.includes(name) : existsSync(join(place.around, leaves)),
  );
  return new Set(worked.map(([name]) => name));
});

/** What the person has there: keys, secrets, a socket. */
async function keep({ sandbox: { folder, env } }: Place): Promise<void> {
  const home = env["HOME"] ?? "";
  for (const [path, text] of [
    [join(home, ".ssh/id_ed25519"), "key"],
    [join(home, ".config/gh/hosts.yml"), "token"],
    [join(home, ".cargo/credentials.toml"), "token"],
    [join(home, ".cargo/bin/cargo"), "program"],
    [join(home, ".npmrc"), "_authToken=token"],
    [join(home, ".npm/entry"), "cached"],
    [join(folder, "secret"), "secret"],
  ] as const) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
  await listen(join(folder, "socket"));
}

/** A service of the person's, at a path, or else at a port of this machine, which is the answer, and at an abstract socket of that number. */
async function listen(path?: string): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => undefined).end("HTTP/1.1 200 OK\r\n\r\n"));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => {
    if (path === undefined) server.listen(0, "127.0.0.1", resolve);
    else server.listen(path, resolve);
  });
  const port = path === undefined ? portOf(server.address()) : 0;
  if (port !== 0) await listen(`\0monoco-attack-${port}`);
  return port;
}

function portOf(address: AddressInfo | string | null): number {
  return address === null || typeof address === "string" ? 0 : address.port;
}

const common = { area: "reach", stands: ["none", "bwrap"] } as const;

export const reachAttacks: Attack[] = [
  ...hidden.map(([name]): Attack => ({
    ...common,
    name,
    needs: needs[name],
    promised: "in the sandbox",
    why: "a session runs as the person",
    fires: async (stand) => (await play(stand)).has(name),
    control: async () => (await play("none")).has(name),
  })),
  ...open.map(([name]): Attack => ({
    ...common,
    name,
    stands,
    promised: "without the network",
    why: "network: full leaves it open",
    fires: async (stand) => (await play(stand)).has(name),
    control: async () => (await play("none")).has(name),
  })),
  ...always.map(([name, command]): Attack => ({
    ...common,
    name,
    promised: "always",
    fires: async (stand) => (await play(stand)).has(name),
    control: () =>
      Promise.resolve(execaSync("/bin/sh", ["-c", command], { env: token, reject: false }).exitCode === 0),
  })),
  ...apart.map(([name, command, other]): Attack => ({
    ...common,
    name,
    fires: async (stand) => (await play(stand)).has(name),
    control: () => {
      // The other process may not have its own program yet.
      const both = `${other} & until (${command}); do kill -0 $! || exit 1; done; kill $!; exit 0`;
      return Promise.resolve(execaSync("/bin/sh", ["-c", both], { reject: false }).exitCode === 0);
    },
    ...(probeContainment() === "process-group"
      ? {
          promised: "in the sandbox",
          why: "without a PID namespace a session sees all of the person's processes",
        }
      : { promised: "always" }),
  })),
];
