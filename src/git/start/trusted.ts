/** What makes every git that monoco starts a trusted one: its configuration and its environment. */
import { io } from "../../io/io.ts";

/** Whatever configuration a person or an agent left, these win: nothing but git itself is executed. */
export const config = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.quotePath=false",
  "core.untrackedCache=false",
  "core.attributesFile=/dev/null",
  "core.safecrlf=false",
  // What an index says of a file is believed only where everything that git can look at is as it was.
  "core.trustctime=true",
  "core.checkStat=default",
  "core.ignoreStat=false",
  "core.splitIndex=false",
  "color.ui=false",
  "protocol.allow=never",
  "protocol.file.allow=always",
  "transfer.fsckObjects=true",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
  "init.defaultBranch=main",
].flatMap((setting) => ["-c", setting]);

const passed = ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "USER", "LOGNAME"];

export function environment(): Record<string, string> {
  const ambient = passed.flatMap((name) => (io().env[name] ? [[name, io().env[name]]] : []));
  return {
    ...Object.fromEntries(ambient),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    // A git that outlives its runner would die of its first word: a checkout of more than 2 s tells how far it is.
    GIT_PROGRESS_DELAY: "86400",
  };
}
