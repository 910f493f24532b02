/** The proxy of the person's own network, if the environment names one for a host. */

type Environment = Readonly<Record<string, string | undefined>>;

export function upstreamFor(env: Environment, scheme: "http" | "https", host: string): URL | undefined {
  const address = wordOf(env, `${scheme}_proxy`) || wordOf(env, "all_proxy");
  if (address === "" || isExcepted(wordOf(env, "no_proxy"), host)) return undefined;
  const url = URL.parse(address.includes("://") ? address : `http://${address}`);
  return url && ["http:", "https:"].includes(url.protocol) ? url : undefined;
}

function wordOf(env: Environment, name: string): string {
  return env[name] || env[name.toUpperCase()] || "";
}

/** Reads the list as curl does: each name stands for itself and all names below it. */
function isExcepted(list: string, host: string): boolean {
  const names = list.toLowerCase().split(/[\s,]+/);
  return names.some((name) => {
    const bare = name.replace(/^\*?\.?/, "").replace(/:\d+$/, "");
    return name === "*" || (bare !== "" && `.${host.toLowerCase()}`.endsWith(`.${bare}`));
  });
}
