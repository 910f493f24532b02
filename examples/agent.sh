#!/bin/sh
prompt=$(cat) # role, contract, handoff: all comes on standard input
echo "{\"type\":\"usage\",\"contextTokens\":$((${#prompt} / 4)),\"windowTokens\":200000}"
if [ "$MONOCO_ROLE" = reviewer ]; then
  # Evidence for each criterion, and a probe beyond the checks: without them an approval does not count.
  met='"result":"met","command":"monoco check","exitCode":0' # needs `checks:` in monoco.yaml
  all=$(seq "$MONOCO_CRITERIA" | sed "s/.*/{\"criterion\":&,$met}/" | paste -sd, -)
  probe='{"command":"grep -q session work.log","exitCode":0}'
  monoco check && grep -q session work.log &&
    echo "{\"type\":\"verdict\",\"verdict\":\"approve\",\"criteria\":[$all],\"probes\":[$probe]}"
  exit
fi
echo "$MONOCO_ISSUE, session $MONOCO_SESSION" >> work.log # your program's work goes here
git add -A && git commit -qm "$MONOCO_ISSUE Add a line to work.log"
monoco issue submit
