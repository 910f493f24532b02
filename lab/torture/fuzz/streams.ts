/** What agents print, and what lies in mailboxes and files of theirs. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agents } from "../../../src/agents/registry.ts";
import { lineReader } from "../../../src/agents/output.ts";
import { agentKinds } from "../../../src/core/settings/agent-kinds.ts";
import { lineBytesMax, messageBytesMax } from "../../../src/core/limits.ts";
import { parseLive } from "../../../src/core/session/live.ts";
import { inboxMessageSchema, outboxMessageSchema, wordsEvent } from "../../../src/core/session/message.ts";
import { nothingSeen, see } from "../../../src/core/session/observations.ts";
import { contextOf } from "../../../src/core/session/own-context.ts";
import { readMailbox } from "../../../src/store/mailbox.ts";
import { foundBefore, textsOf } from "./corpus.ts";
import type { Target } from "./target.ts";

const recorded = (kind: string): string[] => textsOf(`test/agents/recorded/${kind}/*.jsonl`);
const others = textsOf(
  "test/agents/recorded/{claude,codex}/work.jsonl",
  "test/agents/recorded/codex/commands.jsonl",
);

/** Bytes through the line reader, its lines through the adapter, its updates into what is seen of the session. */
const streams: readonly Target[] = agentKinds.map((kind) => ({
  name: `stream-${kind}`,
  corpus: [
    ...recorded(kind),
    ...(recorded(kind).length === 0 ? others : []),
    ...foundBefore(`stream-${kind}`),
  ],
  read: (text) => {
    const dialogue = agents[kind].dialogue("the prompt");
    let seen = nothingSeen();
    const lines = lineReader((line) => {
      for (const update of dialogue.read(line)) seen = see(seen, update);
    });
    lines.push(Buffer.from(text));
    lines.end();
    dialogue.message("a message");
  },
  charsMax: lineBytesMax,
}));

const id = "84bebc39-906a-4b2d-bb75-0313e36c1a2b";
const letters: readonly string[] = [
  { type: "submit", commit: "1a2b3c4d5e6f1a2b3c4d5e6f1a2b3c4d5e6f1a2b" },
  { type: "handoff" },
  { type: "ask", text: "which of the two?" },
  { type: "extend", minutes: 10, because: "the tests are slow" },
  { type: "stop" },
  { type: "answer", text: "the first" },
  { type: "say", text: "mind the gap" },
  { type: "review", submission: 1, verdict: "approve", findings: [], summary: "good" },
].map((body) => JSON.stringify({ id, atMs: 1_795_364_459_517, ...body }));

let folder: string | undefined;

/** One letter in a real mailbox: what is refused there is set aside, and the next one may take its place. */
function mailbox(text: string): void {
  folder ??= madeFolder();
  for (const schema of [inboxMessageSchema, outboxMessageSchema]) {
    writeFileSync(join(folder, "1-letter.json"), text);
    for (const { message, take } of readMailbox(folder, schema)) {
      if (message.type === "say" || message.type === "answer") wordsEvent(message, { asked: { session: 1 } });
      take();
    }
  }
}

function madeFolder(): string {
  const made = mkdtempSync(join(tmpdir(), "monoco-fuzz-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  return made;
}

const live = JSON.stringify({
  v: 1,
  issue: "FEAT-0001",
  workspace: "/w",
  session: 1,
  checks: [],
  toolCalls: 0,
});

export const fromAgents: readonly Target[] = [
  ...streams,
  {
    name: "mailbox",
    corpus: [...letters, ...foundBefore("mailbox")],
    read: mailbox,
    charsMax: messageBytesMax,
  },
  { name: "live", corpus: [live], read: (text) => void parseLive(text) },
  {
    name: "transcript",
    corpus: [...recorded("claude"), ...recorded("codex")],
    read: (text) => void contextOf(text),
  },
];
