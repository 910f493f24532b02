/** Recovers a session without an end after a crash: ends its processes, then collects it like any other. */
import { isLocked } from "../../store/lock.ts";
import { killTree } from "../../agents/child.ts";
import { readFileSync } from "node:fs";
import type { ProcessIdentity } from "../../agents/process-identity.ts";
import { MonocoError } from "../../core/error/error.ts";
import { runningSession } from "../../core/relay/phase.ts";
import { collect } from "./collect.ts";
import type { Relay } from "../relay.ts";
import { markOf } from "../../store/mark.ts";
import type { Places } from "../../store/places.ts";
import { readStream } from "./stream.ts";
import { nothingSeen } from "../../core/session/observations.ts";
import { t } from "../../core/language/translate.ts";

/** Ends the running session of `state`: its runner is dead, since this one holds the lock. */
export async function recoverSession(relay: Relay): Promise<void> {
  const record = runningSession(relay.state);
  if (!record) return;
  const places = relay.places.session(record.session, record.role);
  await endTreeOf(relay, record);
  // A Reviewer's verdict is never taken from a file.
  const said = record.role === "executor" ? readStream(relay, record, places.stream) : nothingSeen();
  const stoppedBy = { reason: "failure", because: { rule: "runner_died" }, cause: "runner_died" } as const;
  const folder = record.role === "executor" ? relay.places.workspace : relay.places.review;
  const exit = { exitCode: null, signal: null };
  await collect(relay, {
    session: record.session,
    role: record.role,
    folder,
    places,
    seen: { ...said, stoppedBy },
    exit,
    stderrTail: "",
    hooksMissing: false,
    cutShort: false,
    begun: true,
    who: async () => undefined,
  });
}

/** Like `endTree`; throws `conflict` if a process still holds the session's lock. */
export async function endTreeOf(
  { issue, places }: Pick<Relay, "issue" | "places">,
  session: Parameters<typeof endTree>[1],
): Promise<void> {
  if (await endTree(places, session)) return;
  throw new MonocoError("conflict", t`${issue}: processes of its last session are still alive`, {
    hint: t`end them (their environment names MONOCO_ISSUE=${issue}), then run again`,
  });
}

/** Ends a session's processes; for the holder of the runner's lock. False if a process still holds the session's lock. */
export async function endTree(
  places: Places,
  session: { session: number; role: string } | undefined,
): Promise<boolean> {
  const { name, value } = markOf(places.relay);
  const identity = session && readIdentity(places.session(session.session, session.role).identity);
  await killTree(identity, `${name}=${value}`);
  const beside = markOf(places.relay, "beside");
  await killTree(undefined, `${beside.name}=${beside.value}`);
  const deadline = Date.now() + 10_000;
  while (isLocked(places.sessionLock)) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as ProcessIdentity;
    return typeof value.pid === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}
