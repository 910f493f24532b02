/** Joins the fleet of this repository, for a run that shares its backlog with other machines. */
import { databaseOf } from "../../core/lease/database.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { io } from "../../io/io.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { spendingsReader } from "../../store/spendings.ts";
import { othersHere } from "../here.ts";
import type { Here } from "../here.ts";
import { slotHere } from "../lease/seen.ts";
import type { Claims } from "../queue/claims.ts";
import { Fleet, queueOfRepository } from "./fleet.ts";
import { accountIn, fleetQueue } from "./queue.ts";

export type Joined = {
  here: Here;
  /** The claims of a run, with the fleet asked first. */
  around(claims: Claims): Claims;
  leave(): Promise<void>;
};

export async function joinFleet(
  here: Here,
  { settings, url, tell }: { settings: Settings; url: string | undefined; tell(text: string): void },
): Promise<Joined> {
  const database = databaseOf(url, io().env);
  const read = spendingsReader(repositoryPlaces(here.repository.root, io().env).relays, othersHere(here));
  const fleet = await Fleet.join({
    database,
    queue: await queueOfRepository(here.repository, settings.base),
    slot: slotHere(here),
    spent: (sinceMs) => read({ sinceMs, except: "" }),
    tell,
  });
  const account = accountIn(settings);
  return {
    here: { ...here, elsewhere: fleet.elsewhere },
    around: (claims) => (issue) => fleetQueue(fleet, { inner: claims(issue), account }),
    leave: () => fleet.leave(),
  };
}
