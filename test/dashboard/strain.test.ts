/** What many, slow and greedy clients do to the dashboard's server: it answers the others, and keeps nothing of them. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ask, followInbox, openDashboard } from "../support/dashboard.ts";
import type { Dashboard } from "../support/dashboard.ts";
import { approves, openPlace, run } from "../support/place.ts";

vi.setConfig({ testTimeout: 120_000 });
const asks = { executor: [[run("monoco relay ask 'Which port?'")]], reviewer: [approves] };

const own = ({ port, token }: Dashboard): Record<string, string> => ({
  host: `127.0.0.1:${port}`,
  authorization: `Bearer ${token}`,
});
const megabytes = ({ pid }: Dashboard): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_000;
const handles = ({ pid }: Dashboard): number => readdirSync(`/proc/${pid}/fd`).length;

/** A stream that was answered; it is read no further until it is resumed. */
const opened = (to: Dashboard, path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port: to.port, path, headers: own(to), agent: false });
    asking.on("response", (answer) => {
      answer.once("data", () => {
        answer.pause();
        resolve(answer);
      });
      answer.on("error", () => undefined);
    });
    asking.on("error", reject).end();
    onTestFinished(() => void asking.destroy());
  });

/** Milliseconds until the inbox is there. */
async function answeredMs(to: Dashboard): Promise<number> {
  const began = performance.now();
  expect((await ask(to, { headers: own(to) })).text).toContain("FEAT-0001");
  return performance.now() - began;
}

test("200 open streams, clients that read or send nothing, and bodies of 10 MB leave it small and quick", async () => {
  const place = await openPlace(asks, { limits: { questionsMax: 1 } });
  await place.monoco("run", "FEAT-0001");
  const to = await openDashboard(place);
  const told = followInbox(to);
  await vi.waitFor(() => expect(told()?.rows).toHaveLength(1));
  const before = { handles: handles(to), megabytes: megabytes(to) };
  const peaks: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const streams = await Promise.all(
      Array.from({ length: 200 }, (_, at) => opened(to, at % 2 ? "/api/inbox" : "/api/relay/FEAT-0001")),
    );
    expect(handles(to)).toBeGreaterThanOrEqual(before.handles + 200);
    // They are told of a change, too, and do not read it.
    await place.monoco("say", "FEAT-0001", `round ${round}`);
    await vi.waitFor(() => expect(place.all("note.said")).toHaveLength(round + 1));
    expect(await answeredMs(to)).toBeLessThan(2_000);
    peaks.push(megabytes(to));
    for (const stream of streams) stream.destroy();
    await vi.waitFor(() => expect(handles(to)).toBeLessThanOrEqual(before.handles + 5), { timeout: 5_000 });
  }
  expect(Math.max(...peaks)).toBeLessThan(150);

  // Half a request, and half a body, from many.
  const halves = Array.from({ length: 100 }, (_, at) => {
    const socket = connect(to.port, "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    const lines =
      at % 2
        ? "GET /api/inbox HTTP/1.1\r\nHost: 127"
        : `POST /api/do/say/FEAT-0001 HTTP/1.1\r\nHost: 127.0.0.1:${to.port}\r\nAuthorization: Bearer ${to.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"te`;
    socket.write(lines);
    return socket;
  });
  expect(await answeredMs(to)).toBeLessThan(2_000);
  for (const socket of halves) socket.destroy();
  // A body of 10 MB from whoever has no token, or one; without its length, too.
  const body = JSON.stringify({ text: "x".repeat(10_000_000) });
  const path = "/api/do/say/FEAT-0001";
  const json = { "content-type": "application/json" };
  // The answer comes before the body has been taken: whoever still writes may miss it.
  const sent = (headers: Record<string, string>): Promise<unknown> =>
    ask(to, { method: "POST", path, headers, body }).then(
      ({ status }) => (status === 413 || status === 401 ? "refused" : status),
      ({ code }: NodeJS.ErrnoException) => (code === "EPIPE" || code === "ECONNRESET" ? "refused" : code),
    );
  for (let time = 0; time < 5; time += 1) {
    expect(await sent({ ...own(to), ...json })).toBe("refused");
    expect(await sent({ ...own(to), ...json, "transfer-encoding": "chunked" })).toBe("refused");
    expect(await sent({ host: own(to)["host"]!, ...json })).toBe("refused");
  }
  expect(await answeredMs(to)).toBeLessThan(2_000);
  expect(megabytes(to)).toBeLessThan(150);
  expect(to.printed().trim().split("\n")).toHaveLength(3);
});

test("a journal that is damaged while its page is open is said there, and prints nothing in the terminal", async () => {
  const place = await openPlace(asks, { limits: { questionsMax: 1 } });
  await place.monoco("run", "FEAT-0001");
  const to = await openDashboard(place);
  const stream = await opened(to, "/api/relay/FEAT-0001");
  let text = "";
  stream.setEncoding("utf8").on("data", (piece) => (text += String(piece)));
  stream.resume();
  const path = join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl");
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, whole.replace('"seq":2', '"seq":7'));
  await vi.waitFor(() => expect(text).toContain("damaged"), { timeout: 5_000 });
  writeFileSync(path, whole);
  const again = await opened(to, "/api/relay/FEAT-0001");
  expect(again.statusCode).toBe(200);
  expect(to.printed().trim().split("\n")).toHaveLength(3);
});
