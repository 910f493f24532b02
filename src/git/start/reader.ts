/**
 * One git process that answers questions for as long as a relay runs: which commit a name refers to, and the content of a file
 * in a commit. `git cat-file --batch-command` reads refs anew for each question, and looks for new packs when an object is
 * missing.
 */
import { spawn } from "node:child_process";
import { readerMsMax } from "../../core/limits.ts";
import { needPipes } from "../../io/need-pipes.ts";

/** `bytes` is the object's size, also without its content. */
export type Answer = { hash: string; type: string; bytes: number; content: Buffer };

/** The object that a name refers to; "nothing" if there is none; undefined if the caller has to ask another git. */
export type Answered = Answer | "nothing" | undefined;

export type Reader = {
  ask(how: "info" | "contents", name: string): Promise<Answered>;
  /** Ends the git process; open questions are answered with undefined. */
  close(): void;
};

type Question = { how: "info" | "contents"; settle(answered: Answered): void };

/** `command` is git with its configuration, without a verb. The end of monoco ends the process by closing its input. */
export function openReader(
  command: readonly [string, ...string[]],
  at: { cwd: string; env: Readonly<Record<string, string>> },
): Reader {
  const [program, ...args] = command;
  // A session of its own: the terminal's Ctrl-C is for monoco alone.
  needPipes();
  const child = spawn(program, [...args, "cat-file", "--batch-command"], { ...at, detached: true });
  const waiting: Question[] = [];
  let unread: Buffer = Buffer.alloc(0);
  let open = true;
  const close = (): void => {
    open = false;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    for (const { settle } of waiting.splice(0)) settle(undefined);
  };
  child.once("error", close).once("exit", close);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", close);
  child.stderr.resume();
  const takeAnswers = (): void => {
    while (waiting[0]) {
      const read = readAnswer(unread, waiting[0].how);
      if (!read) return;
      if (read === null) return close();
      unread = unread.subarray(read.bytes);
      waiting.shift()!.settle(read.answered);
    }
  };
  child.stdout.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    takeAnswers();
  });
  let unsent = "";
  const send = (): void => {
    if (open) child.stdin.write(unsent);
    unsent = "";
  };
  const ask: Reader["ask"] = (how, name) => {
    // A question is one line, so a name cannot contain a line end.
    if (!open || /[\n\0]/.test(name)) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Answered>();
    const late = setTimeout(close, readerMsMax);
    const settle = (answered: Answered): void => {
      clearTimeout(late);
      resolve(answered);
    };
    waiting.push({ how, settle });
    // Questions of one tick are written together, since each write wakes git.
    if (unsent === "") process.nextTick(send);
    unsent += `${how} ${name}\n`;
    return promise;
  };
  return { ask, close };
}

/** The first answer in `unread`, with its length; undefined if it is incomplete, null if it is not an answer. */
function readAnswer(
  unread: Buffer,
  how: Question["how"],
): { answered: Answer | "nothing"; bytes: number } | null | undefined {
  const end = unread.indexOf("\n");
  if (end < 0) return undefined;
  const line = unread.toString("utf8", 0, end);
  const start = end + 1;
  if (/ (?:missing|ambiguous)$/.test(line)) return { answered: "nothing", bytes: start };
  const [, hash, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
  if (hash === undefined || type === undefined) return null;
  const bytes = Number(size);
  if (how === "info") return { answered: { hash, type, bytes, content: Buffer.alloc(0) }, bytes: start };
  const after = start + bytes;
  if (unread.length <= after) return undefined;
  const content = Buffer.from(unread.subarray(start, after));
  return { answered: { hash, type, bytes, content }, bytes: after + 1 };
}
