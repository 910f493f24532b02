/** The language that monoco speaks: where it is found, and that help and refusals speak it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { languageHere } from "../../src/app/language.ts";
import { verbs } from "../../src/commands/verbs.ts";
import { within } from "../../src/io/io.ts";
import { openSandbox } from "../support/cli.ts";
import type { RunOptions, Sandbox } from "../support/cli.ts";
import { initRepository, writeFiles } from "../support/repository.ts";

let sandbox: Sandbox;
let project: string;
beforeEach(() => {
  sandbox = openSandbox();
  project = join(sandbox.folder, "project");
  mkdirSync(project);
  initRepository(project);
});
afterEach(() => sandbox.dispose());

const own = "home/.config/monoco/config.yaml";
const [english, chinese] = ["language: en\n", "language: zh\n"];

type Row = {
  found: string;
  files?: Record<string, string>;
  env?: Record<string, string>;
  args?: string[];
  in?: string;
  language: "en" | "zh";
};

describe("the language is the one that the settings say", () => {
  test.for<Row>([
    { found: "nowhere", language: "en" },
    { found: "in a flag", args: ["--set", "language=zh"], language: "zh" },
    { found: "in a flag of one word", args: ["--set=language=zh"], language: "zh" },
    { found: "in the last flag", args: ["--set", "language=zh", "--set", "language=en"], language: "en" },
    { found: "in the environment", env: { MONOCO_LANGUAGE: "zh" }, language: "zh" },
    { found: "in monoco.yaml", files: { "project/monoco.yaml": chinese }, language: "zh" },
    {
      found: "in monoco.yaml, with a comment and quotes",
      files: { "project/monoco.yaml": 'base: main\nlanguage: "zh" # ours\r\nchecks: []\n' },
      language: "zh",
    },
    {
      found: "in monoco.yaml, from below it",
      files: { "project/monoco.yaml": chinese, "project/docs/monoco.yaml": english },
      in: "project/docs",
      language: "zh",
    },
    { found: "in the user's file", files: { [own]: chinese }, language: "zh" },
    {
      found: "in the user's file elsewhere",
      files: { "config/monoco/config.yaml": chinese },
      env: { XDG_CONFIG_HOME: "config" },
      language: "zh",
    },
    {
      found: "in a flag before the environment",
      args: ["--set", "language=en"],
      env: { MONOCO_LANGUAGE: "zh" },
      language: "en",
    },
    {
      found: "in the environment before monoco.yaml",
      env: { MONOCO_LANGUAGE: "en" },
      files: { "project/monoco.yaml": chinese },
      language: "en",
    },
    {
      found: "in monoco.yaml before the user's file",
      files: { "project/monoco.yaml": english, [own]: chinese },
      language: "en",
    },
    {
      found: "in the user's file, where monoco.yaml has none",
      files: { "project/monoco.yaml": "base: main\n# language: en\n", [own]: chinese },
      language: "zh",
    },
  ])("found $found", async ({ files = {}, env = {}, args = [], in: below = "project", language }) => {
    writeFiles(sandbox.folder, files);
    const cwd = join(sandbox.folder, below);
    const config = env["XDG_CONFIG_HOME"];
    const surroundings = {
      ...sandbox.env,
      ...env,
      ...(config && { XDG_CONFIG_HOME: join(sandbox.folder, config) }),
    };
    const argv = ["config", "show", "--json", ...args];
    const { stdout } = await sandbox.monoco(argv, { cwd, env: surroundings });
    const shown = JSON.parse(stdout) as { key: string; value: unknown }[];
    expect(shown.find(({ key }) => key === "language")?.value).toBe(language);
    expect(within({ cwd, env: surroundings }, () => languageHere(argv))).toBe(language);
  });

  test("and no word that only looks like it", () => {
    const argv = ["issue", "create", "language=zh"];
    expect(within({ cwd: project, env: sandbox.env }, () => languageHere(argv))).toBe("en");
  });
});

describe("in Chinese", () => {
  const inChinese = (...args: string[]): ReturnType<Sandbox["monoco"]> => {
    const options: RunOptions = { cwd: project, env: { MONOCO_LANGUAGE: "zh" } };
    return sandbox.monoco(args, options);
  };

  const commands = verbs.flatMap((one) => [
    [one.name],
    ...("verbs" in one ? one.verbs.map(({ name }) => [one.name, name]) : []),
  ]);
  // Hooks load no help.
  const helped = commands.filter(([, name = ""]) => !name.startsWith("on-"));

  test.for([[], ...helped])("the help of monoco %j has no English but commands", async (command) => {
    const { exitCode, stdout } = await inChinese(...command, "--help");
    expect(exitCode).toBe(0);
    const [usage, ...prose] = stdout.split("\n示例：\n")[0]!.split("\n");
    expect(usage).toMatch(/^用法： monoco/);
    expect(prose.join("\n")).toMatch(/\p{sc=Han}/u);
    const commandless = prose.map((line) => line.replaceAll(/\bmonoco(?: [a-z-]+)+/g, ""));
    expect(commandless.filter((line) => /[a-z]{2,} [a-z]{2,} [a-z]{2,}/i.test(line))).toEqual([]);
    expect(commandless.filter((line) => /\b(?:the|of|and|with|default|Options)\b/.test(line))).toEqual([]);
  });

  test.for<[args: string[], says: string]>([
    [["run", "--al"], "错误：未知的选项“--al”\n提示：是否想写 --all？"],
    [["relay", "extend", "--minutes", "5"], "没有写必需的选项“--because <why>”"],
    [["relay", "ask"], "缺少参数“question”"],
    [["log", "--last"], "选项“-n, --last <n>”缺少值"],
    [["check", "A-0001", "B-0001"], "“check”的参数太多。应有 1 个，实际有 2 个：A-0001, B-0001。"],
    [["sttus"], "未知的命令“sttus”"],
    [["create"], "是否想写 monoco issue create？"],
    [["log", "--last", "none"], '--last：应为大于 0 的整数，实际是 "none"'],
    [["config", "show", "--set", "limits.sessionMax=3"], "--set limits.sessionMax：未知的设置项"],
    [["config", "show", "--set", "limits.sessionsMax=few"], "--set limits.sessionsMax：必须是：数字"],
    [["config", "show", "--set", "merge=other"], "必须是以下之一：merge, squash"],
  ])("monoco %j is refused", async ([args, says]) => {
    const { exitCode, stderr } = await inChinese(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  });
});
