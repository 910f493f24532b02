/** How much of the network a sandbox leaves open, and which hosts an entry of `networkHosts` names. */

export const networkModes = ["full", "vendors", "none"] as const;
export type NetworkMode = (typeof networkModes)[number];

/** A name, or `*.` and a name of two parts at the least, or an address; each with a port or without one. */
const entry = /^(?:(\*\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)|\[([0-9a-f:.]+)\])(?::(\d{1,5}))?$/i;

export type HostEntry = { host: string; below: boolean; port: number | undefined };

export function hostEntryOf(text: string): HostEntry | undefined {
  const [, star, name, bracketed, port] = entry.exec(text) ?? [];
  const host = name ?? bracketed;
  const below = star !== undefined;
  if (host === undefined || (below && !host.includes("."))) return undefined;
  return { host: host.toLowerCase(), below, port: port === undefined ? undefined : Number(port) };
}

/** `exactly`: an entry names this very host, so that it may lie in a private network. */
export type Allowed = "exactly" | "below" | undefined;

/** `*.example.com` names every host below example.com, and not example.com itself. */
export function allowedBy(entries: readonly string[], host: string, port: number): Allowed {
  const own = host.toLowerCase().replace(/\.$/, "");
  const meant = entries
    .flatMap((text) => hostEntryOf(text) ?? [])
    .filter((one) => one.port === undefined || one.port === port);
  if (meant.some((one) => !one.below && one.host === own)) return "exactly";
  return meant.some((one) => one.below && own.endsWith(`.${one.host}`)) ? "below" : undefined;
}
