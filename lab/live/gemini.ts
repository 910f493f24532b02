/** Gemini CLI before its scripted model: a home of its own with a login by key, as a person's would be. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gemini as adapter } from "../../src/agents/gemini/adapter.ts";
import { startGemini } from "../../src/probe/gemini-model.ts";
import type { GeminiTurn } from "../../src/probe/gemini-model.ts";
import { geminiHome, geminiVendor } from "../../src/probe/gemini-vendor.ts";
import { keepRecording } from "./record.ts";
import type { Subject } from "./subject.ts";

export const gemini: Subject<GeminiTurn> = {
  name: "gemini",
  adapter,
  settings: geminiVendor.settings,
  vendor: geminiVendor,
  start: startGemini,
  environment: (homes, { login }) => {
    const { GEMINI_API_KEY, ...withoutKey } = geminiHome(homes);
    if (login === "no key") return withoutKey;
    if (login === undefined) return { ...withoutKey, GEMINI_API_KEY: GEMINI_API_KEY! };
    writeFileSync(join(homes.home, ".gemini", "settings.json"), "{}");
    // To the CLI, another address is a login of its own.
    return {};
  },
  // It tries again for up to a minute.
  secondsMax: 120,
  record,
};

/** Without the prompt, which the CLI repeats, with one time for all, and calls counted from 1. */
function record(name: string, lines: readonly string[]): void {
  const calls = new Map<string, number>();
  const counted = (call: string): string => {
    if (!calls.has(call)) calls.set(call, calls.size + 1);
    return `_call_${calls.get(call)}`;
  };
  const hasResult = lines.some((line) => line.includes('"type":"result"'));
  const change = (line: string): string | undefined => {
    const kept = changeLine(line)?.replace(callId, counted);
    // Its words on standard error count only where it has said nothing else.
    return kept?.replace(stderr, hasResult ? '"stderr":""' : '"stderr":"$1"');
  };
  keepRecording("gemini", name, { lines: answersFirst(lines), change });
}

/** Whether its transcript or its stream is the first to tell of a tool's end is chance. */
function answersFirst(lines: readonly string[]): string[] {
  const ordered: string[] = [];
  for (const line of lines) {
    let at = ordered.length;
    if (line.includes('"type":"monoco_answer"')) {
      while (ordered[at - 1]?.includes('"type":"tool_result"')) at -= 1;
    }
    ordered.splice(at, 0, line);
  }
  return ordered;
}

/** What follows its usual words at the start. */
const stderr = /"stderr":"(?:(?:[^"\\]|\\.)*GrepTool\.\\n)?((?:[^"\\]|\\.)*)"/;
const callId = /_\d{13}_\d+(?=")/g;
const repeated = /^\{"type":"message","timestamp":"[^"]*","role":"user"/;
const recordedAt = "2026-11-21T09:36:48.000Z";

function changeLine(line: string): string | undefined {
  if (repeated.test(line) || line === "") return undefined;
  return line
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, recordedAt)
    .replace(/"atMs":\d+,"waitMs":\d+/, `"atMs":${Date.parse(recordedAt)},"waitMs":12000000`)
    .replace(/Process Group PGID: \d+/g, "Process Group PGID: 1")
    .replace(/Background PIDs: [\d, ]+/g, "Background PIDs: 2")
    .replace(/\(PID: \d+\)/g, "(PID: 2)")
    .replace(/Retrying after \d+ms/g, "Retrying after 12000000ms")
    .replace(/\[STARTUP\][^\\]*\\n/g, "")
    .replace(/\(\d+ (?:% of the context|min)\)/g, "(30 min)")
    .replace(/"silentMs":\d+/, '"silentMs":606000')
    .replace(/"duration_ms":\d+/g, '"duration_ms":1')
    .replace(/(?:file:\/\/)?\/[^"\\ ]*(?=\/node_modules\/@google)/g, "/w")
    .replace(/\/tmp\/[^"\\ ]*?(\/gemini-home\/\.gemini\/settings\.json)?(?=["\\ ]|$)/g, "/w$1");
}
