/** Holds the lease of one relay on the remote: renews it, pushes the relay under it, and gives it back. */
import type { Found } from "../../core/carry/outcome.ts";
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { lookMsOf, marksOf } from "../../core/lease/lease.ts";
import type { Lease } from "../../core/lease/lease.ts";
import { writeLease } from "../../git/carry/lease.ts";
import { listRemote, pushMoves, lookAt, refuseUntaken } from "../../git/carry/remote.ts";
import type { Move } from "../../git/carry/remote.ts";
import type { Landed } from "../../relay/relay.ts";
import type { Journal } from "../../store/journal.ts";
import type { Carrier } from "../carry/own.ts";
import { pushRelay } from "../carry/push.ts";
import { takeLetters } from "../letters/take.ts";
import type { LettersTaken } from "../letters/take.ts";
import { sinceBootMs } from "./seen.ts";

/** How often a push is tried again if other refs of the relay moved meanwhile. */
const roundsMax = 5;

export class Holding {
  /** The relay's journal, while this runner has it open. */
  journal: Journal | undefined;
  readonly #carrier: Carrier;
  readonly #lease: Omit<Lease, "untilMs">;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #warn: (text: string) => void;
  /** The commits of this holder's leases: a push whose answer was lost may have been taken. */
  readonly #own: Set<string>;
  #at: string;
  #pushedAtMs: number;
  #turn: Promise<unknown> = Promise.resolve();
  #isLooking = false;

  /** `at`: the commit of the lease that was just pushed, at `atMs` since the machine's start. */
  constructor(
    carrier: Carrier,
    lease: Omit<Lease, "untilMs">,
    { at, atMs, warn }: { at: string; atMs: number; warn(text: string): void },
  ) {
    this.#carrier = carrier;
    this.#lease = lease;
    this.#warn = warn;
    this.#own = new Set([at]);
    this.#at = at;
    this.#pushedAtMs = atMs;
    this.#timer = setInterval(() => this.#look(), lookMsOf(lease.minutes));
  }

  /** Aborted when the lease is lost; the reason is a MonocoError. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Pushes the relay with a renewed lease. Throws once the lease is lost, `later` if the remote does not answer, `person` if a secret would leave. */
  async push(): Promise<void> {
    await this.#inTurn(() => this.#push());
  }

  /** Pushes the relay, and moves another ref of the remote in the same push; the ref `mark` of the relay follows it. */
  async land(move: Move, mark?: string): Promise<Landed> {
    return this.#inTurn(() => this.#push({ move, mark }));
  }

