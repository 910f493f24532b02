/** What is installed is what was tried: exact versions, under the pinned Node. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { pinnedAgents } from "../scripts/agents.ts";
import { approves, openPlace, works } from "./support/place.ts";
import type { Place } from "./support/place.ts";

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

const root = join(import.meta.dirname, "..");
const pack = z
  .tuple([
    z.object({ size: z.number(), unpackedSize: z.number(), files: z.array(z.object({ path: z.string() })) }),
  ])
  .parse(
    JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    ),
  )[0];

test("the package is no larger than it was before watch, the dashboard and fleets, plus 2.1 MB; a browser gets 200 kB", () => {
  expect(pack.unpackedSize).toBeLessThan(9_890_000 + 2_100_000);
  const page = globSync("*.{js,css}", { cwd: join(root, "dist/page") });
  expect(page.length).toBeGreaterThan(1);
  const style = statSync(join(root, "src/page/style.css")).size;
  const sizes = page.map((name) => statSync(join(root, "dist/page", name)).size);
  expect(sizes.reduce((sum, size) => sum + size, style)).toBeLessThan(200_000);
});

/** Notes what a process loads; a chunk's map names the sources in it. */
const notes = `import { registerHooks } from "node:module"; import { appendFileSync } from "node:fs";
registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + "\\n"); return next(url, context); } });`;

async function sourcesOf(place: Place, ...args: string[]): Promise<string[]> {
  const loaded = join(place.around, "loaded.txt");
  writeFileSync(loaded, "");
  const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(notes).toString("base64")}`;
  const env = { NODE_OPTIONS, LOADED: loaded };
  const ran = await place.sandbox.monoco(args, { cwd: place.project, env, input: "{}" });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stderr: "" });
  const chunks = readFileSync(loaded, "utf8")
    .split("\n")
    .filter((url) => url.includes("/dist/"));
  expect(chunks.length).toBeGreaterThan(0);
  const map = z.object({ sources: z.array(z.string()) });
  // A chunk that only hands on has no map.
  const maps = chunks.map((url) => new URL(`${url}.map`)).filter((url) => existsSync(url));
  return maps.flatMap((url) => map.parse(JSON.parse(readFileSync(url, "utf8"))).sources);
}

test("neither a start, a hook nor a status loads anything of watch, the dashboard or their packages", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  await place.monoco("run", "FEAT-0001");
  const heavy =
    /pi-tui|hono|preact|marked|\/src\/page\/|\/(?:views|commands)\/(?:watch|page|dashboard)\/|\/app\/live\//;
  for (const args of [["--version"], ["hook", "on-stop"], ["relay", "status", "FEAT-0001"]])
    expect(
      (await sourcesOf(place, ...args)).filter((source) => heavy.test(source)),
      args.join(" "),
    ).toEqual([]);
  const page = await sourcesOf(place, "report", "--html", "out.html");
  expect(page.some((source) => heavy.test(source))).toBe(true);
});

test("each link of the READMEs and docs leads to a file of the package, which does not hold the lab", () => {
  const packed = pack.files.map(({ path }) => path);
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
