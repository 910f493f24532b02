/** Holds the lease of one relay on the remote: renews it, pushes the relay under it, and gives it back. */
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { lookMsOf, marksOf } from "../../core/lease/lease.ts";
import type { Lease } from "../../core/lease/lease.ts";
import { writeLease } from "../../git/carry/lease.ts";
import { listRemote } from "../../git/carry/remote.ts";
import type { Move } from "../../git/carry/remote.ts";
import type { Landed } from "../../relay/relay.ts";
import type { Journal } from "../../store/journal.ts";
import type { Carrier } from "../carry/own.ts";
import { pushRelay } from "../carry/push.ts";
import { takeLetters } from "../letters/take.ts";
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
  /** What was said of refs that are no letters: it is said once. */
  readonly #said = new Set<string>();
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
    await this.#inTurn(() => this.#push([]));
  }

  /** Pushes the relay, and moves another ref of the remote in the same push; the ref `mark` of the relay follows it. */
  async land(move: Move, mark?: string): Promise<Landed> {
    return this.#inTurn(() => this.#push([move], { mark }));
  }

  /** Pushes the relay and gives the lease back. Never throws: a lease that stays runs out. */
  async giveBack(): Promise<void> {
    clearInterval(this.#timer);
    try {
      if (!this.lost.aborted) await this.#inTurn(() => this.#push([], { givesBack: true }));
    } catch (error) {
      if (this.lost.aborted) return;
      const { name } = this.#carrier.remote;
      const why = wordsOf(error);
      this.#warn(t`${this.#lease.issue}: the lease on ${name} was not given back, and runs out: ${why}`);
    }
  }

  /** One push at a time: each moves the lease from where the one before has put it. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(act);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #push(
    moves: readonly Move[],
    { mark, givesBack = false }: { mark?: string | undefined; givesBack?: boolean } = {},
  ): Promise<Landed> {
    const { here, remote, prefix } = this.#carrier;
    const ref = `${prefix}/${this.#lease.issue}/lease`;
    for (let round = 0; round < roundsMax; round += 1) {
      this.lost.throwIfAborted();
      const listed = await listRemote(remote);
      this.#find(listed.get(ref));
      if (moves.some((move) => isThere(listed, move))) return { is: "taken" };
      if (moves.some((move) => (listed.get(move.ref) ?? "") !== move.from)) return { is: "moved" };
      const letters = await this.#takeLetters(listed);
      const atMs = sinceBootMs();
      const to = givesBack ? "" : await this.#next(here.repository.git);
      const marked = moves.flatMap((move) => (mark === undefined ? [] : [markMove(listed, mark, move)]));
      const also = [{ ref, from: this.#at, to }, ...letters, ...moves, ...marked];
      if (to !== "") this.#own.add(to);
      const outcome = await pushRelay(this.#carrier, this.#lease.issue, {
        listed,
        allowed: [],
        locked: this.journal ?? true,
        also,
      });
      switch (outcome.is) {
        case "pushed":
          if (to !== "") [this.#at, this.#pushedAtMs] = [to, atMs];
          return { is: "taken" };
        case "moved":
          continue;
        case "secrets": {
          const [{ where, line, rule } = { where: "", line: 0, rule: "" }] = outcome.found;
          throw new MonocoError("person", t`a secret would leave: ${where}:${line} (${rule})`, {
            hint: t`take it out of the work; or if it is none: monoco relay push ${this.#lease.issue} names what --allow takes`,
          });
        }
        case "refused":
          if (moves.length > 0) return { is: "refused", said: outcome.said };
          throw new MonocoError("person", t`${remote.name} refuses the relay: ${outcome.said}`, {
            hint: "docs/remote.md#what-a-remote-must-be-able-to-do",
          });
        case "unreachable":
          throw new MonocoError("later", t`${remote.name} does not answer: ${outcome.said}`);
        default:
          throw new MonocoError("bug", t`the push of ${this.#lease.issue} came to ${outcome.is}`);
      }
    }
    throw new MonocoError("later", t`the refs of ${this.#lease.issue} on ${remote.name} move all the time`);
  }

  #next(git: Carrier["here"]["repository"]["git"]): Promise<string> {
    return writeLease(git, { ...this.#lease, untilMs: Date.now() + this.#lease.minutes * 60_000 });
  }

  /** Finds this holder's own lease on the remote, or loses it. */
  #find(there: string | undefined): void {
    if (there !== undefined && this.#own.has(there)) this.#at = there;
    else {
      const { name } = this.#carrier.remote;
      this.#lose(
        new MonocoError("conflict", t`another machine has taken over ${this.#lease.issue} on ${name}`, {
          hint: t`its work goes on there; what this machine had not pushed is kept here`,
        }),
      );
    }
  }

  #lose(why: MonocoError): void {
    clearInterval(this.#timer);
    this.#lost.abort(why);
    throw why;
  }

  /** The moves of a push that delete the letters which the journal has. */
  async #takeLetters(listed: ReadonlyMap<string, string>): Promise<Move[]> {
    const heard = new Set(this.journal?.events().flatMap(({ messageId }) => messageId ?? []));
    const { moves, refused } = await takeLetters(this.#carrier, this.#lease.issue, { listed, heard });
    for (const said of refused.filter((one) => !this.#said.has(one))) {
      this.#said.add(said);
      this.#warn(said);
    }
    return moves;
  }

  /** Stops the session in time, renews what is due, and looks for letters. */
  #look(): void {
    const { renewMs, stopMs } = marksOf(this.#lease.minutes);
    const sinceMs = sinceBootMs() - this.#pushedAtMs;
    if (sinceMs >= stopMs) {
      const { name } = this.#carrier.remote;
      const minutes = Math.round(sinceMs / 6_000) / 10;
      clearInterval(this.#timer);
      this.#lost.abort(
        new MonocoError(
          "later",
          t`${this.#lease.issue}: ${name} took no push for ${minutes} min, and its lease may end`,
          {
            hint: t`git ls-remote ${name} shows whether it is the network or the login; then run the same command again: nothing is lost`,
          },
        ),
      );
      return;
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
      this.#find(listed.get(`${below}/lease`));
      return this.#takeLetters(listed);
    });
  }
}

const markMove = (listed: ReadonlyMap<string, string>, ref: string, { to }: Move): Move => ({
  ref,
  from: listed.get(ref) ?? "",
  to,
});

const isThere = (listed: ReadonlyMap<string, string>, { ref, to }: Move): boolean => listed.get(ref) === to;