  /** Pushes the relay and gives the lease back. Never throws: a lease that stays runs out. */
  async giveBack(): Promise<void> {
    clearInterval(this.#timer);
    try {
      if (!this.lost.aborted) await this.#inTurn(() => this.#push({ givesBack: true }));
    } catch (error) {
      if (this.lost.aborted) return;
      const { remote, prefix } = this.#carrier;
      const { issue } = this.#lease;
      // What cannot leave keeps no other machine out.
      const move = { ref: `${prefix}/${issue}/lease`, from: this.#at, to: "" };
      const alone = await pushMoves(remote, [move]).catch(() => undefined);
      const why = wordsOf(error);
      this.#warn(
        alone?.is === "taken"
          ? t`${issue}: what this run did last was not pushed to ${remote.name}: ${why}`
          : t`${issue}: the lease on ${remote.name} was not given back, and runs out: ${why}`,
      );
    }
  }

  /** One push at a time: each moves the lease from where the one before has put it. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(act);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #push({ move, mark, givesBack = false }: Pushing = {}): Promise<Landed> {
    const { here, remote, prefix } = this.#carrier;
    const { issue, minutes } = this.#lease;
    const ref = `${prefix}/${issue}/lease`;
    for (let round = 0; round < roundsMax; round += 1) {
      this.lost.throwIfAborted();
      const listed = await listRemote(remote);
      const tipOf = (name: string): string => listed.get(name) ?? "";
      this.#find(tipOf(ref));
      if (move && tipOf(move.ref) === move.to) return { is: "taken" };
      if (move && tipOf(move.ref) !== move.from) return { is: "moved" };
      const letters = await this.#takeLetters(listed);
      const atMs = sinceBootMs();
      const next = { ...this.#lease, untilMs: Date.now() + minutes * 60_000 };
      const to = givesBack ? "" : await writeLease(here.repository.git, next);
      const also = [{ ref, from: this.#at, to }, ...letters.moves];
      if (move) also.push(move);
      if (move && mark !== undefined) also.push({ ref: mark, from: tipOf(mark), to: move.to });
      if (to !== "") this.#own.add(to);
      const locked = this.journal ?? true;
      const outcome = await pushRelay(this.#carrier, issue, { listed, allowed: [], locked, also });
      if (outcome.is === "pushed") {
        [this.#at, this.#pushedAtMs] = [to, atMs];
        for (const said of letters.refused) this.#warn(said);
        return { is: "taken" };
      }
      if (outcome.is === "refused" && move) return { is: "refused", said: outcome.said };
      if (outcome.is === "secrets") throw secretLeaves(issue, outcome.found[0]!);
      refuseUntaken(remote, outcome);
    }
    throw new MonocoError("later", t`the refs of ${issue} on ${remote.name} move all the time`, {
      hint: t`git ls-remote ${remote.name} '${prefix}/${issue}/*' shows them: what else writes there?`,
    });
  }

  /** Finds this holder's own lease on the remote, or loses it. */
  #find(there: string): void {
    if (this.#own.has(there)) this.#at = there;
    else {
      const { name } = this.#carrier.remote;
      const said = t`another machine has taken over ${this.#lease.issue} on ${name}`;
      const hint = t`its work goes on there; what this machine had not pushed is kept here`;
      this.#lose(new MonocoError("conflict", said, { hint }));
    }
    this.lost.throwIfAborted();
  }

  #lose(why: MonocoError): void {
    clearInterval(this.#timer);
    this.#lost.abort(why);
  }

  #takeLetters(listed: ReadonlyMap<string, string>): Promise<LettersTaken> {
    const heard = new Set(this.journal?.events().flatMap(({ messageId }) => messageId ?? []));
    return takeLetters(this.#carrier, this.#lease.issue, { listed, heard });
  }

  /** Stops the session in time, renews what is due, and looks for letters. */
  #look(): void {
    const { renewMs, stopMs } = marksOf(this.#lease.minutes);
    const sinceMs = sinceBootMs() - this.#pushedAtMs;
    if (sinceMs >= stopMs) {
      const { name } = this.#carrier.remote;
      const minutes = Math.round(sinceMs / 6_000) / 10;
      const said = t`${this.#lease.issue}: ${name} took no push for ${minutes} min, and its lease may end`;
      return this.#lose(new MonocoError("later", said, { hint: lookAt(name) }));
    }
    if (this.#isLooking) return;
    this.#isLooking = true;
    void this.#renewOrRead(sinceMs >= renewMs)
      // A push that failed is tried again at the next look.
      .catch(() => undefined)
      .finally(() => (this.#isLooking = false));
  }

  async #renewOrRead(isDue: boolean): Promise<void> {
    if (isDue) return this.push();
    const { remote, prefix } = this.#carrier;
    const below = `${prefix}/${this.#lease.issue}`;
    const listed = await listRemote(remote, [`${below}/letters/*`, `${below}/lease`]);
    await this.#inTurn(async () => {
      this.#find(listed.get(`${below}/lease`) ?? "");
      return this.#takeLetters(listed);
    });
  }
}

/** `move`: of another ref of the remote, which the ref `mark` follows. */
type Pushing = { move?: Move; mark?: string | undefined; givesBack?: boolean };

function secretLeaves(issue: string, { where, line, rule }: Found): MonocoError {
  return new MonocoError("person", t`a secret would leave: ${where}:${line} (${rule})`, {
    hint: t`take it out of the work; or if it is none: monoco relay push ${issue} names what --allow takes`,
  });
}
