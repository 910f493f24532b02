/** Opens the network of a sandbox for a session, a set-up or a check, and records what it refused. */
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
  /** The agent whose vendor's hosts are allowed. */
  agent?: AgentSettings;
  /** The log for people and agents that names each refused host once. */
  log: string;
  /** Makes a new folder for the proxy's socket. */
  makeFolder(): string;
};

/** Runs `run` with the network of the settings; an undefined view is the whole network. `refused` grows during the run. */
export async function withNetwork<T>(
  { settings: { network, networkHosts }, env, agent, log, makeFolder }: Opening,
  run: (view: NetworkView | undefined, refused: Refused) => Promise<T>,
): Promise<T> {
  if (network !== "vendors") return run(network === "none" ? {} : undefined, []);
  const { openProxy, refusalLine } = await import("../agents/network/proxy.ts");
  const folder = makeFolder();
  const refused: Refused = [];
  const vendor = agent ? vendorHosts(agent).map((host) => `${host}:443`) : [];
  const hosts = { vendor, chosen: networkHosts };
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

/** The network setting for the journal; empty for the full network. */
export function networkRecorded({ network }: Pick<Settings, "network">): {
  network?: Exclude<Settings["network"], "full">;
} {
  return network === "full" ? {} : { network };
}

/** Runs `run` with the relay's network, and records in the journal what was refused. */
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

/** Counts a refusal; true if it is the first of its kind. */
function count(refused: Refused, { host, port, why }: Refusal): boolean {
  const counted = refused.find((one) => one.host === host && one.port === port && one.why === why);
  if (counted) counted.times += 1;
  if (counted || refused.length >= refusedHostsMax) return false;
  refused.push({ host, port, why, times: 1 });
  return true;
}
