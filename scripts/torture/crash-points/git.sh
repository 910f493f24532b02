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
exec 9>>"$here/starts.$command"
flock 9
echo >&9
nth=0
while read -r _; do nth=$((nth + 1)); done <"$here/starts.$command"
exec 9>&-
. "$here/settings"
case "$NTH" in
every) exec "$STRACE" -f -y -o "$here/log.$command.$nth" -e "trace=$TRACED" "$GIT" "$@" ;;
"$command.$nth") exec "$STRACE" -f -y -o "$here/met.log" -e "trace=$TRACED" -e "inject=$INJECT" "$GIT" "$@" ;;
*) exec "$GIT" "$@" ;;
esac
