/** What came of the push or pull of one relay. */
import { exitCodes } from "../error/error.ts";
import type { ErrorKind } from "../error/error.ts";
import type { Advice } from "../error/hint-schema.ts";

/** A secret that was found in what would leave: never the secret itself. */
export type Found = {
  rule: string;
  /** The path of a file, or what else of a commit. */
  where: string;
  line: number;
  object: string;
  /** The record that holds it, where that is not the work: `where` is then the record's own name in it. */
  of?: Words;
};

/** What is carried besides the work. */
export type Words = "handoffs" | "journal" | "notes";

/** The rule of what is too large to be scanned. */
export const notScanned = "size";

/** A clone's own part of a relay that went on in two. */
export type Tip = { commit: string; commits: number; by: string; atMs: number };

/** Both ends of a relay that went on in two clones, and the commit after which they did. */
export type Fork = { from: string | undefined; here: Tip; there: Tip };

/** A commit that was replaced by one that does not contain it, and the ref that keeps it. */
export type Kept = { commit: string; ref: string };

export type Outcome =
  | { is: "up_to_date"; commit: string }
  | { is: "pushed"; commit: string; refs: number }
  /** `begins`: the next run takes the head up as a hand-over. `journal`: the journal came from there. */
  | {
      is: "pulled";
      commit: string;
      refs: number;
      begins: boolean;
      journal?: true;
      kept: readonly Kept[];
    }
  /** `kept`: on the remote, by the next push. */
  | { is: "ahead"; commit: string; kept: readonly Kept[] }
  /** A push meets commits that were not pulled. */
  | { is: "moved" }
  /** The notes, which were written here while they were to be joined. */
  | { is: "changed" }
  /** Without a fork, one head contains the other, but each clone has events of its own. */
  | { is: "diverged"; fork: Fork | undefined }
  | { is: "running" }
  /** A person's own session handed over here, and no relay has taken that up. */
  | { is: "waits"; branch: string }
  | { is: "absent" }
  | { is: "secrets"; found: readonly Found[] }
  /** Nothing was changed. */
  | { is: "failed"; kind: ErrorKind; said: string; hint: Advice | undefined }
  | { is: "refused" | "unreachable"; said: string };

/** The exit status of all outcomes together: what needs a person comes first. */
export function exitOf(outcomes: readonly Outcome[]): number {
  const codes = outcomes.map((one) => (one.is === "failed" ? exitCodes[one.kind] : codeOf[one.is]));
  const { person, input, conflict, later } = exitCodes;
  return [person, input, conflict, later].find((code) => codes.includes(code)) ?? Math.max(0, ...codes);
}

const codeOf: Record<Exclude<Outcome["is"], "failed">, number> = {
  up_to_date: 0,
  pushed: 0,
  pulled: 0,
  ahead: 0,
  moved: exitCodes.conflict,
  changed: exitCodes.conflict,
  diverged: exitCodes.conflict,
  running: exitCodes.conflict,
  waits: exitCodes.conflict,
  absent: exitCodes.input,
  secrets: exitCodes.person,
  refused: exitCodes.person,
  unreachable: exitCodes.later,
};
