#!/bin/sh
# The agent of a relay that is going to be disturbed: the tree says what is left to do, so it may be ended anywhere and
# begun again. It proves that it is alone in its relay (the folder around its clone is the repository's): whatever lives of it holds a lock, and who finds that held writes OVERLAP to LOG.
# Arguments: FOLDER (for its locks) LOG SECONDS (how long it works before each step)
exec 9>>"$1/$(basename "$(dirname "$PWD")").$MONOCO_ISSUE.lock"
flock -n 9 || { echo "OVERLAP $MONOCO_ISSUE $MONOCO_ROLE $MONOCO_SESSION" >>"$2"; exit 9; }
echo "start $MONOCO_ISSUE $MONOCO_ROLE $MONOCO_SESSION" >>"$2"
cat >/dev/null
pause() { [ "$1" = 0 ] || { sleep 60 & sleep "$1"; }; }
pause "$3"
if [ "$MONOCO_ROLE" = reviewer ]; then
  sed "s/WORK/$MONOCO_ISSUE/g" <<'END'
{"type":"verdict","verdict":"approve","criteria":[{"criterion":1,"result":"met","command":"sh WORK.sh | grep -q two","exitCode":0,"text":"found"}],"probes":[{"command":"test -s WORK.sh","exitCode":0,"text":"not empty"}],"findings":[],"answers":[{"id":"W1","text":"one file, which the command runs"}]}
END
elif [ -e $MONOCO_ISSUE.sh ]; then
  grep -q two $MONOCO_ISSUE.sh || echo "echo two" >>$MONOCO_ISSUE.sh
  git add $MONOCO_ISSUE.sh && git commit --quiet --message "$MONOCO_ISSUE Write two"
  pause "$3"
  monoco issue submit >/dev/null || exit 1
else
  echo "echo one" >$MONOCO_ISSUE.sh
  git add $MONOCO_ISSUE.sh && git commit --quiet --message "$MONOCO_ISSUE Write one"
  pause "$3"
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
fi
echo "end $MONOCO_ISSUE $MONOCO_ROLE $MONOCO_SESSION" >>"$2"
