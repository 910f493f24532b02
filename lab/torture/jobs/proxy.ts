/** A worker's line to PostgreSQL: a proxy on loopback in front of the server's socket, which drops, delays and half-closes connections. */
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Which side is told that the other one has ended, though it has not. */
export type Side = "worker" | "server";
const sides: readonly Side[] = ["worker", "server"];

export type Proxy = {
  port: number;
  /** Ends all connections, and each new one at once until `mend`. */
  drop(): void;
  /** Each piece is late by so many ms, in both directions, until `mend`. */
  delay(ms: number): void;
  /** Ends one direction of all connections: that side hears nothing more, and the other one does not know it until `mend`. */
  halfClose(side: Side): void;
  mend(): void;
  close(): void;
};

/** `half`: an end of one side is not passed on. */
type Connection = Record<Side, Socket> & { half: boolean };

export async function openProxy(path: string): Promise<Proxy> {
  const open = new Set<Connection>();
  let [isCut, lateMs] = [false, 0];
  const end = (one: Connection): void => sides.forEach((side) => one[side].destroy());
  const server = createServer({ allowHalfOpen: true }, (worker) => {
    const one = { worker, server: connect({ path, allowHalfOpen: true }), half: false };
    open.add(one);
    for (const [from, to] of [sides, sides.toReversed()] as const) {
      join(one, { from: from!, to: to!, late: () => lateMs });
      one[from!]
        .on("error", () => undefined)
        .on("close", () => {
          if (one.half) return;
          open.delete(one);
          end(one);
        });
    }
    if (isCut) end(one);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    port: (server.address() as AddressInfo).port,
    drop: () => {
      isCut = true;
      open.forEach(end);
    },
    delay: (ms) => {
      lateMs = ms;
    },
    halfClose: (side) => {
      for (const one of open) {
        one.half = true;
        one[side].end();
      }
    },
    mend: () => {
      [isCut, lateMs] = [false, 0];
      for (const one of open) if (one.half) end(one);
      for (const one of open) if (one.half) open.delete(one);
    },
    close: () => {
      open.forEach(end);
      server.close();
    },
  };
}

/** Passes on what comes, in order. */
function join(one: Connection, { from, to, late }: { from: Side; to: Side; late(): number }): void {
  let last = Promise.resolve();
  const pass = (act: () => void): void => {
    const untilMs = performance.now() + late();
    last = last.then(async () => {
      const leftMs = untilMs - performance.now();
      if (leftMs > 0) await sleep(leftMs);
      act();
    });
  };
  one[from].on("data", (data: Buffer) => pass(() => void (one[to].writable && one[to].write(data))));
  one[from].on("end", () => pass(() => void (one.half || one[to].end())));
}
