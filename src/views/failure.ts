/** Prints a command's failure: a message and a hint on standard error, a stack only for a bug in monoco. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { MonocoError, exitCodes } from "../core/error/error.ts";
import { plain, plainHint, plainLine } from "../core/text/sanitize.ts";
import { systemError } from "../core/error/system-error.ts";
import { adviceWords } from "./hint.ts";
import { stackInSources } from "./stack.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

/** Prints the error and returns its exit code; `issue` is the one that was worked on. */
export function tellFailure(error: unknown, issue?: string): number {
  const write = (text: string): void => void io().stderr.write(`${text}\n`);
  const fault = error instanceof MonocoError ? error : systemError(whatRefused(error));
  const about = issue === undefined || fault?.message.includes(issue) ? "" : `${issue}: `;
  if (fault && fault.kind !== "bug") {
    write(t`error: ${about}${plainLine(fault.message, 600)}`);
    if (fault.hint) write(t`hint: ${plainHint(adviceWords(fault.hint))}`);
    return exitCodes[fault.kind];
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const goOn = issue === undefined ? "monoco resume" : `monoco resume ${issue}`;
  write(t`error: ${about}a bug in monoco: ${plain(stackInSources(stack))}`);
  write(t`hint: please report it with the lines above; no work is lost, ${goOn} goes on`);
  return exitCodes.bug;
}

/** The error of the nearest existing folder. For a recursive mkdir Node always reports ENOENT. */
function whatRefused(error: unknown): unknown {
  const making = error instanceof Error && "syscall" in error && error.syscall === "mkdir";
  if (!making || !("path" in error) || !("code" in error) || error.code !== "ENOENT") return error;
  let folder = String(error.path);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    return error;
  } catch (refused) {
    return refused;
  }
}
