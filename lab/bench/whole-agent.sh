#!/usr/bin/env bash
# The agent of a whole relay: a commit and a handoff, a commit and `monoco issue submit`, and a Reviewer's approval. It notes in the
# file $1 when it began and ended its own work, and in $1.disk how many kilobytes its clone takes. Submitting is monoco's time.
began=$EPOCHREALTIME
cat >/dev/null
# Longer than a second, as any agent works: git, which tells times to the second, reads files again that are as young as its index.
sleep 1.2
note() { echo "$began $EPOCHREALTIME" >>"$1"; }
if [ "$MONOCO_ROLE" = reviewer ]; then
  cat <<END
{"type":"verdict","verdict":"approve","criteria":[{"criterion":1,"result":"met","command":"sh $MONOCO_ISSUE.sh | grep -q two","exitCode":0,"text":"found"}],"probes":[{"command":"test -s $MONOCO_ISSUE.sh","exitCode":0,"text":"not empty"}],"findings":[],"answers":[{"id":"W1","text":"the repository has no tests"}]}
END
  note "$1"
elif [ -e $MONOCO_ISSUE.sh ]; then
  echo "echo two" >>$MONOCO_ISSUE.sh
  git add $MONOCO_ISSUE.sh && git commit --quiet --message "$MONOCO_ISSUE Write two"
  note "$1"
  monoco issue submit >/dev/null
  du -sk . >>"$1.disk"
else
  echo "echo one" >$MONOCO_ISSUE.sh
  git add $MONOCO_ISSUE.sh && git commit --quiet --message "$MONOCO_ISSUE Write one"
  cat >RALPH.md <<END
# RALPH.md

## Metadata
- Issue: $MONOCO_ISSUE
- Session: $MONOCO_SESSION

## Current state
- Stage: implementing
- Working on: $MONOCO_ISSUE.sh

## Done
- [x] Line one

## To do
- [ ] Line two

## Key decisions
1. One line a session

## Next steps (read first)
1. Add line two

## Warnings
- ⚠️ None

## Patterns
- None
END
  note "$1"
fi
