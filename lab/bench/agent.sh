#!/usr/bin/env bash
# The instant agent: a commit and a handoff, after $2 seconds if given. It notes itself when it began and ended, as one line of the file $1.
began=$EPOCHREALTIME
cat >/dev/null
[ -z "$2" ] || sleep "$2"
echo "$MONOCO_ISSUE session $MONOCO_SESSION" >>work.txt
git add work.txt && git commit --quiet --message "$MONOCO_ISSUE Add a line"
cat >RALPH.md <<END
# RALPH.md

## Metadata
- Issue: $MONOCO_ISSUE
- Session: $MONOCO_SESSION

## Current state
- Stage: implementing
- Working on: work.txt

## Done
- [x] Line $MONOCO_SESSION

## To do
- [ ] The next line

## Key decisions
1. One line a session

## Next steps (read first)
1. Add the next line

## Warnings
- ⚠️ None

## Patterns
- None
END
echo "$began $EPOCHREALTIME" >>"$1"
