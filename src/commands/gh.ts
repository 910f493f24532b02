/** Calls `gh`, GitHub's own command line, as the person who runs monoco: with their login, never for an agent. */
import { spawn } from "node:child_process";
import { MonocoError } from "../core/error.ts";
import { importBytesMax } from "../core/limits.ts";
import { plainLine } from "../core/plain.ts";

const timeoutMs = 60_000;

/** What it prints. Throws `input`, with what to do, where it is missing, not logged in, or fails. */
export async function gh(args: readonly string[], at: { cwd: string; input?: string }): Promise<string> {
  const { code, stdout, stderr, missing } = await ended(args, at);
  const asked = `gh ${args.slice(0, 2).join(" ")}`;
  if (missing) {
    throw new MonocoError("input", `${asked}: gh is not installed`, {
      hint: "install GitHub's command line (https://cli.github.com), then gh auth login",
    });
  }
  if (code === 0) return stdout;
  // 4 is gh's own word for it; older ones say it only in words.
  if (code === 4 || /gh auth login|authentication|not logged in/i.test(stderr)) {
    throw new MonocoError("input", `${asked}: gh is not logged in`, {
      hint: "gh auth login, then the same again",
    });
  }
  const says = plainLine(stderr.trim().split("\n").at(-1) ?? "", 300) || `exit status ${code ?? "none"}`;
  throw new MonocoError("input", `${asked} failed: ${says}`, {
    hint: "mend what gh says, then the same again",
  });
}

type Ended = { code: number | null; stdout: string; stderr: string; missing: boolean };

function ended(
  args: readonly string[],
  { cwd, input = "" }: { cwd: string; input?: string },
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const env = { ...process.env, GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1" };
  const child = spawn("gh", [...args], { cwd, env, stdio: "pipe" });
  // Not by spawn's own: that one goes on where the program could not be started, and holds this process for as long.
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const out = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let bytes = 0;
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > importBytesMax) child.kill("SIGKILL");
      else out[name].push(chunk);
    });
  }
  const text = (name: keyof typeof out): string => Buffer.concat(out[name]).toString("utf8");
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  child.on("error", (error: NodeJS.ErrnoException) => {
    clearTimeout(timer);
    resolve({ code: null, stdout: "", stderr: error.message, missing: error.code === "ENOENT" });
  });
  child.on("close", (code) => {
    clearTimeout(timer);
    resolve({ code, stdout: text("stdout"), stderr: text("stderr"), missing: false });
  });
  return promise;
}
