/** The person's own programs at a terminal: their editor for a file, their pager for a long text. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { MonocoError } from "../core/error/error.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

/** The command line of the person's editor; `command` is the monoco command, and `instead` is a way without an editor. */
export function editorHere({ command, instead }: { command: string; instead: string }): string {
  const { env, stdin, stdout } = io();
  if (!stdin.isTTY || !stdout.isTTY)
    throw new MonocoError("input", t`--edit opens an editor, but not without a terminal`, { hint: instead });
  const editor = env["VISUAL"]?.trim() || env["EDITOR"]?.trim();
  if (editor) return editor;
  throw new MonocoError("input", t`--edit needs an editor, and neither VISUAL nor EDITOR names one`, {
    hint: t`EDITOR=vi ${command}, or ${instead}`,
  });
}

/** Opens `file` in the editor and waits. Returns how the editor failed; undefined if it succeeded. */
export async function openEditor(editor: string, file: string): Promise<string | undefined> {
  const { cwd, env } = io();
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "monoco", file], { cwd, env, stdio: "inherit" });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  return code === 0 ? undefined : t`the editor ended with ${signal ?? code}`;
}

/** At a terminal, pipes the text through $PAGER, else less, with git's options, so that a short text is printed as it is. */
export async function page(text: string): Promise<void> {
  const { cwd, env, stdin, stdout, onStop } = io();
  const pager = env["PAGER"]?.trim() ?? "less";
  if (!stdin.isTTY || !stdout.isTTY || pager === "" || pager === "cat" || env["TERM"] === "dumb") {
    stdout.write(text);
    return;
  }
  // The pager handles Ctrl-C while it runs.
  const release = onStop(() => undefined);
  try {
    const stdio = ["pipe", "inherit", "ignore"] as const;
    const child = spawn("/bin/sh", ["-c", pager], { cwd, env: { LESS: "FRX", ...env }, stdio: [...stdio] });
    // The person closed the pager before its end.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(text);
    const [code] = (await once(child, "exit")) as [number | null];
    if (code === 126 || code === 127) stdout.write(text);
  } finally {
    release();
  }
}
