/** Codex's hooks for one session, by its command line alone: what they call, and the trust without which they are skipped silently. */
import { hash } from "node:crypto";
import { shellWord } from "../../core/text/shell.ts";

const timeoutSeconds = 30;

/** Where Codex says that settings of its command line stand. */
const flagsFile = "/<session-flags>/config.toml";

/**
 * The value of `hooks` (TOML). A hook runs only if its hash stands beside it, as a person's consent would write it there:
 * an internal of Codex, so the SessionStart hook has to prove at each start that it still holds.
 */
export function hooksOf(monoco: readonly string[]): string {
  const command = (name: string) => [...monoco, "hook", name].map(shellWord).join(" ");
  const start = command("on-session-start");
  const stop = command("on-stop");
  const trust = [trusted("session_start", start), trusted("stop", stop)].join(",");
  return `{SessionStart=${entry(start)},Stop=${entry(stop)},state={${trust}}}`;
}

/** Whether a hook that has run was the SessionStart hook of the command line, and ran well. */
export function provesHooks(run: { eventName: string; source: string; status: string }): boolean {
  return run.eventName === "sessionStart" && run.source === "sessionFlags" && run.status === "completed";
}

function entry(command: string): string {
  return `[{hooks=[{type="command",command=${tomlText(command)},timeout=${timeoutSeconds}}]}]`;
}

/** The hash is of this JSON with these keys in this order. */
function trusted(event: string, command: string): string {
  const hook = { async: false, command, timeout: timeoutSeconds, type: "command" };
  const trustedHash = hash("sha256", JSON.stringify({ event_name: event, hooks: [hook] }));
  return `${tomlText(`${flagsFile}:${event}:0:0`)}={trusted_hash="sha256:${trustedHash}"}`;
}

/** JSON's text is TOML's basic string. */
export function tomlText(text: string): string {
  return JSON.stringify(text);
}
