/** monoco relay push and pull: carries relays to a remote and back. */
import { exitOf } from "../../core/carry/outcome.ts";
import type { Outcome } from "../../core/carry/outcome.ts";
import { MonocoError, exitCodes } from "../../core/error/error.ts";
import { systemError } from "../../core/error/system-error.ts";
import { listRemote } from "../../git/carry/remote.ts";
import { carrierHere, fetchRelays, relaysAsked, relaysKept } from "../../app/carry/carrier.ts";
import { pullNotes, pushNotes } from "../../app/carry/carry-notes.ts";
import type { Carrier } from "../../app/carry/own.ts";
import { pullRelay } from "../../app/carry/pull.ts";
import { below, pushRelay } from "../../app/carry/push.ts";
import { openHere } from "../../app/here.ts";
import { refuseFromWithin } from "../../app/session-context.ts";
import { loadSettings } from "../../app/settings.ts";
import { excludeRuntime } from "../../app/wire.ts";
import { keepGit } from "../../git/git.ts";
import { endAllAsPerson } from "../../git/person.ts";
import { io } from "../../io/io.ts";
import { carriedLines } from "../../views/carried.ts";
import type { Came } from "../../views/carried.ts";
import { printJson } from "../../views/json.ts";
import { t } from "../../core/language/translate.ts";

type Asked = { all: boolean; json: boolean };

export async function push(
  ids: readonly string[],
  flags: Asked & { allow: readonly string[] },
): Promise<number> {
  for (const object of flags.allow)
    if (!/^[0-9a-f]{7,64}$/.test(object))
      throw new MonocoError("input", t`--allow: expected an object as the scan names it, got "${object}"`);
  return carry(ids, flags, async (carrier, listed) => {
    const of = { listed, allowed: flags.allow };
    const issues = await relaysAsked(carrier, { ids, all: flags.all, there: await relaysKept(carrier) });
    return { issues, one: (issue) => pushRelay(carrier, issue, of), notes: () => pushNotes(carrier, of) };
  });
}

export async function pull(ids: readonly string[], flags: Asked & { take?: string }): Promise<number> {
  const { take } = flags;
  if (take !== undefined && take !== "theirs" && take !== "mine")
    throw new MonocoError("input", t`--take: expected theirs or mine, got "${take}"`);
  return carry(ids, flags, async (carrier, listed) => {
    const there = [...below(listed, `${carrier.prefix}/`).keys()].map((name) => name.split("/")[0]!);
    const issues = await relaysAsked(carrier, { ids, all: flags.all, there });
    if (issues.length > 0) await fetchRelays(carrier, issues);
    return {
      issues,
      one: (issue) => pullRelay(carrier, issue, take),
      notes: () => pullNotes(carrier, listed),
    };
  });
}

type Work = {
  issues: readonly string[];
  one(issue: string): Promise<Outcome>;
  notes(): Promise<Outcome | undefined>;
};

/** The outcome, or as one what was thrown, unless that is a bug: what was carried before it is still told. */
async function notThrown<T>(outcome: Promise<T>): Promise<T | Outcome> {
  try {
    return await outcome;
  } catch (error) {
    const fault = error instanceof MonocoError ? error : systemError(error);
    if (!fault || fault.kind === "bug") throw error;
    return { is: "failed", kind: fault.kind, said: fault.message, hint: fault.hint };
  }
}

/** Carries one relay after the other, and then the notes: what one meets holds no other back. */
async function carry(
  ids: readonly string[],
  flags: Asked,
  prepare: (carrier: Carrier, listed: ReadonlyMap<string, string>) => Promise<Work>,
): Promise<number> {
  if (flags.all && ids.length > 0) throw new MonocoError("input", t`--all or IDs, not both`);
  const here = await openHere();
  refuseFromWithin(here.repository);
  const carrier = carrierHere(here, loadSettings(here));
  const close = keepGit(here.repository.root);
  const came: Came = {
    remote: carrier.remote.name,
    prefix: carrier.prefix,
    outcomes: [],
    notes: undefined,
  };
  const unheard = io().onStop(() => {
    endAllAsPerson();
    if (came.outcomes.length > 0) tell(came, flags);
    io().stderr.write(t`interrupted; nothing is lost: run the same command again\n`);
    process.exit(exitCodes.interrupted);
  });
  try {
    const work = await prepare(carrier, await listRemote(carrier.remote));
    excludeRuntime(here.repository);
    for (const issue of work.issues) came.outcomes.push({ issue, outcome: await notThrown(work.one(issue)) });
    came.notes = await notThrown(work.notes());
    tell(came, flags);
    return exitOf([...came.outcomes.map(({ outcome }) => outcome), ...(came.notes ? [came.notes] : [])]);
  } finally {
    unheard();
    close();
  }
}

function tell(came: Came, { json }: Asked): void {
  if (json) {
    const { remote, outcomes, notes } = came;
    const relays = outcomes.map(({ issue, outcome }) => ({ issue, ...outcome }));
    printJson({ remote, relays, notes: notes ?? null });
  } else {
    const lines = carriedLines(came);
    io().stdout.write(lines.map((line) => `${line}\n`).join(""));
  }
}
