#!/bin/sh
# Stands in for a coding agent: it plays all three roles as docs/command-agent.md describes them.
cat > "$TMPDIR/prompt.md"
shows='node ask.js login | grep -qx 200'
case "$MONOCO_ROLE" in
author)
  echo '{"title": "The login page is there", "type": "fix", "objective": "Members can log in.", "criteria": [{"kind": "behaves", "text": "`node ask.js login` prints 200"}], "checks": []}'
  ;;
reviewer)
  monoco check >&2 && sh -c "$shows" || exit 1
  met="\"result\":\"met\",\"command\":\"$shows\",\"exitCode\":0"
  all=$(seq "$MONOCO_CRITERIA" | sed "s/.*/{\"criterion\":&,$met}/" | paste -sd, -)
  probe='{"command":"node ask.js private/login | grep -qx 404","exitCode":0}'
  echo "{\"type\":\"verdict\",\"verdict\":\"approve\",\"criteria\":[$all],\"probes\":[$probe]}"
  ;;
*)
  sed -i 's/home: "Welcome"/home: "Welcome", login: "Your name?"/' pages.js
  echo 'test("the login page is there", () => assert.equal(answer("login"), 200));' >> pages.test.js
  git commit -qam "$MONOCO_ISSUE Add the login page"
  monoco issue submit
  ;;
esac
