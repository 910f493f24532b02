/** What of a home a sandbox hides: named before the first session, and beside a failure that touched it, with the line that shows it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { isHere } from "../support/namespaces.ts";
import { approves, openPlace, run, works } from "../support/place.ts";
import type { Place, Story } from "../support/place.ts";

vi.setConfig({ testTimeout: 120_000 });

const home = {
  ".npmrc": "//registry.example.com/:_authToken=secret\n",
  ".gitconfig": "[http]\n\tsslCAInfo = ~/certs/ca.pem\n",
  "certs/ca.pem": "CERT",
  ".pgpass": "secret",
  "notes/a.txt": "a",
  ".claude.json": JSON.stringify({ mcpServers: { a: { command: "npx", args: ["-y", "files", "~/notes"] } } }),
};

async function openHome(settings: string, story: Partial<Story> = {}): Promise<Place> {
  const whole = { executor: [works], reviewer: [approves], ...story };
  const place = await openPlace(whole, { settings: `sandbox: bwrap\n${settings}` });
  for (const [path, text] of Object.entries(home)) {
    const at = join(place.sandbox.env["HOME"]!, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
  }
  return place;
}

const shows = (path: string, by: string): string =>
  `the sandbox hides ~/${path}, which ${by} may need: \`sandboxRead: [~/${path}]\` shows it to agents, too`;

describe.runIf(isHere("bubblewrap"))("what a sandbox hides", () => {
  test("is named by a run, its preview and the doctor, once for each path that set-up, a check or an agent names", async () => {
    const place = await openHome(
      'setup: ["npm --version"]\nchecks: ["git --version"]\nsandboxRead: [~/notes]',
    );
    const hook = { hooks: { Stop: [{ hooks: [{ type: "command", command: "cat ~/.pgpass" }] }] } };
    place.write(".claude/settings.json", JSON.stringify(hook));
    await place.sh("git add -A && git commit -qm Hook");
    const bin = join(place.around, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "claude"), "#!/bin/sh\n", { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    const monoco = (...args: string[]) => place.sandbox.monoco(args, { cwd: place.project, env });
    const expected = [
      shows(".npmrc", "npm --version"),
      shows(".gitconfig", "git --version"),
      shows("certs/ca.pem", "~/.gitconfig"),
    ];
    const linesOf = (text: string): string[] =>
      text.split("\n").flatMap((line) => /the sandbox hides .*/.exec(line)?.[0] ?? []);
    expect(linesOf((await monoco("run", "FEAT-0001", "--dry-run")).stdout)).toEqual(expected);
    const players = ["--set", "roles.executor.agents=[a, claude]"];
    const ran = await monoco("run", "FEAT-0001", ...players, "--set", "sandboxRead=[]");
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(linesOf(ran.stdout)).toEqual([
      ...expected,
      shows("notes", "~/.claude.json"),
      shows(".pgpass", join(place.project, ".claude/settings.json")),
    ]);
    const { findings } = JSON.parse((await monoco("doctor", "--json")).stdout) as {
      findings: { rule: string }[];
    };
    expect(findings.filter(({ rule }) => rule === "hidden")).toHaveLength(3);
  });

  test("is named beside a check that failed for it", async () => {
    const place = await openHome('checks: ["cat ~/.pgpass"]\nbaseline: strict');
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 1 });
    const hides = "the sandbox hides ~/.pgpass: `sandboxRead: [~/.pgpass]` shows it to agents, too";
    expect(ran.stdout).toContain(hides);
    const { stdout } = await place.monoco("relay", "status", "FEAT-0001");
    expect(stdout).toMatch(/red on main: cat ~\/\.pgpass /);
    expect(stdout).toContain(hides);
  });

  test("is named beside a set-up that failed for it later", async () => {
    const place = await openHome('baseline: none\nsetup: ["cat ~/.pgpass"]', { executor: [[run("true")]] });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toMatch(/setup failed: .*the sandbox hides ~\/\.pgpass: `sandboxRead/);
  });

  test("is named beside a session that failed for it", async () => {
    const place = await openHome("", { executor: [[run("true")]] });
    const agent = 'agents: { a: { kind: command, run: [sh, -c, "cat ~/.pgpass"] } }';
    place.write("monoco.yaml", place.read("monoco.yaml").replace(/^agents: .*$/m, agent));
    await place.sh("git commit -qam Agent");
    const { stdout } = await place.monoco("run", "FEAT-0001", "--set", "limits.sessionsMax=1");
    expect(stdout).toContain("session 1 failed; the sandbox hides ~/.pgpass: `sandboxRead: [~/.pgpass]`");
  });
});
