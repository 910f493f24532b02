/** Reads the files that Gemini CLI writes while it runs, its transcript and its telemetry: they hold facts that its stream leaves out. */
import {
  closeSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { attempt, jsonOf } from "../../core/error/attempt.ts";
import { dirname, join, relative } from "node:path";
import type { Json } from "./home.ts";
import { isRecord } from "../../core/text/record.ts";

/**
 * The new lines of the transcript: the CLI appends to it before it runs a tool. Lines from before a resumed conversation are
 * skipped. `folder` is the session's `.gemini`.
 */
export function openTranscript(folder: string, agentSessionId: string): { newLines(): Json[] } {
  let path = findTranscript(folder, agentSessionId);
  let offset = path === undefined ? 0 : statSync(path).size;
  let rest: Buffer = Buffer.alloc(0);
  return {
    newLines: () => {
      path ??= findTranscript(folder, agentSessionId);
      if (path === undefined) return [];
      const more = readFrom(path, offset);
      offset += more.length;
      const all = Buffer.concat([rest, more]);
      const end = all.lastIndexOf(10) + 1;
      rest = all.subarray(end);
      return all.subarray(0, end).toString("utf8").split("\n").flatMap(ofRecord);
    },
  };
}

function findTranscript(folder: string, agentSessionId: string): string | undefined {
  const ending = `-${agentSessionId.slice(0, 8)}.jsonl`;
  const projects = join(folder, "tmp");
  for (const project of namesIn(projects)) {
    const chats = join(projects, project, "chats");
    const name = namesIn(chats).find((name) => name.startsWith("session-") && name.endsWith(ending));
    if (name !== undefined) return join(chats, name);
  }
  return undefined;
}

/**
 * Copies what the CLI needs to resume a conversation that another session of the relay began, in a home of its own next to
 * `sessionDir`.
 */
export function takeConversation(folder: string, sessionDir: string, agentSessionId: string): void {
  if (findTranscript(folder, agentSessionId) !== undefined) return;
  const sessions = dirname(sessionDir);
  for (const name of namesIn(sessions)) {
    const other = homeIn(join(sessions, name));
    const path = findTranscript(other, agentSessionId);
    if (path === undefined) continue;
    const transcript = relative(other, path);
    const project = dirname(dirname(transcript));
    for (const file of ["projects.json", join(project, ".project_root"), transcript])
      copyFile(join(other, file), join(folder, file));
  }
}

/** The CLI's folder in the home of a session. */
export function homeIn(sessionDir: string): string {
  return join(sessionDir, "gemini-home", ".gemini");
}

function copyFile(from: string, to: string): void {
  if (!lstatSync(from, { throwIfNoEntry: false })?.isFile()) return;
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

function namesIn(path: string): string[] {
  return attempt(() => readdirSync(path), []);
}

function readFrom(path: string, offset: number): Buffer {
  return attempt(() => {
    const size = statSync(path).size - offset;
    if (size <= 0) return Buffer.alloc(0);
    const bytes = Buffer.alloc(size);
    const fd = openSync(path, "r");
    const length = readSync(fd, bytes, 0, size, offset);
    closeSync(fd);
    return bytes.subarray(0, length);
  }, Buffer.alloc(0));
}

/** An answer (printed again when its tools have ended), or the new beginning of the session, which is the only trace of a compression. */
function ofRecord(line: string): Json[] {
  const { type, id, model, tokens, toolCalls, $set } = parsed(line);
  if (isRecord($set) && "sessionId" in $set) return [{ type: "monoco_begun" }];
  if (type !== "gemini") return [];
  const calls = Array.isArray(toolCalls) ? toolCalls.filter(isRecord) : [];
  const commands = calls.filter((call) => call["name"] === "run_shell_command");
  return [{ type: "monoco_answer", id, model, tokens, commands }];
}

function parsed(line: string): Json {
  const value = jsonOf(line);
  return isRecord(value) ? value : {};
}

/** How much of the end of the telemetry is read. The last answer is there: some 100 KB are added every 10 s. */
const telemetryBytesMax = 2 * 1024 * 1024;

/**
 * Why the conversation's last answer ended, in the words of OpenTelemetry: stop, length, content_filter, error. Deletes the
 * telemetry.
 */
export function lastFinish(telemetryFile: string): string | undefined {
  const size = statSync(telemetryFile, { throwIfNoEntry: false })?.size ?? 0;
  const records = readFrom(telemetryFile, Math.max(0, size - telemetryBytesMax)).toString("utf8");
  rmSync(telemetryFile, { force: true });
  for (const record of records.split("\n}\n").toReversed()) {
    if (!record.includes('"gemini_cli.api_response"')) continue;
    const { attributes } = parsed(`${record}\n}`);
    if (!isRecord(attributes) || attributes["role"] !== "main") continue;
    const { finish_reasons } = attributes;
    return Array.isArray(finish_reasons) ? String(finish_reasons[0] ?? "") : undefined;
  }
  return undefined;
}
