/** Starting programs, reading their lines, and leaving nothing of them behind, under each containment of this machine. */
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { execa } from "execa";
import { array, assert, integer, property, string } from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { killAllNow, killTree, spawnChild } from "../../src/agents/child.ts";
import { pidNamespace } from "../../src/agents/containment.ts";
import { lineReader } from "../../src/agents/output.ts";
import type { Child, ChildOptions } from "../../src/agents/child.ts";
import type { Containment } from "../../src/agents/containment.ts";
import { bubblewrap } from "../../src/agents/sandbox.ts";
import { identityOf, isAlive } from "../../src/agents/process-identity.ts";
import type { ProcessIdentity } from "../../src/agents/process-identity.ts";
import { lineBracketsMax, lineBytesMax, lineDepthMax } from "../../src/core/limits.ts";
import { isLocked, tryLock } from "../../src/store/lock.ts";
import { isHere } from "../support/namespaces.ts";
import { temporaryFolder } from "../support/repository.ts";
import { testRows } from "../support/full.ts";

const runnerProgram = join(import.meta.dirname, "../fixtures/runner.ts");

const containments: Containment[] = [
  "process-group",
  ...(isHere("a PID namespace") ? ["pid-namespace" as const] : []),
  ...(isHere("bubblewrap") ? ["bubblewrap" as const] : []),
];

