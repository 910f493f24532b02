/** A person's own session in the real CLIs hands over: its stop hook tells of the full context once, /relay is found, and a relay goes on. */
import { appendFileSync, chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { expect, test as base } from "vitest";
import { cliPath, eventsOf } from "../../test/support/cli.ts";
import { claudeVendor } from "../../src/probe/claude-vendor.ts";
import { codexVendor } from "../../src/probe/codex-vendor.ts";
import { geminiVendor } from "../../src/probe/gemini-vendor.ts";
import type { ModelScript } from "../../src/probe/scripted-model.ts";
import type { Vendor } from "../../src/probe/vendor.ts";
import { installedDirs } from "./installed.ts";
import { approved, fillIn, half, issue, makeStoryPlace, shellTurn, whole } from "./story.ts";
import type { StoryPlace } from "./story.ts";

type Own = {
  name: "claude" | "codex" | "gemini";
  vendor: Vendor;
  /** What a person types for the hand-over, and how their session is started. */
  relay: string;
  argv(prompt: string): string[];
  /** What a person has agreed to before, in the CLI itself. */
  trust?(place: StoryPlace): void;
};

const rows: Own[] = [
  {
    name: "claude",
    vendor: claudeVendor,
    relay: "/relay",
    argv: (prompt) => ["claude", "-p", prompt, "--permission-mode", "dontAsk", "--allowedTools", "Bash"],
  },
  {
    name: "codex",
    vendor: codexVendor,
    relay: "$relay",
    argv: (prompt) => [
      "codex",
      "exec",
      "--dangerously-bypass-hook-trust",
      "--dangerously-bypass-approvals-and-sandbox",
      prompt,
    ],
    trust: ({ env, project }) =>
      appendFileSync(
        join(env["CODEX_HOME"]!, "config.toml"),
        `\n[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`,
      ),
  },
  {
    name: "gemini",
    vendor: geminiVendor,
    relay: "/relay",
    argv: (prompt) => ["gemini", "-p", prompt, "--yolo", "-m", "gemini-2.5-pro"],
    trust: ({ env, project }) =>
      writeFileSync(
        join(env["HOME"]!, ".gemini", "trustedFolders.json"),
        JSON.stringify({ [project]: "TRUST_FOLDER" }),
      ),
  },
];

const script = ({ vendor }: Own): ModelScript => [
  {
    match: "Begin with the work",
    turns: [
      shellTurn(vendor, half, 20_000),
      shellTurn(vendor, "git status", 160_000),
      { text: "That is half of it.", usage: { input_tokens: 160_500, output_tokens: 10 } },
      { text: "The person may go on.", usage: { input_tokens: 161_000, output_tokens: 10 } },
    ],
  },
  {
    match: "You are session 1 of its relay",
    turns: [shellTurn(vendor, `${whole}; monoco issue submit`, 20_000), { text: "Submitted." }],
  },
  { match: "You are the Reviewer", turns: [vendor.verdict(approved)] },
  {
    match: /relay/,
    turns: [shellTurn(vendor, fillIn, 20_000), { text: "Handed over." }],
  },
];

for (const own of rows) {
  base.skipIf(!installedDirs[own.name])(`${own.name}: from a person's session to a merge`, async () => {
    const place = await makeStoryPlace(own.vendor, script(own));
    const { project, sandbox } = place;
    const env = {
      ...place.env,
      PATH: `${monocoOnPath(sandbox.folder, place.env["HOME"]!)}:${place.env["PATH"]}`,
    };
    const typed = (prompt: string) => {
      const [program = "", ...args] = own.argv(prompt);
      return execa(program, args, { cwd: project, env, extendEnv: false, stdin: "ignore", reject: false });
    };
    await sandbox.sh(project, `git switch -qc work/${issue}-sum && git commit -q --allow-empty -m "Begin"`);
    own.trust?.(place);
    const before = filesOf(project);
    const installed = await place.monoco("hook", "install", own.name);
    expect(installed, installed.stderr).toMatchObject({ exitCode: 0 });

    const began = await typed("Begin with the work, please.");
    const tails = place.model.requests.map(({ tail }) => tail);
    const told = tails.filter((tail) => tail.includes(`monoco relay prepare ${issue}`));
    expect(told, `${began.stdout}${began.stderr}\n${tails.join("\n---\n")}`).toHaveLength(1);

    const relayed = await typed(own.relay);
    const prompts = place.model.requests.map(({ prompt, messages }) => prompt + JSON.stringify(messages));
    expect(
      prompts.filter((prompt) => prompt.includes("Hand the work of this session over to a fresh session")),
      relayed.stdout + relayed.stderr + place.unmatched(),
    ).not.toHaveLength(0);
    expect(readFileSync(join(project, "RALPH.md"), "utf8")).toContain("- Session: 0\n");

    const ran = await place.monoco("relay", "resume", issue);
    expect(ran, ran.stdout + ran.stderr + place.unmatched()).toMatchObject({ exitCode: 0 });
    const first = place.model.requests.find(({ prompt }) =>
      prompt.includes("You are session 1 of its relay"),
    );
    expect(first?.prompt).toContain("1. Make sum() add numbers, not text");
    const merged = await sandbox.git(project, "diff", "--name-only", `work/${issue}-sum`, "main");
    // The hook's own files are no work, though they were uncommitted.
    expect(merged.split("\n")).toEqual([`issues/${issue}-sum.md`, "sum.js"]);
    expect(eventsOf(project, issue).map(({ type }) => type)).toContain("person.handed_over");

    expect(await place.monoco("hook", "uninstall")).toMatchObject({ exitCode: 0 });
    const after = filesOf(project);
    after.delete("RALPH.md");
    expect(after).toEqual(new Map([...before, ["sum.js", after.get("sum.js")]]));
  });
}

/** A person has installed it; Codex calls a login shell. */
function monocoOnPath(folder: string, home: string): string {
  const bin = join(folder, "bin of a person");
  mkdirSync(bin);
  writeFileSync(join(bin, "monoco"), `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' "$@"\n`);
  chmodSync(join(bin, "monoco"), 0o755);
  writeFileSync(join(home, ".profile"), `export PATH='${bin}:${dirname(process.execPath)}':"$PATH"\n`);
  return bin;
}

function filesOf(project: string): Map<string, string> {
  const names = readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !/\/(?:\.git|\.monoco|node_modules)\//.test(path));
  return new Map(names.map((path) => [path.slice(project.length + 1), readFileSync(path, "base64")]));
}
