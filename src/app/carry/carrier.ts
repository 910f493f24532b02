/** The remote that the settings name, and the relays that a push or pull is about. */
import { prefixOf } from "../../core/carry/sides.ts";
import { issueIdPattern } from "../../core/issue/name.ts";
import { carried, remoteSchema } from "../../core/settings/finish-schema.ts";
import { dryPushMsMax } from "../../core/carry/limits.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { fetchRemote, pushMoves } from "../../git/carry/remote.ts";
import { refs } from "../../git/refs.ts";
import { commitOf } from "../../git/repository.ts";
import { io } from "../../io/io.ts";
import { issuesHandedOver } from "../../store/handovers.ts";
import { repositoryPlaces } from "../../store/places.ts";
import type { Here } from "../here.ts";
import { relayOrHere } from "../here.ts";
import { validId } from "../valid-id.ts";
import { commitsBelow } from "./own.ts";
import type { Carrier } from "./own.ts";

/** Without a setting, the remote is `origin`. */
export function carrierHere(here: Here, { remote }: Pick<Settings, "remote">): Carrier {
  const settings = remote ?? remoteSchema.parse({});
  // What came of a push is read from git's words.
  const run = { cwd: here.repository.root, env: { ...io().env, LC_ALL: "C" } };
  return { here, settings, remote: { name: settings.name, run }, prefix: prefixOf(settings.namespace) };
}

/** For a run that another machine may go on with: all of a relay goes, whatever the settings say. */
export function wholeCarrier(here: Here, given: Pick<Settings, "remote">): Carrier {
  const carrier = carrierHere(here, given);
  return { ...carrier, settings: { ...carrier.settings, carry: [...carried, "wip"] } };
}

/** The named relays, else the one of this branch or the only open one; with `all`, those that are `there`. */
export async function relaysAsked(
  { here }: Carrier,
  { ids, all, there }: { ids: readonly string[]; all: boolean; there: readonly string[] },
): Promise<string[]> {
  if (all) return [...new Set(there)].filter((id) => issueIdPattern.test(id)).toSorted();
  if (ids.length > 0) return [...new Set(ids.map(validId))];
  const places = repositoryPlaces(here.repository.root, io().env);
  return [await relayOrHere(here, undefined, issuesHandedOver(places))];
}

/** The relays that have refs here. */
export async function relaysKept({ here }: Carrier): Promise<string[]> {
  const kept = await commitsBelow(here.repository.git, "refs/monoco");
  return [...kept.keys()].filter((name) => /^[^/]+\/head$/.test(name)).map((name) => name.split("/")[0]!);
}

/** Fetches the relays' refs to a place of their own; no ref that a relay goes by is moved. */
export async function fetchRelays({ remote, prefix }: Carrier, issues: readonly string[]): Promise<void> {
  await fetchRemote(
    remote,
    issues.map((issue) => `+${prefix}/${issue}/*:${refs.there(issue)}/*`),
  );
}

/** Whether the remote would take a relay, by a push that moves nothing: the reason if not. */
export async function tryPush(here: Here, settings: Settings): Promise<string | undefined> {
  const { remote, prefix } = carrierHere(here, settings);
  const to = await commitOf(here.repository.git, `refs/heads/${settings.base}`);
  if (to === undefined) return undefined;
  const run = { ...remote.run, msMax: dryPushMsMax };
  const move = { ref: `${prefix}/TRY-0000/head`, from: "", to };
  const pushed = await pushMoves({ ...remote, run }, [move], ["--dry-run", "--no-verify"]);
  return pushed.is === "taken" ? undefined : pushed.said;
}
