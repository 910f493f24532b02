/** monoco completion: what the script offers in a real bash; the other scripts are read by their shells, where those are installed. */
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

describe("bash offers", () => {
  async function offered(...words: string[]): Promise<string[]> {
    const project = join(sandbox.folder, "a project");
    mkdirSync(join(project, "issues/deep"), { recursive: true });
    for (const name of ["FEAT-0001-a.md", "deep/FIX-0002.md", "notes.md"])
      writeFileSync(join(project, "issues", name), "");
    await sandbox.sh(project, "git init -q .");
    const script = await scriptOf("bash");
    const code = `source "$0"; COMP_WORDS=(monoco "$@"); COMP_CWORD=$#; _monoco; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p monoco`;
    const { stdout, stderr } = await execa("bash", ["--norc", "-c", code, script, ...words], {
      cwd: join(project, "issues"),
      env: sandbox.env,
      extendEnv: false,
    });
    expect(stderr).toBe("");
    const lines = stdout.split("\n");
    expect(lines.pop()).toBe("complete -o default -F _monoco monoco");
    return lines.filter(Boolean);
  }

  test.for<[line: string, words: string[], candidates: string[]]>([
    ["commands, their short forms among them", ["re"], ["relay", "report", "replay", "resume"]],
    ["the verbs of a group", ["issue", "cl"], ["close"]],
    ["ids, wherever their files lie", ["issue", "show", ""], ["FEAT-0001", "FIX-0002"]],
    ["further ids, after options and others", ["issue", "start", "--json", "FEAT-0001", "FI"], ["FIX-0002"]],
    ["ids by a short form", ["diff", "FE"], ["FEAT-0001"]],
    ["options", ["issue", "create", "--"], ["--type", "--message", "--edit", "--json", "--help"]],
    ["ids as the value of an option", ["issue", "list", "--parent", "F"], ["FEAT-0001", "FIX-0002"]],
    ["no options as the value of one", ["issue", "create", "--type", ""], []],
    ["nothing of its own where files are meant", ["import", ""], []],
  ])("%s", async ([, words, candidates]) => {
    expect(await offered(...words)).toEqual(candidates);
  });
});

describe.for(["zsh", "fish"])("%s", (shell) => {
  test.skipIf(!isThere(shell))(
    `reads its script${isThere(shell) ? "" : ` (skipped: no ${shell} is installed)`}`,
    async () => {
      expect(await execa(shell, ["-n", await scriptOf(shell)])).toMatchObject({ exitCode: 0, stderr: "" });
    },
  );

  test("the script names every verb", async () => {
    const { stdout } = await sandbox.monoco(["completion", shell]);
    for (const word of ["inbox", "issue", "wontfix", "resume"]) expect(stdout).toContain(word);
  });
});

test("another shell is refused with those that there are", async () => {
  expect(await sandbox.monoco(["completion", "tcsh"])).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: 'error: no completion for "tcsh"\nhint: shells: bash, zsh, fish',
  });
});
