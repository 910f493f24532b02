/** What a sandbox shows of the home to an agent's CLI: hooks and MCP servers that its settings name, and dotfiles that links lead to. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { agentNeeds, needsOf } from "../../src/relay/home/agent-home.ts";
import { agents } from "../../src/agents/registry.ts";
import { profileLogin } from "../../src/relay/home/profile-login.ts";
import { repositoryPlaces } from "../../src/store/places.ts";
import { openSandbox } from "../support/cli.ts";
import { full } from "../support/full.ts";
import { isHere } from "../support/namespaces.ts";
import { approves, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";

vi.setConfig({ testTimeout: 120_000 });

type Files = Readonly<Record<string, string | { to: string } | { runs: string }>>;

/** Puts files, links and programs into a home. */
function fill(home: string, files: Files): void {
  for (const [path, what] of Object.entries(files)) {
    const at = join(home, path);
    mkdirSync(dirname(at), { recursive: true });
    if (typeof what === "string") writeFileSync(at, what);
    else if ("to" in what) symlinkSync(what.to, at);
    else writeFileSync(at, `#!/bin/sh\n${what.runs}\n`, { mode: 0o755 });
  }
}

const guard = (command: string): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } });

describe.runIf(isHere("bubblewrap"))("in a sandbox", () => {
  /** A relay whose Executor is a program in the place of Claude Code: in each session it does the next of `turns`. */
  async function openClaude(
    files: Files,
    turns: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<Place & { home: string; run: Place["monoco"] }> {
    const place = await openPlace(
      { executor: [works], reviewer: [approves] },
      { settings: "sandbox: bwrap\nexit: { ask: false }\n" },
    );
    const home = place.sandbox.env["HOME"]!;
    const bin = join(place.around, "bin");
    const done = "git add -A; git commit -qm Work; monoco issue submit > /dev/null";
    const cases = turns.map((turn, index) => `${index + 1}) ${turn};;`);
    fill(bin, {
      claude: {
        runs: `[ "$1" = --version ] && echo 9.9.9 && exit
exec 9>&1
cd . ; read -r _
echo '{"type":"system","subtype":"init","session_id":"1","model":"m"}'
case $MONOCO_SESSION in ${cases.join("\n")} esac > /dev/null
[ $MONOCO_SESSION = ${turns.length} ] && { ${done}; }
echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"x","session_id":"1"}'`,
      },
    });
    fill(home, files);
    place.write(
      "monoco.yaml",
      place.read("monoco.yaml").replace("executor: { agents: [a] }", "executor: { agents: [claude] }"),
    );
    await place.sh("git commit -qam Claude");
    const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, ...more };
    const run: Place["monoco"] = (...args) =>
      place.sandbox.monoco(args.length > 0 ? args : ["run", "FEAT-0001"], { cwd: place.project, env });
    return { ...place, home, run };
  }

  test("a guard hook and an MCP server that the settings name run, and cannot be changed", async () => {
    const place = await openClaude(
      {
        ".claude/settings.json": guard("sh ~/guards/x.sh && sh ~/.claude/own/y.sh"),
        ".claude/own/y.sh": "echo its own",
        ".claude.json": JSON.stringify({
          // The one that is gone does without, as it does outside of a sandbox.
          mcpServers: {
            mine: { command: "node", args: ["~/mcp/src/s.js"] },
            gone: { command: "~/gone/server" },
          },
        }),
        "guards/x.sh": "echo guarded",
        "mcp/src/s.js": "console.log(require('../lib.js'))",
        "mcp/lib.js": "module.exports = 'served'",
        "mcp/package.json": "{}",
        "mcp/.env": "TOKEN=1",
        "notes.txt": "private",
      },
      [
        "{ sh ~/guards/x.sh; node ~/mcp/src/s.js; cat ~/mcp/.env ~/notes.txt; echo x > ~/guards/x.sh; mv ~/.claude/own/y.sh ~/.claude/own/z.sh; echo x > ~/.claude/own/y.sh; } > seen.txt 2> /dev/null",
      ],
    );
    expect(await place.run()).toMatchObject({ exitCode: 0 });
    expect(place.read("seen.txt")).toBe("guarded\nserved\n");
    expect(readFileSync(join(place.home, "guards/x.sh"), "utf8")).toBe("echo guarded");
    expect(readFileSync(join(place.home, ".claude/own/y.sh"), "utf8")).toBe("echo its own");
  });

  test("dotfiles that links lead to are read, and a link that a session replaces is put back", async () => {
    const place = await openClaude(
      {
        "dotfiles/claude/CLAUDE.md": "Be kind.\n",
        "dotfiles/claude/settings.json": guard("~/dotfiles/bin/guard"),
        "dotfiles/bin/guard": { runs: "echo guarded" },
        "dotfiles/skills/one/SKILL.md": "A skill.\n",
        "dotfiles/private.txt": "private",
        ".claude/CLAUDE.md": { to: "../dotfiles/claude/CLAUDE.md" },
        ".claude/settings.json": { to: "../dotfiles/claude/settings.json" },
        ".claude/skills/one": { to: "../../dotfiles/skills/one" },
      },
      [
        "{ cat ~/.claude/CLAUDE.md ~/.claude/skills/one/SKILL.md ~/dotfiles/private.txt; ~/dotfiles/bin/guard; echo x > ~/.claude/CLAUDE.md; ln -sfn /etc/passwd ~/.claude/CLAUDE.md; } > seen.txt 2> /dev/null",
      ],
    );
    const ran = await place.run();
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(place.read("seen.txt")).toBe("Be kind.\nA skill.\nguarded\n");
    expect(readlinkSync(join(place.home, ".claude/CLAUDE.md"))).toBe("../dotfiles/claude/CLAUDE.md");
    expect(readFileSync(join(place.home, ".claude/CLAUDE.md"), "utf8")).toBe("Be kind.\n");
    expect(ran.stdout).toContain(".claude/CLAUDE.md was replaced during the session");
  });

  test("a chain of links is followed, as Nix makes it: through a store outside the home, through the home to the system", async () => {
    const place = await openClaude(
      {
        "../store/1-files/CLAUDE.md": { to: "../2-CLAUDE.md" },
        "../store/2-CLAUDE.md": "Be kind.\n",
        "../store/3-other": "private",
        ".claude/CLAUDE.md": { to: "../../store/1-files/CLAUDE.md" },
        ".profile-now": { to: ".profiles/1" },
        ".profiles/1": { to: "/usr" },
        ".claude/settings.json": guard("~/.profile-now/bin/env true"),
        ".claude/skills/one": { to: "../../.profile-now/bin" },
      },
      [
        "{ cat ~/.claude/CLAUDE.md ~/../store/3-other; ~/.profile-now/bin/env echo guarded; ~/.claude/skills/one/env echo skilled; echo x > ~/.claude/CLAUDE.md; } > seen.txt 2> /dev/null",
      ],
    );
    expect(await place.run()).toMatchObject({ exitCode: 0 });
    expect(place.read("seen.txt")).toBe("Be kind.\nguarded\nskilled\n");
    expect(readFileSync(join(place.around, "store/2-CLAUDE.md"), "utf8")).toBe("Be kind.\n");
  });

  test.for<[title: string, files: Files, says: RegExp]>([
    [
      "a script that does not exist",
      { ".claude/settings.json": guard("sh ~/x.sh") },
      /settings\.json runs \S*home\/x\.sh, which does not exist/,
    ],
    [
      "a script among keys",
      { ".claude/settings.json": guard("~/.ssh/guard"), ".ssh/guard": { runs: "true" } },
      /settings\.json runs \S*home\/\.ssh\/guard, which a sandbox does not show/,
    ],
    [
      "a link to a key",
      { ".claude/CLAUDE.md": { to: "../.ssh/id" }, ".ssh/id": "a key" },
      /CLAUDE\.md is a link to \S*home\/\.ssh\/id, which a sandbox does not show/,
    ],
    [
      "a link to what holds keys",
      { ".claude/skills": { to: "../all" }, "all/ssh/id": "a key", ".ssh": { to: "all/ssh" } },
      /skills is a link to \S*home\/all, which a sandbox does not show/,
    ],
  ])("%s: no session begins", async ([, files, says]) => {
    const place = await openClaude(files, ["true"]);
    const ran = await place.run();
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(says) });
    expect(existsSync(join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl"))).toBe(false);
  });

  test("a fallback that is refused takes over nothing, as the run, its preview and the doctor say", async () => {
    const loggedOut =
      '{"type":"result","is_error":true,"terminal_reason":"api_error","api_error_status":401,"result":"Not logged in"}';
    const place = await openClaude({ ".codex/hooks.json": guard("sh ~/x.sh"), ".codex/auth.json": "{}" }, [
      `echo '${loggedOut}' >&9; exit 1`,
      "true",
    ]);
    fill(join(place.around, "bin"), { codex: { runs: "exit 1" } });
    const players = ["--set", "roles.executor.agents=[claude, codex]"];
    const says = /codex cannot take over: \S*hooks\.json runs \S*home\/x\.sh, which does not exist/g;
    const preview = await place.run("run", "FEAT-0001", "--dry-run", ...players);
    expect(preview).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(says) });
    const first = ["--set", "roles.executor.agents=[codex, claude]"];
    const refused = await place.run("run", "FEAT-0001", "--dry-run", ...first);
    expect(refused).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/ {2}\S*hooks\.json runs/) });
    const ran = await place.run("run", "FEAT-0001", ...players);
    expect(ran.stdout.match(says)).toHaveLength(1);
    expect(ran.stdout).toContain("fix the login, credit or model of claude");
    expect(place.all("session.started").map(({ agent }) => agent)).toEqual(["claude"]);
    place.write(
      "monoco.yaml",
      place.read("monoco.yaml").replace("agents: [claude]", "agents: [claude, codex]"),
    );
    expect((await place.run("doctor")).stdout).toMatch(says);
  });

  test("if all agents are refused, the error names each", async () => {
    const place = await openClaude(
      { ".codex/hooks.json": guard("sh ~/x.sh"), ".claude/settings.json": guard("sh ~/y.sh") },
      ["true"],
    );
    fill(join(place.around, "bin"), { codex: { runs: "exit 1" } });
    const ran = await place.run("run", "FEAT-0001", "--set", "roles.executor.agents=[claude, codex]");
    const says =
      /no agent for the executor can be used: claude: .* runs \S*y\.sh, .*; codex: .* runs \S*x\.sh,/;
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(says) });
  });

  test.for<[title: string, plants: string, says: RegExp]>([
    ["a link", 'ln -s "$HOME/notes" ~/.claude/skills', /skills is a link to \S*notes, which was not so when/],
    [
      "a server",
      `echo '{"mcpServers":{"x":{"command":"sh","args":["~/notes/a.sh"]}}}' > ~/.claude.json`,
      /\.claude\.json runs \S*notes\/a\.sh, which was not so when/,
    ],
    [
      "a hook",
      `echo '${guard("sh ~/notes/a.sh")}' > ~/.claude/settings.json`,
      /settings\.json runs \S*notes\/a\.sh, which was not so when/,
    ],
  ])("%s that a session made shows nothing", async ([, plants, says]) => {
    const files = { "notes/a.sh": "private", ".claude.json": "{}" };
    const place = await openClaude(files, [plants, "cat ~/notes/a.sh ~/.claude/skills/a.sh > seen.txt"]);
    expect(await place.run()).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(says) });
    expect(place.all("session.started")).toHaveLength(1);
  });

  describe("a profile of AWS, by which Claude Code reaches its model", () => {
    const profile = { AWS_PROFILE: "p 1", CLAUDE_CODE_USE_BEDROCK: "1" };
    const keys = {
      AccessKeyId: "AKEXAMPLE",
      SecretAccessKey: "short/lived/key",
      SessionToken: "short-lived",
    };
    const gives = `case "$*" in
"configure export-credentials --format process --profile p 1") echo '${JSON.stringify(keys)}';;
"configure get region --profile p 1") echo eu-west-1;;
*) exit 9;;
esac`;
    const seen = "env | grep ^AWS_ | sort > seen.txt";
    const says = `echo "{\\"type\\":\\"assistant\\",\\"message\\":{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$AWS_SECRET_ACCESS_KEY\\"}]}}" >&9`;
    const openAws = async (aws: string): ReturnType<typeof openClaude> => {
      const place = await openClaude({ ".aws/config": "" }, [`${seen}; ${says}`], profile);
      fill(join(place.around, "bin"), { aws: { runs: aws } });
      return place;
    };

    test("gives the session alone its short-lived credentials, which are masked", async () => {
      const place = await openAws(gives);
      const lent = "sessions of claude are to get short-lived credentials of the AWS profile p 1";
      const preview = await place.run("run", "FEAT-0001", "--dry-run");
      expect(preview).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(lent) });
      const none = '["! env | grep AWS_"]';
      const ran = await place.run("run", "FEAT-0001", "--set", `setup=${none}`, "--set", `checks=${none}`);
      expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(lent) });
      expect(place.read("seen.txt")).toBe(
        "AWS_ACCESS_KEY_ID=AKEXAMPLE\nAWS_REGION=eu-west-1\nAWS_SECRET_ACCESS_KEY=short/lived/key\nAWS_SESSION_TOKEN=short-lived\n",
      );
      const kept = await place.sh(
        "cat .monoco/relays/FEAT-0001/journal.jsonl; cat $(find .monoco -name stream.jsonl)",
      );
      expect(kept).toContain('"text":"***"');
      expect(kept).not.toContain(keys.SecretAccessKey);
    });

    test("stays as it is where ~/.aws is shown, and without a sandbox", async () => {
      const place = await openAws("exit 1");
      expect(await place.run("run", "FEAT-0001", "--set", "sandboxRead=[~/.aws]")).toMatchObject({
        exitCode: 0,
      });
      expect(place.read("seen.txt")).toBe("AWS_PROFILE=p 1\n");
      const other = await openAws("exit 1");
      expect(await other.run("run", "FEAT-0001", "--set", "sandbox=none")).toMatchObject({ exitCode: 0 });
      expect(other.read("seen.txt")).toBe("AWS_PROFILE=p 1\n");
    });

    test.for<[title: string, aws: string, says: RegExp]>([
      [
        "that has expired",
        "echo; echo 'Token has expired' >&2; exit 255",
        /claude is not used: the AWS profile p 1 gives no credentials: Token has expired[^]*model of claude \(aws sso login --profile 'p 1'\)/,
      ],
      ["that gives something else", "echo '{}'", /gives no credentials\n/],
    ])("%s: no session begins, and a resume tries again", async ([, aws, says]) => {
      const place = await openAws(aws);
      const ran = await place.run();
      expect(ran).toMatchObject({ exitCode: 4, stdout: expect.stringMatching(says) });
      expect(place.all("session.started")).toEqual([]);
      expect((await place.run("status", "FEAT-0001")).stdout).toMatch(/suspended +claude: the AWS profile/);
      fill(join(place.around, "bin"), { aws: { runs: gives } });
      expect(await place.run("resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    });

    test("that has expired: the next agent takes over", async () => {
      const place = await openAws("exit 1");
      const players = ["--set", "roles.executor.agents=[claude, a]"];
      const once = await place.run("run", "FEAT-0001", "--once", ...players);
      expect(once.stdout).toMatch(/claude is not used: .* gives no credentials\n[^]*one session has run/);
      expect(await place.run("run", "FEAT-0001", ...players)).toMatchObject({ exitCode: 0 });
      expect(place.all("session.started").map(({ agent }) => agent)).toEqual(["a", "a"]);
    });

    test("that has expired: the next agent is asked for the issue", async () => {
      const place = await openAws("exit 1");
      const ran = await place.run("run", "Fix the login", "--set", "roles.executor.agents=[claude, a]");
      expect(ran.stderr).toMatch(/claude: the AWS profile p 1 gives no credentials \(aws sso .*\); a: /);
    });
  });
});

