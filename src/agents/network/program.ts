#!/usr/bin/env node
/** Runs inside a sandbox: offers the proxy's socket as a port on the sandbox's own loopback. */
import { closeSync, openSync, writeSync } from "node:fs";
import { connect, createServer } from "node:net";
import { proxyPort, socketIn } from "./place.ts";

const folder = openSync(process.argv[2] ?? "", "r");

const server = createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path: socketIn(folder), allowHalfOpen: true });
  client.pipe(proxy).pipe(client);
  client.on("error", () => undefined).on("close", () => proxy.destroy());
  proxy.on("error", () => undefined).on("close", () => client.destroy());
});

// The agent answers a stop, and may have something to send until then.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => undefined);

server.listen(proxyPort, "127.0.0.1", () => {
  writeSync(1, "ready");
  // The shell waits for the end of the stream, not only for the word.
  closeSync(1);
  openSync("/dev/null", "w");
});
