/** What a program was promised: what has to be there after a power loss, and what may be. */
import type { Recording } from "./recorder.ts";

/** `view` is made again from what is durable: any of its contents will do, and none. */
type Kind = "durable" | "view";

/** What may stand in a file's place. */
type Contents = { contents: Set<string | undefined>; kind: Kind };

export type Ledger = {
  /** The journal's, each as JSON. */
  events: string[];
  /** Its append had begun. */
  underway: string | undefined;
  /** What people said, and whether they were told that it is kept. */
  letters: Map<string, "kept" | "underway">;
  files: Map<string, Contents>;
};

type Effect = { begun(ledger: Ledger): void; done(ledger: Ledger): void };

/** Begun after `begin` steps and acknowledged after `end`. */
export type Promised = Effect & { begin: number; end: number };

/** What a life did, and was promised by it. */
export type Kept = { recording: Recording; promises: Promised[] };

export const emptyLedger = (): Ledger => ({
  events: [],
  underway: undefined,
  letters: new Map(),
  files: new Map(),
});

/** Notes what `act` promised when it returned. */
export function promised<Done>(
  { recording, promises }: Kept,
  act: () => Done,
  what: (done: Done) => Effect,
): Done {
  const begin = recording.steps.length;
  const done = act();
  promises.push({ begin, end: recording.steps.length, ...what(done) });
  return done;
}

/** What holds for a power loss after `taken` steps. */
export function after(ledger: Ledger, promises: readonly Promised[], taken: number): Ledger {
  const files = [...ledger.files].map(
    ([name, { contents, kind }]) => [name, { contents: new Set(contents), kind }] as const,
  );
  const now: Ledger = {
    events: [...ledger.events],
    underway: undefined,
    letters: new Map(ledger.letters),
    files: new Map(files),
  };
  for (const promise of promises) {
    if (taken >= promise.begin) promise.begun(now);
    if (taken >= promise.end) promise.done(now);
  }
  return now;
}

export const appended = (event: string): Effect => ({
  begun: (ledger) => {
    ledger.underway = event;
  },
  done: (ledger) => {
    ledger.events.push(event);
    ledger.underway = undefined;
  },
});

export const said = (text: string): Effect => ({
  begun: ({ letters }) => letters.set(text, "underway"),
  done: ({ letters }) => letters.set(text, "kept"),
});

/** `empty` is what its reader says where there is no such file. */
export const written = (name: string, content: string, empty?: string): Effect => ({
  begun: ({ files }) => also(files, name, { content, empty, kind: "durable" }),
  done: ({ files }) => files.set(name, { contents: new Set([content]), kind: "durable" }),
});

export const shown = (name: string, content: string): Effect => ({
  begun: ({ files }) => also(files, name, { content, kind: "view" }),
  done: () => undefined,
});

/** What was removed may come back: to remove it again does no harm. */
export const removed = (name: string): Effect => ({
  begun: ({ files }) => also(files, name, { content: undefined, kind: "durable" }),
  done: () => undefined,
});

type Added = { content: string | undefined; empty?: string | undefined; kind: Kind };

function also(files: Ledger["files"], name: string, { content, empty, kind }: Added): void {
  const { contents } = files.get(name) ?? { contents: new Set([empty]) };
  files.set(name, { contents: contents.add(content), kind });
}
