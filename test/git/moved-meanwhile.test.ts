/** A branch that moves in an agent's clone while it is fetched: what is taken is of one moment, whole, and nothing is taken twice. */
import { chmodSync, existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { execaSync } from "execa";
import { expect, onTestFinished, test, vi } from "vitest";
import { fetchSession } from "../../src/git/clone/fetch-session.ts";
import { refs } from "../../src/git/refs.ts";
import { fixture } from "../support/cli.ts";
import { writeFiles } from "../support/repository.ts";
import { issue, sessionClone } from "../support/session-clone.ts";

const real = execaSync("/bin/sh", ["-c", "command -v git"]).stdout;
const path = process.env["PATH"]!;

/** What a shell does instead of `$VERB`, where `real` is that: it runs `move` at one point of a fetch. */
const moments = {
  "before git reads the heads": ["fetch", 'move; real "$@"'],
  "between the heads and their objects": ["fetch", 'upload "$@"'],
  "before monoco reads what was fetched": ["fetch", 'real "$@"; s=$?; move; exit $s'],
} as const;
type Moment = keyof typeof moments;

const adds = "git commit -qm two --allow-empty";
/** Nothing holds the commit any more that stood there. */
const replaces =
  "git commit -q --amend --allow-empty -m two && git reflog expire --expire=now --all && git gc -q --prune=now";

const one = "git commit -qm one --allow-empty";
const oneOnNoBranch = `git checkout -q --detach && ${one}`;

type Row = { had: string; moment: Moment; move: string; first: string[]; afterwards: string[] };

test.for<Row>([
  {
    had: one,
    moment: "before git reads the heads",
    move: adds,
    first: ["two", "one"],
    afterwards: ["two", "one"],
  },
  { had: one, moment: "before git reads the heads", move: replaces, first: ["two"], afterwards: ["two"] },
  {
    had: one,
    moment: "between the heads and their objects",
    move: adds,
    first: ["one"],
    afterwards: ["two", "one"],
  },
  // The objects are gone: what is there now is fetched.
  {
    had: one,
    moment: "between the heads and their objects",
    move: replaces,
    first: ["two"],
    afterwards: ["two"],
  },
  {
    had: oneOnNoBranch,
    moment: "between the heads and their objects",
    move: replaces,
    first: ["two"],
    afterwards: ["two"],
  },
  {
    had: one,
    moment: "before monoco reads what was fetched",
    move: adds,
    first: ["one"],
    afterwards: ["two", "one"],
  },
  {
    had: one,
    moment: "before monoco reads what was fetched",
    move: replaces,
    first: ["one"],
    afterwards: ["two"],
  },
])("$moment: $move, after $had", async ({ had, moment, move, first, afterwards }) => {
  const { git, agent, fetchNow, start, outside, workspace } = await movingClone(moment, move);
  execaSync("/bin/sh", ["-ec", had], { cwd: workspace, env: { PATH: path } });
  const subjects = async (head: string): Promise<string[]> =>
    (await git("log", "--format=%s", `${start}..${head}`)).split("\n").filter(Boolean);

  const { head } = await fetchNow(1, start);
  expect(existsSync(join(outside, "moved"))).toBe(true);
  expect(await subjects(head)).toEqual(first);
  expect(await git("rev-parse", refs.head(issue))).toBe(head);
  expect(await git("fsck", "--connectivity-only", "--no-dangling")).toBe("");

  const later = await fetchNow(2, head);
  expect(later).toEqual({ head: await agent("rev-parse", "HEAD") });
  expect(await subjects(later.head)).toEqual(afterwards);
  expect(existsSync(join(outside, "fired"))).toBe(false);
});

/** A clone whose config names a program for what serves a fetch, and in which `move` is done once, at that moment. */
async function movingClone(moment: Moment, move: string) {
  const place = await sessionClone();
  const { source, workspace, agent } = place;
  const at = (name: string): string => join(place.outside, name);
  program(
    at("move"),
    `[ -e '${at("moved")}' ] || { : > '${at("moved")}'; cd '${workspace}' && PATH='${path}' && ${move}; }`,
  );
  program(at("payload"), `: > '${at("fired")}'`);
  for (const key of ["uploadpack.packObjectsHook", "core.alternateRefsCommand", "core.sshCommand"])
    await agent("config", key, at("payload"));
  program(
    at("upload-pack"),
    `exec '${process.execPath}' '${fixture("met-upload-pack.mjs")}' '${at("move")}' "$@"`,
  );
  const [verb, does] = moments[moment];
  program(
    at("bin/git"),
    `move() { '${at("move")}'; }
real() { '${real}' "$@"; }
upload() { for a; do shift; set -- "$@" "$a"; [ "$a" = fetch ] && set -- "$@" '--upload-pack=${at("upload-pack")}'; done; real "$@"; }
case " $* " in *" ${verb} "*) ${does};; *) real "$@";; esac`,
  );
  vi.stubEnv("PATH", `${at("bin")}:${path}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const fetchNow = (session: number, previousHead: string) =>
    fetchSession(source, { workspace, issue, session, previousHead });
  return { ...place, fetchNow };
}

function program(path: string, script: string): void {
  writeFiles(dirname(path), { [basename(path)]: `#!/bin/sh\n${script}\n` });
  chmodSync(path, 0o755);
}
