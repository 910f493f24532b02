/**
 * A contained program starts only when its runner says so: by then, the end of the runner is sure to end the program.
 *
 * setpriv, unshare and bubblewrap ask the kernel for a signal at their parent's death some milliseconds after they begin, and
 * none of them checks whether that parent is still alive. So the first process of the namespace asks its runner through a
 * socket. A dead runner does not answer, and nothing starts.
 */
import { Duplex } from "node:stream";
import type { Readable, Writable } from "node:stream";

/** The descriptors of the first process besides its streams: the runner's socket, for a session its lock, for a test run of the command line nothing. */
export type Lent = "nothing" | "socket" | "socket and lock";
export const askingAt = 3;
export const lockAt = 4;

/** Runs in `sh -c` before the program. A TERM before the answer ends the shell; a later TERM is the program's alone. */
const asks = [
  "unset monoco_over monoco_go; trap monoco_over=1 TERM",
  `{ echo >&${askingAt} && read -r monoco_go <&${askingAt}; } 2> /dev/null && exec ${askingAt}>&- && test -z "$monoco_over" || exit 143; `,
].join("; ");

export const asking = (lent: Lent): string => (lent === "nothing" ? "" : asks);

export type GoAhead = {
  /** Whether the program will never start. Refuses the start, unless the go-ahead was given already. */
  isRefused(): boolean;
  /** Whether the go-ahead was given just now: the shell may still be about to start the program, and loses a TERM then. */
  isYoung(): boolean;
};

/** The longest time that the shell needs to start the program, ms. */
const youngMs = 500;

/** Gives the go-ahead when the first process asks. `socket` is the runner's end; undefined if nothing could be started. */
export function goAhead(socket: Readable | Writable | null | undefined): GoAhead {
  if (!(socket instanceof Duplex)) return { isRefused: () => false, isYoung: () => false };
  let givenMs: number | undefined;
  socket.on("error", () => undefined);
  socket.once("data", () => {
    givenMs = performance.now();
    socket.end("\n");
  });
  return {
    isRefused: () => {
      if (givenMs === undefined) socket.destroy();
      return givenMs === undefined;
    },
    isYoung: () => givenMs !== undefined && performance.now() - givenMs < youngMs,
  };
}
