/** A person's message to a relay: dropped into its inbox, and taken by the living runner or by this command. */
import { existsSync, rmSync } from "node:fs";
import { MonocoError } from "../core/error/error.ts";
import { acknowledgeMs, messageBytesMax } from "../core/limits.ts";
import { inboxMessageSchema } from "../core/session/message.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { drainInbox } from "../relay/people/inbox.ts";
import type { Refusal } from "../relay/people/inbox.ts";
import { openRelay } from "../relay/relay.ts";
import type { Relay } from "../relay/relay.ts";
import { dropMessage } from "../store/mailbox.ts";
import { refuseElsewhere } from "./letters/there.ts";
import { loadSettings } from "./settings.ts";
import { isLocked } from "../store/lock.ts";
import { tryRunnerLock } from "./runner-lock.ts";
import { refuseFromWithin } from "./session-context.ts";
import { layOut, setUpRelay } from "./wire.ts";
import type { Here } from "./here.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

/** Listens to nothing but warnings: a command that runs nothing has nothing to interrupt. */
export const unheard: Parameters<typeof setUpRelay>[2] = {
  control: { interrupt: new AbortController().signal },
  onProgress: (progress): void => {
    if (progress.type === "warning") warn(progress.text);
  },
};

/** `taken`: by this command, or refused. `runner`: by the living runner. `left`: in the inbox until the runner looks. */
export type Delivery = { by: "taken"; refused?: string } | { by: "runner" } | { by: "left" };

/**
 * Drops the message. Without a runner, `before` may prepare the relay, then the inbox is drained under the lock. If that
 * fails, the message is removed: a failed command has asked for nothing.
 */
export async function deliver(
  here: Here,
  issue: string,
  body: { type: string } & Record<string, unknown>,
  before: (relay: Relay) => Promise<void> = async () => undefined,
): Promise<Delivery> {
  refuseFromWithin(here.repository);
  refuseUnfit(body);
  const setup = setUpRelay(here, issue, unheard);
  if (!isLocked(setup.places.runnerLock)) await refuseElsewhere(here, loadSettings(here), issue);
  layOut(here);
  const path = dropMessage(setup.places.inbox, body);
  let lock = tryRunnerLock(setup.places.runnerLock);
  if (!lock) {
    if (await takenWithin(path)) return { by: "runner" };
    // The runner may have ended after its last look: a stop that is left behind would stop the next run.
    lock = tryRunnerLock(setup.places.runnerLock);
    if (!lock) return { by: "left" };
  }
  try {
    const relay = openRelay(setup);
    await before(relay);
    return answered(path, await drainInbox(relay));
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    lock.release();
  }
}

/** Refuses a message that the runner would set aside, before anything is written: the person must not believe that it was taken. */
function refuseUnfit(body: object): void {
  const message = { id: "00000000", atMs: 0, ...body };
  const { error } = inboxMessageSchema.safeParse(message);
  const bytes = Buffer.byteLength(JSON.stringify(message)) + envelopeBytes;
  const why =
    bytes > messageBytesMax
      ? t`the message has ${bytes} bytes, more than ${messageBytesMax}`
      : error && t`the message is not one that a relay takes: ${error.issues[0]?.message ?? ""}`;
  if (why) throw new MonocoError("input", why, { hint: t`say it in fewer words` });
}

/** The most bytes that the id and the time add. */
const envelopeBytes = 200;

/** The delivery of this message, whose file is named by its id. Refusals of other messages are warnings only. */
function answered(path: string, refusals: readonly Refusal[]): Delivery {
  const own = ({ messageId }: Refusal): boolean => messageId !== undefined && path.includes(messageId);
  for (const { why } of refusals.filter((refusal) => !own(refusal))) warn(why);
  const refused = refusals.find(own)?.why;
  return { by: "taken", ...(refused === undefined ? {} : { refused }) };
}

function warn(text: string): void {
  io().stderr.write(`${t`warning: ${plainLine(text, 400)}`}\n`);
}

/** Waits until the runner has removed the message from the inbox, which acknowledges it. */
async function takenWithin(path: string): Promise<boolean> {
  const deadlineMs = Date.now() + acknowledgeMs;
  while (existsSync(path)) {
    if (Date.now() > deadlineMs) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
