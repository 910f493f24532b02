/** A real terminal: monoco in a window of tmux, its screen and modes as a person would find them. */
import { execa, execaSync } from "execa";
import { onTestFinished, expect } from "vitest";
import type { TestContext } from "vitest";
import { cliPath } from "./cli.ts";
import type { Place } from "./place.ts";

export const hasTmux = (): boolean => execaSync("tmux", ["-V"], { reject: false }).exitCode === 0;

export function skipWithoutTmux(context: TestContext): void {
  if (!hasTmux()) context.skip("needs tmux");
}

export type Window = {
  keys(...keys: string[]): Promise<void>;
  /** Types a text as it is. */
  type(text: string): Promise<void>;
  /** Pastes a text, as a terminal does that brackets it. */
  paste(text: string): Promise<void>;
  screen(): Promise<string>;
  /** The screen with its colours. */
  coloured(): Promise<string>;
  /** Waits until the screen says so, and returns it. */
  shows(what: string | RegExp, withinMs?: number): Promise<string>;
  /** Cursor, alternate screen, and all that `stty -a` says but the size. */
  modes(): Promise<{ cursor: boolean; alternate: boolean; stty: string }>;
  resize(width: number, height: number): Promise<void>;
  /** The process of the program in the foreground that was started from here. */
  pid(): Promise<number>;
};

/** A shell in the place's folder; `run` is typed into it. */
export async function openWindow(
  place: Place,
  { width, height, env = {} }: { width: number; height: number; env?: Record<string, string> },
): Promise<Window> {
  const { sandbox, project } = place;
  const socket = `${sandbox.folder}/tmux`;
  const all = {
    ...sandbox.env,
    TERM: "xterm-256color",
    NODE: process.execPath,
    CLI: cliPath,
    PS1: "$ ",
    ...env,
  };
  const tmux = async (...args: string[]): Promise<string> =>
    (await execa("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env: all, extendEnv: false })).stdout;
  await tmux("new-session", "-d", "-x", `${width}`, "-y", `${height}`, "-c", project, "sh");
  onTestFinished(async () => void (await tmux("kill-server").catch(() => undefined)));
  const tty = await tmux("display-message", "-p", "#{pane_tty}");
  const screen = (): Promise<string> => tmux("capture-pane", "-p");
  return {
    keys: async (...keys) => void (await tmux("send-keys", ...keys)),
    type: async (text) => void (await tmux("send-keys", "-l", "--", text)),
    paste: async (text) => {
      await tmux("set-buffer", "--", text);
      await tmux("paste-buffer", "-p");
    },
    screen,
    coloured: () => tmux("capture-pane", "-p", "-e"),
    shows: async (what, timeout = 20_000) => {
      await expect.poll(screen, { timeout, interval: 50 }).toMatch(what);
      return screen();
    },
    modes: async () => {
      const [cursor, alternate] = (
        await tmux("display-message", "-p", "#{cursor_flag} #{alternate_on}")
      ).split(" ");
      const { stdout: stty } = await execa("stty", ["-F", tty, "-a"]);
      return {
        cursor: cursor === "1",
        alternate: alternate === "1",
        stty: stty.replace(/ rows \d+; columns \d+;/, ""),
      };
    },
    resize: async (width, height) => void (await tmux("resize-window", "-x", `${width}`, "-y", `${height}`)),
    pid: async () => {
      const { stdout } = await execa("ps", ["-t", tty.replace("/dev/", ""), "-o", "pid=,args="]);
      const line = stdout.split("\n").find((one) => one.includes("cli.js"));
      return Number(line?.trim().split(/\s+/)[0]);
    },
  };
}

/** What is typed to start monoco. */
export const monocoIn = (args: string): string => `"$NODE" "$CLI" ${args}`;
