#!/bin/sh
# Stands before git on the PATH of a run, and counts its starts. Beside it lies `settings`, in shell: NTH, the start that
# meets INJECT (`every`: each is logged instead, to learn its calls); GIT and STRACE, the real programs; TRACED, the calls.
here=${0%/*}
exec 9>>"$here/starts"
flock 9
echo >&9
nth=0
while read -r _; do nth=$((nth + 1)); done <"$here/starts"
exec 9>&-
. "$here/settings"
case "$NTH" in
every) exec "$STRACE" -f -y -o "$here/git.$nth.log" -e "trace=$TRACED" "$GIT" "$@" ;;
"$nth") exec "$STRACE" -f -y -o "$here/met.log" -e "trace=$TRACED" -e "inject=$INJECT" "$GIT" "$@" ;;
*) exec "$GIT" "$@" ;;
esac
