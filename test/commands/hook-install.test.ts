/** monoco hook install and uninstall: what they write into a person's own agents, and how little is left of it. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { cliPath, openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";

type Place = {
  sandbox: Sandbox;
  project: string;
  monoco(...args: string[]): Promise<Ran>;
  write(path: string, text: string): void;
  read(path: string): string;
  /** All files of the worktree and of the home, with their bytes and modes, and all folders. */
  files(): unknown;
};

async function openRepository(): Promise<Place> {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const project = join(sandbox.folder, "project");
  mkdirSync(project);
  await sandbox.sh(project, "git init -q -b main . && git commit -q --allow-empty -m Begin");
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  const below = (folder: string): unknown[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes("/.git/"))
      .toSorted()
      .map((path) => [
        path,
        ...(statSync(path).isFile() ? [readFileSync(path, "base64"), statSync(path).mode] : []),
      ]);
  return {
    sandbox,
    project,
    write,
    read: (path) => readFileSync(join(project, path), "utf8"),
    monoco: (...args) => sandbox.monoco(args, { cwd: project }),
    files: () => [...below(project), ...below(sandbox.env["HOME"]!)],
  };
}

const all = ["claude", "codex", "gemini"];
const own: Record<string, string> = {
  ".claude/settings.json":
    '{\r\n\t"permissions": { "allow": ["Bash(ls)"] },\r\n\t"hooks": { "Stop": [] }\r\n}',
  ".codex/hooks.json": '\uFEFF{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}}\n\n',
  ".gemini/settings.json": '{\n    // mine\n    "model": { "name": "m" } // this one\n}\n',
  "AGENTS.md": "# For agents\r\n\r\nCaf\u00e9, no line end",
};

