/** monoco hook on-stop, on-tool, on-session-start and on-own-stop: called by an agent's own hooks; quick, and failing open. */
import { existsSync, lstatSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasPromise } from "../core/exit/promise.ts";
import { parseLive } from "../core/session/live.ts";
import type { Live } from "../core/session/live.ts";
import { jsonLine } from "../core/text/sanitize.ts";
import { fillTemplate } from "../core/text/template.ts";
import { io, printAtOnce, wholeInput } from "../io/io.ts";

/** The standard input of a hook, from Claude Code, Codex and Gemini CLI; `prompt_response` is Gemini's alone. */
type HookInput = {
  hook_event_name?: string;
  stop_hook_active?: boolean;
  last_assistant_message?: string;
  prompt_response?: string;
};

const names = ["on-stop", "on-tool", "on-session-start", "on-own-stop"];

/** Answers in the protocol that these agents share: an empty standard output lets the agent stop, `decision: block` does not. */
export async function hook(name = ""): Promise<number> {
  const folder = io().env["MONOCO_SESSION_DIR"];
  if (!names.includes(name)) {
    const commands = names.map((one) => `monoco hook ${one}`).join(", ");
    io().stderr.write(`error: unknown hook "${name}"\nhint: ${commands}\n`);
    return 2;
  }
  try {
    const input = await readInput();
    if (name === "on-own-stop") {
      const { offerHandOver } = await import("./own-stop.ts");
      const reason = folder ? undefined : offerHandOver(input);
      if (reason) printAtOnce(jsonLine({ decision: "block", reason }));
      return 0;
    }
    const live = folder ? readLive(folder) : undefined;
    const answer = folder && live ? answerTo(name, { folder, live, input }) : undefined;
    if (answer) printAtOnce(jsonLine(answer));
  } catch {
    // A full disk, a missing outbox: a failing exit status would keep the agent from stopping.
  }
  return 0;
}

type Called = { folder: string; live: Live; input: HookInput };

function answerTo(name: string, { folder, live, input }: Called): object | undefined {
  if (name === "on-tool") return afterTool(folder, live, input);
  if (name === "on-stop") return onStop(folder, live, input);
  writeFileSync(join(folder, "outbox", "hooks-loaded"), "");
  return undefined;
}

function onStop(folder: string, live: Live, input: HookInput): object | undefined {
  const reason = whyNotStop(folder, live, input);
  return reason ? { decision: "block", reason } : undefined;
}

/** Reports a reached mark once, in the middle of a turn, to an agent that takes no message on its input. */
function afterTool(folder: string, live: Live, input: HookInput): object | undefined {
  const why = live.wrapUp ?? live.plan;
  const mark = live.wrapUp ? "wrap-up" : "plan";
  if (!why || live.letStop || !isNews(folder, `${mark}: ${why}`)) return undefined;
  const hookEventName = input.hook_event_name ?? "AfterTool";
  return { hookSpecificOutput: { hookEventName, additionalContext: template(live, mark, { why }) } };
}

function isNews(folder: string, text: string): boolean {
  const path = join(folder, "outbox", "told");
  if (readSmall(path) === text) return false;
  writeFileSync(path, text);
  return true;
}

