/** What this machine gives us of namespaces, tried once a process. A row that needs one is skipped without it, by name. */
import { readlinkSync } from "node:fs";
import { execaSync } from "execa";
import type { TestContext } from "vitest";
import { probeContainment } from "../../src/agents/containment.ts";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";

const trials = {
  bubblewrap: hasBubblewrap,
  "a PID namespace": () => probeContainment() === "pid-namespace",
  "a user namespace": () => execaSync("unshare", ["-Ur", "true"], { reject: false }).exitCode === 0,
  "a network namespace": () =>
    execaSync("unshare", ["-Urn", "ip", "link", "add", "name", "a", "type", "veth", "peer", "name", "b"], {
      reject: false,
    }).exitCode === 0,
};
export type Need = keyof typeof trials;

const tried = new Map<Need, boolean>();

export function isHere(need: Need): boolean {
  const known = tried.get(need) ?? trials[need]();
  if (!known && !tried.has(need)) console.warn(`SKIPPED: this machine does not give us ${need}`);
  tried.set(need, known);
  return known;
}

export function skipWithout(need: Need, context: TestContext): void {
  if (!isHere(need)) context.skip(`this machine does not give us ${need}`);
}

/**
 * Makes a shell command fail without running anything where its mounts and umounts would reach the machine: in the tests' own
 * mount namespace, or in one that passes them on.
 */
export function onOwnMounts(command: string): string {
  const here = readlinkSync("/proc/self/ns/mnt");
  return `ns="$(readlink /proc/self/ns/mnt)" && [ "$ns" != "${here}" ] && [ "$(grep -c " shared:" /proc/self/mountinfo)" = 0 ] && { ${command}\n}`;
}
