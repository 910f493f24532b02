/** Ways in which a session of the real Gemini CLI ends that are not its API's doing: denied tools, signals, and what it would leave behind. */
import { leave, lookAtLeft, signalDriver, stays, wasAlive } from "./ends.ts";
import { geminiTable, shell, thrice } from "./gemini-table.ts";

const byItself = {
  reason: "completed_without_submit",
  evidence: "neither submitted nor handed over",
} as const;

/** What goes through shows that the session has not ended of the denial. */
const wants = (command: string) => [
  shell(command),
  shell("echo yes > allowed.txt"),
  ...thrice({ text: "Then not." }),
];
const allowed = { "allowed.txt": /^yes$/m };
const noTouch = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "touch"
decision = "deny"
priority = 100
`;

geminiTable([
  {
    // Told with the type of a mistake only: no denial that could be counted.
    name: "path-outside",
    turns: [
      { tools: [{ name: "write_file", input: { file_path: "../outside.txt", content: "x" } }] },
      ...thrice({ text: "Then not." }),
    ],
    ...byItself,
    told: "Path not in workspace",
    missing: ["../outside.txt"],
  },
  {
    name: "denied-by-policy",
    args: ["--policy", "no-touch.toml"],
    files: { "no-touch.toml": noTouch },
    turns: wants("touch denied.txt"),
    ...byItself,
    told: "denied by policy",
    denied: ["run_shell_command"],
    missing: ["denied.txt"],
    made: allowed,
  },
  {
    name: "denied-by-hook",
    settings: {
      hooks: {
        BeforeTool: [
          {
            hooks: [
              {
                type: "command",
                command: `grep -q '"command":"touch' && echo not here >&2 && exit 2 || exit 0`,
              },
            ],
          },
        ],
      },
    },
    turns: wants("touch denied.txt"),
    ...byItself,
    told: "not here",
    denied: ["run_shell_command"],
    missing: ["denied.txt"],
    made: allowed,
  },
  {
    // As a tool that is off, this has the type of any failure.
    name: "nobody-to-ask",
    args: ["--policy", "no-touch.toml"],
    files: { "no-touch.toml": noTouch.replace("deny", "ask_user") },
    turns: wants("touch denied.txt"),
    ...byItself,
    told: "requires user confirmation",
    missing: ["denied.txt"],
    made: allowed,
  },
  {
    name: "hooks-off",
    settings: { hooksConfig: { enabled: false } },
    turns: [{ text: "Done." }],
    ...byItself,
    hooksOff: true,
  },
  {
    name: "terminated",
    turns: [shell("kill -TERM $PPID; sleep 60")],
    reason: "failure",
    evidence: "interrupted from outside",
  },
  {
    name: "killed",
    turns: [shell("kill -KILL $PPID; sleep 60")],
    reason: "failure",
    evidence: "SIGKILL",
  },
  {
    name: "driver-terminated",
    turns: [shell(signalDriver("TERM"))],
    reason: "failure",
    evidence: "interrupted from outside",
    made: { "signalled.txt": /gemini\/program/ },
  },
  {
    name: "driver-killed",
    turns: [shell(signalDriver("KILL"))],
    reason: "failure",
    evidence: "killed by",
    made: { "signalled.txt": /gemini\/program/ },
  },
  {
    name: "orphan",
    turns: [shell(leave), shell(lookAtLeft), ...thrice({ text: "Done." })],
    ...byItself,
    made: wasAlive,
  },
  {
    name: "uncontained-orphan",
    uncontained: true,
    turns: [shell(leave), shell(lookAtLeft), ...thrice({ text: "Done." })],
    ...byItself,
    made: wasAlive,
  },
  {
    name: "uncontained-driver-killed",
    uncontained: true,
    turns: [shell(signalDriver("KILL"))],
    reason: "failure",
    evidence: "killed by",
    made: { "signalled.txt": /gemini\/program/ },
  },
  {
    name: "background",
    turns: [shell(stays, { is_background: true }), shell(lookAtLeft), ...thrice({ text: "Done." })],
    ...byItself,
    made: wasAlive,
  },
]);
