/** The hooks of monoco, run by a driver of ours for an agent that has none of its own. */
import { execFile } from "node:child_process";
import { z } from "zod";
import { saidIn } from "./lines.ts";

const hookMs = 30_000;

/** Its standard output; undefined where it failed. `monoco` is `[node, cli]`. */
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
    // It need not read.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(input));
  });
}

const blockSchema = z.object({ decision: z.literal("block"), reason: z.string() });

/** The self-check of every agent: why not to stop, or nothing. What it cannot answer lets the agent stop. */
export async function whyNotStop(
  monoco: readonly string[],
  { again, said }: { again: boolean; said: string },
): Promise<string | undefined> {
  const input = { hook_event_name: "Stop", stop_hook_active: again, last_assistant_message: said };
  const answer = await runHook(monoco, "on-stop", input);
  return saidIn(answer ?? "", blockSchema)?.reason;
}