describe("install, then uninstall: every file is as it was before, byte for byte", () => {
  test.for<[string, Record<string, string>]>([
    ["where there were files", own],
    ["where there was none", {}],
  ])("%s", async ([, files]) => {
    const place = await openRepository();
    for (const [path, text] of Object.entries(files)) place.write(path, text);
    if (files["AGENTS.md"]) chmodSync(join(place.project, "AGENTS.md"), 0o640);
    const before = place.files();
    const installed = await place.monoco("hook", "install", ...all);
    expect(installed, installed.stderr).toMatchObject({ exitCode: 0 });
    for (const path of Object.keys(own)) expect(place.read(path), path).toContain("monoco");
    // It has the person's own bytes.
    expect(statSync(join(place.project, ".monoco/hooks.json")).mode & 0o777).toBe(0o600);
    expect(place.read(".claude/skills/relay/SKILL.md")).toMatch(/^---\nname: relay\ndescription: .*\n---\n/);
    expect(place.read(".gemini/commands/relay.toml")).toMatch(/^description = ".*"\nprompt = '''\n/);
    // A second time changes nothing.
    const once = place.files();
    expect((await place.monoco("hook", "install", ...all)).stdout).toContain("nothing to do\n");
    expect(place.files()).toEqual(once);
    expect(await place.monoco("hook", "uninstall")).toMatchObject({ exitCode: 0 });
    expect(place.files()).toEqual(before);
  });

  test("in the home, from outside of any repository, through a link of the dotfiles", async () => {
    const place = await openRepository();
    const home = place.sandbox.env["HOME"]!;
    mkdirSync(join(home, ".claude"));
    mkdirSync(join(home, "dotfiles"));
    writeFileSync(join(home, "dotfiles/claude.json"), "{}\n");
    symlinkSync("../dotfiles/claude.json", join(home, ".claude/settings.json"));
    const before = place.files();
    const monoco = (...args: string[]): Promise<Ran> =>
      place.sandbox.monoco(args, { cwd: place.sandbox.folder });
    const installed = await monoco("hook", "install", ...all, "--user");
    expect(installed, installed.stderr).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(home, "dotfiles/claude.json"), "utf8")).toContain("monoco hook on-own-stop");
    expect(existsSync(join(home, ".agents/skills/relay/SKILL.md"))).toBe(true);
    expect(existsSync(join(home, "AGENTS.md"))).toBe(false);
    expect(await monoco("hook", "uninstall", "--user")).toMatchObject({ exitCode: 0 });
    expect(place.files()).toEqual(before);
  });

  test("one agent at a time: AGENTS.md keeps its entry until the last one goes", async () => {
    const place = await openRepository();
    await place.monoco("hook", "install", "claude", "gemini");
    await place.monoco("hook", "uninstall", "claude");
    expect(readdirSync(place.project).toSorted()).toEqual([".gemini", ".git", ".monoco", "AGENTS.md"]);
    await place.monoco("hook", "uninstall", "gemini");
    expect(readdirSync(place.project)).toEqual([".git"]);
  });
});

describe("what a person has changed since stays", () => {
  test("their settings and texts, without what is monoco's", async () => {
    const place = await openRepository();
    for (const [path, text] of Object.entries(own)) place.write(path, text);
    await place.monoco("hook", "install", ...all);
    place.write(
      ".claude/settings.json",
      place.read(".claude/settings.json").replace('"Bash(ls)"', '"Bash(id)"'),
    );
    place.write(".codex/hooks.json", place.read(".codex/hooks.json").replace("beep", "boop"));
    place.write(".gemini/settings.json", place.read(".gemini/settings.json").replace("// mine", "// yours"));
    place.write("AGENTS.md", `${place.read("AGENTS.md")}\r\nMore.\r\n`);
    place.write(".claude/skills/relay/SKILL.md", "my own words\n");
    const ran = await place.monoco("hook", "uninstall");
    expect(ran.stdout).toContain("kept    .claude/skills/relay/SKILL.md\n");
    expect(JSON.parse(place.read(".claude/settings.json"))).toEqual({ permissions: { allow: ["Bash(id)"] } });
    expect(place.read(".codex/hooks.json")).toBe(own[".codex/hooks.json"]!.replace("beep", "boop"));
    expect(place.read(".gemini/settings.json")).toBe(own[".gemini/settings.json"]!.replace("mine", "yours"));
    expect(place.read("AGENTS.md")).toBe(`${own["AGENTS.md"]}\r\n\r\nMore.\r\n`);
    expect(place.read(".claude/skills/relay/SKILL.md")).toBe("my own words\n");
  });

  test("without the record too, by the marks alone", async () => {
    const place = await openRepository();
    for (const [path, text] of Object.entries(own)) place.write(path, text);
    await place.monoco("hook", "install", ...all);
    await place.sandbox.sh(place.project, "rm .monoco/hooks.json");
    await place.monoco("hook", "uninstall");
    expect(place.read(".gemini/settings.json")).toBe(own[".gemini/settings.json"]);
    for (const path of Object.keys(own)) expect(place.read(path), path).not.toContain("monoco");
    expect(existsSync(join(place.project, ".gemini/commands/relay.toml"))).toBe(false);
  });
});

describe("refused, with exit code 2 and nothing written", () => {
  test.for<[name: string, args: string[], files: Record<string, string>, why: RegExp]>([
    [
      "settings that do not parse",
      all,
      { ".gemini/settings.json": '{\n  "a": ,\n}\n' },
      /\.gemini\/settings\.json:2: invalid JSON: value expected\nhint: fix it there/,
    ],
    [
      "settings of another shape",
      all,
      { ".claude/settings.json": '{\n  "hooks": []\n}\n' },
      /\.claude\/settings\.json:2: hooks: expected an object, got array/,
    ],
    [
      "a /relay of the person's",
      all,
      { ".claude/skills/relay/SKILL.md": "mine\n" },
      /SKILL\.md: there is another one of that name.*\nhint: move it away/,
    ],
    [
      "an agent without such hooks",
      ["claud"],
      {},
      /no hooks are known for an agent "claud"\nhint: did you mean claude\?/,
    ],
    ["two places", ["claude", "--user", "--project"], {}, /--project and --user name two places/],
  ])("%s", async ([, args, files, why]) => {
    const place = await openRepository();
    for (const [path, text] of Object.entries(files)) place.write(path, text);
    const before = place.files();
    const ran = await place.monoco("hook", "install", ...args);
    expect(ran.stderr).toMatch(why);
    expect(ran.exitCode).toBe(2);
    expect(place.files()).toEqual(before);
  });
});

test("--dry-run prints every line that would be written, and writes none", async () => {
  const place = await openRepository();
  place.write("AGENTS.md", "# For agents\n");
  const before = place.files();
  const { stdout } = await place.monoco("hook", "install", "claude", "--dry-run");
  expect(stdout).toContain("dry run: nothing is written\nmade    .claude/settings.json\n  + {\n");
  expect(stdout).toContain("changed AGENTS.md\n  + \n  + <!-- monoco:hand-over:begin");
  expect(place.files()).toEqual(before);
});

test("where a shell does not find monoco, it says what happens without, and the command that helps", async () => {
  const place = await openRepository();
  const bin = join(place.sandbox.folder, "bin");
  mkdirSync(bin);
  const PATH = `${bin}:/usr/bin:/bin`;
  const install = async (): Promise<string> =>
    (await place.sandbox.monoco(["hook", "install", "claude"], { cwd: place.project, env: { PATH } })).stdout;
  const found = (): Promise<unknown> =>
    execa("/bin/sh", ["-c", "command -v monoco"], { env: { PATH }, extendEnv: false });
  await expect(found()).rejects.toThrow();
  expect(await install()).toContain(
    "monoco is not on the PATH: hooks, cron and xargs do not find it, and the Stop hook does nothing. npm run link, in your clone of monoco, puts it there\n",
  );
  writeFileSync(join(bin, "monoco"), "#!/bin/sh\n", { mode: 0o755 });
  await found();
  expect(await install()).not.toContain("on the PATH");
});

test("without a name it takes the agents on the PATH; none is exit code 4", async () => {
  const place = await openRepository();
  const bin = join(place.sandbox.folder, "bin");
  mkdirSync(bin);
  const PATH = `${bin}:${dirname(process.execPath)}`;
  const run = (): Promise<Ran> =>
    place.sandbox.monoco(["hook", "install", "--dry-run", "--json"], {
      cwd: place.project,
      env: { PATH: `${PATH}:${gitOnly}` },
    });
  const gitOnly = join(place.sandbox.folder, "git");
  mkdirSync(gitOnly);
  await place.sandbox.sh(gitOnly, 'ln -s "$(command -v git)" git');
  expect(await run()).toMatchObject({ exitCode: 4 });
  writeFileSync(join(bin, "gemini"), "");
  const { files } = JSON.parse((await run()).stdout) as { files: { agent: string | null }[] };
  expect(files.map(({ agent }) => agent)).toEqual(["gemini", "gemini", null]);
});

describe("the hook that was installed", () => {
  /** As the agent calls it: by a shell, with its input. */
  async function called(
    place: Place,
    input: object,
    { env = {}, path = true }: { env?: Record<string, string>; path?: boolean } = {},
  ): Promise<{ exitCode: number | undefined; stdout: string; stderr: string }> {
    const { hooks } = JSON.parse(place.read(".claude/settings.json")) as {
      hooks: { Stop: { hooks: { command: string }[] }[] };
    };
    const bin = join(place.sandbox.folder, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "monoco"), `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' "$@"\n`, {
      mode: 0o755,
    });
    const PATH = path ? `${bin}:${place.sandbox.env["PATH"]}` : "/usr/bin:/bin";
    const ran = await execa("/bin/sh", ["-c", hooks.Stop[0]!.hooks[0]!.command], {
      cwd: place.project,
      env: { ...place.sandbox.env, PATH, ...env },
      extendEnv: false,
      input: JSON.stringify({ session_id: "s", cwd: place.project, hook_event_name: "Stop", ...input }),
      reject: false,
    });
    return { exitCode: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr };
  }

  const claude = (tokens: number, more: object = {}): string =>
    JSON.stringify({
      type: "assistant",
      ...more,
      message: { usage: { input_tokens: 10, cache_read_input_tokens: tokens - 10 } },
    });
  const codex = (tokens: number): string =>
    JSON.stringify({
      type: "event_msg",
      payload: {
        type: "token_count",
        info: { last_token_usage: { total_tokens: tokens }, model_context_window: 100_000 },
      },
    });

  async function onBranch(
    branch = "li/feat-1-a-page",
  ): Promise<Place & { transcript(...lines: string[]): object }> {
    const place = await openRepository();
    place.write("issues/open/FEAT-0001-a-page.md", "---\nid: FEAT-0001\ntitle: A page\n---\n");
    place.write("monoco.yaml", "base: main\n");
    await place.sandbox.sh(place.project, `git switch -qc ${branch}`);
    await place.monoco("hook", "install", "claude");
    const path = join(place.sandbox.folder, "transcript.jsonl");
    return {
      ...place,
      transcript: (...lines) => {
        writeFileSync(path, `cut off"}\n${lines.join("\n")}\n`);
        return { transcript_path: path };
      },
    };
  }
  const silent = { exitCode: 0, stdout: "", stderr: "" };

  test("tells of a full context once, with the way to hand over", async () => {
    const place = await onBranch();
    expect(await called(place, place.transcript(claude(149_000)))).toEqual(silent);
    const full = place.transcript(claude(151_000), claude(9_000, { isSidechain: true }), '{"type":"user"}');
    const told = await called(place, full);
    expect(JSON.parse(told.stdout)).toEqual({
      decision: "block",
      reason: expect.stringMatching(/^The context .*151000 tokens.*`monoco relay prepare FEAT-0001`/),
    });
    expect(await called(place, { ...full, stop_hook_active: true })).toEqual(silent);
    expect(await called(place, full)).toEqual(silent);
    // Another session is told, too.
    expect((await called(place, { ...full, session_id: "t" })).stdout).toContain("block");
  });

  test("where the agent tells the window, three quarters of it are full; in the language of the repository", async () => {
    const place = await onBranch();
    place.write("monoco.yaml", "language: zh\n");
    expect(await called(place, place.transcript(codex(74_000)))).toEqual(silent);
    expect((await called(place, place.transcript(codex(76_000)))).stdout).toContain("上下文");
    const gemini = place.transcript('{"type":"gemini","tokens":{"total":150000}}');
    expect((await called(place, { ...gemini, session_id: "g" })).stdout).toContain("block");
  });

  test.for<[string, (place: Place, full: object) => Promise<unknown>]>([
    [
      "in a session of monoco's",
      (place, full) => called(place, full, { env: { MONOCO_SESSION_DIR: "/nowhere" } }),
    ],
    ["where monoco is not on the PATH", (place, full) => called(place, full, { path: false })],
    ["without a transcript", (place) => called(place, { transcript_path: "/nowhere" })],
    [
      "on a branch without an issue",
      async (place, full) => {
        await place.sandbox.sh(place.project, "git switch -qc release-2026");
        return called(place, full);
      },
    ],
    [
      "without a branch",
      async (place, full) => {
        await place.sandbox.sh(place.project, "git add -A; git commit -qm x; git switch -q --detach");
        return called(place, full);
      },
    ],
    ["outside of a repository", (place, full) => called(place, { ...full, cwd: place.sandbox.folder })],
    [
      "in a repository without monoco",
      async (place, full) => {
        await place.sandbox.sh(place.project, "rm -r .monoco monoco.yaml");
        return called(place, full);
      },
    ],
  ])("%s it says nothing, and exits with 0", async ([, call]) => {
    const place = await onBranch();
    expect(await call(place, place.transcript(claude(160_000)))).toEqual(silent);
  });

  test("in a linked worktree it knows the branch", async () => {
    const place = await onBranch("other");
    await place.sandbox.sh(
      place.project,
      "git add -A; git commit -qm x; git worktree add -q ../linked -b FEAT-0001",
    );
    const cwd = join(place.sandbox.folder, "linked", "issues");
    expect((await called(place, { ...place.transcript(claude(160_000)), cwd })).stdout).toContain("block");
  });
});
