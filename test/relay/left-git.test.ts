/** kill -9 of the runner while its git lands the merge: that git goes on, and resume records what it has landed, once. */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, vi } from "vitest";
import { broughtIn, expectAllMerged } from "../support/merges.ts";
import { approves, issuePath, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full, testRows } from "../support/full.ts";

vi.setConfig({ testTimeout: 120_000 });

/** `aside`: the person has another branch checked out. `halt`: makes git stand still; it stands when `isReached`, until `release`. */
type Case = {
  aside?: boolean;
  settings?: string;
  halt(place: Place): Promise<unknown>;
  isReached?(place: Place): Promise<unknown>;
  release?(place: Place): Promise<unknown>;
};

const once = (place: Place): string => `rm ${place.around}/armed 2> /dev/null`;
const fifo = (place: Place, name: "at" | "on"): string => join(place.around, "fifos", name);
const pathOf = (place: Place): string => `${place.around}/bin:${place.sandbox.env["PATH"]}`;
const stand = (place: Place): string => `echo here > ${fifo(place, "at")}; read -r _ < ${fifo(place, "on")}`;

/** A git that is first on the PATH below `around`: the first call whose words match `pattern` does `work` instead. */
async function meddle(place: Place, pattern: string, work: (git: string) => string): Promise<void> {
  const git = await place.sh("command -v git");
  mkdirSync(join(place.around, "bin"), { recursive: true });
  const program = join(place.around, "bin/git");
  const text = `#!/bin/sh\ncase " $* " in ${pattern}) if ${once(place)}; then ${work(git)}; fi;; esac\nexec ${git} "$@"\n`;
  writeFileSync(program, text);
  chmodSync(program, 0o755);
}

/** The git that lands the merge stands still before or after its work. */
const inProgram =
  (when: "before" | "after"): Case["halt"] =>
  (place) =>
    meddle(place, `*" merge --quiet "*|*" update-ref refs/heads/"*`, (git) =>
      when === "before" ? stand(place) : `${git} "$@"; ${stand(place)}; exit 0`,
    );

/** As in the first, by a program whose words do not say what it will do. */
const hidden: Case["halt"] = (place) => {
  const later = join(place.around, "later.sh");
  const words = `printf "'%s' " "$@"`;
  return meddle(place, `*" update-ref refs/heads/main "*`, (git) => {
    return `{ echo '${stand(place)}'; printf '%s ' exec ${git}; ${words}; } > ${later}; exec /bin/sh ${later}`;
  });
};

/** git asks the person's own filter for the bytes of a file. */
const inFilter: Case["halt"] = async (place) => {
  place.write(".git/info/attributes", "file.txt filter=stands\n");
  await place.git("config", "filter.stands.smudge", `if ${once(place)}; then ${stand(place)}; fi; cat`);
};

/** Files and index are the merge's, and git waits for somebody's lock of the branch. */
const atRef: Omit<Case, "aside"> = {
  halt: async (place) => {
    await place.git("config", "core.filesRefLockTimeout", "60000");
    place.write(".git/refs/heads/main.lock", "");
  },
  isReached: async (place) => {
    const isThere = (path: string): boolean => existsSync(join(place.project, path));
    const isMoved = (): boolean => isThere("file.txt") && !isThere(".git/index.lock");
    await expect.poll(isMoved, { timeout: 60_000, interval: 20 }).toBe(true);
  },
  release: (place) => place.sh("rm .git/refs/heads/main.lock"),
};

async function killedWhileLanding(halted: Case): Promise<Place> {
  const { settings } = halted;
  const story = { executor: [works], reviewer: [approves] };
  const place = await openPlace(story, settings === undefined ? {} : { settings });
  onTestFinished(() => {
    for (const pid of gitsOf(place)) process.kill(pid, "SIGKILL");
    // Whoever stands there still goes on.
    closeSync(openSync(fifo(place, "on"), constants.O_RDWR));
  });
  if (halted.aside) await place.git("checkout", "-qb", "other");
  await place.sh("mkfifo ../fifos/at ../fifos/on && touch ../armed");
  await halted.halt(place);
  const env = { PATH: pathOf(place) };
  const running = place.sandbox.start(["run", "FEAT-0001"], { cwd: place.project, env });
  await (halted.isReached ? halted.isReached(place) : place.heard("at"));
  running.kill("SIGKILL");
  expect((await running).signal).toBe("SIGKILL");
  expect(place.all("merge.prepared")).toHaveLength(1);
  expect([...place.all("merge.done"), ...place.all("relay.finished")]).toEqual([]);
  return place;
}

const gitsOf = (place: Place): number[] => {
  const commit = place.all("merge.prepared")[0]!.commit;
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(commit);
      } catch {
        return false;
      }
    })
    .map(Number);
};

async function goOn(place: Place, { release }: Case): Promise<void> {
  await (release ? release(place) : place.go("on"));
  await expect.poll(() => gitsOf(place), { timeout: 20_000 }).toEqual([]);
}

