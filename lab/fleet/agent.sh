#!/bin/sh
# Plays both roles of a weekend's issues, each of which says in its title how it goes and how many seconds a session of it takes.
# Notes each session in the file $1 when its own work is over: from then on the time is monoco's.
began=$(date +%s.%N)
cat > /dev/null
note() { echo "$MONOCO_ISSUE $MONOCO_ROLE $began $(date +%s.%N)" >> "$1"; }
n=${MONOCO_ISSUE#FEAT-}
title=$(sed -n 's/^title: //p' "issues/$MONOCO_ISSUE.md")
seconds=${title##* }
if [ "$MONOCO_ROLE" = reviewer ]; then
  sleep "$seconds"
  met='"result":"met","command":"test \"$(sh greet-'$n'.sh)\" = \"hello '$n'\"","exitCode":0'
  probe='{"command":"sh greet-'$n'.sh | grep -qv bye","exitCode":0}'
  echo '{"type":"verdict","verdict":"approve","criteria":[{"criterion":1,'"$met"'}],"probes":['"$probe"'],"answers":[{"id":"W1","text":"a test comes with it"}],"summary":"It greets"}'
  note "$1"
  exit
fi
sleep "$seconds"
case "$title" in
*hopeless*) note "$1" && echo "TypeError: nobody is there" >&2 && exit 1 ;;
*question*) note "$1" && monoco relay ask "Hello or hi, in greeting $n?" && exit ;;
*long*) [ -f "greet-$n.sh" ] || {
  echo "echo hello $n" > "greet-$n.sh"
  git add -A && git commit -qm "Greet $n"
  note "$1" && monoco relay prepare > /dev/null
  exit
} ;;
esac
echo "echo hello $n" > "greet-$n.sh"
echo "[ \"\$(sh greet-$n.sh)\" = 'hello $n' ]" > "test/greet-$n.sh"
git add -A && git commit -qm "Greet $n, with a test"
note "$1" && monoco issue submit > /dev/null
