#!/bin/sh
# Stands before git on the PATH of a run, and counts the starts of each of its commands: gits run side by side, but hardly
# two of one command. Beside it lies `settings`, in shell: NTH, the start that meets INJECT, as `fetch.3` (`every`: each is
# logged instead, to learn its calls); GIT and STRACE, the real programs; TRACED, the calls.
here=${0%/*}
command=none
skip=
for word; do
  [ "$skip" ] && skip= && continue
  case "$word" in
  -c | -C) skip=yes ;;
  -*) ;;
  *) command=$word && break ;;
  esac
done
# The shell makes a file that is not there yet: of two starts at once, one gets the number. No other program is started for it.
set -C
nth=1
while ! true 2>/dev/null >"$here/starts.$command.$nth"; do nth=$((nth + 1)); done
set +C
. "$here/settings"
case "$NTH" in
every) exec "$STRACE" --seccomp-bpf -f -y -ttt -o "$here/log.$command.$nth" -e "trace=$TRACED" "$GIT" "$@" ;;
"$command.$nth") exec "$STRACE" --seccomp-bpf -f -y -o "$here/met.log" -e "trace=$TRACED" -e "inject=$INJECT" "$GIT" "$@" ;;
*) exec "$GIT" "$@" ;;
esac