describe.for(containments)("under %s", (containment) => {
  describe("lines", () => {
    // TRAP 43
    test.for<[string, string, string[]]>([
      ["end with a line end, or with the output", "printf 'one\\ntwo'", ["one", "two"]],
      ["may end as on Windows", "printf 'one\\r\\ntwo\\r\\n'", ["one", "two"]],
      ["that are empty are none", "printf 'one\\n\\n\\ntwo\\n'", ["one", "two"]],
      ["are read as UTF-8, however it arrives", "printf '\\344\\272'; sleep 0.05; printf '\\272\\n'", ["人"]],
      ["are of standard output only", "echo one; echo two >&2", ["one"]],
    ])("%s", async ([, script, expected]) => {
      const run = start({ script, containment });
      expect(await run.exited).toEqual({ exitCode: 0, signal: null });
      expect(run.lines).toEqual(expected);
    });

    test("and files show stars for a secret, however it arrives, also as it is in JSON", async () => {
      const secret = 'a "secret" word\nand its line 2';
      const script = `printf 'a "secr'; sleep 0.05; printf 'et" word\\nand its line 2, a "secr\\n'; echo 'a \\"secret\\" word'; echo 'and its line 2' >&2`;
      const run = start({ script, containment, options: { masked: [secret, "short"] } });
      await run.exited;
      expect(run.lines).toEqual(["***", '***, a "secr', "***"]);
      expect([run.kept("stdout"), run.kept("stderr")]).toEqual([`${run.lines.join("\n")}\n`, "***\n"]);
    });

    test("are cut at 1 MiB, and the next one is whole: 100 MB in one line", async () => {
      const run = start({ script: "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo next", containment });
      expect(await run.exited).toEqual({ exitCode: 0, signal: null });
      expect(run.lines.map((line) => line.length)).toEqual([lineBytesMax, 4]);
    });

    test("keep their order and come whole, all of them, even when there are many at the very end", async () => {
      const run = start({ script: "seq 1 200000", containment });
      await run.exited;
      expect([run.lines.length, run.lines[0], run.lines.at(-1)]).toEqual([200_000, "1", "200000"]);
    });
  });

  describe("the kept output", () => {
    test("is raw, each stream in its file, or both in one", async () => {
      const script = "printf 'out\\r\\n'; printf err >&2";
      const two = start({ script, containment });
      await two.exited;
      expect([two.kept("stdout"), two.kept("stderr")]).toEqual(["out\r\n", "err"]);
      const one = start({ script, containment, oneFile: true });
      await one.exited;
      expect(
        one
          .kept("stdout")
          .split(/(?=err)|(?<=err)/)
          .sort(),
      ).toEqual(["err", "out\r\n"]);
    });

    test.for<[string, string, boolean, number]>([
      [
        "more than fits is a flood, told once",
        "head -c 5000 /dev/zero; sleep 0.05; head -c 5000 /dev/zero",
        false,
        1,
      ],
      ["on both streams too", "head -c 5000 /dev/zero; head -c 5000 /dev/zero >&2", true, 1],
      ["as much as fits is none", "head -c 1000 /dev/zero", false, 0],
    ])("%s", async ([, script, both, floods]) => {
      const run = start({ script, containment, bytesMax: 1_000 });
      await run.exited;
      expect(run.floods()).toBe(floods);
      expect([run.kept("stdout").length, run.kept("stderr").length]).toEqual([1_000, both ? 1_000 : 0]);
    });

    test("does without a disk that is full: the lines are read all the same", async () => {
      const run = start({
        script: "echo one; sleep 0.05; echo two",
        containment,
        options: { stdoutFile: "/dev/full" },
      });
      expect(await run.exited).toEqual({ exitCode: 0, signal: null });
      expect([run.lines, run.floods()]).toEqual([["one", "two"], 0]);
    });

    test("that has no place is an error before anything is started", () => {
      const options = { stdoutFile: "/nowhere/stdout" };
      const marker = newMarker();
      expect(() => start({ script: `sleep 300 # ${marker}`, containment, options })).toThrow(/ENOENT/);
      expect(running(marker)).toEqual([]);
    });

    test("has its last words of standard error at hand, whole characters all", async () => {
      const run = start({
        script: "seq 1 9 >&2; printf '\\344\\272' >&2; sleep 0.05; printf '\\272\\n' >&2",
        containment,
      });
      await run.exited;
      expect(run.child.stderrTail()).toBe("6\n7\n8\n9\n人");
    });
  });

  describe("the exit", () => {
    test.for<[string, string, object]>([
      ["of a program that ends by itself", "exit 0", { exitCode: 0, signal: null }],
      ["of one that fails", "exit 7", { exitCode: 7, signal: null }],
      [
        "of one that is killed (a namespace's shell says it as 128 + n)",
        "kill -KILL $$",
        containment === "process-group"
          ? { exitCode: null, signal: "SIGKILL" }
          : { exitCode: 137, signal: null },
      ],
      ["of one that says 127 itself", "exit 127", { exitCode: 127, signal: null }],
    ])("%s", async ([, script, expected]) => {
      expect(await start({ script, containment }).exited).toEqual(expected);
    });

    test.for<[string, string[], RegExp]>([
      ["that is not there", ["/nowhere/agent"], /ENOENT|not found/],
      ["that is no program", ["/etc/passwd"], /EACCES|Permission denied/],
      // TRAP 40
      ["whose command line is too long", ["/bin/echo", "x".repeat(300_000)], /E2BIG/],
    ])("of a program %s says so, and is no exception", async ([, argv, expected]) => {
      const run = start({ argv, containment });
      expect(await run.exited).toMatchObject({ spawnError: expect.stringMatching(expected) });
      run.child.write("too late");
      run.child.endInput();
      expect(await run.child.stop(10)).toEqual(await run.exited);
    });

    test.runIf(containment === "pid-namespace")(
      "of a namespace whose first process is killed from outside is that signal, and no word of the wrapper",
      async () => {
        const run = start({ script: "echo mine >&2; echo ready; sleep 300", containment });
        await run.until("ready");
        const { pid } = run.child.identity!;
        const first = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
        process.kill(first, "SIGKILL");
        expect(await run.exited).toEqual({ exitCode: null, signal: "SIGKILL" });
        expect(run.child.stderrTail()).toBe("mine");
      },
    );

    test("of a program whose folder is gone says so", async () => {
      const run = start({ script: "true", containment, options: { cwd: "/nowhere" } });
      expect(await run.exited).toMatchObject({ spawnError: expect.stringMatching(/ENOENT/) });
    });
  });

  describe("standard input", () => {
    test("has the prompt, of any size, and is closed", async () => {
      const run = start({ script: "wc -c", containment, options: { stdin: "x".repeat(3_000_000) } });
      await run.exited;
      expect(run.lines.map((line) => line.trim())).toEqual(["3000000"]);
    });

    test("may be kept open for messages, until it is ended", async () => {
      const run = start({ script: "cat", containment, options: { stdin: "prompt\n", keepStdinOpen: true } });
      await run.until("prompt");
      run.child.write("message\n");
      await run.until("message");
      run.child.endInput();
      expect(await run.exited).toEqual({ exitCode: 0, signal: null });
    });

    test("that a program does not read is no error", async () => {
      const run = start({
        script: "exec <&-; echo deaf",
        containment,
        options: { stdin: "x".repeat(3_000_000) },
      });
      expect(await run.exited).toEqual({ exitCode: 0, signal: null });
      expect(run.lines).toEqual(["deaf"]);
    });
  });

  describe("stopping", () => {
    test("asks with TERM first, and a program that listens ends in its own way", async () => {
      const run = start({
        script: "trap 'sleep 0.6; echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done",
        containment,
      });
      await run.until("ready");
      expect(await run.child.stop(10_000)).toEqual({ exitCode: 5, signal: null });
      expect(run.lines).toEqual(["ready", "bye"]);
    });

    test("leaves a program its exit code when that sends INT to its group", async () => {
      const run = start({ script: "trap 'echo int' INT; kill -INT 0; exit 6", containment });
      expect(await run.exited).toEqual({ exitCode: 6, signal: null });
      expect(run.lines).toEqual(["int"]);
    });

    test("kills a program that ignores TERM, with all that it started", async () => {
      const marker = newMarker();
      const script = `trap '' TERM; sh -c 'echo ready; sleep 300 # ${marker}' & wait; sleep 300 # ${marker}`;
      const run = start({ script, containment });
      await run.until("ready");
      const exit = await run.child.stop(50);
      expect([exit.signal ?? exit.exitCode]).toEqual(["SIGKILL"]);
      expect(running(marker)).toEqual([]);
    });

    test("at once ends what would have started the program", async () => {
      const run = start({ script: "echo ready; exec sleep 300", containment });
      const { exitCode, signal } = await run.child.stop(600_000);
      // The shell that asks its runner ends with 143 on a TERM.
      expect(signal ?? exitCode).toBeOneOf(["SIGTERM", "SIGKILL", 143]);
      if (containment !== "process-group") expect(run.lines).toEqual([]);
    });

    test("killing everything at once is done without waiting", async () => {
      const run = start({ script: "echo ready; sleep 300", containment });
      await run.until("ready");
      killAllNow();
      expect(await run.exited).toMatchObject({ signal: "SIGKILL" });
    });
  });

  describe("when the program has ended", () => {
    // TRAP 7
    test.for<[string, string]>([
      ["a job in the background", "PROGRAM &"],
      ["one with a session of its own", "setsid PROGRAM &"],
      ...(containment !== "process-group"
        ? [
            [
              "one with a session of its own and an empty environment",
              "env -i /usr/bin/setsid PROGRAM &",
            ] as [string, string],
          ]
        : []),
    ])("%s is gone too, and says no more", async ([, job]) => {
      const marker = newMarker();
      const program = `/bin/sh -c 'echo ready; exec >&3; sleep 5; echo late; sleep 300 # ${marker}'`;
      // The job says through a pipe that it is there; its own output is the session's.
      const script = `exec 3>&1; { ${job.replace("PROGRAM", program)} } | { read line; echo $line; }`;
      const run = start({ script, containment });
      await run.exited;
      expect(run.lines).toEqual(["ready"]);
      expect(running(marker)).toEqual([]);
    });

    test("nobody that holds its output open holds us up", async () => {
      const run = start({ script: "setsid sleep 300 & echo ended", containment });
      await run.exited;
      expect(run.lines).toEqual(["ended"]);
    });
  });

  test("a lock that is lent is held as long as the tree lives, whoever lets go of it here", async () => {
    const path = join(temporaryFolder(), "session");
    const lock = tryLock(path);
    const run = start({
      script: "ls -l /proc/[0-9]*/fd 2> /dev/null; echo ready; read line",
      containment,
      options: { lockFd: lock!.fd, keepStdinOpen: true },
    });
    await run.until("ready");
    // Else what is in the sandbox could open it again, or let go of it.
    if (containment === "bubblewrap") expect(run.lines.filter((line) => line.includes(path))).toEqual([]);
    lock?.release();
    expect(isLocked(path)).toBe(true);
    run.child.endInput();
    await run.exited;
    expect(isLocked(path)).toBe(false);
  });

  test("nothing of the environment is inherited, and the marker is in it", async () => {
    process.env["MONOCO_TEST_SECRET"] = "secret";
    onTestFinished(() => void delete process.env["MONOCO_TEST_SECRET"]);
    const run = start({ argv: ["/usr/bin/env"], containment });
    await run.exited;
    // What shells add themselves.
    const added = /^(PWD|OLDPWD|SHLVL|_)=/;
    const names = run.lines.filter((line) => !added.test(line)).map((line) => line.split("=")[0]);
    expect(new Set(names)).toEqual(new Set(["MONOCO_TEST", "PATH"]));
  });

  test("after its runner was killed the tree is gone, at once or as soon as somebody looks for it", async () => {
    const marker = newMarker();
    const job = `setsid sh -c 'echo ready; sleep 300 # ${marker}' & wait`;
    const runner = spawn(process.execPath, [runnerProgram, containment, job, marker], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => killTree(undefined, marker));
    const [said] = (await once(createInterface({ input: runner.stdout }), "line")) as [string];
    const gone = once(runner, "exit");
    runner.kill("SIGKILL");
    await gone;
    if (containment === "process-group") {
      expect(running(marker)).not.toEqual([]);
      await killTree(JSON.parse(said.replace("ready ", "")) as ProcessIdentity, marker);
    }
    await expect.poll(() => running(marker), { interval: 5 }).toEqual([]);
  });

  test.runIf(containment !== "process-group")(
    "a runner that has died before it is asked starts nothing",
    async () => {
      const all = { hidden: [], scratch: [], read: [], write: [] };
      const held = {
        "process-group": [],
        "pid-namespace": pidNamespace("socket"),
        bubblewrap: bubblewrap(all, "/", "socket"),
      };
      const [program = "", ...words] = held[containment];
      const first = spawn(program, [...words, "echo", "started"], {
        stdio: ["ignore", "pipe", "pipe", "pipe"],
      });
      first.stdio[3]!.destroy();
      const said = text(first.stdout!);
      expect(await once(first, "exit")).toEqual([143, null]);
      expect(await said).toBe("");
    },
  );
});

