/** The network that a sandbox leaves open, and the hosts that an entry of `networkHosts` covers. */

export const networkModes = ["full", "vendors", "none"] as const;
export type NetworkMode = (typeof networkModes)[number];

/** A name, `*.` with a name of at least two parts, or an address; each with an optional port. */
const entry = /^(?:(\*\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)|\[([0-9a-f:.]+)\])(?::(\d{1,5}))?$/i;

export type HostEntry = { host: string; below: boolean; port: number | undefined };

export function hostEntryOf(text: string): HostEntry | undefined {
  const [, star, name, bracketed, port] = entry.exec(text) ?? [];
  const host = name ?? bracketed;
  const below = star !== undefined;
  if (host === undefined || (below && !host.includes("."))) return undefined;
  return { host: host.toLowerCase(), below, port: port === undefined ? undefined : Number(port) };
}

/** `exactly`: an entry names this very host, which may then be in a private network. */
export type Allowed = "exactly" | "below" | undefined;

/** The access to a host: `*.example.com` covers every host below example.com, but not example.com itself. */
export function allowedBy(entries: readonly string[], host: string, port: number): Allowed {
  const own = host.toLowerCase().replace(/\.$/, "");
  const meant = entries
    .flatMap((text) => hostEntryOf(text) ?? [])
    .filter((one) => one.port === undefined || one.port === port);
  if (meant.some((one) => !one.below && one.host === own)) return "exactly";
  return meant.some((one) => one.below && own.endsWith(`.${one.host}`)) ? "below" : undefined;
}
