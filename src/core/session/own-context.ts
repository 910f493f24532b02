/** The context use of a person's own session, from its agent's transcript. No zod, so that hooks are quick. */

export type OwnContext = { tokens: number; windowTokens?: number };

/** The last figure at the end of a transcript of Claude Code, Codex or Gemini CLI; its first line may be cut. */
export function contextOf(transcript: string): OwnContext | undefined {
  for (const line of transcript.split("\n").toReversed()) {
    const context = line.startsWith("{") ? contextIn(line) : undefined;
    if (context) return context;
  }
  return undefined;
}

function contextIn(line: string): OwnContext | undefined {
  try {
    const entry = JSON.parse(line) as unknown;
    return ofClaude(entry) ?? ofCodex(entry) ?? ofGemini(entry);
  } catch {
    return undefined;
  }
}

/** Subagents have their own contexts; messages made up by the program have none. */
function ofClaude(entry: unknown): OwnContext | undefined {
  const usage = at(entry, "message", "usage");
  if (at(entry, "type") !== "assistant" || at(entry, "isSidechain") === true || usage === undefined)
    return undefined;
  const parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
  return counted(parts.reduce((sum, part) => sum + number(at(usage, part)), 0));
}

function ofCodex(entry: unknown): OwnContext | undefined {
  if (at(entry, "payload", "type") !== "token_count") return undefined;
  const window = number(at(entry, "payload", "info", "model_context_window"));
  return counted(number(at(entry, "payload", "info", "last_token_usage", "total_tokens")), window);
}

function ofGemini(entry: unknown): OwnContext | undefined {
  return at(entry, "type") === "gemini" ? counted(number(at(entry, "tokens", "total"))) : undefined;
}

function counted(tokens: number, window = 0): OwnContext | undefined {
  if (tokens <= 0) return undefined;
  return { tokens, ...(window > 0 ? { windowTokens: window } : {}) };
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (inner !== null && typeof inner === "object" ? Reflect.get(inner, key) : undefined),
    value,
  );
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
