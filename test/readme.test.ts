/** The READMEs and docs against the program: commands, flags, settings, exit codes. */
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { exitCodes } from "../src/core/error/error.ts";
import { rowsOf } from "./support/markdown.ts";

const root = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const documents = [
  "README.md",
  "README.zh.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
  "SECURITY.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

test.for(["README.md", "README.zh.md"])("%s stays short: all else has a page of its own", (name) =>
  expect(Buffer.byteLength(read(name))).toBeLessThanOrEqual(12_000),
);

test.for(documents)("%s: every link to a heading leads to one", (name) => {
  const links = [...read(name).matchAll(/\]\(([^()\s#:]*)#([^()\s]+)\)/g)];
  const broken = links.filter(([, file, anchor]) => {
    const target = file === "" ? name : normalize(join(dirname(name), file!));
    return !anchorsOf(read(target)).includes(anchor!);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

/** The anchors that GitHub gives to the headings. */
function anchorsOf(text: string): string[] {
  const headings = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, words]) =>
    words!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("docs/exit-codes.md has the exit codes of the program", () => {
  const rows = rowsOf(read("docs/exit-codes.md")).filter(([code]) => /^\d+$/.test(code ?? ""));
  const told = Object.fromEntries(
    rows.map(([code, kind]) => [kind ? kind.replaceAll("`", "") : "done", Number(code)]),
  );
  expect(told).toEqual({ done: 0, ...exitCodes });
});

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
    const text = help.get(command) ?? help.get(`relay ${command}`);
    return text === undefined || flags.some((flag) => !text.includes(flag));
  });
  expect(unknown).toEqual([]);
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
        named[1] !== undefined && !["relay", "issue", "agent", "config", "hook", "fleet"].includes(named[0]!)
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
