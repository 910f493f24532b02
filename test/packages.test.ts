/** What is installed is what was tried: exact versions, under the pinned Node. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { pinnedAgents } from "../scripts/agents.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "..", name), "utf8"));

const versions = z.record(z.string(), z.string()).default({});
const manifest = z
  .object({
    dependencies: versions,
    devDependencies: versions,
    engines: z.object({ node: z.string() }),
    scripts: versions,
    keywords: z.array(z.string()),
    homepage: z.url(),
    bugs: z.url(),
    repository: z.object({ type: z.literal("git"), url: z.string().startsWith("git+https://") }),
  })
  .parse(read("package.json"));
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        resolved: z.string().optional(),
        link: z.boolean().optional(),
        dev: z.boolean().optional(),
        hasInstallScript: z.boolean().optional(),
      }),
    ),
  })
  .parse(read("package-lock.json"));

const exact = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const lab = z.object({ private: z.literal(true), devDependencies: versions }).parse(read("lab/package.json"));
const wanted = { ...manifest.dependencies, ...manifest.devDependencies };

// TRAP 52
test("every package is asked for by its exact version, and the lock has that one", () => {
  for (const [name, version] of [...Object.entries(wanted), ...Object.entries(lab.devDependencies)]) {
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

test("an installation of the package runs no script, so npm asks no permission; npm ci in a clone and npm pack build it", () => {
  for (const asked of ["preinstall", "install", "postinstall", "prepare"])
    expect(manifest.scripts).not.toHaveProperty(asked);
  const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && !dev);
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  for (const builds of ["postprepare", "prepack"]) expect(manifest.scripts[builds]).toBe("npm run build");
});

test("package.json says where the project lives and what it is about", () => {
  expect(manifest.keywords.length).toBeGreaterThan(0);
  expect(manifest.repository.url).toBe(`git+${manifest.homepage.replace("#readme", "")}.git`);
  expect(manifest.bugs).toBe(manifest.homepage.replace("#readme", "/issues"));
});

test("each link of the READMEs and docs leads to a file of the package, which does not hold the lab", () => {
  const root = join(import.meta.dirname, "..");
  const packed = z
    .array(z.object({ files: z.array(z.object({ path: z.string() })) }))
    .parse(
      JSON.parse(
        execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
          cwd: root,
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        }),
      ),
    )
    .flatMap(({ files }) => files.map(({ path }) => path));
  expect(packed.filter((path) => path.startsWith("lab/"))).toEqual([]);
  const documents = packed.filter((path) => /^(?:README[^/]*|docs\/.*)\.md$/.test(path));
  expect(documents).toEqual(expect.arrayContaining(["README.md", "README.zh.md", "docs/settings.md"]));
  const broken = documents.flatMap((path) => {
    const links = [...readFileSync(join(root, path), "utf8").matchAll(/\]\(([^()\s#]+)[^()\s]*\)/g)];
    const targets = links.map(([, link]) => link!).filter((link) => !/^[a-z]+:/.test(link));
    return targets
      .map((link) => normalize(join(dirname(path), link)).replace(/\/$/, ""))
      .filter((target) => !packed.some((file) => file === target || file.startsWith(`${target}/`)))
      .map((target) => `${path}: ${target}`);
  });
  expect(broken).toEqual([]);
});

test("the lock names no registry", () => {
  const named = Object.values(lock.packages).filter(({ link, resolved }) => !link && resolved !== undefined);
  expect(named).toEqual([]);
});
