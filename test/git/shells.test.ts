/** The shells that are kept for a run answer as a git that was started alone would, and leave nothing behind. */
import { existsSync, mkdirSync, readFileSync, readlinkSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { attempt } from "../../src/core/error/attempt.ts";
import { gitIn } from "../../src/git/git.ts";
import type { GitError, GitOptions } from "../../src/git/git.ts";
import { keepShells, runInShell } from "../../src/git/start/shells.ts";
import { processesOf } from "../support/cli.ts";
import { temporaryFolder, temporaryRepository } from "../support/repository.ts";

/** The shells of this process, and what runs in them. */
const below = (parent = process.pid): number[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) =>
      attempt(() => readFileSync(`/proc/${pid}/status`, "utf8"), "").includes(`PPid:\t${parent}\n`),
    )
    .map(Number);
const shells = (): number[] =>
  below().filter((pid) => attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "") === "/bin/sh\0");

const keep = (): (() => void) => {
  const leave = keepShells();
  let left = false;
  const once = (): void => {
    if (!left) leave();
    left = true;
  };
  onTestFinished(once);
  return once;
};

const answer = async (asked: Promise<string>): Promise<unknown> =>
  asked.catch((error: GitError) => ({
    message: error.message,
    exitCode: error.exitCode,
    stdout: error.stdout,
    wordless: error.wordless,
    hint: error.hint,
  }));

const odd = 'it\'s $(touch gone) `touch gone` "quoted" \\ * 项目\nnext line\n\n';

test.for<[string, readonly string[], GitOptions?]>([
  ["a line", ["rev-parse", "HEAD"]],
  ["nothing", ["update-ref", "refs/heads/other", "HEAD"]],
  ["names that end with NUL", ["ls-tree", "-r", "-z", "--name-only", "HEAD"]],
  ["output without an end of its last line", ["cat-file", "blob", "HEAD:no-end.txt"]],
  ["6 MB", ["cat-file", "blob", "HEAD:long.txt"]],
  ["bytes that are no text", ["cat-file", "blob", "HEAD:bytes"]],
  ["a failure with its words", ["rev-parse", "--verify", "nothing"]],
  ["a failure without a word", ["diff", "--quiet", "HEAD~1", "HEAD"]],
  ["output and a failure", ["merge-tree", "--write-tree", "--name-only", "HEAD", "side"]],
  ["words that a shell would read", ["rev-parse", "--sq-quote", odd, "", "-n", "'"]],
  ["an input", ["hash-object", "--stdin"], { input: odd }],
  ["an input with NUL", ["hash-object", "--stdin"], { input: "a\0b" }],
  ["an input of 1 MB", ["hash-object", "--stdin"], { input: "% \\n line\n".repeat(100_000) }],
  ["an input that is not read", ["rev-parse", "HEAD"], { input: "x".repeat(1_000_000) }],
  [
    "an environment",
    ["var", "GIT_AUTHOR_IDENT"],
    { env: { GIT_AUTHOR_NAME: "D'Arc $HOME", GIT_AUTHOR_EMAIL: "a@b", GIT_AUTHOR_DATE: "1 +0000" } },
  ],
  ["no such command", ["no-such-command"]],
])("%s is answered alike with and without them", async ([, args, options]) => {
  const { git, folder, commit } = await temporaryRepository({ "a.txt": "one\n" });
  await git("checkout", "--quiet", "-b", "side");
  await commit({ "a.txt": "side\n" });
  await git("checkout", "--quiet", "main");
  writeFileSync(join(folder, "bytes"), Buffer.from([0, 1, 255, 254, 10, 0x80]));
  const long = "line of text\n".repeat(500_000);
  await commit({ "a.txt": "main\n", "no-end.txt": "no end", "long.txt": long, "a name": "", 项目: "" });
  const alone = await answer(gitIn(folder)(args, options));
  expect(shells()).toEqual([]);
  keep();
  for (const _ of [1, 2]) expect(await answer(gitIn(folder)(args, options))).toEqual(alone);
  if (!options?.input?.includes("\0")) expect(shells()).toHaveLength(1);
});

test("many questions at once are each answered, by four of them at most, and the rest wait for a shell", async () => {
  const { folder } = await temporaryRepository();
  keep();
  const words = Array.from({ length: 40 }, (_, n) => `word ${n}`);
  const answers = words.map((word) => gitIn(folder)(["rev-parse", "--sq-quote", word]));
  let most = 0;
  const looking = setInterval(() => (most = Math.max(most, below().length)), 1);
  expect(await Promise.all(answers)).toEqual(words.map((word) => ` '${word}'\n`));
  clearInterval(looking);
  expect(shells()).toHaveLength(4);
  // No git was started by this process itself.
  expect(most).toBe(4);
});

