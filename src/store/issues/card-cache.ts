/** Caches the cards of issues under keys that change with the text, in a file below .monoco/ that may be deleted at any time. */
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { cardVersion, isCard } from "../../core/issue/card.ts";
import type { Card } from "../../core/issue/card.ts";
import { cardCacheBytesMax, cardsStaleShare } from "../../core/limits.ts";
import { isRecord } from "../../core/text/record.ts";
import { writeAtomically } from "../durable.ts";

export type CardCache = {
  get(key: string): Card | undefined;
  keep(key: string, card: Card): void;
  /** Writes the used and new cards, if enough of them changed. */
  save(): void;
};

/**
 * Opens the cache in the file `path`. A damaged file, or one of another version, counts as empty. A cache that cannot be
 * written is silently not used: all issues are read again.
 */
export function openCardCache(path: string): CardCache {
  const stored = attempt(() => cardsIn(path), new Map<string, unknown>());
  const used = new Map<string, Card>();
  let fresh = 0;
  return {
    get: (key) => {
      const card = used.get(key) ?? stored.get(key);
      if (!isCard(card)) return undefined;
      used.set(key, card);
      return card;
    },
    keep: (key, card) => {
      if (!used.has(key)) fresh += 1;
      used.set(key, card);
    },
    save: () => {
      const gone = stored.size - (used.size - fresh);
      if (fresh + gone <= used.size * cardsStaleShare) return;
      // Makes only the last folder, so that a command that only reads creates no .monoco.
      attempt(() => mkdirSync(dirname(path)), undefined);
      attempt(() => writeAtomically(path, JSON.stringify({ v: cardVersion, cards: [...used] })), undefined);
    },
  };
}

/** The cached values by key, not validated; empty for another version. Throws if the file is not JSON. */
function cardsIn(path: string): Map<string, unknown> {
  // Does not wait for the writer of a fifo.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > cardCacheBytesMax) return new Map();
    const read: unknown = JSON.parse(readFileSync(fd, "utf8"));
    if (!isRecord(read) || read["v"] !== cardVersion) return new Map();
    return new Map(read["cards"] as [string, unknown][]);
  } finally {
    closeSync(fd);
  }
}
