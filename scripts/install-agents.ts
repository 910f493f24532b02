/** `npm run agents:install [claude codex gemini opencode …]`: puts the pinned agent CLIs into the cache folder, for the live tests. */
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { execa } from "execa";
import { agentFolder, agentsFolder, installedAgent, isPinned, pinnedAgents } from "./agents.ts";
import type { PinnedAgent } from "./agents.ts";

const installMinutes = 10;

await main(process.argv.slice(2));

async function main(words: string[]): Promise<void> {
  const unknown = words.filter((word) => !isPinned(word));
  if (unknown.length > 0)
    return fail(`no agent is called ${unknown.join(", ")}`, `known: ${known().join(", ")}`);
  for (const name of words.length > 0 ? words.filter(isPinned) : known()) await ensure(name);
}

function known(): PinnedAgent[] {
  return Object.keys(pinnedAgents).filter(isPinned);
}

async function ensure(name: PinnedAgent): Promise<void> {
  const wanted = `${pinnedAgents[name].package}@${pinnedAgents[name].version}`;
  const there = installedAgent(name);
  if (there && (await runs(name, there))) return say(`${wanted} is there: ${there}`);
  say(`${wanted}: installing into ${agentFolder(name)} (some hundred megabytes) …`);
  try {
    await install(name, wanted);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return fail(`${wanted} could not be installed: ${words}`, "is the npm registry in reach (`npm ping`)?");
  }
  const program = installedAgent(name);
  if (program && (await runs(name, program))) return say(`${wanted} is ready: ${program}`);
  fail(`${wanted} is installed and does not run here`, `this machine is ${process.platform}-${process.arch}`);
}

/** Into a folder beside, and renamed when whole: an install that breaks off leaves nothing that looks installed. */
async function install(name: PinnedAgent, wanted: string): Promise<void> {
  mkdirSync(agentsFolder(), { recursive: true });
  const folder = mkdtempSync(join(agentsFolder(), `.${name}-`));
  try {
    writeFileSync(join(folder, "package.json"), '{"private":true}\n');
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
    await execa("npm", ["install", ...flags, wanted], { cwd: folder, timeout: installMinutes * 60_000 });
    linkProgram(name, folder);
    rmSync(agentFolder(name), { recursive: true, force: true });
    renameSync(folder, agentFolder(name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** No install script is needed, and none is run. */
function linkProgram(name: PinnedAgent, folder: string): void {
  const pattern = join("node_modules", pinnedAgents[name].program);
  const program = globSync(pattern, { cwd: folder }).find((path) => existsSync(join(folder, path)));
  if (!program) throw new Error(`npm brought no program for ${process.platform}-${process.arch}`);
  const link = join(folder, "bin", name);
  mkdirSync(dirname(link));
  symlinkSync(relative(dirname(link), join(folder, program)), link);
}

/** Says its version, in a home of its own and an environment built from nothing. */
async function runs(name: PinnedAgent, program: string): Promise<boolean> {
  const home = mkdtempSync(join(tmpdir(), "monoco-agents-"));
  const env = { HOME: home, TMPDIR: home, PATH: process.env["PATH"] ?? "" };
  const { stdout } = await execa(program, ["--version"], {
    env,
    extendEnv: false,
    reject: false,
    timeout: 30_000,
  });
  rmSync(home, { recursive: true, force: true });
  return (stdout ?? "").split(/\s+/).includes(pinnedAgents[name].version);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(message: string, hint: string): void {
  process.stderr.write(`error: ${message}\nhint: ${hint}\n`);
  process.exitCode = 1;
}
