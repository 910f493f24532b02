/** monoco completion: what the scripts offer in the real shells, where those are installed. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa, execaSync } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = openSandbox();
});
afterEach(() => sandbox.dispose());

async function scriptOf(shell: string): Promise<string> {
  const ran = await sandbox.monoco(["completion", shell]);
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  const path = join(sandbox.folder, `completion.${shell}`);
  writeFileSync(path, ran.stdout);
  return path;
}

const isThere = (shell: string): boolean => execaSync(shell, ["--version"], { reject: false }).exitCode === 0;

/** Each prints a word a line, of the words given the last of which is being typed. */
const askers = {
  bash: `source "$0"; COMP_WORDS=(monoco "$@"); COMP_CWORD=$#; _monoco; printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: `source $argv[1]; complete -C "monoco $argv[2..]" | cut -f1`,
};

describe.for(["bash", "fish"] as const)("%s", (shell) => {
  async function offered(...words: string[]): Promise<string[]> {
    const project = join(sandbox.folder, "a project");
    mkdirSync(join(project, "issues/deep"), { recursive: true });
    for (const name of ["FEAT-0001-a.md", "deep/FIX-0002.md", "notes.md"])
      writeFileSync(join(project, "issues", name), "");
    await sandbox.sh(project, "git init -q .");
    const { stdout, stderr } = await execa(
      shell,
      [shell === "bash" ? "--norc" : "--no-config", "-c", askers[shell], await scriptOf(shell), ...words],
      { cwd: join(project, "issues"), env: sandbox.env, extendEnv: false },
    );
    expect(stderr).toBe("");
    return stdout.split("\n").filter(Boolean).toSorted();
  }
  const there = isThere(shell);

  test.skipIf(!there).for<[line: string, words: string[], candidates: string[]]>([
    ["commands, their short forms among them", ["re"], ["relay", "replay", "report", "resume"]],
    ["the verbs of a group", ["issue", "cl"], ["close"]],
    ["what every program has", ["--"], ["--help", "--version"]],
    ["ids, wherever their files lie", ["issue", "show", ""], ["FEAT-0001", "FIX-0002"]],
    ["further ids, after options and others", ["issue", "start", "--json", "FEAT-0001", "FI"], ["FIX-0002"]],
    ["ids by a short form", ["diff", "FE"], ["FEAT-0001"]],
    ["options", ["issue", "create", "--"], ["--edit", "--help", "--json", "--message", "--type"]],
    ["ids as the value of an option", ["issue", "list", "--parent", "F"], ["FEAT-0001", "FIX-0002"]],
    ["the values that an option may have", ["issue", "list", "--type", "f"], ["feature", "fix"]],
    ["agents by name", ["run", "--agent", "c"], ["claude", "codex"]],
    ["no options as the value of one", ["issue", "create", "--type", "--"], []],
    ["files where a file is meant", ["import", "note"], shell === "fish" ? ["notes.md"] : []],
  ])(`offers %s${there ? "" : ` (skipped: no ${shell} is installed)`}`, async ([, words, candidates]) => {
    expect(await offered(...words)).toEqual(candidates);
  });
});

describe("zsh", () => {
  test.skipIf(!isThere("zsh"))(
    `reads its script, whose table answers${isThere("zsh") ? "" : " (skipped: no zsh is installed)"}`,
    async () => {
      const code = `compdef() { :; }; source "$0"; _monoco_words "$@" | cut -f1`;
      const { stdout } = await execa("zsh", ["-f", "-c", code, await scriptOf("zsh"), "issue", ""]);
      expect(stdout.split("\n")).toContain("wontfix");
    },
  );
});

test("another shell is refused with those that there are", async () => {
  expect(await sandbox.monoco(["completion", "tcsh"])).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: 'error: no completion for "tcsh"\nhint: shells: bash, zsh, fish',
  });
});
