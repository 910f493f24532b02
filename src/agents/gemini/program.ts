/**
 * Starts Gemini CLI, prints everything that it reports as one stream, and ends like it.
 *
 * The CLI's standard output leaves out how full the context is and how a shell command ended (both are in its transcript), why
 * its last answer ended (in its telemetry), and that it waits for hours (on standard error). This program prints these facts
 * between the CLI's own lines, as lines of type `monoco_…`; src/agents/gemini/stream.ts understands all of them.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants, homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { homeIn, lastFinish, openTranscript, takeConversation } from "./files.ts";
import { makeHome } from "./home.ts";
import type { Json } from "./home.ts";
import { listen } from "./silence.ts";
import { hideMemories, withoutPathsToRead } from "./unread.ts";

const [role = "", sessionDir = "", agentSessionId = "", program = "", ...argv] = process.argv.slice(2);

const folder = homeIn(sessionDir);
const home = dirname(folder);
const telemetryFile = join(tmpdir(), `gemini-telemetry-${process.pid}.log`);
/** The file that monoco's SessionStart hook leaves. */
const hooksLoaded = join(sessionDir, "outbox", "hooks-loaded");

const lookEveryMs = 100;
const stderrCharsMax = 4_000;
/** The longest wait for a quota inside the CLI: the relay can wait longer without a process. */
const waitMsMax = 120_000;
/** The CLI's exit status for broken settings. */
const settingsExit = 52;

async function main(): Promise<void> {
  let prompt = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) prompt += String(chunk);
  try {
    const personsFolder = join(process.env["GEMINI_CLI_HOME"] || homedir(), ".gemini");
    const settingsFile = join(sessionDir, "gemini-settings.json");
    makeHome(folder, { personsFolder, settingsFile, telemetryFile });
    if (argv.includes("--resume")) takeConversation(folder, sessionDir, agentSessionId);
    if (role === "reviewer") hideMemories();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = settingsExit;
    return;
  }
  await run(withoutPathsToRead(prompt));
}

async function run(prompt: string): Promise<void> {
  const out = openOutput();
  const transcript = openTranscript(folder, agentSessionId);
  let hooked = false;
  const look = (): void => {
    if (!hooked && existsSync(hooksLoaded)) {
      hooked = true;
      out.say({ type: "monoco_hooks" });
    }
    transcript.newLines().forEach(out.say);
  };
  const child = spawn(program, argv, { env: { ...process.env, GEMINI_CLI_HOME: home } });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => void child.kill(signal));
  const timer = setInterval(look, lookEveryMs);
  const silence = listen(Number(process.env["MONOCO_MODEL_SILENCE_MS"]) || Infinity, Date.now());
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    look();
    out.pass(chunk);
    const silentMs = silence.heard(chunk, Date.now());
    if (silentMs === undefined || child.killed) return;
    out.say({ type: "monoco_silent", silentMs });
    child.kill();
  });
  let stderr = "";
  let waits = false;
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    process.stderr.write(chunk);
    stderr = (stderr + chunk).slice(-stderrCharsMax);
    const wait = waits ? undefined : longWait(stderr);
    if (!wait) return;
    waits = true;
    out.say(wait);
    child.kill();
  });
  child.stdin.on("error", () => undefined).end(prompt);
  const { exitCode, signal } = await new Promise<Ended>((ended) => {
    child.once("error", (error) => {
      process.stderr.write(`${error.message}\n`);
      ended({ exitCode: notFoundExit, signal: null });
    });
    child.once("close", (exitCode, signal) => ended({ exitCode, signal }));
  });
  clearInterval(timer);
  look();
  const finish = lastFinish(telemetryFile);
  out.end({ type: "monoco_exit", exitCode, signal, finish, stderr: stderr.slice(-500) });
  process.exitCode = exitCode ?? 128 + constants.signals[signal ?? "SIGKILL"];
}

type Ended = { exitCode: number | null; signal: NodeJS.Signals | null };
/** The exit status of a shell for an unknown program. */
const notFoundExit = 127;

type Output = {
  say(value: Json): void;
  /** Prints a chunk of the CLI's output unchanged. */
  pass(chunk: string): void;
  /** Prints the last line, even if the CLI stopped in the middle of one. */
  end(value: Json): void;
};

/** Prints monoco's lines between those of the CLI, never in the middle of one. */
function openOutput(): Output {
  let held = "";
  let inLine = false;
  const release = (): void => {
    process.stdout.write(held);
    held = "";
  };
  const say = (value: Json): void => {
    held += `${JSON.stringify(value)}\n`;
    if (!inLine) release();
  };
  return {
    say,
    pass: (chunk) => {
      const end = chunk.lastIndexOf("\n") + 1;
      process.stdout.write(chunk.slice(0, end));
      if (end > 0) release();
      process.stdout.write(chunk.slice(end));
      inLine = chunk === "" ? inLine : end < chunk.length;
    },
    end: (value) => {
      if (inLine) process.stdout.write("\n");
      inLine = false;
      say(value);
    },
  };
}

/** A wait for a quota that is too long: the CLI would wait silently for hours. */
function longWait(stderr: string): Json | undefined {
  for (const [, text, wait] of stderr.matchAll(/Attempt \d+ failed: ([\s\S]*?)\.? Retrying after (\d+)ms/g)) {
    const waitMs = Number(wait);
    if (waitMs > waitMsMax) return { type: "monoco_wait", text, atMs: Date.now(), waitMs };
  }
  return undefined;
}

await main();
