/** Runs monoco commands for the keys of the terminal view, so that a key and its command do the same. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { wordsOf } from "../../core/error/error.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { shellWord } from "../../core/text/shell.ts";
import type { Here } from "../../app/here.ts";
import { monocoCommand } from "../../app/wire.ts";
import { io } from "../../io/io.ts";

export type Came = { ok: boolean; text: string };

/** Characters of an answer that a line shows. */
const charsMax = 400;

/** Runs the command to its end; what it prints becomes one line, which begins with what came of it. */
export async function runHere(here: Here, args: readonly string[]): Promise<Came> {
  const { ok, stdout, stderr } = await capture(here, args);
  return { ok, text: `${firstLine(ok ? stdout : stderr)}  ${commandWords(args)}` };
}

/** The command as a person would type it. */
export function commandWords(args: readonly string[]): string {
  const shown = args.filter((arg) => arg !== "--");
  return plainLine(`$ ${["monoco", ...shown].map(shellWord).join(" ")}`, charsMax);
}

/** A command that takes the terminal, such as the diff in the pager. Resolves to its error, empty if it has none. */
export async function runAtTerminal(here: Here, args: readonly string[]): Promise<string> {
  const [program = "", ...first] = monocoCommand();
  const { env } = io();
  // Without F, so that a short text stays until the person leaves the pager.
  const child = spawn(program, [...first, ...args], {
    cwd: here.repository.worktree,
    env: { LESS: "RX", ...env },
    stdio: ["inherit", "inherit", "pipe"],
  });
  const said = Promise.all([text(child.stderr), once(child, "exit")]);
  return firstLine(await said.then(([words]) => words, wordsOf));
}

async function capture(
  here: Here,
  args: readonly string[],
): Promise<{ ok: boolean; stdout: string; stderr: string }> {
  const [program = "", ...first] = monocoCommand();
  const child = spawn(program, [...first, ...args], {
    cwd: here.repository.worktree,
    env: io().env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit") as Promise<[code: number | null]>;
  return Promise.all([text(child.stdout), text(child.stderr), ended]).then(
    ([stdout, stderr, [code]]) => ({ ok: code === 0, stdout, stderr }),
    // Its folder is gone, for example.
    (error: unknown) => ({ ok: false, stdout: "", stderr: wordsOf(error) }),
  );
}

function firstLine(printed: string): string {
  return plainLine(printed.trim().replaceAll("\n", " · "), charsMax);
}
