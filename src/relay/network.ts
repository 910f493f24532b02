/** The network of what a relay starts in a sandbox: opened for a session, a set-up or a check, with a record of what it refused. */
import { appendFileSync } from "node:fs";
import type { Refusal } from "../agents/network/proxy.ts";
import { vendorHosts } from "../agents/network/hosts.ts";
import type { NetworkView } from "../agents/network/words.ts";
import type { AgentSettings } from "../agents/agent.ts";
import { attempt } from "../core/error/attempt.ts";
import type { EventOf } from "../core/journal/event.ts";
import { refusedHostsMax } from "../core/limits.ts";
import type { Settings } from "../core/settings/settings.ts";
import { removeTree } from "../git/folders.ts";
import { settingsOf } from "./relay.ts";
import type { Relay } from "./relay.ts";
import { networkFolder } from "./temporary.ts";

type Refused = EventOf<"network.refused">["refused"];

type Opening = {
  settings: Pick<Settings, "network" | "networkHosts">;
  env: Readonly<Record<string, string | undefined>>;
  /** Whose vendor's hosts are reached, too. */
  agent?: AgentSettings;
  /** A file that a person or an agent reads: each host is named there once. */
  log: string;
  /** A new folder for the proxy's socket. */
  makeFolder(): string;
};

/** Runs something with the network that the settings leave it; undefined is all of it. `refused` grows while it runs. */
export async function withNetwork<T>(
  { settings: { network, networkHosts }, env, agent, log, makeFolder }: Opening,
  run: (view: NetworkView | undefined, refused: Refused) => Promise<T>,
): Promise<T> {
  if (network !== "vendors") return run(network === "none" ? {} : undefined, []);
  const { openProxy, refusalLine } = await import("../agents/network/proxy.ts");
  const folder = makeFolder();
  const refused: Refused = [];
  const vendor = agent ? vendorHosts(agent).map((host) => `${host}:443`) : [];
  const hosts = { vendor, named: networkHosts };
  const onRefused = (one: Refusal): void => {
    if (count(refused, one)) attempt(() => appendFileSync(log, `${refusalLine(one)}\n`), undefined);
  };
  const proxy = await openProxy({ folder, hosts, env, onRefused });
  try {
    return await run({ proxy: folder }, refused);
  } finally {
    proxy.close();
    removeTree(folder);
  }
}

/** For the journal: what a session's sandbox leaves, where that is not all. */
export function networkRecorded({ network }: Pick<Settings, "network">): {
  network?: Exclude<Settings["network"], "full">;
} {
  return network === "full" ? {} : { network };
}

/** The same for a relay, whose journal gets what was refused. */
export async function withNetworkOf<T>(
  relay: Relay,
  of: Pick<Opening, "agent" | "log"> & { session?: number; command?: string },
  run: (view: NetworkView | undefined) => Promise<T>,
): Promise<T> {
  const { session, command, ...opening } = of;
  const whose = { ...opening, settings: settingsOf(relay), env: relay.env };
  return withNetwork({ ...whose, makeFolder: () => networkFolder(relay) }, async (view, refused) => {
    const result = await run(view);
    const by = session === undefined ? { command } : { session };
    if (refused.length > 0) relay.record({ type: "network.refused", ...by, refused });
    return result;
  });
}

/** Whether it is the first time. */
function count(refused: Refused, { host, port, why }: Refusal): boolean {
  const known = refused.find((one) => one.host === host && one.port === port && one.why === why);
  if (known) known.times += 1;
  if (known || refused.length >= refusedHostsMax) return false;
  refused.push({ host, port, why, times: 1 });
  return true;
}
