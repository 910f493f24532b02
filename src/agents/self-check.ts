/** Runs monoco's hooks for an agent without hooks of its own; a driver calls them. */
import { execFile } from "node:child_process";
import { z } from "zod";
import { saidIn } from "./lines.ts";

const hookMs = 30_000;

/** Runs a hook and returns its standard output; undefined if it failed. `monoco` is `[node, cli]`. */
export function runHook(
  monoco: readonly string[],
  name: "on-session-start" | "on-stop",
  input: object = {},
): Promise<string | undefined> {
  const [program = "", ...args] = monoco;
  return new Promise((resolve) => {
    const child = execFile(program, [...args, "hook", name], { timeout: hookMs }, (error, stdout) =>
      resolve(error ? undefined : stdout),
    );
    // The hook need not read its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(input));
  });
}

const blockSchema = z.object({ decision: z.literal("block"), reason: z.string() });

/** Runs the self-check: why the agent must not stop, or undefined. A failed check lets the agent stop. */
export async function whyNotStop(
  monoco: readonly string[],
  { again, said }: { again: boolean; said: string },
): Promise<string | undefined> {
  const input = { hook_event_name: "Stop", stop_hook_active: again, last_assistant_message: said };
  const answer = await runHook(monoco, "on-stop", input);
  return saidIn(answer ?? "", blockSchema)?.reason;
}
