/** What the relay's policy says, and what it is asked with. */
import type { Hint } from "../error/hint-schema.ts";
import type { RelayState } from "../journal/relay-state.ts";
import type { Block } from "../journal/steps.ts";
import type { Reason } from "../reason/reason-schema.ts";
import type { StartReason } from "../reason/start-schema.ts";
import type { Limits } from "../settings/limits-schema.ts";
import type { Role } from "../settings/agent-kinds.ts";
import type { BreakerChange } from "./breaker.ts";
import type { Players } from "./players.ts";
import type { FullHour } from "./rate-limit.ts";
import type { Spending } from "./spending.ts";

/** What the runner does next, and why; `rest` ends the run, with the exit code that its phase stands for. */
export type Action =
  | ({ do: "start"; reason: StartReason; role: Role; submission?: number } & {
      /** Who may play it, the best first. */
      agents: readonly string[];
    })
  | ({ do: "change_breaker" } & BreakerChange)
  | ({ do: "limit_rate" } & FullHour)
  | ({ do: "block" } & Block)
  | (Other & { reason: Reason });

type Other =
  | { do: "recover"; session: number }
  | { do: "hand_over"; session: number }
  | { do: "submit"; session: number }
  | { do: "accept"; session: number }
  | { do: "check"; submission: number }
  | { do: "weigh"; submission: number }
  | { do: "settle"; submission: number }
  | { do: "merge"; submission: number }
  | { do: "settle_merge" }
  | { do: "wait"; untilMs: number }
  | {
      do: "rest";
      phase: "none" | "done" | "pull_request" | "blocked" | "paused" | "cancelled";
      hint: Hint;
    };

/** What a decision needs besides the relay's journal and the time. What is left out is unknown, and blocks nothing. */
export type Around = {
  /** The agents that are installed. */
  players?: Players;
  /** Sessions of other relays of the repository. */
  elsewhere?: readonly Spending[];
  /** The `monoco run` that this is. */
  run?: string | undefined;
  /** Chance, from 0 to 1: how late after its end a usage limit is tried again. */
  jitter?: number;
  /** The work that was left on its branch, or merged elsewhere, is on the base now. */
  takenOver?: boolean;
};

export type Now = Required<Omit<Around, "run" | "takenOver">> &
  Pick<Around, "run"> & { history: RelayState; nowMs: number; limits: Limits };
