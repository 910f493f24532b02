/** Gives one prompt to fresh sessions until a check passes or it has cost enough: `node loop.ts PROMPT.md "npm test" ./agent.sh`. */
import { readFileSync } from "node:fs";
import { createRelay } from "monoco";

const [file = "PROMPT.md", check = "npm test", program] = process.argv.slice(2);
const costUsdMax = 5;

const relay = createRelay({
  prompt: readFileSync(file, "utf8"),
  verify: check,
  // A program of your own, or else the Executor's agents of monoco.yaml.
  ...(program === undefined ? {} : { agent: { kind: "command", run: [program] } }),
  stopWhen: (sessions) => sessions.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) >= costUsdMax,
  onSessionEnd: ({ session, reason, commits }) =>
    console.log(`session ${session}: ${reason}, ${commits} commits`),
});

// Ctrl-C ends the session with its handoff; run it again, and the loop continues.
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());

const { reason, because, branch } = await relay.run({ signal: stop.signal });
console.log(`${reason} (${because}), on branch ${branch}`);
process.exitCode = reason === "done" ? 0 : 1;
