/** bubblewrap's arguments for the network, and the start of a program behind the proxy. */
import { programOf } from "../lines.ts";
import { asking } from "../go-ahead.ts";
import type { Lent } from "../go-ahead.ts";
import { proxyPort } from "./place.ts";

/** The proxy's folder; without one, the program has its loopback only. */
export type NetworkView = { proxy?: string };

const address = `http://127.0.0.1:${proxyPort}`;
/** Both spellings: curl reads `http_proxy` in lower case only, other programs read the upper case. */
const variables: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "all_proxy"].flatMap((name) => [
      [name, address],
      [name.toUpperCase(), address],
    ]),
  ),
  ...Object.fromEntries(["no_proxy", "NO_PROXY"].map((name) => [name, "localhost,127.0.0.1,::1"])),
  // Makes Node's own fetch and http (from 22.21 and 24) use these variables.
  NODE_USE_ENV_PROXY: "1",
};

export function networkWords(network: NetworkView | undefined): string[] {
  if (!network) return [];
  const set = Object.entries(network.proxy === undefined ? {} : variables);
  return ["--unshare-net", ...set.flatMap(([name, value]) => ["--setenv", name, value])];
}

/** The shell stays as the namespace's first process, and the namespace ends with it. It ignores an INT to the program's group. */
const runs = 'trap : INT; "$@"; exit $?';
/** Closes the runner's descriptors, except the streams. */
const only = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-;";
const waits = 'case $("$1" "$2" "$3" < /dev/null &) in ready) shift 3;';
const silent = 'echo "monoco-session: the way to the network did not open" >&2; exit 1';

/** The arguments of `sh -c` that come before the program. */
export function startWords(network: NetworkView | undefined, lent: Lent): string[] {
  const before = `${asking(lent)}${only}`;
  if (network?.proxy === undefined) return [`${before} ${runs}`, "monoco-session"];
  const forward = [process.execPath, programOf(import.meta.url), network.proxy];
  return [`${before} ${waits} ${runs};; esac; ${silent}`, "monoco-session", ...forward];
}
