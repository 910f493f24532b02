/** A worker's line to the remote: git's own protocol over TCP, which drops, delays, half-closes, or loses the answer to a push. */
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * `cut`: each connection is closed at once. `silent`: nothing arrives, and nobody says so. `slow`: each piece is late. `half`:
 * the remote's side is closed after its first words. `deaf`: a push is taken, and its answer is lost.
 */
export const troubles = ["cut", "silent", "slow", "half", "deaf"] as const;
export type Trouble = (typeof troubles)[number];

export type Line = {
  url: string;
  /** Breaks the line, also for what goes on; undefined mends it. */
  set(trouble: Trouble | undefined): void;
  /** How many connections met each trouble. */
  met: Record<Trouble, number>;
  close(): void;
};

const lateMs = 150;

export async function openLine(folder: string, name: string): Promise<Line> {
  let trouble: Trouble | undefined;
  const met: Line["met"] = { cut: 0, silent: 0, slow: 0, half: 0, deaf: 0 };
  const open = new Set<Socket>();
  const meet = (): Trouble | undefined => {
    if (trouble) met[trouble] += 1;
    return trouble;
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    const now = meet();
    if (now === "cut") socket.destroy();
    // It stays open until the line is mended.
    else if (now === "silent") socket.pause();
    else join(socket, daemonIn(folder), () => trouble);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const endAll = (): void => open.forEach((socket) => socket.destroy());
  return {
    url: `git://127.0.0.1:${port}/${name}`,
    met,
    set: (next) => {
      // A connection that went silent is dead; of the others, a cut ends what goes on.
      if (trouble === "silent" || next === "cut") endAll();
      trouble = next;
    },
    close: () => {
      endAll();
      server.close();
    },
  };
}

function daemonIn(folder: string): ChildProcessWithoutNullStreams {
  const { PATH = "" } = process.env;
  const options = ["--inetd", "--export-all", "--enable=receive-pack", "--log-destination=none"];
  return spawn("git", ["daemon", ...options, `--base-path=${folder}`], {
    env: { PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
  });
}

function join(socket: Socket, git: ChildProcessWithoutNullStreams, now: () => Trouble | undefined): void {
  let begun = false;
  let pushes = false;
  let last = Promise.resolve();
  /** In order, and late on a slow line. */
  const later = (act: () => void): void => {
    last = last.then(async () => {
      if (now() === "slow") await sleep(lateMs);
      act();
    });
  };
  socket.on("data", (data: Buffer) => {
    if (!begun) pushes = data.includes("git-receive-pack");
    begun = true;
    if (now() !== "silent") later(() => git.stdin.write(data));
  });
  socket.on("end", () => later(() => git.stdin.end()));
  socket.on("close", () => later(() => git.stdin.end()));
  let spoke = 0;
  git.stdout.on("data", (data: Buffer) => {
    spoke += 1;
    const trouble = now();
    if (trouble === "silent") return;
    // The first words of the remote are the list of its refs.
    if (trouble === "deaf" && pushes && spoke > 1) return;
    later(() => {
      if (socket.writable) socket.write(data);
      if (trouble === "half") socket.end();
    });
  });
  git.stdin.on("error", () => undefined);
  git.stderr.resume();
  git.on("close", () => later(() => (now() === "silent" ? undefined : socket.destroySoon())));
}
