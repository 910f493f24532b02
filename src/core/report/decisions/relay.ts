/** Decisions about the relay as a whole: opened, blocked, paused, resumed, given up. */
import type { RelayEvent } from "../../journal/event.ts";
import type { RelayState } from "../../journal/relay-state.ts";
import { named } from "../../language/names.ts";
import { t } from "../../language/translate.ts";
import { becauseOf } from "../../reason/reason.ts";
import { gauges } from "../limits-used.ts";
import type { Draft } from "./draft.ts";

export function draftOfRelay(state: RelayState, event: RelayEvent): Draft | undefined {
  switch (event.type) {
    case "relay.opened":
      return {
        decision: t`open the relay`,
        because: event.preset
          ? t`preset ${event.preset.name}: ${becauseOf(event.preset.reason)}`
          : t`preset ${event.settings.preset}`,
        rule: "opened",
        settings: ["preset"],
      };
    case "relay.blocked":
      return { decision: t`ask a person`, reason: event.reason, numbers: gauges(state) };
    case "relay.paused":
      return { decision: t`pause`, reason: event.reason };
    case "relay.resumed":
      return {
        decision: t`go on`,
        because: event.changes?.length
          ? t`a ${named(event.by)} resumed, with ${event.changes.join(t`, `)}`
          : t`a ${named(event.by)} resumed`,
        rule: "person",
      };
    case "relay.cancelled":
      return { decision: t`give up`, reason: event.reason };
    default:
      return undefined;
  }
}
