/** 300 relays in three repositories, and a session that prints 1 MB a second: monoco watch is quick, and stays small. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { fixture } from "../support/cli.ts";
import { full as test } from "../support/full.ts";
import { issueText, openPlace, say, waitFor, works } from "../support/place.ts";
import { monocoIn, openWindow, skipWithoutTmux } from "../support/tmux.ts";

vi.setConfig({ testTimeout: 1_000_000 });
const seconds = Number(process.env["PRINT_SECONDS"] ?? 15);

test("first paint, frames and memory", async (context) => {
  skipWithoutTmux(context);
  const begins = [say("begun"), waitFor("go"), ...works];
  const place = await openPlace(
    { executor: [works], reviewer: [[{ verdict: "approve" }]] },
    { limits: { sessionsPerHour: 100_000, silenceMinutes: 60 } },
  );
  await place.monoco("run", "FEAT-0001");
  await place.sh(
    `for n in $(seq 2 100); do id=$(printf 'FEAT-%04d' $n); cp -r .monoco/relays/FEAT-0001 .monoco/relays/$id; sed "s/FEAT-0001/$id/" issues/FEAT-0001* > issues/$id-x.md; done`,
  );
  place.write("story.yaml", JSON.stringify({ executor: [begins], reviewer: [[{ verdict: "approve" }]] }));
  place.write("issues/FEAT-0500-write.md", issueText("FEAT-0500"));
  await place.sh("git add -A . && git commit -qm More && cp -r . ../second && cp -r . ../third");
  const running = place.start("run", "FEAT-0500");
  await Promise.race([place.heard("begun"), running.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  for (const name of ["second", "third"])
    await place.sh(`printf '%s\\n' ${join(place.around, name)} >> ${place.around}/state/monoco/repositories`);

  const to = join(place.around, "frames.json");
  const window = await openWindow(place, {
    width: 100,
    height: 30,
    env: { FRAMES_TO: to, NODE_OPTIONS: `--import=${fixture("frames.ts")}` },
  });
  await window.type(monocoIn("watch --everywhere"));
  await window.keys("Enter");
  await window.shows(/done +300 merged/);
  await window.shows("FEAT-0500");
  await window.keys("Enter");
  await window.shows("Output of session 1");
  await window.keys("G");
  const stream = join(place.project, ".monoco/relays/FEAT-0500/sessions/0001-executor/stream.jsonl");
  const line = `${JSON.stringify({ type: "message", text: "x".repeat(970) })}\n`;
  for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
    appendFileSync(stream, line.repeat(100));
    await sleep(100);
  }
  appendFileSync(stream, `${JSON.stringify({ type: "message", text: "the end of it" })}\n`);
  await window.shows("the end of it");
  const seen = JSON.parse(readFileSync(to, "utf8")) as {
    firstMs: number;
    perSecond: number;
    pauseMs: number;
    memory: number[];
  };
  const memory = seen.memory.map((megabytes) => Math.round(megabytes));
  process.stderr.write(`${JSON.stringify({ ...seen, memory })}\n`);
  expect(seen.firstMs).toBeLessThan(1_500);
  expect(seen.perSecond).toBeLessThanOrEqual(25);
  expect(seen.pauseMs).toBeLessThan(200);
  expect(Math.max(...memory)).toBeLessThan(200);
  await window.keys("C-c");
  running.kill("SIGKILL");
});
