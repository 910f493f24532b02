#!/bin/sh
# Stands before git on the PATH of a push or pull, and counts the gits that monoco starts. Beside it lies `settings`, in shell:
# GIT, the real program; NTH, the start at which monoco is killed; WHEN, before that git or after it.
here=${0%/*}
. "$here/settings"
set -C
nth=1
while ! true 2>/dev/null >"$here/starts/$nth"; do nth=$((nth + 1)); done
set +C
[ "$nth" = "$NTH" ] || exec "$GIT" "$@"
pid=$PPID
while [ "$pid" -gt 1 ] && ! grep -q 'cli\.[jt]s' "/proc/$pid/cmdline"; do
  pid=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status")
done
[ "$WHEN" = before ] || "$GIT" "$@"
[ "$pid" -le 1 ] || kill -KILL "$pid"
exit 1
