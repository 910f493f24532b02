/** monoco agent list: what is found here, without reading any login. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

const settings = `agents: { mine: { kind: command, run: [./mine.sh] }, gone: { kind: command, run: [./gone.sh] } }
roles: { executor: { agents: [mine, codex] }, reviewer: { agents: [claude] } }
`;

async function makePlace(programs: Record<string, string>) {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const project = join(sandbox.folder, "project");
  const bin = join(sandbox.folder, "bin-of-agents");
  mkdirSync(join(project, "issues"), { recursive: true });
  mkdirSync(bin);
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  writeFileSync(join(project, "mine.sh"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(project, "monoco.yaml"), settings);
  await sandbox.sh(
    project,
    "git init -q -b main . && git config user.name P && git config user.email p@example.com && git add -A && git commit -qm Begin",
  );
  const list = (env: Record<string, string>, ...flags: string[]) =>
    sandbox.monoco(["agent", "list", ...flags], {
      cwd: join(project, "issues"),
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, ...env },
    });
  return { sandbox, project, bin, list };
}

test("each agent with its program, version, login and roles; a login file is looked for, never read", async () => {
  const place = await makePlace({
    claude: 'test "$1" = --version && echo "2.9.9 (Claude Code)"; test -z "$SECRET"',
    codex: "exit 3",
  });
  const home = join(place.sandbox.folder, "home-of-codex");
  mkdirSync(join(home, ".codex", "auth.json"), { recursive: true });
  const listed = await place.list({ HOME: home, ANTHROPIC_API_KEY: "dummy", SECRET: "mine" }, "--json");
  expect(listed).toMatchObject({ exitCode: 0 });
  const reports = JSON.parse(listed.stdout) as { name: string }[];
  const of = (name: string) => reports.find((report) => report.name === name);
  expect(of("claude")).toEqual({
    name: "claude",
    kind: "claude",
    path: join(place.bin, "claude"),
    found: true,
    install: null,
    version: "2.9.9 (Claude Code)",
    least: null,
    login: "ANTHROPIC_API_KEY",
    unused: null,
    probed: null,
    roles: ["reviewer"],
  });
  // Codex does not send it.
  const keyed = await place.list({ HOME: place.sandbox.folder, OPENAI_API_KEY: "dummy" }, "--json");
  expect((JSON.parse(keyed.stdout) as { name: string }[]).find(({ name }) => name === "codex")).toMatchObject(
    {
      login: null,
    },
  );
  expect(of("codex")).toMatchObject({
    found: true,
    version: null,
    login: "~/.codex/auth.json",
    roles: ["executor"],
  });
  expect(of("mine")).toMatchObject({
    path: join(place.project, "mine.sh"),
    login: null,
    roles: ["executor"],
  });
  expect(of("gone")).toMatchObject({ found: false, path: null, roles: [] });
});

test("a role that nobody can play is said, with what to do, and is exit status 4", async () => {
  const place = await makePlace({});
  const empty = join(place.sandbox.folder, "empty");
  mkdirSync(empty);
  const listed = await place.list({ HOME: empty, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` });
  expect(listed).toMatchObject({ exitCode: 4 });
  expect(listed.stdout).toContain("not found: npm install -g @anthropic-ai/claude-code");
  expect(listed.stdout).toContain("install one of its agents, or name another under roles:");
});

test("an agent that is too old plays no role, and the list and the preview say how it is updated", async () => {
  const place = await makePlace({
    claude: 'test "$1" = --version && echo "2.0.44 (Claude Code)"',
    codex: "exit 3",
  });
  const old =
    "2.0.44 (Claude Code)  older than 2.0.45, which monoco needs: npm install -g @anthropic-ai/claude-code";
  const listed = await place.list({ HOME: place.sandbox.folder });
  expect(listed).toMatchObject({ exitCode: 4 });
  expect(listed.stdout).toContain(old);
  const env = { HOME: place.sandbox.folder, PATH: `${place.bin}:${process.env["PATH"] ?? ""}` };
  const ahead = await place.sandbox.monoco(["run", "--all", "--dry-run"], { cwd: place.project, env });
  expect(ahead.stdout).toContain(old);
});

test("who is not used and why, and who is tried last, is said by the list, the preview, the doctor and once by a run", async () => {
  const version = 'test "$1" = --version && echo 9.9.9 && exit; exit 1';
  const place = await makePlace({ claude: version, codex: version, gemini: version });
  writeFileSync(
    join(place.project, "monoco.yaml"),
    `agents: { mine: { kind: command, run: [./mine.sh] } }
roles: { executor: { agents: [claude, codex, mine] }, reviewer: { agents: [claude, mine] } }
budgets: { relay: { costUsd: 5 } }
`,
  );
  writeFileSync(
    join(place.project, "issues", "FEAT-0001-a.md"),
    "---\nid: FEAT-0001\ntitle: A\nstatus: open\n---\n\n## Acceptance Criteria\n\n- [ ] it is there\n",
  );
  await place.sandbox.sh(place.project, "git add -A && git commit -qm More");
  const env = { HOME: place.sandbox.folder, PATH: `${place.bin}:${process.env["PATH"] ?? ""}` };
  const say = (...args: string[]) => place.sandbox.monoco(args, { cwd: place.project, env });
  const unused =
    "it reports no cost, and budgets.relay.costUsd is set: set agents.codex.model and the model's entry under prices:, or a budget in tokens instead";
  for (const args of [
    ["agent", "list"],
    ["run", "FEAT-0001", "--dry-run"],
  ]) {
    const { stdout } = await say(...args);
    expect(stdout).toContain(`not used: ${unused}`);
    expect(stdout).toMatch(/claude .*no login seen: tried last/);
  }
  // No role names it: it is never tried.
  expect((await say("agent", "list")).stdout).toMatch(/gemini .*no login seen  not used/);
  expect((await say("doctor")).stdout).toContain(`codex is not used: ${unused}`);
  const ran = await say("run", "FEAT-0001", "--once");
  expect(ran.stderr.split(`codex is not used: ${unused}\n`)).toHaveLength(2);
  expect(ran.stderr.split("claude is tried last: no login of it is seen")).toHaveLength(2);
  expect(ran.stdout).toContain("session 1 (executor, mine) started");
});
