#!/bin/sh
# Stands in for a coding agent: it plays all three roles as docs/command-agent.md describes them.
cat > "$TMPDIR/prompt.md"
ask="$(cat ask)"
shows="$ask login | grep -qx 200"
case "$MONOCO_ROLE" in
author)
  echo '{"title": "The login page is there", "type": "fix", "objective": "Members can log in.", "criteria": [{"kind": "behaves", "text": "`'"$ask"' login` prints 200"}], "checks": []}'
  ;;
reviewer)
  monoco check >&2 && sh -c "$shows" || exit 1
  met="\"result\":\"met\",\"command\":\"$shows\",\"exitCode\":0"
  all=$(seq "$MONOCO_CRITERIA" | sed "s/.*/{\"criterion\":&,$met}/" | paste -sd, -)
  probe="{\"command\":\"$ask private/login | grep -qx 404\",\"exitCode\":0}"
  echo "{\"type\":\"verdict\",\"verdict\":\"approve\",\"criteria\":[$all],\"probes\":[$probe]}"
  ;;
*)
  sh work.sh
  git add -A && git commit -qm "$MONOCO_ISSUE Add the login page"
  monoco issue submit
  ;;
esac
