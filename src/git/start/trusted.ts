/** The configuration and environment of every git that monoco starts, which make it safe. */
import { io } from "../../io/io.ts";

/** Overrides any configuration that a person or an agent left: git executes nothing but itself. */
export const config = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  // The root of a repository without a main worktree is a bare one.
  "safe.bareRepository=all",
  "core.quotePath=false",
  "core.untrackedCache=false",
  "core.attributesFile=/dev/null",
  "core.safecrlf=false",
  // Git trusts the index about a file only if all times and numbers that it can compare are unchanged.
  "core.trustctime=true",
  "core.checkStat=default",
  "core.ignoreStat=false",
  "core.splitIndex=false",
  "color.ui=false",
  // What git log prints is read.
  "i18n.logOutputEncoding=UTF-8",
  "log.showSignature=false",
  "protocol.allow=never",
  "protocol.file.allow=always",
  "transfer.fsckObjects=true",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
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
    // A commit is what its id says, whatever stands in for it here (git replace, grafts).
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: "/dev/null/none",
    // A progress message (after 2 s of a checkout) would kill a git that outlives its runner.
    GIT_PROGRESS_DELAY: "86400",
  };
}
