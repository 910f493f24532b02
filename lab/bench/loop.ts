/** The bare Node loop: spawn, line parsing, two git calls and one fsync a round. The least that a relay could do. */
import { execFile, spawn } from "node:child_process";
import { fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const [agent = "", log = "", sessions = "0", prompt = ""] = process.argv.slice(2);
const text = readFileSync(prompt, "utf8");
const journal = openSync("../journal.jsonl", "a");
const git = promisify(execFile);

for (let session = 1; session <= Number(sessions); session++) {
  const lines: unknown[] = [];
  const child = spawn("bash", [agent, log], {
    env: { ...process.env, MONOCO_SESSION: String(session) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
  child.stdin.end(text);
  await new Promise((resolve) => child.once("close", resolve));
  const head = await git("git", ["rev-parse", "HEAD"]);
  const status = await git("git", ["status", "--porcelain"]);
  const event = { session, lines, head: head.stdout.trim(), dirty: status.stdout !== "" };
  writeSync(journal, `${JSON.stringify(event)}\n`);
  fsyncSync(journal);
}
