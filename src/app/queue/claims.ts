/** The queue that a run claims its issues by: this machine's locks, or leases on the remote. */
import { isOver } from "../../core/relay/phase.ts";
import { replay } from "../../core/journal/state.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { attempt } from "../../core/error/attempt.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { wholeCarrier } from "../carry/carrier.ts";
import { hasBegun, placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { leaseQueue } from "./lease.ts";
import { localQueue } from "./local.ts";
import type { Queue } from "./port.ts";

export type Claims = (issue: string) => Queue;

export function claimsBy(here: Here, settings: Settings, warn: (text: string) => void): Claims {
  const local = localQueue(here);
  const leased = (of: Pick<Settings, "remote">): Queue => {
    const carrier = wholeCarrier(here, of);
    return leaseQueue(carrier, { minutes: carrier.settings.leaseMinutes, warn });
  };
  if (settings.remote?.runs) {
    const queue = leased(settings);
    return () => queue;
  }
  // A relay that began as one of several machines' goes on so, though the flag is not typed again.
  return (issue) => {
    const remote = openRemote(here, issue);
    return remote ? leased({ remote }) : local;
  };
}

function openRemote(here: Here, issue: string): Settings["remote"] {
  const { journal } = placesFor(here, issue);
  if (!hasBegun(journal)) return undefined;
  // A damaged journal is reported where the relay is opened.
  const opening = attempt(() => replay(viewJournal(journal)).opening, undefined);
  const isOpen = opening !== undefined && !opening.cleared && !isOver(opening);
  return isOpen && opening.settings.remote?.runs ? opening.settings.remote : undefined;
}
