/** monoco dashboard: the inbox, reviews and relays in a browser on this machine, until it is stopped. */
import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { openHere } from "../../app/here.ts";
import { currentSession } from "../../app/session-context.ts";
import { io } from "../../io/io.ts";
import { openServer } from "./server.ts";
import { t } from "../../core/language/translate.ts";

export async function dashboard({ port = 0 }: { port?: number }): Promise<number> {
  if (currentSession())
    throw new MonocoError("input", t`the dashboard is for people: a session cannot open it`, {
      hint: t`monoco inbox --json shows the same`,
    });
  const here = await openHere();
  const token = randomBytes(32).toString("base64url");
  const stopped = Promise.withResolvers<void>();
  const release = io().onStop(stopped.resolve);
  try {
    const heres = new Map([[basename(here.repository.root), here]]);
    const server = await openServer({ heres, token, port });
    // The fragment stays in the browser: no server and no log gets it.
    io().stdout.write(t`dashboard: http://127.0.0.1:${server.port}/#${token}\n`);
    io().stdout.write(`${t`The address is a key: whoever has it can act for you. Ctrl-C ends it.`}\n`);
    await stopped.promise;
    await server.close();
  } finally {
    release();
  }
  return 0;
}