/** The self-check, first rule first; undefined lets the agent stop. The runner, not this check, arranges the successor. */
function whyNotStop(folder: string, live: Live, input: HookInput): string | undefined {
  const said = input.last_assistant_message ?? input.prompt_response ?? "";
  if (live.role === "reviewer") {
    const given = live.verdictBySchema || /"type"\s*:\s*"verdict"/.test(said);
    return given || !onceOnly(folder, "verdict-asked") ? undefined : "Give your verdict before you stop.";
  }
  if (
    hasMessage(folder, "submit") ||
    hasMessage(folder, "handoff") ||
    hasMessage(folder, "ask") ||
    live.letStop
  )
    return undefined;
  const before = memory(folder);
  const idle = before.toolCalls === live.toolCalls;
  const blocks = idle ? before.blocks : 0;
  if (blocks >= live.stopBlocksMax) return undefined;
  if (live.wrapUp) {
    // Asked once: for an agent that stops again without a handoff, monoco generates one.
    if (onceOnly(folder, "wrap-up-asked")) return template(live, "wrap-up", { why: live.wrapUp });
    return undefined;
  }
  if (input.stop_hook_active && idle) return undefined;
  if (live.loop && hasPromise(said, live.loop.promise)) return undefined;
  const open = live.loop ? missingIn(live, live.loop.promise) : openItems(live);
  // Gemini CLI no longer reports that a hook made it go on once a tool was used in between.
  if (open.length === 0 && (input.stop_hook_active || before.blocks > 0)) return undefined;
  writeFileSync(
    join(folder, "outbox", "stops"),
    JSON.stringify({ blocks: blocks + 1, toolCalls: live.toolCalls }),
  );
  const list = open
    .slice(0, 10)
    .map((item) => `- ${item}`)
    .join("\n");
  const room = live.windowTokens
    ? `${Math.round(100 - ((live.contextTokens ?? 0) / live.windowTokens) * 100)} % of the context`
    : `${Math.max(0, Math.round((live.deadlineMs - Date.now()) / 60_000))} min`;
  const what = { open: list === "" ? "" : `${list}\n`, room };
  if (live.loop) return template(live, "loop-extend", { ...what, prompt: live.loop.prompt });
  return template(live, "extend", what);
}

function hasMessage(folder: string, type: string): boolean {
  return outboxNames(folder)
    .filter((name) => name.endsWith(".json"))
    .some((name) => readSmall(join(folder, "outbox", name)).includes(`"type":"${type}"`));
}

/** The missing evidence of a loop's session: the promise, which stands for the whole task, and the checks after it. */
function missingIn(live: Live, promise: string): string[] {
  return [`<promise>${promise}</promise>`, ...live.checks.map((command) => `\`${command}\``)];
}

/** Open criteria and tasks of the copy in the workspace, by their checkboxes. */
function openItems(live: Live): string[] {
  const text = readSmall(join(live.workspace, live.contractPath));
  return [...text.matchAll(/^[ \t]*[-*+] \[[ /-]\] (.+)$/gm)].map((match) => match[1]!.trim());
}

/** Successive blocks without a tool call between them. */
type Memory = { blocks: number; toolCalls: number };

function memory(folder: string): Memory {
  try {
    const value = JSON.parse(readSmall(join(folder, "outbox", "stops"))) as Partial<
      Record<keyof Memory, unknown>
    >;
    return { blocks: Number(value.blocks) || 0, toolCalls: Number(value.toolCalls) };
  } catch {
    return { blocks: 0, toolCalls: -1 };
  }
}

function onceOnly(folder: string, name: string): boolean {
  const path = join(folder, "outbox", name);
  if (existsSync(path)) return false;
  writeFileSync(path, "");
  return true;
}

/** Fills in the shipped template: finding the repository's own would need git, and the shipped one is enough for a hook. */
function template(live: Live, name: string, values: Record<string, string>): string {
  const path = fileURLToPath(
    new URL(`../../templates/${live.language === "zh" ? "zh" : "en"}/${name}.md`, import.meta.url),
  );
  return fillTemplate(readFileSync(path, "utf8"), values).trim();
}

function outboxNames(folder: string): string[] {
  try {
    return readdirSync(join(folder, "outbox"));
  } catch {
    return [];
  }
}

function readLive(folder: string): Live | undefined {
  return parseLive(readSmall(join(folder, "live.json")));
}

function readSmall(path: string): string {
  try {
    const stat = lstatSync(path);
    return stat.isFile() && stat.size < 1_000_000 ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

async function readInput(): Promise<HookInput> {
  const text = await wholeInput(4_000_000);
  try {
    return JSON.parse(text) as HookInput;
  } catch {
    return {};
  }
}
