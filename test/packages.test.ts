/** What is installed is what was tried: exact versions, under the pinned Node. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { pinnedAgents } from "../scripts/agents.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "..", name), "utf8"));

const versions = z.record(z.string(), z.string()).default({});
const manifest = z
  .object({ dependencies: versions, devDependencies: versions, engines: z.object({ node: z.string() }) })
  .parse(read("package.json"));
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({ version: z.string().optional(), resolved: z.string().optional() }),
    ),
  })
  .parse(read("package-lock.json"));

const exact = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const wanted = { ...manifest.dependencies, ...manifest.devDependencies };

// TRAP 52
test("every package is asked for by its exact version, and the lock has that one", () => {
  for (const [name, version] of Object.entries(wanted)) {
    expect(version, name).toMatch(exact);
    expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
});

// TRAP 52
test("Node is one of them, no older than what the package asks for: scripts and tests run under it", () => {
  const least = manifest.engines.node.replace(">=", "").split(".").map(Number);
  const pinned = wanted["node"]!.split(".").map(Number);
  expect(pinned[0]).toBeGreaterThanOrEqual(least[0]!);
  expect(process.versions.node).toBe(wanted["node"]);
});

test("the agents of the live tests are pinned, too", () => {
  for (const { package: name, version } of Object.values(pinnedAgents)) expect(version, name).toMatch(exact);
});

test("the lock names no registry", () => {
  const named = Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined);
  expect(named).toEqual([]);
});
