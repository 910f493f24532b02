/** A network of a test's own, in namespaces that end with it: a server of git in the middle, and machines on links that can be taken down. */
import type { Readable } from "node:stream";
import { execa } from "execa";
import { onTestFinished } from "vitest";
import { attempt } from "../../src/core/error/attempt.ts";

/** A machine on the network. */
export type Host = {
  /** The server's address of the bare repository, as this machine reaches it. */
  url: string;
  /** Runs a command on this machine. */
  under: readonly string[];
  cut(): Promise<void>;
  mend(): Promise<void>;
};

/** Serves the repository `name` in `folder`, to fetch and to push, by git's own protocol. */
export async function openNetwork(folder: string, name: string, count: number): Promise<Host[]> {
  const begun: { pid: number; end: Promise<unknown> }[] = [];
  onTestFinished(async () => {
    // With what serves a connection that is dead.
    for (const { pid } of begun.toReversed()) attempt(() => process.kill(-pid, "SIGKILL"), false);
    await Promise.all(begun.map(({ end }) => end));
  });
  /** Runs until the test is over; resolves to its process id once it has said something. */
  const begin = async (command: readonly string[], says: "stdout" | "stderr"): Promise<number> => {
    const [program = "", ...args] = command;
    const child = execa(program, args, { detached: true, stdin: "ignore", reject: false });
    begun.push({ pid: child.pid!, end: child });
    await heard(child[says], child);
    return child.pid!;
  };
  const stays = ["sh", "-c", "echo here; exec sleep 600"];
  // Its user namespace owns the others: what happens in them needs no rights on this machine.
  const server = await begin(["unshare", "--user", "--map-root-user", "--net", ...stays], "stdout");
  const onServer = into(server);
  const shell = (under: readonly string[], script: string): Promise<unknown> => {
    const [program, ...args] = [...under, "sh", "-ec", script];
    return execa(program, args);
  };
  const hosts: Host[] = [];
  for (let at = 1; at <= count; at += 1) {
    const host = await begin([...onServer, "unshare", "--net", ...stays], "stdout");
    const under = into(host);
    const [link, net] = [`link${at}`, `10.77.${at}`];
    await shell(
      onServer,
      `ip link add ${link} type veth peer name eth0 netns ${host}; ip addr add ${net}.1/24 dev ${link}; ip link set ${link} up`,
    );
    await shell(under, `ip addr add ${net}.2/24 dev eth0; ip link set eth0 up; ip link set lo up`);
    hosts.push({
      url: `git://${net}.1/${name}`,
      under,
      cut: async () => void (await shell(onServer, `ip link set ${link} down`)),
      mend: async () => void (await shell(onServer, `ip link set ${link} up`)),
    });
  }
  const options = ["--export-all", "--enable=receive-pack", "--verbose", `--base-path=${folder}`];
  await begin([...onServer, "git", "daemon", ...options], "stderr");
  return hosts;
}

const into = (pid: number): string[] => [
  "nsenter",
  "--target",
  String(pid),
  "--user",
  "--net",
  "--preserve-credentials",
];

/** Resolves at the first words of a process; rejects if it ends without any. */
async function heard(stream: Readable, end: Promise<unknown>): Promise<void> {
  const words = new Promise<void>((resolve) => void stream.once("data", () => resolve()));
  const isOver = end.then((ended) => {
    throw new Error(`it ended at once: ${JSON.stringify(ended)}`);
  });
  await Promise.race([words, isOver]);
}
