/** Folds the events of a relay as a whole: opened, stopped, resumed, blocked, given up, cleared and pulled. */
import { becauseOf } from "../../reason/reason.ts";
import { short } from "../../text/figures.ts";
import type { Envelope, EventOf, Waiver } from "../event.ts";
import type { Opening, RelayState, SinceResume } from "../relay-state.ts";
import { goOn } from "./go-on.ts";
import type { RecordsOf } from "./record.ts";
import type { relaySchemas } from "./relay-schema.ts";
import { openingOf } from "./subject.ts";
import { viaNote } from "../via.ts";
import { named } from "../../language/names.ts";
import { t } from "../../language/translate.ts";

export const relayRecords: RecordsOf<typeof relaySchemas> = {
  "relay.opened": {
    fold: open,
    sentence: (event) => [
      "plain",
      t`opened: ${event.title} (base ${event.base} ${short(event.baseCommit)})${event.preset ? t`, preset ${event.preset.name}: ${becauseOf(event.preset.reason)}` : ""}${waivedWords(event.waived)}`,
    ],
  },
  "relay.paused": {
    isChoice: true,
    fold: (state, { reason }) => {
      const opening = openingOf(state);
      opening.freshSince = "stop";
      opening.halted = { phase: "paused", reason, hint: [[{ do: "resume" }]] };
    },
    sentence: (event) => ["plain", t`paused: ${becauseOf(event.reason)}` + viaNote(event.via)],
  },
  "relay.resumed": {
    isChoice: true,
    fold: (state, event) => resume(openingOf(state), event),
    sentence: (event) => [
      "plain",
      t`resumed by a ${named(event.by)}${event.settings ? t`, with ${event.changes?.join(t`, `) || t`the current settings`}` : ""}`,
    ],
  },
  "relay.blocked": {
    isChoice: true,
    // A parked merge stays prepared: the person may land it by hand before resuming.
    fold: (state, { reason, hint }) => {
      const opening = openingOf(state);
      opening.halted = { phase: "blocked", reason, hint };
      delete opening.changed;
    },
    sentence: (event) => ["bad", t`blocked: ${becauseOf(event.reason)}`],
  },
  "relay.cancelled": {
    isChoice: true,
    fold: (state, { reason }) => {
      openingOf(state).halted = {
        phase: "cancelled",
        reason,
        hint: [[{ do: "clear" }, { do: "open", note: t`begins anew` }]],
      };
    },
    sentence: (event) => ["plain", t`cancelled: ${becauseOf(event.reason)}`],
  },
  "relay.cleared": {
    fold: (state) => {
      openingOf(state).cleared = true;
    },
    sentence: () => ["plain", t`cleared`],
  },
  "relay.pulled": {
    fold: (state, event) => {
      if (event.goesOn) return goOn(openingOf(state), { ...event, sessions: state.sessions });
      const { remote } = event;
      if (state.opening) Object.assign(state.opening, { cleared: true, pulled: remote });
      // A session of another clone runs there, if at all.
      state.sessions = state.sessions.filter(({ ended }) => ended !== undefined);
      for (const session of state.sessions) session.elsewhere = true;
    },
    sentence: ({ remote, goesOn }) => [
      "plain",
      goesOn
        ? t`taken over from ${remote}: it goes on with the settings of this machine, and is checked and reviewed here`
        : t`pulled from ${remote}: another clone recorded what is above, and nobody here has checked it; the next run opens anew`,
    ],
  },
};

function open(state: RelayState, event: Envelope & EventOf<"relay.opened">): void {
  state.opening = {
    ...event,
    sessions: [],
    submissions: [],
    sinceResume: nothingSince(0),
    said: [],
    cleared: false,
  };
}

function resume(opening: Opening, event: Envelope & EventOf<"relay.resumed">): void {
  const { halted, breaker } = opening;
  if (halted?.phase === "blocked") opening.resumedFrom = halted.reason.rule;
  delete opening.halted;
  opening.sinceResume = nothingSince(event.atMs);
  // A resume lets one session probe.
  if (breaker) {
    opening.breaker = {
      type: "breaker.changed",
      to: "half_open",
      reason: { rule: "resumed" },
      seq: event.seq,
    };
  }
  if (event.settings) {
    opening.changed = true;
    if (JSON.stringify(event.settings.agents) !== JSON.stringify(opening.settings.agents))
      opening.freshSince = "agents";
    // Another set-up or shell may end otherwise on the base.
    delete opening.baseline;
    opening.settings = event.settings;
    opening.origins = event.origins;
    opening.policy = event.policy;
  }
  if (event.preset) opening.preset = event.preset;
  if (event.settingsSha256) opening.settingsSha256 = event.settingsSha256;
}

function nothingSince(atMs: number): SinceResume {
  return {
    atMs,
    sessions: [],
    submissions: [],
    refusals: [],
    mergeRepairs: 0,
    wait: { untilMs: 0, reason: { rule: "no_relay" } },
    suspended: new Map(),
  };
}

function waivedWords(waived: readonly Waiver[] = []): string {
  return waived.length === 0 ? "" : t`, without its ${waived.map(named).join(t` and `)}`;
}
