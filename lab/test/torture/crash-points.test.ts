/** The points at which `npm run torture -w lab` meets a relay are those that strace counts, and what it finds wrong is wrong. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import {
  begin,
  closeGround,
  eventNames,
  journalOf,
  openGround,
  stracing,
} from "../../torture/crash-points/ground.ts";
import type { Ground } from "../../torture/crash-points/ground.ts";
import { learnStage, meet } from "../../torture/crash-points/meet.ts";
import {
  everyPoint,
  faults,
  injection,
  isNodesOwn,
  nameOf,
  sampleOf,
  withoutRepeats,
} from "../../torture/crash-points/points.ts";
import { groupOf, roleOf } from "../../torture/place/processes.ts";
import { commitsOf, wrongIn } from "../../torture/place/ending.ts";
import { openPlace } from "../../torture/place/place.ts";
import type { Place, Ran } from "../../torture/place/place.ts";
import { randomBy } from "../../torture/place/random.ts";
import { full as test } from "../../../test/support/full.ts";
import { callsIn, straceWorks } from "../../../test/support/strace.ts";
import type { Call } from "../../../test/support/strace.ts";

const log = `\
10 write(6<pipe:[7]>, "*", 1)  = 1
10 openat(AT_FDCWD</w>, "/w/p/read", O_RDONLY|O_CLOEXEC) = 21</w/p/read>
10 openat(AT_FDCWD</w>, "/w/p/new", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 21</w/p/new>
11 write(22</w/p/pool>, "a", 1 <unfinished ...>
10 write(21</w/p/new>, "b", 1)  = 1
11 <... write resumed>) = 1
11 write(22</w/p/pool>, "a", 1)  = 1
10 rename("/w/p/new", "/w/p/old") = 0
10 unlink("/elsewhere") = 0
10 unlinkat(23</w/p/folder>, "file", 0) = 0
10 openat(AT_FDCWD</w/p>, "/elsewhere", O_WRONLY|O_CREAT, 0666) = 23</elsewhere>
10 +++ exited with 0 +++
`;

describe("the points of a run", () => {
  it("are its calls on the folder, each by its number in its thread, among all calls of that name", () => {
    const of = { stage: "merge", owner: "runner" };
    expect(callsIn(log, { ...of, folder: "/w/p" })).toEqual([
      { ...of, call: "openat", nth: 2, on: "/new" },
      { ...of, call: "write", nth: 1, on: "/pool" },
      { ...of, call: "write", nth: 2, on: "/new" },
      { ...of, call: "rename", nth: 1, on: "/new" },
      { ...of, call: "unlinkat", nth: 1, on: "/folder/file" },
    ]);
  });

  it.for([
    ['write(19<anon_inode:[eventfd]>, "\\1", 8) = -1 EIO (Input/output error) (INJECTED)', true],
    ['write(6<pipe:[94]>, "*", 1)  = -1 ENOSPC (No space left on device) (INJECTED)', true],
    ['write(21<socket:[94]>, "info HEAD", 9) = -1 EIO (Input/output error) (INJECTED)', false],
    ['write(21</w/p/pipe:[1]>, "b", 1) = -1 EIO (Input/output error) (INJECTED)', false],
  ] as const)("are tried again where a call of Node's own was met: %s", ([line, isOwn]) => {
    expect(isNodesOwn(`10 write(6<pipe:[94]>, "*", 1) = 1\n10 ${line}\n10 +++ exited with 1 +++\n`)).toBe(
      isOwn,
    );
  });

  it("end with the stage", () => {
    const timed = [1.5, 1.75, 2].map((at) => `10 ${at} fsync(3</w/p/${at}>) = 0\n`).join("");
    const found = callsIn(timed, { folder: "/w/p", stage: "review", owner: "runner", until: 1.75 });
    expect(found.map(({ on }) => on)).toEqual(["/1.5", "/1.75"]);
  });

  it("are three of those that one program makes on a clone that is thrown away, and all others", () => {
    const clone = "/state/monoco/6897634b26b9c01d/FEAT-0001";
    const on = (path: string, count: number): Call[] =>
      Array.from({ length: count }, (_, at) => ({
        stage: "review",
        owner: "runner",
        call: "unlinkat",
        nth: at + 1,
        on: path,
      }));
    const nths = (path: string): number[] => withoutRepeats(on(path, 9)).map(({ nth }) => nth);
    expect(nths(`${clone}.trial/.git`)).toEqual([1, 5, 9]);
    expect(nths(`${clone}/.git`)).toHaveLength(9);
    expect(withoutRepeats([...on(`${clone}.trial`, 2), ...on(`${clone}.base`, 1)])).toHaveLength(3);
  });

  it("are each met by every fault", () => {
    const call: Call = { stage: "merge", owner: "fetch.7", call: "fsync", nth: 3, on: "/journal.jsonl" };
    expect(everyPoint([call]).map((point) => [nameOf(point), injection(point)])).toEqual([
      ["merge: git fetch.7 fsync 3 SIGKILL", "fsync:signal=SIGKILL:when=3"],
      ["merge: git fetch.7 fsync 3 EIO", "fsync:error=EIO:when=3"],
      ["merge: git fetch.7 fsync 3 ENOSPC", "fsync:error=ENOSPC:when=3"],
      ["merge: git fetch.7 fsync 3 EINTR", "fsync:error=EINTR:when=3"],
    ]);
  });

  it("are sampled by turns of their kinds, the same ones for the same seed", () => {
    const many = (call: string, count: number): Call[] =>
      Array.from({ length: count }, (_, at) => ({
        stage: "merge",
        owner: "runner",
        call,
        nth: at + 1,
        on: "",
      }));
    const points = everyPoint([...many("unlinkat", 500), ...many("fsync", 2)]);
    const sample = sampleOf(points, 8, randomBy(1));
    expect(new Set(sample.map(({ call, fault }) => `${call} ${fault}`)).size).toBe(8);
    expect(sampleOf(points, 8, randomBy(1))).toEqual(sample);
    expect(sampleOf(points, 8, randomBy(2))).not.toEqual(sample);
    expect(sampleOf(points, 10_000, randomBy(1))).toHaveLength(points.length);
  });
});

describe("the processes of a run", () => {
  it.for([
    ["runner", ["/bin/node", "/m/dist/cli.js", "run"], "HOME=/w/home"],
    ["session", ["/bin/sh", "/w/agent.sh", "/w"], "MONOCO_SESSION=1"],
    ["grandchild", ["sleep", "60"], "HOME=/w/home\0MONOCO_SESSION=1"],
    ["grandchild", ["node", "/m/dist/cli.js", "issue", "submit"], "MONOCO_SESSION=1"],
    ["git", ["git", "fetch"], "HOME=/w/home"],
  ] as const)("%s: %j", ([role, argv, environment]) => {
    expect(roleOf(argv, environment, "/w")).toBe(role);
  });

  it("belong to the group in the fifth field, whatever their name", () => {
    expect(groupOf("12 (a b) c) S 1 34 56 0")).toBe(34);
  });
});

describe("what is wrong with an ending", () => {
  it("is told, where a relay has not been run and a commit is gone", async () => {
    const place = await openPlace(["FEAT-0001"]);
    onTestFinished(() => place.sandbox.dispose());
    writeFileSync(place.agentsLog, "OVERLAP FEAT-0001 executor 2\n");
    writeFileSync(join(place.project, ".git", "index.lock"), "");
    expect(await wrongIn(place, [...(await commitsOf(place)), "0".repeat(40)])).toEqual([
      "files on main: issues/FEAT-0001-write-a-file.md\nmonoco.yaml",
      "merges on main: none",
      'FEAT-0001.sh on main is ""',
      "FEAT-0001 is not closed on main",
      `commit lost: ${"0".repeat(40)}`,
      "FEAT-0001: 0 events merge.done",
      "OVERLAP FEAT-0001 executor 2",
      "lock left: index.lock",
    ]);
  });

  it("is noticed by the agent itself, where another of its relay lives", async () => {
    const place = await openPlace(["FEAT-0001"]);
    const { folder } = place.sandbox;
    onTestFinished(() => place.sandbox.dispose());
    const env = {
      ...place.sandbox.env,
      MONOCO_ISSUE: "FEAT-0001",
      MONOCO_ROLE: "reviewer",
      MONOCO_SESSION: "2",
    };
    // The folder around its clone names the repository.
    const cwd = join(folder, "clones", "FEAT-0001");
    mkdirSync(cwd, { recursive: true });
    const held = join(folder, "clones.FEAT-0001.lock");
    const another = ["-n", held, join(folder, "agent.sh"), folder, place.agentsLog, "0"];
    expect(() => execFileSync("flock", another, { cwd, env, input: "" })).toThrow(/Command failed/);
    expect(readFileSync(place.agentsLog, "utf8")).toBe("OVERLAP FEAT-0001 reviewer 2\n");
  });
});

describe("a relay that is met and resumed once reaches its ending", () => {
  let ground: Ground | undefined;
  afterAll(() => ground && closeGround(ground));
  const journal = async (): Promise<Call> => {
    ground = await openGround();
    const { calls } = await learnStage(ground, 0);
    return calls.find(({ call, on }) => call === "fsync" && on.endsWith("/journal.jsonl"))!;
  };
  let known: Promise<Call> | undefined;

  test.skipIf(!straceWorks()).for(faults)(
    "by %s, where it has written to its journal",
    { timeout: 300_000 },
    async (fault) => {
      const call = await (known ??= journal());
      expect(await meet(ground!, { ...call, fault })).toMatchObject({ met: true, wrong: [] });
    },
  );

  const opened = async (): Promise<Place> => {
    const another = await openGround();
    onTestFinished(() => closeGround(another));
    return another.place;
  };
  /** A run that meets the fault as it is going to write the event of that number, from 1. */
  const meetEvent = async (place: Place, nth: number, fault: string): Promise<Ran> => {
    const inject = ["-e", "trace=write", "-e", `inject=write:${fault}:when=${nth}`];
    return begin(place, [...stracing("/dev/null"), "-P", journalOf(place), ...inject]);
  };

  test.skipIf(!straceWorks()).for([
    { event: "session.ended", nth: 3 },
    { event: "merge.prepared", nth: 17 },
    { event: "merge.done", nth: 18 },
  ])("killed as it was going to write $event", { timeout: 300_000 }, async ({ event, nth }) => {
    const place = await opened();
    expect((await meetEvent(place, nth, "signal=SIGKILL")).signal).toBe("SIGKILL");
    const had = eventNames(place);
    const before = await commitsOf(place);
    const again = await begin(place);
    const written = eventNames(place)[had.length];
    expect([had.length + 1, written, again.exitCode, await wrongIn(place, before)]).toEqual([
      nth,
      event,
      0,
      [],
    ]);
  });

  test.skipIf(!straceWorks())(
    "or says that the disk is full, where its last event is not written",
    { timeout: 300_000 },
    async () => {
      const place = await opened();
      const ran = await meetEvent(place, 18, "error=ENOSPC");
      const had = eventNames(place).length;
      const before = await commitsOf(place);
      const again = ran.exitCode === 0 ? ran : await begin(place);
      expect(`${ran.stdout}\n${ran.stderr}`).toContain("no space left on device");
      expect([had, ran.exitCode, again.exitCode, await wrongIn(place, before)]).toEqual([17, 1, 0, []]);
    },
  );
});
