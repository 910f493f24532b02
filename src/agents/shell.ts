/** The shell of set-ups, checks and evidence: bash where it is installed, since most people and agents write for it, else sh. */
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import { isOnPath } from "./environment.ts";

/** The setting `shell`: a command line, or its words. */
type Shell = string | readonly string[];

/** The arguments before a command. Throws `input`, naming `place`, for a shell that is not installed. */
export function shellFor(
  setting: Shell | undefined,
  { PATH = "" }: Readonly<Record<string, string | undefined>>,
  place = "monoco.yaml",
): string[] {
  if (setting === undefined) return [isOnPath("bash", PATH) ? "bash" : "/bin/sh", "-c"];
  const words = typeof setting === "string" ? setting.trim().split(/\s+/) : setting;
  const [program = ""] = words;
  // A relative path would be in the clone, where an agent could put a shell of its own.
  if ((program.includes("/") && !program.startsWith("/")) || !isOnPath(program, PATH)) {
    throw new MonocoError("input", t`${place}: shell: no such program on the PATH: ${program}`, {
      hint: t`install it, or name another one: shell: bash -o pipefail`,
    });
  }
  return [...words, "-c"];
}