test("one that is killed fails what it ran, as a git does that is killed, and another one goes on", async () => {
  const { folder } = await temporaryRepository();
  keep();
  const head = await gitIn(folder)(["rev-parse", "HEAD"]);
  const [shell] = shells();
  // It waits for an end of its input, which does not come.
  const running = runInShell(
    { words: ["tail", "-f", "/dev/null"], cwd: folder, env: {}, input: "", msMax: 60_000 },
    environmentOf(shell!),
  );
  await expect.poll(() => below(shell)).toHaveLength(1);
  process.kill(-shell!, "SIGKILL");
  expect(await running).toEqual({ exitCode: 128, stdout: "", stderr: "" });
  for (const _ of [1, 2, 3]) {
    expect(await gitIn(folder)(["rev-parse", "HEAD"])).toBe(head);
    // One that has nothing to do, too.
    process.kill(shells()[0]!, "SIGKILL");
    expect(await gitIn(folder)(["rev-parse", "HEAD"])).toBe(head);
  }
});

const environmentOf = (pid: number): Record<string, string> => {
  const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
};

test.for(["1", "2"])(
  "what a program has left running prints to stream %s is no word of the next one's",
  async (to) => {
    const { folder } = await temporaryRepository();
    keep();
    const head = await gitIn(folder)(["rev-parse", "HEAD"]);
    const [shell] = shells();
    const [go, printed] = [join(folder, "go"), join(folder, "printed")];
    const straggler = `(until [ -e ${go} ]; do :; done; echo late; : >${printed}) >&${to} & :`;
    await gitIn(folder)(["-c", `alias.stray=!${straggler}`, "stray"]);
    writeFileSync(go, "");
    await expect.poll(() => existsSync(printed)).toBe(true);
    expect(await gitIn(folder)(["rev-parse", "HEAD"])).toBe(head);
    // Whatever else it prints meets nobody there.
    expect(await gitIn(folder)(["rev-parse", "HEAD"])).toBe(head);
    expect(shells()).toHaveLength(1);
    expect(shells()).not.toEqual([shell]);
  },
);

test("more output than fits into a string fails what printed it, and nothing else", async () => {
  const { folder } = await temporaryRepository();
  keep();
  const endless = gitIn(folder)(["-c", "alias.endless=!yes", "endless"]);
  await expect(endless).rejects.toThrow(/it printed more than 400 MB/);
  expect(await gitIn(folder)(["rev-parse", "--is-inside-work-tree"])).toBe("true\n");
});

test("a relative folder is meant from the process's own", async () => {
  keep();
  const [here, there] = [gitIn("."), gitIn(process.cwd())];
  expect(await here(["rev-parse", "--absolute-git-dir"])).toBe(
    await there(["rev-parse", "--absolute-git-dir"]),
  );
});

test("what takes too long is killed with all that it started", async () => {
  const folder = temporaryFolder();
  keep();
  const words = ["/bin/sh", "-c", "tail -f /dev/null & tail -f /dev/null"];
  const ran = await runInShell(
    { words, cwd: folder, env: {}, input: "", msMax: 300 },
    { PATH: process.env["PATH"]! },
  );
  expect(ran).toMatchObject({ exitCode: 124 });
  await expect.poll(() => processesOf(folder)).toEqual([]);
});

test.for(["stopped", "late"])("what may last and is %s ends with all that it started", async (how) => {
  const { folder, outside } = await temporaryRepository();
  keep();
  const fifo = join(outside, "fifo");
  execaSync("mkfifo", [fifo]);
  const control = new AbortController();
  const limit = how === "late" ? { msMax: 500 } : { stop: control.signal };
  // Nobody writes there.
  const running = gitIn(folder)(["hash-object", fifo], limit);
  await expect.poll(() => processesOf(folder).filter((words) => words.includes(fifo))).not.toEqual([]);
  if (how === "stopped") control.abort();
  await expect(running).rejects.toThrow(how === "stopped" ? "stopped" : "no answer in 0.5 s");
  await expect.poll(() => processesOf(folder)).toEqual([]);
  expect(await gitIn(folder)(["rev-parse", "--sq-quote", "x"])).toBe(" 'x'\n");
});

test("a folder that is gone and a git that is not installed are errors in words", async () => {
  const { folder, outside } = await temporaryRepository();
  keep();
  mkdirSync(join(outside, "-e"));
  const there = await gitIn(join(outside, "-e"))(["rev-parse", "--sq-quote", "x"]);
  expect(there).toBe(" 'x'\n");
  await expect(gitIn(join(outside, "gone"))(["rev-parse", "HEAD"])).rejects.toThrow("gone");
  const path = process.env["PATH"];
  onTestFinished(() => void (process.env["PATH"] = path));
  process.env["PATH"] = join(outside, "no programs");
  await expect(gitIn(folder)(["rev-parse", "HEAD"])).rejects.toThrow("git is not on the PATH");
});

test("the last user's end is theirs", async () => {
  const { folder } = await temporaryRepository();
  const [leave, leaveToo] = [keep(), keep()];
  await gitIn(folder)(["rev-parse", "HEAD"]);
  const [shell] = shells();
  expect(attempt(() => readlinkSync(`/proc/${shell}/cwd`), "")).toBe("/");
  leave();
  await gitIn(folder)(["rev-parse", "HEAD"]);
  expect(shells()).toEqual([shell]);
  leaveToo();
  await expect.poll(shells).toEqual([]);
});