describe("the settings of each CLI", () => {
  function openHome(files: Files) {
    const { folder, env, dispose } = openSandbox();
    onTestFinished(dispose);
    const home = env["HOME"]!;
    fill(home, { "x/guard.sh": "true", ...files });
    const root = join(folder, "project");
    const around = {
      env,
      repository: { root, commonDir: join(root, ".git") },
      repositoryPlaces: repositoryPlaces(root, env),
    };
    return { home, around };
  }
  const none = { sandboxRead: [], sandboxWrite: [] };
  const command = '"command":"sh","args":["~/x/guard.sh"]';

  full.for<[kind: "claude" | "codex" | "gemini" | "opencode", path: string, text: string]>([
    ["claude", ".claude/settings.json", guard("~/x/guard.sh")],
    ["claude", ".claude.json", `{"mcpServers":{"a":{${command}}}}`],
    ["codex", ".codex/config.toml", '[mcp_servers.a]\ncommand = "sh"\nargs = ["~/x/guard.sh"]\n'],
    [
      "codex",
      ".codex/config.toml",
      '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "~/x/guard.sh"\n',
    ],
    ["codex", ".codex/hooks.json", guard("sh ~/x/guard.sh")],
    ["gemini", ".gemini/settings.json", `// mine\n${guard("sh ~/x/guard.sh")}`],
    [
      "opencode",
      ".config/opencode/opencode.jsonc",
      '{"mcp":{"a":{"type":"local","command":["sh","~/x/guard.sh"],},},}',
    ],
  ])("%s: %s names a program, which is shown", ([kind, path, text]) => {
    const { home, around } = openHome({ [path]: text });
    expect(agentNeeds(around, none, { kind }).read).toContain(join(home, "x/guard.sh"));
  });

  test("a profile of AWS without the AWS CLI is refused with the ways out", async () => {
    const { around, home } = openHome({});
    const env = { ...around.env, PATH: join(home, "x"), AWS_PROFILE: "p", CLAUDE_CODE_USE_BEDROCK: "1" };
    const claude = { name: "claude", agent: agents.claude, settings: { kind: "claude" } } as const;
    const login = profileLogin({ ...around, env }, none, { ...claude, containment: "bubblewrap" });
    expect(await login).toEqual({
      lacks: { rule: "needs_login", profile: "p", said: "spawn aws ENOENT" },
      program: expect.stringContaining("sandboxRead: [~/.aws]"),
    });
  });

  test("a program or link that came later is shown if sandboxRead names it", () => {
    const { home, around } = openHome({});
    agentNeeds(around, none, { kind: "claude" });
    fill(home, { ".claude/settings.json": guard("~/x/guard.sh"), ".claude/skills": { to: "../x" } });
    expect(() => needsOf(around, none, { kind: "claude" })).toThrow(/skills is a link/);
    needsOf(around, { ...none, sandboxRead: ["~/x"] }, { kind: "claude" });
  });

  test("a link to a process or device of the machine shows nothing of it", () => {
    const skills = { ".claude/skills/a": { to: "/proc/1" }, ".claude/skills/b": { to: "/dev/zero" } };
    const { around } = openHome({ ...skills, ".claude/skills/c": { to: "/usr/bin" } });
    const { read } = agentNeeds(around, none, { kind: "claude" });
    expect(read.filter((path) => /skills\/./.test(path)).map((path) => basename(path))).toEqual(["c"]);
  });

  test("a program that a link replaced in a folder that sessions write is not shown", () => {
    const { home, around } = openHome({
      ".claude/settings.json": guard("~/x/guard.sh"),
      "notes.txt": "private",
    });
    const settings = { sandboxRead: [], sandboxWrite: ["~/x"] };
    agentNeeds(around, settings, { kind: "claude" });
    rmSync(join(home, "x/guard.sh"));
    fill(home, { "x/guard.sh": { to: "../notes.txt" } });
    expect(() => needsOf(around, settings, { kind: "claude" })).toThrow(/guard\.sh, which was not so/);
  });
});
