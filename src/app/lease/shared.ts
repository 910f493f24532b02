/** What a relay of a remote run does on the remote, under the lease that its runner holds. */
import { refs } from "../../git/refs.ts";
import { listRemote } from "../../git/carry/remote.ts";
import { commitOf, moveRef } from "../../git/repository.ts";
import type { Shared } from "../../relay/relay.ts";
import type { Carrier } from "../carry/own.ts";
import { followBase } from "./base.ts";
import type { Holding } from "./holding.ts";

export function sharedBy(
  { carrier, issue, holding }: { carrier: Carrier; issue: string; holding: Holding },
  base: string,
): Shared {
  const { here, remote, prefix } = carrier;
  return {
    name: remote.name,
    push: () => holding.push(),
    follow: () => followBase(here, remote, base),
    tip: async (branch) => {
      const ref = `refs/heads/${branch}`;
      return (await listRemote(remote, [ref])).get(ref) ?? "";
    },
    land: async ({ branch, from, to }) => {
      const mark = branch === base ? undefined : `${prefix}/${issue}/pushed`;
      return holding.land({ ref: `refs/heads/${branch}`, from, to }, mark);
    },
  };
}

/** Takes up the commit that another machine last pushed to the relay's branch: only that one may be replaced there. */
export async function takePushed({ here }: Carrier, issue: string): Promise<void> {
  const { git } = here.repository;
  const there = await commitOf(git, `${refs.there(issue)}/pushed`);
  if (there !== undefined) await moveRef(git, refs.pushed(issue), there);
}
