/** Ways in which a session of the real OpenCode ends that are not its API's doing: denied tools, signals, and what it would leave behind. */
import { leave, lookAtLeft, signalDriver, stays, wasAlive } from "./ends.ts";
import { bash, opencodeTable } from "./opencode-table.ts";
import type { Row } from "./opencode-table.ts";

opencodeTable([
  [
    "what the person's own configuration denies is denied, what it would ask for is allowed, and the session goes on",
    {
      recording: "denied",
      turns: [
        bash("touch denied.txt"),
        bash("echo yes > asked.txt"),
        { text: "It is denied." },
        { text: "It is." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 4,
      config: { permission: { bash: { "*": "ask", "touch *": "deny" } } },
      told: "a rule which prevents you",
      denied: ["bash"],
      missing: ["denied.txt"],
      made: { "asked.txt": /^yes$/m },
    },
  ],
  [
    "a whole tool that is denied is not offered, which nothing tells apart from one that there is none of",
    {
      recording: "denied-whole",
      turns: [bash("touch denied.txt"), { text: "It is denied." }, { text: "It is." }],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 3,
      config: { permission: { bash: "deny" } },
      told: "unavailable tool",
      missing: ["denied.txt"],
    },
  ],
  [
    "a TERM from outside is no completion", // TRAP 11
    {
      recording: "terminated",
      turns: [bash("kill -TERM $PPID; sleep 60")],
      reason: "failure",
      evidence: "opencode ended by itself",
      requests: 1,
    },
  ],
  [
    "a KILL from outside is a failure, and the command that it leaves alive is gone", // TRAP 7
    {
      recording: "killed",
      turns: [bash(`${leave}; kill -KILL $PPID; sleep 6000`)],
      reason: "failure",
      evidence: "opencode ended by itself (SIGKILL)",
      requests: 1,
      made: { "left.pid": /^\d+\n$/ },
    },
  ],
  [
    "a driver that is told to stop from outside has failed, and takes its server and its tools along",
    {
      recording: "driver-terminated",
      turns: [bash(signalDriver("TERM"))],
      reason: "failure",
      evidence: "exit status 143",
      requests: 1,
      made: { "signalled.txt": /opencode\/program/ },
    },
  ],
  ...[false, true].map((uncontained): [string, Row] => [
    `a driver that is killed takes its server and its tools along${uncontained ? ", also without a namespace" : ""}`, // TRAP 7
    {
      recording: "driver-killed",
      turns: [bash(signalDriver("KILL"))],
      reason: "failure",
      evidence: "killed by",
      requests: 1,
      made: { "signalled.txt": /opencode\/program/ },
      ...(uncontained ? { uncontained } : {}),
    },
  ]),
  [
    "a command in the background that holds its tool's output ends with the tool, at its time-out", // TRAP 7
    {
      recording: "background",
      turns: [
        { tools: [{ name: "bash", input: { command: `${stays} &`, timeout: 3_000 } }] },
        bash(lookAtLeft),
        { text: "Done." },
        { text: "Yes." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 4,
      made: { "left.pid": /^\d+\n$/ },
      missing: Object.keys(wasAlive),
    },
  ],
  [
    "a command in the background that holds nothing outlives its tool, but not its session", // TRAP 7
    {
      recording: "background-silent",
      turns: [
        bash(`${stays} > /dev/null 2>&1 & until [ -s left.pid ]; do sleep 0.1; done`),
        bash(lookAtLeft),
        { text: "Done." },
        { text: "Yes." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 4,
      made: wasAlive,
    },
  ],
  ...[false, true].map((uncontained): [string, Row] => [
    `a grandchild that left its session is gone with it${uncontained ? ", also without a namespace" : ""}`, // TRAP 7
    {
      recording: "grandchild",
      turns: [bash(leave), bash(lookAtLeft), { text: "Done." }, { text: "Yes." }],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 4,
      made: wasAlive,
      ...(uncontained ? { uncontained } : {}),
    },
  ]),
]);
