/** A disk of a few MiB that can be filled, in a mount namespace of its own: no rights are needed, and nothing stays behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { execa, execaSync } from "execa";

const apart = ["unshare", "--user", "--map-root-user", "--mount", "--fork", "--kill-child=KILL", "--"];

/** Whether this machine lets a person mount a tmpfs in a namespace of their own. */
export function smallDisksWork(): boolean {
  const mount = "mount -t tmpfs -o size=1m none /mnt";
  return execaSync(apart[0]!, [...apart.slice(1), "sh", "-c", mount], { reject: false }).exitCode === 0;
}

export type SmallDisk = {
  /** A command line that runs a program where the disk is mounted, in the folder `cwd`. */
  under(cwd: string): readonly string[];
  /** Writes until nothing more goes in, then frees `bytes` again. */
  fill(bytes?: number): Promise<void>;
  free(): Promise<void>;
  sh(command: string): Promise<string>;
  /** Where this process sees `path` as it is there. */
  seen(path: string): string;
  unmount(): Promise<void>;
};

/** Mounts `mebibytes`, with room for so many files (0: any), at `folder` (made if missing); what lay there is copied in. */
export async function mountSmallDisk(folder: string, mebibytes: number, files = 0): Promise<SmallDisk> {
  mkdirSync(folder, { recursive: true });
  const script = `cp -a "$1" "$1.copied" && mount -t tmpfs -o size=${mebibytes}m,nr_inodes=${files},mode=755 none "$1" &&
    cp -a "$1.copied/." "$1" && rm -r "$1.copied" && echo ready && exec cat`;
  const holder = spawn(apart[0]!, [...apart.slice(1), "sh", "-c", script, "sh", folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(holder, "exit");
  await Promise.race([
    once(holder.stdout, "data"),
    gone.then(() => Promise.reject(new Error("no small disk could be mounted"))),
  ]);
  const { stdout: child } = await execa("pgrep", ["-P", String(holder.pid)]);
  const pid = child.trim();
  const enter = ["nsenter", "--user", "--mount", "--preserve-credentials", "--target", pid, "--"];
  const sh = async (command: string): Promise<string> =>
    (await execa(enter[0]!, [...enter.slice(1), "sh", "-c", command, "sh", folder])).stdout;
  return {
    under: (cwd) => [...enter, "sh", "-c", 'cd "$0" && exec "$@"', cwd],
    fill: async (bytes = 0) => {
      await sh(`dd if=/dev/zero of="$1/filler" bs=4096 2>&1; truncate --size=-${bytes} "$1/filler"; true`);
    },
    free: async () => void (await sh('rm -f "$1/filler"')),
    sh,
    seen: (path) => `/proc/${pid}/root${path}`,
    unmount: async () => {
      holder.stdin.end();
      await gone;
    },
  };
}
