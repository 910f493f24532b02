#!/usr/bin/env bash
# The agent of every tool, as `claude` on its PATH: does what the file `mode` of its trial says, notes when it began and
# ended, and answers in the form that its arguments ask for. It needs no variable, since tools choose what they pass on.
began=$EPOCHREALTIME
trial=${BASH_SOURCE[0]%/bin/*}
if [[ $1 == --version ]]; then
  echo "2.1.329 (Claude Code)"
  exit
fi
[[ -p /dev/stdin ]] && cat >/dev/null
mode=$(<"$trial/mode")
answer=$(<"$trial/answer")
case $mode in
commit)
  echo "began $began" >>work.txt
  git add work.txt && git commit --quiet --message "Add a line"
  ;;
write)
  for ((line = 0; line < 600; line++)); do
    echo "$began $EPOCHREALTIME" >>"$trial/lines"
    echo "uncommitted line of $began" >>work.txt
    sleep 0.1
  done
  ;;
fail)
  echo "$began $EPOCHREALTIME" >>"$trial/sessions"
  echo "the agent cannot work" >&2
  exit 1
  ;;
idle) command -v monoco >/dev/null && monoco issue submit >>"$trial/submits" 2>&1 ;;
esac
session=11111111-1111-4111-8111-111111111111
if [[ $* == *stream-json* ]]; then
  usage='"usage":{"input_tokens":1,"output_tokens":1}'
  echo "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"$session\",\"model\":\"none\",\"tools\":[],\"cwd\":\".\"}"
  echo "{\"type\":\"assistant\",\"message\":{\"id\":\"m1\",\"role\":\"assistant\",\"model\":\"none\",\"content\":[{\"type\":\"text\",\"text\":\"$answer\"}],$usage},\"session_id\":\"$session\"}"
  echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"terminal_reason\":\"completed\",\"result\":\"$answer\",\"session_id\":\"$session\",\"duration_ms\":1,\"num_turns\":1,\"total_cost_usd\":0,$usage}"
else
  printf '%b\n' "$answer"
fi
echo "$began $EPOCHREALTIME" >>"$trial/sessions"
