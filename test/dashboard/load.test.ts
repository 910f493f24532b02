/** 300 relays in three repositories, and a session that prints 1 MB a second: the page is quick, and the server stays small. */
import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { hasBrowser, openDashboard, openTab } from "../support/dashboard.ts";
import { full as test } from "../support/full.ts";
import { issueText, openPlace, say, waitFor, works } from "../support/place.ts";

vi.setConfig({ testTimeout: 400_000 });
const seconds = Number(process.env["PRINT_SECONDS"] ?? 15);

test.skipIf(!hasBrowser)("first paint, frames and memory", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [[{ verdict: "approve" }]] },
    { limits: { sessionsPerHour: 100_000 } },
  );
  await place.monoco("run", "FEAT-0001");
  await place.sh(
    `for n in $(seq 2 100); do id=$(printf 'FEAT-%04d' $n); cp -r .monoco/relays/FEAT-0001 .monoco/relays/$id; sed "s/FEAT-0001/$id/" issues/FEAT-0001* > issues/$id-x.md; done; git add issues; git commit -qm Issues`,
  );
  place.write(
    "story.yaml",
    JSON.stringify({
      executor: [[say("begun"), waitFor("go"), ...works]],
      reviewer: [[{ verdict: "approve" }]],
    }),
  );
  place.write("issues/FEAT-0500-write.md", issueText("FEAT-0500"));
  await place.sh("git add -A . && git commit -qm More && cp -r . ../second && cp -r . ../third");
  const running = place.start("run", "FEAT-0500");
  await Promise.race([place.heard("begun"), running.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  for (const name of ["second", "third"])
    await place.sh(`printf '%s\\n' ${join(place.around, name)} >> ${place.around}/state/monoco/repositories`);
  const to = await openDashboard(place, "--everywhere");
  const { page, faults } = await openTab();
  const beganMs = performance.now();
  await page.goto(to.url);
  await page.waitForSelector('[data-group="done"]');
  const paintMs = performance.now() - beganMs;
  expect(await page.textContent('[data-group="done"] summary')).toContain("300");
  await page.goto(`${to.origin}/i/FEAT-0500`);
  await page.waitForSelector(".tail");
  await page.evaluate(() => {
    const at = globalThis as unknown as { longest: number };
    at.longest = 0;
    let before = performance.now();
    const frame = (): void => {
      const now = performance.now();
      at.longest = Math.max(at.longest, now - before);
      before = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const folder = join(place.project, ".monoco/relays/FEAT-0500/sessions/0001-executor");
  const stream = join(
    folder,
    readdirSync(folder).find((name) => name.startsWith("stream")) ?? "stream.jsonl",
  );
  const line = `${JSON.stringify({ type: "message", text: "x".repeat(970) })}\n`;
  const rss: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    for (let piece = 0; piece < 10; piece += 1) {
      appendFileSync(stream, line.repeat(100));
      await sleep(100);
    }
    rss.push(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${to.pid}/status`, "utf8"))?.[1]) / 1_000);
  }
  const longestMs = await page.evaluate(() => (globalThis as unknown as { longest: number }).longest);
  expect({ paintMs, longestMs }).toEqual({
    paintMs: expect.toSatisfy((ms: number) => ms < 1_000) as number,
    longestMs: expect.toSatisfy((ms: number) => ms < 200) as number,
  });
  expect(await page.locator(".tail div").count()).toBe(200);
  expect(faults).toEqual([]);
  expect(Math.max(...rss)).toBeLessThan(150);
  running.kill("SIGKILL");
});
