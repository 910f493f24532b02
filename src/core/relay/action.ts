/** The actions of the relay's policy, and the input of a decision. */
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

/** The runner's next step and its reason; `rest` ends the run, with the exit code of the phase. */
export type Action =
  | ({ do: "start"; reason: StartReason; role: Role; submission?: number } & {
      /** The agents that may play the role, the best first. */
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

/** Facts for a decision besides the relay's journal and the time. A missing fact is unknown, and blocks nothing. */
export type Around = {
  /** The installed agents. */
  players?: Players;
  /** Sessions of the repository's other relays. */
  elsewhere?: readonly Spending[];
  /** The current `monoco run`. */
  run?: string | undefined;
  /** A random number from 0 to 1, for the delay after a usage limit. */
  jitter?: number;
  /** Whether the base now has the work that was left on its branch, or merged elsewhere. */
  takenOver?: boolean;
};

export type Now = Required<Omit<Around, "run" | "takenOver">> &
  Pick<Around, "run"> & { history: RelayState; nowMs: number; limits: Limits };
