#!/bin/sh
# The agent of a run on one of several machines: the tree says what is left to do, so it may be ended anywhere and go on elsewhere.
# Arguments: FOLDER (around all machines) SAID (what it says of itself, a line of JSON each) SECONDS (how long it works before each step)
folder=$1 said=$2 seconds=$3
machine=${PWD#"$folder/"}
machine=${machine%%/*}
say() {
  read -r up _ </proc/uptime
  printf '{"atMs":%s0,"worker":"%s","what":"%s","issue":"%s","text":"%s %s"}\n' "$(echo "$up" | tr -d .)" "$machine" "$1" "$MONOCO_ISSUE" "$MONOCO_ROLE" "$MONOCO_SESSION" >>"$said"
}
say start
trap 'say end' EXIT
trap 'exit 1' INT TERM
cat >/dev/null
sleep "$seconds"
file=$MONOCO_ISSUE.sh
if [ "$MONOCO_ROLE" = reviewer ]; then
  sed "s/WORK/$MONOCO_ISSUE/g" <<'END'
{"type":"verdict","verdict":"approve","criteria":[{"criterion":1,"result":"met","command":"sh WORK.sh | grep -q two","exitCode":0,"text":"found"}],"probes":[{"command":"test -s WORK.sh","exitCode":0,"text":"not empty"}],"findings":[],"answers":[{"id":"W1","text":"one file, which the command runs"}]}
END
elif [ -e "$file" ]; then
  grep -q two "$file" || echo "echo two" >>"$file"
  git add "$file" && git commit --quiet --message "$MONOCO_ISSUE Write two"
  sleep "$seconds"
  monoco issue submit >/dev/null || exit 1
else
  echo "echo one" >"$file"
  git add "$file" && git commit --quiet --message "$MONOCO_ISSUE Write one"
  sleep "$seconds"
fi
