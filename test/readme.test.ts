/** The READMEs and docs against the program: commands, flags, settings, exit codes, the map. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { exitCodes } from "../src/core/error/error.ts";
import { budgetsSchema } from "../src/core/settings/budget-schema.ts";
import { limitsSchema } from "../src/core/settings/limits-schema.ts";
import { settingsSchema } from "../src/core/settings/settings.ts";
import { mapPage, withMap } from "../scripts/map.ts";
import { rowsOf } from "./support/markdown.ts";

const root = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const readme = read("README.md");
const documents = [
  "README.md",
  "README.zh.md",
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
];

test.for(["README.md", "README.zh.md"])("%s: the alias works in a new shell, in any folder", (name) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "monoco-test-")));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const clone = join(home, "a clone");
  symlinkSync(root, clone);
  const shell = (script: string, cwd: string): string =>
    execFileSync("bash", ["-c", script], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home, PWD: cwd },
      encoding: "utf8",
    });
  const [line = ""] = /^ *echo "alias monoco=.*$/m.exec(read(name)) ?? [];
  shell(line, clone);
  expect(readFileSync(join(home, ".bashrc"), "utf8")).toContain(clone);
  expect(shell("shopt -s expand_aliases\n. ~/.bashrc\nmonoco --version", home)).toBe("0.1.0\n");
});

test("the map of the source is current (npm run map)", () =>
  expect(read(mapPage)).toBe(withMap(read(mapPage))));

test.for(["README.md", "README.zh.md"])("%s: the exit codes are those of the program", (name) => {
  const rows = rowsOf(read(name)).filter(([code]) => /^\d+$/.test(code ?? ""));
  const told = Object.fromEntries(
    rows.map(([code, kind]) => [kind ? kind.replaceAll("`", "") : "done", Number(code)]),
  );
  expect(told).toEqual({ done: 0, ...exitCodes });
});

test("the settings table names every key with its default", () => {
  const { roles, finish, exit, breaker, limits, ...rest } = settingsSchema.parse({});
  const expected = {
    ...rest,
    "roles.executor.agents": roles.executor.agents,
    "roles.reviewer.agents": roles.reviewer.agents,
    ...Object.fromEntries(Object.entries(finish).map(([key, value]) => [`finish.${key}`, value])),
    ...Object.fromEntries(Object.entries(breaker).map(([key, value]) => [`breaker.${key}`, value])),
    exit: "when a session forgets to submit",
    limits: "see below",
    extends: null,
    budgets: "none",
  };
  expect(defaultsIn("key | default |", 1)).toEqual(expected);
  expect(exit).toEqual(defaultsOf(read("docs/exit-detection.md"), "key | default |", 1));
  const optional = { tokensPerHour: "none" };
  expect(defaultsIn("key | unit |", 2)).toEqual({ ...limits, ...optional });
  expect(new Set([...Object.keys(limits), ...Object.keys(optional)])).toEqual(
    new Set(Object.keys(limitsSchema.shape)),
  );
  const told = rowsOf(read("docs/budgets.md"), "key | unit |").map(([key]) => key?.replaceAll("`", ""));
  const units = Object.entries(budgetsSchema.shape).flatMap(([span, schema]) =>
    Object.keys(schema.unwrap().shape).map((unit) => `budgets.${span}.${unit}`),
  );
  expect(new Set(told)).toEqual(new Set(units));
  const keys = rowsOf(readme, "key | what it is |").map(([key]) => key?.replaceAll("`", ""));
  expect(keys).toEqual(Object.keys(settingsSchema.shape.agents.unwrap().valueType.shape));
});

function defaultsIn(header: string, column: number): Record<string, unknown> {
  return defaultsOf(readme, header, column);
}

function defaultsOf(text: string, header: string, column: number): Record<string, unknown> {
  return Object.fromEntries(
    rowsOf(text, header).map((row) => [
      row[0]!.replaceAll("`", ""),
      parse(row[column]!.replaceAll("`", "")) as unknown,
    ]),
  );
}

/** The help of every command, by its words. */
const help = new Map<string, string>();

function learn(words: string[]): void {
  const asked = words.length === 0 ? ["--help"] : [...words.slice(0, -1), "help", words.at(-1)!];
  const argv = [join(root, "src", "cli.ts"), ...asked];
  const text = execFileSync(process.execPath, argv, { encoding: "utf8" });
  help.set(words.join(" "), text);
  const names = text.split("\nCommands:\n")[1]?.matchAll(/^ {2}([a-z-]+)/gm) ?? [];
  for (const [, name] of names) if (name !== "help") learn([...words, name!]);
}
learn([]);

test.for(documents)("%s: every command and flag that it names is in the program's help", (name) => {
  const unknown = mentions(read(name)).filter(({ command, flags }) => {
    const text = help.get(command);
    return text === undefined || flags.some((flag) => !text.includes(flag));
  });
  expect(unknown).toEqual([]);
});

test.for(["README.md", "README.zh.md"])("%s: the table of commands names them all", (name) => {
  const told = rowsOf(read(name)).flatMap(([cell]) => /^`monoco ([a-z -]*[a-z])/.exec(cell ?? "")?.[1] ?? []);
  const commands = [...help.keys()].filter(
    (words) => !["", "relay", "issue", "agent", "config"].includes(words),
  );
  expect(told.toSorted()).toEqual(commands.toSorted());
});

type Mention = { command: string; flags: string[] };

/** `monoco …` in code: the command's words as far as the help knows them, and the flags behind them. */
function mentions(text: string): Mention[] {
  return codeIn(text).flatMap((line) =>
    [...line.matchAll(/(?:^|[\s$(])monoco((?: [^\s#|&;)]+)*)/g)].map(([, rest]) => {
      const words = rest!.trim().split(" ").filter(Boolean);
      const plain = words.findIndex((word) => !/^[a-z-]+$/.test(word) || word.startsWith("-"));
      const named = words.slice(0, Math.min(2, plain < 0 ? words.length : plain));
      const command =
        named[1] !== undefined && !["relay", "issue", "agent", "config"].includes(named[0]!)
          ? named[0]!
          : named.join(" ");
      return { command, flags: words.filter((word) => /^--?[a-z]/.test(word)) };
    }),
  );
}

/** Inline code, and the lines of fenced blocks of shell. */
function codeIn(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, code]) =>
    code!.split("\n").filter((line) => !/^\s*(#|alias|git)/.test(line)),
  );
  const inline = [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/`([^`\n]+)`/g)].map(
    ([, code]) => code!,
  );
  return [...blocks, ...inline];
}
