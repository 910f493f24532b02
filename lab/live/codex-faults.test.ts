/** Every way in which the real Codex ends, as `monoco run` records it: reason, evidence, bounded time, handoff, and no process left. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import type { RelayEvent, StopReason } from "../../src/index.ts";
import { codexHome, codexVendor as vendor } from "../../src/probe/codex-vendor.ts";
import { usedUp } from "../../src/probe/responses-model.ts";
import type { ResponsesTurn } from "../../src/probe/responses-model.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { changeLine, codexDir } from "./codex.ts";
import { expectNeedsPerson } from "./ends.ts";
import { keepRecording } from "./record.ts";
import { issue, makeStoryPlace, shellTurn } from "./story.ts";
import { firstOfEach, testRows } from "../../test/support/full.ts";

const test = base.skipIf(!codexDir);

type Row = {
  turns: ResponsesTurn[];
  args?: string[];
  /** Without a key: the provider of the person's config.toml names the variable, or the person has never logged in. */
  login?: "no key" | "never";
  reason: StopReason;
  evidence: string;
  /** How often the model was asked. */
  requests?: number;
  /** When a limit is over: at a time, or so long after the session's end. */
  resets?: { atMs: number } | { inMs: number };
  /** What the model was told of its command. */
  told?: string;
  /** Tools that were denied, as the session's record has them. */
  denied?: string[];
  /** It leaves a process behind that has written `$HOME/lived`. */
  leavesProcess?: true;
  /** Its stream is kept for the offline suite, by this name; the adapter's own test keeps the others. */
  recording?: string;
};

/** Far below what Codex takes by itself: minutes to for ever. */
const secondsMax = 60;

/** What `monoco run --once` says: try again later, a login is needed, or the next session can run. */
const exitCodes: Partial<Record<StopReason, number>> = {
  failure: 75,
  silent: 75,
  usage_limit: 75,
  needs_login: 4,
};

const bash = (command: string): ResponsesTurn => shellTurn(vendor, command, 20_000);

/** The stop hook refuses once; who stops again is let go. */
const stops: ResponsesTurn[] = [{ text: "I stop." }, { text: "I stop." }];

const full = { code: "context_length_exceeded", message: "Your input exceeds the context window." };
const inAnHourMs = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
const perMinute = { code: "rate_limit_exceeded", message: "Rate limit reached. Please try again in 600s." };

const live = `echo $$ > "$HOME/lived"; exec sleep 600`;
/** Else chance has it whether the command is in the stream when a signal ends that. */
const itIsTold = `until grep -q commandExecution "$MONOCO_SESSION_DIR/stream.jsonl"; do sleep 0.1; done`;
const itLives = `until test -s "$HOME/lived"; do sleep 0.1; done`;

const commit = "touch denied.txt && git add -A && git commit -qm Denied";
const readOnly = ["-c", 'sandbox_mode="read-only"'];
const escalated = { sandbox_permissions: "require_escalated", justification: "May I?" };

