/** Where podman works for a test: here, or else in a mount namespace that has cgroups as podman needs them. */
import { execaSync } from "execa";
import { fileURLToPath } from "node:url";
import { whyNoContainer } from "../../src/agents/container.ts";

const ownCgroups = ["unshare", "-m", "sh", "-c", 'mount -t cgroup2 none /sys/fs/cgroup && exec "$@"', "sh"];

/** The words before a program that asks for a container; undefined where none can be had, which is said loudly. */
export function underPodman(): readonly string[] | undefined {
  const why = whyNoContainer();
  if (why === undefined) return [];
  const source = fileURLToPath(new URL("../../src/agents/container.ts", import.meta.url));
  const ask = `import(${JSON.stringify(source)}).then((it) => process.exit(it.whyNoContainer() === undefined ? 0 : 1))`;
  const [program, ...words] = [...ownCgroups, process.execPath, "-e", ask];
  if (execaSync(program, words, { reject: false }).exitCode === 0) return ownCgroups;
  console.warn(`SKIPPED: no container can be had on this machine: ${why}`);
  return undefined;
}
