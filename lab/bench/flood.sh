#!/usr/bin/env bash
# An agent that prints 100 MB of what $1 says, or $2.
cat >/dev/null
deep() {
  # A line of 1 MB: values in 150 arrays each.
  values=$(printf '[%.0s' {1..150}; printf 1; printf ']%.0s' {1..150}; printf ,)
  line="{\"type\":\"message\",\"text\":\"deep\",\"data\":[$(for ((n = 0; n < 3300; n++)); do printf %s "$values"; done)1]}"
  while echo "$line"; do :; done 2>/dev/null
}
case $1 in
  lines) yes 'a short line' ;;
  binary) cat /dev/urandom ;;
  deep) deep ;;
esac | head --bytes "${2:-100M}"
