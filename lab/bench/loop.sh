#!/usr/bin/env bash
# The bash loop: the agent $1 with the log $2, $3 times, on the prompt $4. It keeps nothing.
for ((session = 1; session <= $3; session++)); do
  MONOCO_SESSION=$session bash "$1" "$2" <"$4"
done
