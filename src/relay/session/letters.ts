/** Brings messages of a running session and of people to its watcher as soon as they arrive. */
import { openMailbox, readMailbox } from "../../store/mailbox.ts";
import { existsSync, watch } from "node:fs";
import { inboxMessageSchema, outboxMessageSchema, reviewerOutboxSchema } from "../../core/session/message.ts";
import type { Input } from "../../core/session/watch-step.ts";
import type { Role } from "../../core/settings/agent-kinds.ts";
import { openingOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

type Letters = {
  begin(): void;
  /** Reads both mailboxes, once a second, since a watch can miss events while it is set up. */
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
      to.take({ type: "outbox", message, recorded: isKnown(message.id) }, letter);
    }
  };
  const readInbox = (): void => {
    for (const letter of readMailbox(inbox, inboxMessageSchema)) {
      const { message } = letter;
      const { question: asked } = openingOf(relay);
      to.take({ type: "inbox", message, recorded: isKnown(message.id), asked }, letter);
    }
  };
  const watchFolder = (folder: string, read: () => void): void => {
    try {
      openMailbox(folder);
      const watcher = watch(folder, () => to.guarded(read));
      watcher.on("error", () => undefined);
      ends.push(() => watcher.close());
    } catch {
      // The agent may interfere, or the kernel may have no watches left: `read` finds the messages all the same.
    }
  };

  return {
    begin: () => {
      // No agent can reach the inbox, so a failure is a disk error and ends the session.
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