async function expectLandedOnce(place: Place): Promise<void> {
  const { commit } = place.all("merge.prepared")[0]!;
  expect(place.all("merge.prepared")).toHaveLength(1);
  expect(place.all("merge.done")).toMatchObject([{ commit }]);
  await expectAllMerged(place, ["FEAT-0001"]);
  expect(await place.git("rev-parse", "main")).toBe(commit);
  expect(await broughtIn(place)).toEqual([{ "FEAT-0001": ["file.txt", issuePath("FEAT-0001")] }]);
}

const stillToMove: [string, Case][] = [
  ["before it begins, into a checkout", { halt: inProgram("before") }],
  ["before it begins, of a branch that nobody has checked out", { aside: true, halt: inProgram("before") }],
  ["in the middle of the files, into a checkout", { halt: inFilter, settings: "filters: ignore\n" }],
  ["with its files moved and its branch not", atRef],
];

describe("the runner is killed, and its git goes on", () => {
  testRows<[string, Case]>([
    ...stillToMove,
    ["behind its work, in a checkout", { halt: inProgram("after") }],
    ["behind its work, of a branch that nobody has checked out", { aside: true, halt: inProgram("after") }],
  ])("%s: what it landed is recorded, and not merged again", async ([, halted]) => {
    const place = await killedWhileLanding(halted);
    await goOn(place, halted);
    const resumed = await place.monoco("relay", "resume", "FEAT-0001");
    expect(resumed, resumed.stdout).toMatchObject({ exitCode: 0 });
    await expectLandedOnce(place);
  });

  // Each waits for all of `leftGitMsMax`.
  full.for<[string, Case]>(stillToMove)(
    "%s: while it stands still, resume says which process it is and changes nothing, and a person's word is too late",
    async ([, halted]) => {
      const place = await killedWhileLanding(halted);
      const look = "git rev-parse main; git status --porcelain; cat file.txt";
      const before = await place.sh(`${look} || :`);
      const resumed = await place.monoco("relay", "resume", "FEAT-0001");
      expect(resumed, resumed.stdout).toMatchObject({ exitCode: 1 });
      const [, pid] = /wait for the git that is at work there: process (\d+)/.exec(resumed.stdout) ?? [];
      expect(gitsOf(place), resumed.stdout).toContain(Number(pid));
      expect(await place.sh(`${look} || :`)).toBe(before);
      const word = await place.monoco("issue", "review", "FEAT-0001", "--request-changes", "-m", "No");
      expect(word).toMatchObject({ exitCode: 2, stdout: "" });
      expect(word.stderr).toContain(`is landing submission 1: process ${pid}`);
      await goOn(place, halted);
      expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
      await expectLandedOnce(place);
    },
  );

  testRows<[string, Case]>(stillToMove)(
    "%s: what it lands after resume has looked for it is recorded, and not merged again",
    async ([, halted]) => {
      const place = await killedWhileLanding(halted);
      const { commit } = place.all("merge.prepared")[0]!;
      const asks = `*" merge-base --is-ancestor ${commit} refs/heads/main "*`;
      await place.sh("mkfifo ../fifos/looked && touch ../armed");
      await meddle(
        place,
        asks,
        (git) => `${git} "$@"; s=$?; echo here > ${place.around}/fifos/looked; exit $s`,
      );
      const resumed = place.sandbox.start(["relay", "resume", "FEAT-0001"], {
        cwd: place.project,
        env: { PATH: pathOf(place) },
      });
      await place.heard("looked");
      await goOn(place, halted);
      const ran = await resumed;
      expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
      await expectLandedOnce(place);
    },
  );

  full(
    "where no list of processes shows it, it is recorded once, though it lands before the merge made anew",
    async () => {
      const place = await killedWhileLanding({ aside: true, halt: hidden });
      const { commit } = place.all("merge.prepared")[0]!;
      await place.sh("mkfifo ../fifos/lands ../fifos/landed && touch ../armed");
      const meet = `echo here > ${place.around}/fifos/lands; read -r _ < ${place.around}/fifos/landed`;
      await meddle(place, `*" update-ref refs/heads/main "*`, () => meet);
      const options = { cwd: place.project, env: { PATH: pathOf(place) } };
      const resumed = place.sandbox.start(["relay", "resume", "FEAT-0001"], options);
      await place.heard("lands");
      await place.go("on");
      await expect.poll(() => place.git("rev-parse", "main"), { timeout: 20_000 }).toBe(commit);
      await place.go("landed");
      const ran = await resumed;
      expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
      expect(place.all("merge.done")).toMatchObject([{ commit }]);
      expect(await place.git("rev-parse", "main")).toBe(commit);
    },
  );

  full("before it moves the branch on which the work is left: that is recorded once, too", async () => {
    const halted = { settings: "finish: branch\n", halt: inProgram("before") };
    const place = await killedWhileLanding(halted);
    const word = "wait for the git that is at work there: process ";
    expect((await place.monoco("relay", "resume", "FEAT-0001")).stdout).toContain(word);
    await goOn(place, halted);
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.all("merge.prepared")).toHaveLength(1);
    const { commit } = place.all("merge.prepared")[0]!;
    expect(place.all("relay.finished")).toMatchObject([{ commit }]);
  });
});
