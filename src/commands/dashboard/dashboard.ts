/** monoco dashboard: the inbox, reviews and relays in a browser on this machine, until it is stopped. */
import { MonocoError } from "../../core/error/error.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { openHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { forgetDashboard, noteDashboard } from "../../app/live/link.ts";
import { currentSession } from "../../app/session-context.ts";
import { io } from "../../io/io.ts";
import { newKeys } from "./keys.ts";
import { openServer } from "./server.ts";
import { t } from "../../core/language/translate.ts";

export type DashboardFlags = { port?: number; everywhere: boolean };

export async function dashboard(flags: DashboardFlags): Promise<number> {
  if (currentSession())
    throw new MonocoError("input", t`the dashboard is for people: a session cannot open it`, {
      hint: t`monoco inbox --json shows the same`,
    });
  const heres = await heresOf(flags);
  const keys = newKeys();
  let port = flags.port ?? 0;
  // The fragment stays in the browser: no server and no log gets it.
  const tell = (): void => void io().stdout.write(t`dashboard: http://127.0.0.1:${port}/#${keys.next()}\n`);
  const stopped = Promise.withResolvers<void>();
  const release = io().onStop(stopped.resolve);
  let server: Awaited<ReturnType<typeof openServer>> | undefined;
  try {
    server = await openServer({ heres, keys, port, entered: tell });
    port = server.port;
    noteDashboard(heres, port);
    io().stdout.write(
      `${t`Each address opens one tab, which can act for you; then the next address is printed. Ctrl-C ends it.`}\n`,
    );
    tell();
    await Promise.race([stopped.promise, server.ended]);
  } finally {
    forgetDashboard(heres);
    await server?.close();
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
