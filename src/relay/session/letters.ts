/** The messages of a running session and those of people, brought to its watcher as soon as they lie in their mailboxes. */
import { openMailbox, readMailbox } from "../../store/mailbox.ts";
import { existsSync, watch } from "node:fs";
import { inboxMessageSchema, outboxMessageSchema, reviewerOutboxSchema } from "../../core/session/message.ts";
import type { Input } from "../../core/session/watch-step.ts";
import type { Role } from "../../core/settings/agent-kinds.ts";
import { openingOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

type Letters = {
  begin(): void;
  /** A watch can miss what happened while it was set up; a look a second costs nothing. */
  read(): void;
  end(): void;
};

export function watchLetters(
  relay: Relay,
  to: {
    outbox: string;
    role: Role;
    take(input: Input, letter: { take(): void }): void;
    guarded(work: () => void): void;
  },
): Letters {
  const { inbox } = relay.places;
  const ends: (() => void)[] = [];
  const isKnown = (id: string): boolean => relay.state.messageIds.has(id);

  const outboxSchema = to.role === "reviewer" ? reviewerOutboxSchema : outboxMessageSchema;
  const readOutbox = (): void => {
    if (!existsSync(to.outbox)) return;
    for (const letter of readMailbox(to.outbox, outboxSchema)) {
      const { message } = letter;
      to.take({ type: "outbox", message, known: isKnown(message.id) }, letter);
    }
  };
  const readInbox = (): void => {
    for (const letter of readMailbox(inbox, inboxMessageSchema)) {
      const { message } = letter;
      const { question: asked } = openingOf(relay);
      to.take({ type: "inbox", message, known: isKnown(message.id), asked }, letter);
    }
  };
  const watchFolder = (folder: string, read: () => void): void => {
    try {
      openMailbox(folder);
      const watcher = watch(folder, () => to.guarded(read));
      watcher.on("error", () => undefined);
      ends.push(() => watcher.close());
    } catch {
      // The agent works already and may be in the way, or the kernel has no watches left: the look a second does without.
    }
  };

  return {
    begin: () => {
      // An agent cannot reach the inbox: where it cannot be made, the disk is in trouble, and that is told.
      to.guarded(() => openMailbox(inbox));
      watchFolder(to.outbox, readOutbox);
      watchFolder(inbox, readInbox);
    },
    read: () => {
      readOutbox();
      readInbox();
    },
    end: () => {
      for (const end of ends) end();
    },
  };
}
