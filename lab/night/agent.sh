#!/bin/sh
# Plays both roles of a night's twelve issues; each issue has a fault of its own, by its number.
cat > "$TMPDIR/prompt.md"
id=$MONOCO_ISSUE
five="node src/$id.mjs | grep -qx 5"

work() {
  mkdir -p src
  printf 'export default 5;\nconsole.log(5);\n' > "src/$id.mjs"
  cat > "test/$id.test.mjs" <<END
import assert from "node:assert/strict";
import { test } from "node:test";
import five from "../src/$id.mjs";

test("$id is five", () => assert.equal(five, 5));
END
  git add -A
  git commit -qm "$id is five"
  monoco issue submit
}

if [ "$MONOCO_ROLE" = reviewer ]; then
  [ "$id" = FEAT-0009 ] && exit
  [ "$id" = FEAT-0012 ] && five="test -e nothing-of-the-kind"
  monoco check >&2 || exit 1
  met="\"result\":\"met\",\"command\":\"$five\",\"exitCode\":0"
  all=$(seq "$MONOCO_CRITERIA" | sed "s#.*#{\"criterion\":&,$met}#" | paste -sd, -)
  probe='{"command":"node src/'$id'.mjs","exitCode":0}'
  echo "{\"type\":\"verdict\",\"verdict\":\"approve\",\"criteria\":[$all],\"probes\":[$probe]}"
  exit
fi

case "$id,$MONOCO_SESSION" in
FEAT-0001,*) echo '{"type":"question","text":"Which port?"}' ;;
FEAT-0002,1) kill -KILL $$ ;;
FEAT-0003,*) printf 'RALPH_STATUS:\nSTATUS: complete\nTESTS_STATUS: passing\nEXIT_SIGNAL: true\n' ;;
FEAT-0004,1) echo '{"type":"usage","contextTokens":199000,"windowTokens":200000}' && exec sleep 600 ;;
FEAT-0005,*) exit 1 ;;
FEAT-0006,*) mkdir -p .github/workflows && echo 'on: push' > .github/workflows/ci.yml && work ;;
FEAT-0008,*) echo 'export default 2;' > src/one.mjs && sed -i 's/^test(/test.skip(/' test/base.test.mjs && work ;;
FEAT-0010,1) echo "{\"type\":\"limit\",\"kind\":\"usage\",\"resetsAt\":\"$(date -u -d '+4 seconds' +%FT%TZ)\"}" ;;
*) work ;;
esac
