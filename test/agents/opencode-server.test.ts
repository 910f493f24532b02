/** The server that OpenCode's driver starts, with a program in its place that speaks as much HTTP as is needed. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import { startServer } from "../../src/agents/opencode/server.ts";
import type { Server } from "../../src/agents/opencode/server.ts";
import { temporaryFolder } from "../support/repository.ts";

test("tells its events, also those from before anybody listened, whatever the garbage collector does meanwhile", async () => {
  const server = await standIn(`
    answer.write('data: {"type":"one"}\\n\\ndata: {"ty');
    answer.end('pe":"two"}\\n\\n');`);
  const events = await server.events();
  const collectGarbage = runInNewContext("gc") as NodeJS.GCFunction;
  for (let round = 0; round < 20; round++) {
    collectGarbage();
    await turn();
  }
  const told: unknown[] = [];
  for await (const event of events) told.push(event);
  expect(told).toEqual([{ type: "one" }, { type: "two" }]);
});

test("asks with the password that it was given, and a refusal is told in words", async () => {
  const server = await standIn(`answer.writeHead(500).end("broken: " + incoming.method);`);
  await expect(server.events()).rejects.toThrow("/event: status 500");
  await expect(server.post("/session", {})).rejects.toThrow("/session: status 500: broken: POST");
});

test("a program that ends before it listens is told with how it ended", async () => {
  await expect(standIn("", "process.exit(3);")).rejects.toThrow("ended by itself (exit status 3)");
});

/** `answering` is what it does with a request of ours; a request without the password is answered with 401. */
async function standIn(answering: string, first = ""): Promise<Server> {
  setFlagsFromString("--expose-gc");
  const folder = temporaryFolder();
  const program = join(folder, "opencode");
  writeFileSync(
    program,
    `#!${process.execPath}
    ${first}
    const { OPENCODE_SERVER_USERNAME: name, OPENCODE_SERVER_PASSWORD: password } = process.env;
    const wanted = "Basic " + Buffer.from(name + ":" + password).toString("base64");
    const server = require("node:http").createServer((incoming, answer) => {
      if (incoming.headers.authorization !== wanted) return answer.writeHead(401).end();
      ${answering}
    });
    server.listen(0, "127.0.0.1", () => console.log("listening on http://127.0.0.1:" + server.address().port));
    `,
  );
  chmodSync(program, 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await startServer([]);
  onTestFinished(server.stop);
  return server;
}