test.runIf(isHere("bubblewrap"))("a sandbox starts and ends where the disk of its lock is full", async () => {
  const disk = temporaryFolder();
  const marker = newMarker();
  const { stdout } = await execa("unshare", [
    ..."--user --map-root-user --mount sh -c".split(" "),
    'mount -t tmpfs -o size=64k monoco "$0" && exec "$@"',
    disk,
    process.execPath,
    runnerProgram,
    "bubblewrap",
    `exit 7 # ${marker}`,
    marker,
    disk,
  ]);
  expect(stdout).toBe("7 ");
});

// TRAP 67
testRows<[string, string]>([
  ["40 MB of short lines", "yes 'a short line of text' | head -c 40000000"],
  ["30 MB of binary", "head -c 30000000 /dev/urandom"],
  [
    "JSON that is nested 100,000 deep, 30 times",
    `many() { yes "$1" | head -n 100000 | tr -d '\\n'; }; for n in $(seq 30); do many '{"a":'; printf 1; many '}'; echo; done`,
  ],
])("%s take no more than 200 MB of memory", async ([, script]) => {
  const program = join(import.meta.dirname, "../fixtures/flooded.ts");
  const { stdout } = await execa(process.execPath, [program, script]);
  expect(Number(stdout)).toBeLessThan(200);
});

