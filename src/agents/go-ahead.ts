/**
 * A program that is held starts only once its runner says so: by then, what ends it with its runner is in force.
 *
 * setpriv, unshare and bubblewrap ask the kernel for a signal at their parent's death some milliseconds after they begin, and none of
 * them looks whether that parent is still there. So the first process of the namespace asks its runner by a socket. A runner
 * that has died does not answer, and nothing is started.
 */
import { Duplex } from "node:stream";
import type { Readable, Writable } from "node:stream";

/** What the first process has besides its streams: of a runner the socket, and where it is a session's its lock; a trial of the same command line has nothing. */
export type Lent = "nothing" | "socket" | "socket and lock";
export const askingAt = 3;
export const lockAt = 4;

/** For `sh -c`, before the program. A TERM that comes before the answer ends the shell; afterwards it is the program's alone. */
const asks = [
  "unset monoco_over monoco_go; trap monoco_over=1 TERM",
  `{ echo >&${askingAt} && read -r monoco_go <&${askingAt}; } 2> /dev/null && exec ${askingAt}>&- && test -z "$monoco_over" || exit 143; `,
].join("; ");

export const asking = (lent: Lent): string => (lent === "nothing" ? "" : asks);

export type GoAhead = {
  /** Whether the program is never going to start: from now on, unless it may have started before. */
  isRefused(): boolean;
  /** Whether it was let go just now: the shell may still be about to start it, and loses a TERM then. */
  isYoung(): boolean;
};

/** How long a shell may take, ms. */
const youngMs = 500;

/** Answers as soon as the first process asks. `socket` is the runner's end; none where nothing could be started. */
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
