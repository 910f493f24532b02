/** The result of verifying a commit against its record. */
import type { Comparison } from "./compare.ts";
import type { RunLine, Side } from "./runs.ts";
import type { Predicate } from "./statement-schema.ts";

/**
 * Who signed a record. `unknown`: the allowed signers do not name the key. `none`: there is no file of allowed signers.
 * `missing`: the base asks for a signature, and there is none.
 */
export type Signature =
  | { is: "good"; by: string; key: string }
  | { is: "bad" | "unknown" | "none"; key: string }
  | { is: "unsigned" | "missing" };

export type Verified = { commit: string } & (
  | { is: "no_record" }
  /** The note is no record, or of a newer monoco. */
  | { is: "unreadable" }
  | {
      is: "holds" | "differs";
      predicate: Predicate;
      signature: Signature;
      comparisons: Comparison[];
      lines: RunLine[];
      /** Set-ups that failed: nothing ran on that side. */
      failed: { side: Side; command: string; exitCode: number | null }[];
      /** Why commands were not run. */
      unrun?: "asked" | "differs" | "untrusted" | undefined;
    }
);

/** Whether the signature is a lie, as one by an unknown key is where keys are known, or was taken away. */
export const isForged = ({ is }: Signature): boolean => is === "bad" || is === "unknown" || is === "missing";

/** 0: all that was compared holds. 1: something does not. 2: there is nothing to verify. */
export function exitStatusOf(all: readonly Verified[]): 0 | 1 | 2 {
  const is = new Set(all.map((one) => one.is));
  if (is.has("differs") || is.has("unreadable")) return 1;
  return is.has("no_record") || all.length === 0 ? 2 : 0;
}