const rows: [string, Row][] = [
  [
    "a hang before the first header is silence",
    {
      turns: [{ deaf: true }],
      reason: "silent",
      evidence: "no output for 0.1 minutes",
      requests: 1,
      recording: "never-answers",
    },
  ],
  [
    "a stall in the stream is silence",
    {
      turns: [{ hang: true }],
      reason: "silent",
      evidence: "no output for 0.1 minutes",
      requests: 1,
      recording: "stall",
    },
  ],
  // TRAP 11
  [
    "a TERM from outside is no completion",
    {
      turns: [bash(`${itIsTold}; kill -TERM $PPID; sleep 600`)],
      reason: "failure",
      evidence: "its process ended (exit status 0) before it had said how it ended",
      recording: "terminated",
    },
  ],
  [
    "a KILL from outside is a failure, and the command that it leaves alive is gone",
    {
      turns: [
        bash(
          `setsid nohup sh -c '${live}' >/dev/null 2>&1 & ${itLives}; ${itIsTold}; kill -KILL $PPID; sleep 600`,
        ),
      ],
      reason: "failure",
      evidence: "killed by",
      leavesProcess: true,
      recording: "killed",
    },
  ],
  // TRAP 7
  [
    "an orphaned grandchild is gone with its session",
    {
      turns: [bash(`setsid nohup sh -c '${live}' >/dev/null 2>&1 & ${itLives}`), ...stops],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      leavesProcess: true,
      recording: "orphan",
    },
  ],
  [
    "a command in the background neither keeps its session alive nor outlives it",
    {
      turns: [
        { tools: [{ name: "exec_command", input: { cmd: live, yield_time_ms: 250 } }] },
        bash(itLives),
        ...stops,
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      leavesProcess: true,
      recording: "background",
    },
  ],
  [
    "a busy server is a failure",
    {
      turns: [{ status: 429 }],
      reason: "failure",
      evidence: "responseTooManyFailedAttempts 429: exceeded retry limit",
      requests: 1,
    },
  ],
  [
    "a server that is busy for a second is waited for",
    {
      turns: [{ status: 429, headers: { "retry-after": "1" } }, ...stops],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 3,
    },
  ],
  // TRAP 14
  [
    "a server that is busy for hours is a limit, though Codex does not tell until when",
    {
      turns: [{ status: 429, headers: { "retry-after": "7200" } }],
      reason: "usage_limit",
      evidence: "it waits, and does not say how long: responseStreamDisconnected 429",
      requests: 1,
      resets: { inMs: 3_600_000 },
    },
  ],
  [
    "a server that is busy for minutes is a limit until then, where Codex tells it",
    {
      turns: [{ failed: perMinute }],
      reason: "usage_limit",
      evidence: "Rate limit reached. Please try again in 600s.",
      requests: 1,
      resets: { inMs: 600_000 },
    },
  ],
  [
    "a server that fails and asks to be left alone for minutes is silence: Codex does not say a word",
    {
      turns: [{ status: 503, headers: { "retry-after": "600" } }],
      reason: "silent",
      evidence: "no output for 0.1 minutes",
      requests: 1,
      recording: "busy-in-silence",
    },
  ],
  [
    "a usage limit is one until its reset time",
    {
      turns: [usedUp(inAnHourMs)],
      reason: "usage_limit",
      evidence: "You’ve hit your usage limit",
      requests: 1,
      resets: { atMs: inAnHourMs },
    },
  ],
  // TRAP 15
  [
    "a bad login is asked of a person",
    {
      turns: [{ status: 401 }],
      reason: "needs_login",
      evidence: "httpConnectionFailed 401: unexpected status 401 Unauthorized",
      requests: 2,
    },
  ],
  [
    "a key that is not there is asked of a person, at once",
    {
      turns: [{ text: "Never." }],
      login: "no key",
      reason: "needs_login",
      evidence: "Missing environment variable: `OPENAI_API_KEY`",
      requests: 0,
      recording: "no-key",
    },
  ],
  [
    "a login that was never made is asked of a person",
    {
      turns: [{ status: 401, body: { error: { message: "Missing bearer or basic authentication" } } }],
      login: "never",
      reason: "needs_login",
      evidence: "httpConnectionFailed 401: unexpected status 401 Unauthorized: Missing bearer",
      requests: 6,
      recording: "not-logged-in",
    },
  ],
  [
    "a server that fails is a failure",
    { turns: [{ status: 500 }], reason: "failure", evidence: "internalServerError", requests: 4 },
  ],
  [
    "a full context is one",
    { turns: [bash("true"), { failed: full }], reason: "context_limit", evidence: "contextWindowExceeded" },
  ],
  [
    "a cut stream is a failure",
    { turns: [{ cut: true }], reason: "failure", evidence: "stream disconnected before completion" },
  ],
  [
    "an answer that is cut at its most tokens is a failure",
    {
      turns: [{ text: "cut off in the", incomplete: "max_output_tokens" }],
      reason: "failure",
      evidence: "reason: max_output_tokens",
    },
  ],
  [
    "a filtered answer is a failure",
    { turns: [{ incomplete: "content_filter" }], reason: "failure", evidence: "reason: content_filter" },
  ],
  [
    "a refusal is no submission",
    {
      turns: [{ refusal: "I cannot help with that." }, { refusal: "I still cannot." }],
      reason: "completed_without_submit",
      evidence: "neither submitted nor handed over",
    },
  ],
  [
    "a command that a person's own sandbox denies ends nothing, and is told to the model only",
    {
      turns: [bash(commit), ...stops],
      args: readOnly,
      reason: "completed_without_submit",
      evidence: "neither submitted nor handed over",
      requests: 3,
      told: "Read-only file system",
    },
  ],
  [
    "a command that it asks a person for is denied, and that is recorded",
    {
      turns: [{ tools: [{ name: "exec_command", input: { cmd: commit, ...escalated } }] }, ...stops],
      args: [...readOnly, "-c", 'approval_policy="on-request"'],
      reason: "completed_without_submit",
      evidence: "neither submitted nor handed over",
      requests: 3,
      told: "approval request failed",
      denied: ["shell"],
      recording: "denied",
    },
  ],
];
const kinds = firstOfEach(rows, ([, { reason }]) => reason);

testRows(
  rows,
  kinds,
  test,
)("%s", async ([, { turns, args = [], ...row }]) => {
  const settings = { ...vendor.settings, args };
  const environment = (options: Homes) => environmentOf(row.login, options);
  const story = [{ match: "FEAT", turns }];
  const place = await makeStoryPlace({ ...vendor, settings, environment }, story, "silenceMinutes: 0.1");
  const ran = await place.monoco("run", issue, "--once");
  const said = ran.stdout + ran.stderr;
  const events = eventsOf(place.project, issue);
  const end = events.find((event) => event.type === "session.ended");
  expect(end, said).toMatchObject({ session: 1, reason: row.reason });
  const evidence = endingWords(end!.evidence).join("\n");
  expect(evidence).toContain(row.evidence);
  // TRAP 4
  expect(evidence).not.toContain("hooks were not seen");
  expect(end!.durationMs).toBeLessThan(secondsMax * 1000);
  expect(ran.exitCode, said).toBe(exitCodes[row.reason] ?? 1);
  const asked = place.model.requests;
  if (row.requests !== undefined) expect(asked).toHaveLength(row.requests);
  expectLimit(events, row.resets);
  if (row.reason === "needs_login") expectNeedsPerson({ project: place.project, issue, ran });
  else expect(events.filter(({ type }) => type === "relay.blocked")).toEqual([]);
  if (row.login) expect(asked.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);
  if (row.told !== undefined) {
    expect(asked[1]?.tail).toContain(row.told);
    expect(end).toMatchObject({ commits: 0, filesChanged: 0 });
  }
  expect(end!.denied).toEqual(row.denied);
  expect(existsSync(join(place.sandbox.folder, "home", "lived"))).toBe(row.leavesProcess === true);
  // TRAP 12: no stop hook has run at most of these ends; the handoff is there all the same.
  expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({
    session: 1,
    source: "generated",
  });
  const session = join(place.project, ".monoco/relays", issue, "sessions/0001-executor");
  expect(readFileSync(join(session, "RALPH.md"), "utf8")).toContain(`- Stop reason: ${row.reason}`);
  if (row.recording) {
    const lines = readFileSync(join(session, "stream.jsonl"), "utf8").trim().split("\n");
    keepRecording("codex", row.recording, { lines, change: changeLine });
  }
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});

type Homes = { home: string; modelUrl: string };

function environmentOf(login: Row["login"], options: Homes): Record<string, string> {
  const { OPENAI_API_KEY: _, ...withoutKey } = codexHome(options);
  if (login === undefined) return codexHome(options);
  const builtIn = `model = "scripted-model"\nopenai_base_url = "${options.modelUrl}"\n`;
  if (login === "never") writeFileSync(join(withoutKey["CODEX_HOME"]!, "config.toml"), builtIn);
  return withoutKey;
}

function expectLimit(events: readonly RelayEvent[], resets: Row["resets"]): void {
  const [limit, ...more] = events.filter((event) => event.type === "limit.hit");
  expect(more).toEqual([]);
  expect(limit?.agent).toBe(resets && "codex");
  if (!limit || !resets) return;
  if ("atMs" in resets) expect(limit.resetsAtMs).toBe(resets.atMs);
  // Less by what passed since it was told.
  else
    expect(resets.inMs - (limit.resetsAtMs - limit.atMs)).toSatisfy((ms: number) => ms >= 0 && ms < 30_000);
}