describe("a line reader", () => {
  test("drops JSON that is nested too deep to be parsed, or has too many brackets, and nothing else", () => {
    const lines: string[] = [];
    const reader = lineReader((line) => lines.push(line));
    const text = "[".repeat(lineDepthMax + 1);
    const many = `[${"[],".repeat(lineBracketsMax)}[]]`;
    reader.push(Buffer.from(`${text}\n${many}\nsee ${text}\n${JSON.stringify([text])}\n`));
    expect(lines).toEqual([`see ${text}`, JSON.stringify([text])]);
  });

  test("makes the same lines of the same bytes, however they are cut", () => {
    const line = string({ unit: "binary" }).filter(
      (text) => text !== "" && !/[\r\n]/.test(text) && text.isWellFormed(),
    );
    assert(
      property(array(line), array(integer({ min: 1, max: 9 }), { minLength: 1 }), (expected, sizes) => {
        const lines: string[] = [];
        const reader = lineReader((line) => lines.push(line));
        const bytes = Buffer.from(expected.join("\n"));
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const size = sizes[n % sizes.length]!;
          // The chunk is used again, as a stream's buffer may be.
          const chunk = Buffer.from(bytes.subarray(at, at + size));
          reader.push(chunk);
          chunk.fill(0);
          at += size;
        }
        reader.end();
        expect(lines).toEqual(expected);
      }),
    );
  });
});

