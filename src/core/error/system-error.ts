/** Explains an error of the operating system: what failed, and what to do about it. */
import { MonocoError } from "./error.ts";
import type { ErrorKind } from "./error.ts";
import { t, translatable, translated } from "../language/translate.ts";

type Refusal = { kind: ErrorKind; says: string; hint: string };

const disk = (says: string, hint: string): Refusal => ({ kind: "person", says, hint });
const rights = translatable(
  "give yourself the right to it (ls -l shows who has it), then run the same command again",
);
const place = (says: string, hint: string): Refusal => ({ kind: "input", says, hint });

/** Refusals by system code. Disk trouble needs a person; a path of the wrong kind is bad input. */
const refusals: Readonly<Record<string, Refusal>> = translatable({
  ENOSPC: disk("no room is left on the disk", "make room"),
  EDQUOT: disk("the disk quota is used up", "make room"),
  EFBIG: disk("the file would be larger than it may be (ulimit -f)", "raise the limit"),
  EIO: disk("the disk failed", "look at the system's log, fix it"),
  EMFILE: disk("too many files are open (ulimit -n)", "raise the limit, or run fewer relays at once"),
  ENFILE: disk("too many files are open on this machine", "end some programs"),
  EACCES: place("permission denied", rights),
  EPERM: place("not permitted", rights),
  EROFS: place(
    "the file system is read-only",
    "make it writable (mount -o remount,rw), or work in a folder on another one; XDG_STATE_HOME says where the clones lie",
  ),
  ENOENT: place(
    "no such file or folder",
    "check the path; if it was removed, restore it, then run the same command again",
  ),
  ENOTDIR: place("a file stands where a folder has to be", "move the file away"),
  EISDIR: place("a folder stands where a file has to be", "move the folder away"),
  EEXIST: place("something is there already", "move it away"),
  ELOOP: place("a link leads to itself", "remove the link"),
  ENAMETOOLONG: place("the name is too long", "use a shorter path"),
});

/** The refusal behind an error of the system; undefined for any other error. */
export function systemRefusal(error: unknown): (Refusal & { code: string }) | undefined {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  const code = String(error.code);
  const refusal = refusals[code];
  // "No such file" is clear without its code.
  const detail = code === "ENOENT" ? "" : ` (${code}, ${String(error.syscall)})`;
  if (!refusal) return undefined;
  const hint = translated(refusal.hint);
  return {
    code,
    kind: refusal.kind,
    says: `${translated(refusal.says)}${detail}`,
    hint:
      refusal.kind === "person"
        ? t`${hint}, then run the same command again: nothing acknowledged is lost`
        : hint,
  };
}

/** A system error as the error that ends a command; undefined for any other error. */
export function systemError(error: unknown): MonocoError | undefined {
  const refusal = systemRefusal(error);
  if (!refusal) return undefined;
  return new MonocoError(refusal.kind, whereOf(error) + refusal.says, { hint: refusal.hint, cause: error });
}

function whereOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("path" in error) return `${String(error.path)}: `;
  return "syscall" in error && error.syscall === "uv_cwd" ? t`the current folder: ` : "";
}
