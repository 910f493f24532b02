/** docs/every-night.md: each recipe is done as it is written there, with stand-ins for what would leave the machine. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { deliverBatch } from "../src/app/overview/notify.ts";
import { within } from "../src/io/io.ts";
import { cliPath, openSandbox } from "./support/cli.ts";
import type { Sandbox } from "./support/cli.ts";
import { approves, openPlace, works } from "./support/place.ts";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "every-night.md"), "utf8");

/** The fenced blocks of this language below a heading. */
function blocksOf(heading: string, language: string): string[] {
  const part = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
  return [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, name, text]) =>
    name === language ? [text!] : [],
  );
}

function program(sandbox: Sandbox, path: string, text: string): void {
  const file = join(sandbox.folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

const hasProgram = async (name: string): Promise<boolean> =>
  (await execa("sh", ["-c", `command -v ${name}`], { reject: false })).exitCode === 0;

describe("a notice", () => {
  const at = "2026-11-21T00:00:00.000Z";
  const notices = [
    {
      kind: "question",
      issue: "FEAT-0001",
      text: 'it asks: "A\\B" & <!here>?',
      at,
      command: 'monoco answer FEAT-0001 "…"',
    },
    { kind: "done", issue: "FEAT-0002", text: "merged", at, command: "monoco status FEAT-0002" },
  ];
  const text = `FEAT-0001: it asks: "A\\B" & <!here>?\n  monoco answer FEAT-0001 "…"\nFEAT-0002: merged\n  monoco status FEAT-0002`;

  /** What the stand-in was given: its words and its standard input, each on lines of their own. */
  async function given(heading: string, standIn: string): Promise<string> {
    const sandbox = openSandbox();
    onTestFinished(() => sandbox.dispose());
    const bin = join(sandbox.folder, "bin");
    program(
      sandbox,
      `bin/${standIn}`,
      `for word; do printf '%s\\n' "$word"; done > "${bin}/given"; cat >> "${bin}/given"`,
    );
    for (const script of blocksOf(heading, "bash")) program(sandbox, "home/.local/bin/monoco-slack", script);
    const [settings = ""] = blocksOf(heading, "yaml");
    const { notify } = parse(settings) as { notify: { command: string } };
    const env = {
      ...sandbox.env,
      PATH: `${bin}:${sandbox.env["PATH"]}`,
      SLACK_URL: "https://hooks.slack.com/x",
    };
    expect(await within({ env }, () => deliverBatch({ v: 1, repository: "/r", notices }, notify))).toEqual(
      [],
    );
    return readFileSync(join(bin, "given"), "utf8");
  }

  test("goes to ntfy as text", async () => {
    const words = (await given("ntfy", "curl")).split("\n");
    expect(words.join("\n")).toContain(text);
    expect(words.some((word) => word.startsWith("https://ntfy.sh/"))).toBe(true);
  });

  test("goes to Slack as JSON, without markup that would call people", async () => {
    const words = await given("Slack", "curl");
    const [body = ""] = /^\{.*\}$/m.exec(words) ?? [];
    const shown = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    expect(JSON.parse(body)).toEqual({ text: `${shown}\n` });
    expect(words).toContain("https://hooks.slack.com/x");
  });

  test("goes out by mail", async () => {
    expect(await given("E-mail", "mail")).toBe(`-s\nmonoco\nme@example.com\n${text}\n`);
  });
});

describe("a night by", () => {
  /** A place as the page names it, with monoco in ~/.local/bin. */
  async function home() {
    const place = await openPlace({ executor: [works], reviewer: [approves] });
    await place.sh(`ln -s "$PWD" "$HOME/your-project"`);
    program(place.sandbox, "home/.local/bin/monoco", `exec '${process.execPath}' '${cliPath}' "$@"`);
    const env = { ...place.sandbox.env };
    return { place, env };
  }

  test("cron begins with cron's own short PATH", async () => {
    const { place, env } = await home();
    const [line = ""] = blocksOf("cron", "text");
    const command = line.trim().replace(/^(\S+ ){5}/, "");
    const ran = await execa("/bin/sh", ["-c", command], {
      cwd: "/",
      env: { ...env, PATH: "/usr/bin:/bin" },
      extendEnv: false,
    });
    expect(ran.stdout).toContain("in the background: monoco run --all ");
    await place.monoco("log", "-f");
    expect(place.all("merge.done")).toHaveLength(1);
  });

  test("systemd: its units are valid", async (context) => {
    if (!(await hasProgram("systemd-analyze"))) return context.skip();
    const { place, env } = await home();
    const units = ["monoco-night.service", "monoco-night.timer"].map((name) => join(place.around, name));
    for (const [at, text] of blocksOf("systemd", "ini").entries()) writeFileSync(units[at]!, text);
    const checked = await execa("sh", ["-c", 'systemd-analyze verify --user "$@"', "sh", ...units], {
      env: { ...env, XDG_RUNTIME_DIR: place.around },
      all: true,
      reject: false,
    });
    expect(checked.all).toBe("");
  });

  test("systemd and launchd: the command works", async () => {
    const { place, env } = await home();
    const [unit = ""] = blocksOf("systemd", "ini");
    const [, ofUnit = ""] = /^ExecStart=\/bin\/sh -lc '(.*)'$/m.exec(unit) ?? [];
    const [plist = ""] = blocksOf("launchd", "xml");
    const [, ofPlist = ""] = /<string>-lc<\/string>\s*<string>(.*)<\/string>/.exec(plist) ?? [];
    program(place.sandbox, "home/.local/bin/caffeinate", 'shift; exec "$@"');
    const PATH = `${place.around}/home/.local/bin:${env["PATH"]}`;
    for (const command of [ofUnit, ofPlist.replaceAll("&amp;", "&")]) {
      const ran = await execa("/bin/sh", ["-c", command], {
        cwd: place.project,
        env: { ...env, PATH },
        extendEnv: false,
      });
      expect(ran.exitCode).toBe(0);
    }
    expect(place.all("merge.done")).toHaveLength(1);
  });

  test("tmux runs where the terminal may close", async (context) => {
    if (!(await hasProgram("tmux"))) return context.skip();
    const { place, env } = await home();
    const [lines = ""] = blocksOf("tmux", "sh");
    const PATH = `${place.around}/home/.local/bin:${env["PATH"]}`;
    const [start = ""] = lines.split("\n");
    await execa("/bin/sh", ["-c", start], {
      cwd: place.project,
      env: { ...env, PATH, TMUX_TMPDIR: place.around },
      extendEnv: false,
    });
    await expect.poll(() => place.all("merge.done").length, { timeout: 60_000 }).toBe(1);
  });
});
