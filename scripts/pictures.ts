/** `npm run pictures`: docs/pictures, from real runs: `monoco watch` in tmux while the demo's agents run, and the dashboard's pages in Chromium. */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { chromium } from "playwright-core";
import { parse } from "yaml";
import { framesOf, svgOf } from "./terminal-svg.ts";

const root = join(import.meta.dirname, "..");
const cli = join(root, "dist", "cli.js");
export const picturesPath = join(root, "docs", "pictures");
const [columns, rows] = [100, 22];

/** By file name: an SVG, PNGs, and the text of each page. */
type Files = Map<string, string | Buffer>;
type Stage = { folder: string; cwd: string; env: Record<string, string> };

export async function pictures(): Promise<Files> {
  const folder = mkdtempSync(join(tmpdir(), "monoco-pictures-"));
  const [home, state] = [join(folder, "home"), join(folder, "state")];
  const env = { HOME: home, XDG_STATE_HOME: state, LANG: "C.UTF-8", TZ: "UTC", TERM: "xterm-256color" };
  const stage = { folder, cwd: join(folder, "demo/project"), env };
  try {
    mkdirSync(join(home, ".config/monoco"), { recursive: true });
    writeFileSync(join(home, ".config/monoco/config.yaml"), "sandbox: none\n");
    await execa(process.execPath, [cli, "demo", "--set-up-only", "--folder", join(folder, "demo")], { env });
    await setTheStage(stage);
    return await played(stage);
  } finally {
    for (const gate of gates) pass(folder, gate);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** The demo's agents stand at a gate in three of their sessions, until its file is there. */
const gates = ["1", "3", "4"] as const;
const pass = (folder: string, gate: (typeof gates)[number]): void => writeFileSync(join(folder, gate), "");

async function setTheStage({ folder, cwd, env }: Stage): Promise<void> {
  cpSync(join(root, "test/fixtures/pictures"), cwd, { recursive: true });
  appendFileSync(join(cwd, "monoco.yaml"), "gates: { high: human }\n");
  const path = join(cwd, "story.yaml");
  const story = parse(readFileSync(path, "utf8")) as { executor: object[][] };
  for (const gate of gates) {
    const steps = story.executor[Number(gate) - 1]!;
    const at = steps.findIndex((step) => "usage" in step) + 1;
    steps.splice(at, 0, { run: `until test -e '${join(folder, gate)}'; do sleep 0.05; done` });
  }
  writeFileSync(path, JSON.stringify(story));
  await execa("git", ["add", "--all"], { cwd, env });
  await execa("git", ["commit", "--quiet", "--message", "Issues"], { cwd, env });
}

async function played({ folder, cwd, env }: Stage): Promise<Files> {
  const monoco = (line: string) =>
    execa(process.execPath, [cli, ...line.split(" ")], { cwd, env, reject: false });
  const socket = join(folder, "tmux");
  const tmux = (...args: string[]) => execa("tmux", ["-S", socket, "-f", "/dev/null", ...args], { cwd, env });
  await monoco("run FEAT-0002 FEAT-0003 --set agents.demo.script=crew.yaml --set limits.questionsMax=1");
  const dashboard = monoco("dashboard");
  let printed = "";
  dashboard.stdout.on("data", (piece) => (printed += String(piece)));
  let tabs = 0;
  /** Each lets one tab in. */
  const address = async (): Promise<string> => {
    for (;;) {
      const url = [...printed.matchAll(/http:\/\/\S+(?=\n)/g)][tabs]?.[0];
      if (url !== undefined) return ((tabs += 1), url);
      await once(dashboard.stdout, "data");
    }
  };
  const files: Files = new Map();
  const screens: string[] = [];
  const screen = async (shows: RegExp): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      const { stdout } = await tmux("capture-pane", "-p", "-e");
      if (shows.test(stdout)) return void screens.push(stdout);
      if (tries === 100) throw new Error(`not on the screen: ${shows}\n${stdout}`);
      await pause(100);
    }
  };
  try {
    const page = async (name: string, path: string, of: { shows: string; height: number; top?: string }) => {
      const browser = await chromium.launch({
        executablePath: "/usr/bin/chromium",
        args: ["--no-sandbox"],
        env: { PATH: env.PATH ?? "", HOME: folder },
      });
      for (const colorScheme of ["light", "dark"] as const) {
        const tab = await browser.newPage({ viewport: { width: 900, height: of.height }, colorScheme });
        const url = await address();
        await tab.goto(url);
        await tab.waitForSelector(".row");
        await tab.goto(new URL(path, url).href);
        await tab.getByText(of.shows).first().waitFor();
        await tab.evaluate((part) => document.querySelector(part)?.scrollIntoView(), of.top ?? "#app");
        files.set(`${name}-${colorScheme}.png`, await tab.screenshot());
        files.set(`${name}.txt`, `${await tab.evaluate(() => document.body.innerText)}\n`);
      }
      await browser.close();
    };
    const size = ["-x", `${columns}`, "-y", `${rows}`];
    await tmux("new-session", "-d", ...size, `'${process.execPath}' '${cli}' watch`);
    await screen(/FEAT-0002/);
    const run = monoco("run DEMO-0001");
    await screen(/\$0\.42/);
    pass(folder, "1");
    await screen(/={6}-.*\$0\.66/);
    await page("inbox", "/", { shows: "$0.66", height: 800 });
    await page("review", "/i/FEAT-0003/review", { shows: "withinYear(31536000)", height: 560 });
    pass(folder, "3");
    await screen(/={4}-.*\$0\.86/);
    await page("relay", "/i/DEMO-0001", {
      shows: "After session 3",
      height: 640,
      top: "section:has(.chart)",
    });
    await tmux("send-keys", "j", "j", "Enter");
    await screen(/DEMO-0001[^]*Sessions/);
    await tmux("send-keys", "Escape");
    pass(folder, "4");
    await run;
    await screen(/1 merged/);
    files.set("watch.svg", svgOf(framesOf(screens), { columns, label: "A recording of monoco watch" }));
    return files;
  } finally {
    for (const gate of gates) pass(folder, gate);
    await tmux("kill-server").catch(() => undefined);
    dashboard.kill("SIGTERM");
    await dashboard;
  }
}

if (process.argv[1] === import.meta.filename) {
  const made = await pictures();
  mkdirSync(picturesPath, { recursive: true });
  for (const [name, file] of made) writeFileSync(join(picturesPath, name), file);
}
