/** The words of bubblewrap's command line about the network, and how a program starts behind the proxy. */
import { programOf } from "../lines.ts";
import { asking } from "../go-ahead.ts";
import type { Lent } from "../go-ahead.ts";
import { proxyPort } from "./place.ts";

/** The proxy's folder; none, and the program is alone with its loopback. */
export type NetworkView = { proxy?: string };

const address = `http://127.0.0.1:${proxyPort}`;
/** All spellings: curl reads the small one of HTTP_PROXY only, others the large ones. */
const variables: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "all_proxy"].flatMap((name) => [
      [name, address],
      [name.toUpperCase(), address],
    ]),
  ),
  ...Object.fromEntries(["no_proxy", "NO_PROXY"].map((name) => [name, "localhost,127.0.0.1,::1"])),
  // Node's own fetch and http go by the variables from 22.21 and 24 on, where they are asked to.
  NODE_USE_ENV_PROXY: "1",
};

export function networkWords(network: NetworkView | undefined): string[] {
  if (!network) return [];
  const set = Object.entries(network.proxy === undefined ? {} : variables);
  return ["--unshare-net", ...set.flatMap(([name, value]) => ["--setenv", name, value])];
}

/** As the first process of a namespace the shell stays, and the namespace ends with it. An INT to the program's group is not its own. */
const runs = 'trap : INT; "$@"; exit $?';
/** Of the runner's descriptors it has the streams alone. */
const only = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-;";
const waits = 'case $("$1" "$2" "$3" < /dev/null &) in ready) shift 3;';
const silent = 'echo "monoco-session: the way to the network did not open" >&2; exit 1';

/** For `sh -c`, with what comes before the program. */
export function startWords(network: NetworkView | undefined, lent: Lent): string[] {
  const before = `${asking(lent)}${only}`;
  if (network?.proxy === undefined) return [`${before} ${runs}`, "monoco-session"];
  const forward = [process.execPath, programOf(import.meta.url), network.proxy];
  return [`${before} ${waits} ${runs};; esac; ${silent}`, "monoco-session", ...forward];
}
