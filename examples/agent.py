#!/usr/bin/env python3
"""An agent of your own: put your model where it says so. The protocol is in docs/command-agent.md."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def say(type, **fields):
    """Each line of standard output that is a JSON object is an event."""
    print(json.dumps({"type": type, **fields}), flush=True)


def run(*command):
    """Runs a command; its output goes to standard error, so that nothing in it can pass for an event."""
    return subprocess.run(command, stdout=sys.stderr).returncode


def asked_to_wrap_up():
    """monoco writes to this file that the context or the time is running out."""
    live = json.loads((Path(os.environ["MONOCO_SESSION_DIR"]) / "live.json").read_text())
    return "wrapUp" in live


def hand_over(todo):
    """The first call writes RALPH.md with the known facts; the second one checks what was added."""
    run("monoco", "relay", "prepare")
    path = Path("RALPH.md")
    heading = "## Next steps (read first)\n"
    path.write_text(path.read_text().replace(heading, f"{heading}1. Write the steps from {todo} on\n"))
    return run("monoco", "relay", "prepare")


def execute(prompt):
    log = Path("work.log")
    done = len(log.read_text().splitlines()) if log.exists() else 0
    for step in range(done + 1, 4):
        if asked_to_wrap_up():
            return hand_over(step)
        say("usage", contextTokens=len(prompt) // 4 + 20_000 * (step - done), windowTokens=200_000)
        time.sleep(0.3)  # your model's work goes here; it gets the prompt
        with log.open("a") as file:
            file.write(f"step {step} by session {os.environ['MONOCO_SESSION']}\n")
        run("git", "add", "--all")
        run("git", "commit", "--quiet", "--message", f"{os.environ['MONOCO_ISSUE']} Write step {step}")
    return run("monoco", "issue", "submit")


def review():
    """An approval needs evidence for each criterion, and a probe beyond the checks; monoco runs both again."""
    evidence = {"command": "monoco check", "exitCode": run("monoco", "check")}
    probe = {"command": "grep -q '^step 3 ' work.log", "exitCode": run("grep", "-q", "^step 3 ", "work.log")}
    if evidence["exitCode"] != 0 or probe["exitCode"] != 0:
        finding = {"id": "steps-missing", "severity": "major", "title": "A step is missing", "criterion": "1"}
        say("verdict", verdict="request_changes", findings=[finding])
        return 0
    criteria = range(1, int(os.environ["MONOCO_CRITERIA"]) + 1)
    met = [{"criterion": number, "result": "met", **evidence} for number in criteria]
    say("verdict", verdict="approve", criteria=met, probes=[probe], summary="All steps are there")
    return 0


if __name__ == "__main__":
    text = sys.stdin.read()  # the role, the contract, the last handoff
    sys.exit(review() if os.environ["MONOCO_ROLE"] == "reviewer" else execute(text))
