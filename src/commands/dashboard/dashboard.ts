/** monoco dashboard: the inbox, reviews and relays in a browser on this machine, until it is stopped. */
import { randomBytes } from "node:crypto";
import { MonocoError } from "../../core/error/error.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { openHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { noteDashboard } from "../../app/live/link.ts";
import { currentSession } from "../../app/session-context.ts";
import { io } from "../../io/io.ts";
import { openServer } from "./server.ts";
import { t } from "../../core/language/translate.ts";

export type DashboardFlags = { port?: number; everywhere: boolean };

export async function dashboard(flags: DashboardFlags): Promise<number> {
  if (currentSession())
    throw new MonocoError("input", t`the dashboard is for people: a session cannot open it`, {
      hint: t`monoco inbox --json shows the same`,
    });
  const heres = await heresOf(flags);
  const token = randomBytes(32).toString("base64url");
  const stopped = Promise.withResolvers<void>();
  const release = io().onStop(stopped.resolve);
  try {
    const server = await openServer({ heres, token, port: flags.port ?? 0 });
    const forget = noteDashboard(heres, server.port);
    // The fragment stays in the browser: no server and no log gets it.
    io().stdout.write(t`dashboard: http://127.0.0.1:${server.port}/#${token}\n`);
    io().stdout.write(`${t`The address is a key: whoever has it can act for you. Ctrl-C ends it.`}\n`);
    await Promise.race([stopped.promise, server.ended]);
    forget();
    await server.close();
  } finally {
    release();
  }
  return 0;
}

/** This repository, or every one in which monoco ran. */
async function heresOf({ everywhere }: DashboardFlags): Promise<Here[]> {
  if (!everywhere) return [await openHere()];
  const { heres, said } = await (await import("../../app/live/everywhere.ts")).everywhere();
  for (const line of said) io().stderr.write(`${plainLine(line, 400)}\n`);
  return heres;
}