describe("a process", () => {
  test("is known by its start as well as by its number", async () => {
    const sleeper = spawn("sleep", ["300"]);
    const identity = identityOf(sleeper.pid!);
    expect(identity).toEqual({
      pid: sleeper.pid,
      startTime: expect.stringMatching(/^\d+$/),
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(isAlive(identity!)).toBe(true);
    expect(isAlive({ ...identity!, startTime: "1" })).toBe(false);
    expect(isAlive({ ...identity!, bootId: "another" })).toBe(false);
    sleeper.kill("SIGKILL");
    await once(sleeper, "exit");
    expect([identityOf(sleeper.pid!), isAlive(identity!)]).toEqual([undefined, false]);
  });

  test("whose name has blanks and brackets in it is known all the same", async () => {
    const folder = temporaryFolder();
    const script = `cp /bin/sleep '${folder}/a) b (c' && exec '${folder}/a) b (c' 300`;
    const sleeper = spawn("/bin/sh", ["-c", script]);
    onTestFinished(() => void sleeper.kill("SIGKILL"));
    const before = identityOf(sleeper.pid!);
    await expect
      .poll(() => readFileSync(`/proc/${sleeper.pid}/comm`, "utf8"), { interval: 5 })
      .toBe("a) b (c\n");
    expect(identityOf(sleeper.pid!)).toEqual(before);
  });

  test("that has a dead one's number is not killed in its place", async () => {
    const sleeper = spawn("sleep", ["300"], { detached: true });
    onTestFinished(() => void sleeper.kill("SIGKILL"));
    const identity = identityOf(sleeper.pid!)!;
    await killTree({ ...identity, startTime: "1" }, newMarker());
    await killTree({ ...identity, bootId: "another" }, newMarker());
    expect(isAlive(identity)).toBe(true);
    const gone = once(sleeper, "exit");
    await killTree(identity, newMarker());
    expect(await gone).toEqual([null, "SIGKILL"]);
  });

  test("is found by its marker, whole: neither a longer one nor the like in another place", async () => {
    const marker = newMarker();
    const [name = "", value = ""] = marker.split("=");
    const start = (env: Record<string, string>) =>
      spawn("sleep", ["300"], { env: { ...env, PATH: "/bin" }, detached: true });
    const [meant, longer, other] = [
      start({ [name]: value }),
      start({ [name]: `${value}2` }),
      start({ X: marker }),
    ];
    onTestFinished(() => [longer, other].forEach((each) => each.kill("SIGKILL")));
    const gone = once(meant, "exit");
    await killTree(undefined, marker);
    expect(await gone).toEqual([null, "SIGKILL"]);
    expect([longer, other].map((each) => each.exitCode ?? each.signalCode)).toEqual([null, null]);
  });
});

type Run = {
  child: Child;
  exited: Child["exited"];
  lines: string[];
  /** Resolves when this line has come. */
  until(line: string): Promise<void>;
  floods(): number;
  kept(stream: "stdout" | "stderr"): string;
};

function start(run: {
  script?: string;
  argv?: string[];
  containment: Containment;
  bytesMax?: number;
  oneFile?: boolean;
  options?: Partial<ChildOptions>;
}): Run {
  const folder = temporaryFolder();
  const files = { stdout: join(folder, "stdout"), stderr: join(folder, "stderr") };
  const marker = newMarker();
  const lines: string[] = [];
  const waiting = new Map<string, () => void>();
  let floods = 0;
  const child = spawnChild({
    argv: run.argv ?? ["/bin/sh", "-c", run.script ?? ""],
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", MONOCO_TEST: marker.slice("MONOCO_TEST=".length) },
    marker,
    view: { hidden: [], scratch: [], read: [], write: [folder] },
    containment: run.containment,
    stdoutFile: files.stdout,
    stderrFile: run.oneFile ? files.stdout : files.stderr,
    bytesMax: run.bytesMax ?? 1_000_000,
    onLine: (line) => {
      lines.push(line);
      waiting.get(line)?.();
    },
    onFlood: () => floods++,
    ...run.options,
  });
  onTestFinished(() => child.stop(0).then(() => undefined));
  return {
    child,
    exited: child.exited,
    lines,
    until: (line) =>
      new Promise((resolve) => (lines.includes(line) ? resolve() : void waiting.set(line, resolve))),
    floods: () => floods,
    kept: (stream) => readFileSync(files[stream], "utf8"),
  };
}

function newMarker(): string {
  return `MONOCO_TEST=${randomUUID()}`;
}

/** Processes that have the marker in their command line. */
function running(marker: string): number[] {
  const found = readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`300 # ${marker}`);
    } catch {
      return false;
    }
  });
  return found.map(Number);
}
