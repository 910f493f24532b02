/** OpenCode before its scripted model. */
import { z } from "zod";
import { opencode as adapter } from "../../src/agents/opencode/adapter.ts";
import { startChat } from "../../src/probe/chat-model.ts";
import type { ChatTurn } from "../../src/probe/chat-model.ts";
import { opencodeHome, opencodeVendor } from "../../src/probe/opencode-vendor.ts";
import { keepRecording } from "./record.ts";
import type { Subject } from "./subject.ts";

export const opencode: Subject<ChatTurn, object> = {
  name: "opencode",
  adapter,
  settings: opencodeVendor.settings,
  vendor: opencodeVendor,
  start: startChat,
  environment: (homes, { config }) => opencodeHome(homes, config),
  // It starts in three seconds on a quiet machine, and in thirty on a busy one.
  secondsMax: 150,
  record: (name, lines) => keepRecording("opencode", name, { lines, change: changeLine }),
};

/** Recorded streams are all of one moment. */
const recordedAtMs = 1_800_000_000_000;

const timedSchema = z.looseObject({ type: z.string(), atMs: z.number() });

/** Everything happens at one moment but what is put off, to the second, and signs of life do not matter. */
function changeLine(line: string): string | undefined {
  const { type, atMs } = timedSchema.parse(JSON.parse(line));
  if (type === "monoco.alive") return undefined;
  const atOneMoment = (key: string, value: unknown): unknown => {
    if (key === "atMs") return recordedAtMs;
    if (key === "next") return recordedAtMs + Math.round((Number(value) - atMs) / 1000) * 1000;
    if (key === "time" || key === "responseHeaders" || key === "path") return undefined;
    return value;
  };
  return JSON.stringify(JSON.parse(line, atOneMoment));
}
