/** Codex's hooks for one session, by its command line alone: their commands, and the trust without which Codex silently skips them. */
import { hash } from "node:crypto";
import { shellWord } from "../../core/text/shell.ts";

const timeoutSeconds = 30;

/** The file that Codex names as the source of settings from its command line. */
const flagsFile = "/<session-flags>/config.toml";

/**
 * The value of `hooks` (TOML). Codex runs a hook only with its hash, which normally records a person's consent. The hash is an
 * internal of Codex, so the SessionStart hook has to prove at each start that it still works.
 */
export function hooksOf(monoco: readonly string[]): string {
  const command = (name: string) => [...monoco, "hook", name].map(shellWord).join(" ");
  const start = command("on-session-start");
  const stop = command("on-stop");
  const trust = [trusted("session_start", start), trusted("stop", stop)].join(",");
  return `{SessionStart=${entry(start)},Stop=${entry(stop)},state={${trust}}}`;
}

/** Whether the SessionStart hook of the command line ran, and ran well. */
export function provesHooks(run: { eventName: string; source: string; status: string }): boolean {
  return run.eventName === "sessionStart" && run.source === "sessionFlags" && run.status === "completed";
}

function entry(command: string): string {
  return `[{hooks=[{type="command",command=${tomlText(command)},timeout=${timeoutSeconds}}]}]`;
}

/** Codex hashes this JSON with these keys in this order. */
function trusted(event: string, command: string): string {
  const hook = { async: false, command, timeout: timeoutSeconds, type: "command" };
  const trustedHash = hash("sha256", JSON.stringify({ event_name: event, hooks: [hook] }));
  return `${tomlText(`${flagsFile}:${event}:0:0`)}={trusted_hash="sha256:${trustedHash}"}`;
}

/** A JSON string is a TOML basic string. */
export function tomlText(text: string): string {
  return JSON.stringify(text);
}
