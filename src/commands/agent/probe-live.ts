/** monoco agent probe A --live: runs two sessions of one small issue with the person's own login, and scores how the model handles a relay. */
import { endingWords } from "../../core/reason/ending-rows.ts";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Writable } from "node:stream";
import { agents } from "../../agents/registry.ts";
import { agentSettings } from "../../core/settings/agent-entry.ts";
import type { AgentEntry } from "../../core/settings/agent-schema.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import { files, scoreModel } from "../../core/tuning/model-score.ts";
import type { Answer, TwoSessions } from "../../core/tuning/model-score.ts";
import { gitIn } from "../../git/git.ts";
import { readJournal } from "../../store/journal.ts";
import { placesOf, repositoryPlaces } from "../../store/places.ts";
import { isThere } from "../../store/document.ts";
import { printJson } from "../../views/json.ts";
import { tableLines } from "../../views/table.ts";
import type { Cell } from "../../views/table.ts";
import { paint } from "../../views/paint.ts";
import { openHere } from "../../app/here.ts";
import { loadSettings } from "../../app/settings.ts";
import { makeTemporary } from "../../app/temporary.ts";
import { io, within } from "../../io/io.ts";
import type { Io } from "../../io/io.ts";
import { run as runRelays } from "../run/run.ts";
import { t } from "../../core/language/translate.ts";

export type LiveFlags = { model?: string; json: boolean };

/** The schema of `agent probe --live --json`. `model` is null if the agent chooses it. */
export type LiveReport = {
  agent: string;
  model: string | null;
  score: number;
  of: number;
  answers: Answer[];
};

const issue = "FEAT-0001";

/** Exit status 0 if both sessions ran, whatever their score. The person pays for them. */
export async function probeLive(name: string, flags: LiveFlags): Promise<number> {
  const entry = await entryOf(name, flags.model);
  const temporary = makeTemporary("probe");
  const { folder } = temporary;
  try {
    const project = await makeProject(folder, { name, entry });
    const env = { ...withoutOurs(io().env), XDG_STATE_HOME: join(folder, "state") };
    const run = (): Promise<number> => runOnce(project, env);
    const code = await run();
    const places = placesOf(repositoryPlaces(project, env), issue);
    const events = (): RelayEvent[] => (isThere(places.journal) ? readJournal(places.journal) : []);
    const [first] = endsOf(events());
    // Not installed: the run has already reported that, with the fix.
    if (code === 130 || code === 2 || (code === 4 && !first)) return code;
    if (!first || first.reason === "needs_login" || first.reason === "usage_limit")
      throw cannotBeAsked(name, first);
    if (first.reason !== "submitted") await run();
    const streams = [1, 2].map((n) => saidIn(entry, places.session(n, "executor").stream));
    const answers = scoreModel({
      events: events(),
      said: [streams[0] ?? "", streams[1] ?? ""],
      touched: await touchedBy(project, events()),
    });
    const score = answers.filter(({ yes }) => yes).length;
    const report: LiveReport = {
      agent: name,
      model: entry.model ?? null,
      score,
      of: answers.length,
      answers,
    };
    if (flags.json) printJson(report);
    else io().stdout.write(inWords(report));
    return 0;
  } finally {
    temporary.remove();
  }
}

/** The agent's entry in monoco.yaml, or the built-in one. A relative program path is the repository's. */
export async function entryOf(name: string, model: string | undefined): Promise<AgentEntry> {
  const here = await openHere();
  const entry = agentSettings(loadSettings(here), name);
  const [program, ...rest] = entry.run ?? [];
  return {
    ...entry,
    ...(program === undefined
      ? {}
      : { run: [program.includes("/") ? resolve(here.repository.root, program) : program, ...rest] }),
    ...(entry.script === undefined ? {} : { script: resolve(here.repository.root, entry.script) }),
    ...(model === undefined ? {} : { model }),
  };
}

/** The environment without the person's settings for their own relays. */
export function withoutOurs(env: Io["env"]): Io["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("MONOCO_")));
}

type Player = { name: string; entry: AgentEntry };

async function makeProject(folder: string, { name, entry }: Player): Promise<string> {
  const project = join(folder, "project");
  const settings = {
    checks: [`grep -qx hello ${files.first} && grep -qx goodbye ${files.second}`],
    agents: { [name]: entry },
    roles: { executor: { agents: [name] }, reviewer: { agents: [name] } },
    limits: { sessionMinutes: 10, sessionsMax: 3, backoffSeconds: 0 },
    breaker: { reopen: "manual" },
  };
  await beginRepository(project);
  // JSON is YAML.
  const written = {
    "monoco.yaml": JSON.stringify(settings, null, 2),
    [`issues/${issue}-greet.md`]: issueText,
  };
  await commitFiles(project, written, "Begin");
  return project;
}

/** An empty repository on main. */
export async function beginRepository(project: string): Promise<void> {
  mkdirSync(project, { recursive: true });
  const git = gitIn(project);
  await git(["init", "--quiet", "--initial-branch=main", "."]);
  await git(["config", "user.name", "Author"]);
  await git(["config", "user.email", "author@localhost"]);
}

export async function commitFiles(
  project: string,
  files: Readonly<Record<string, string>>,
  message: string,
): Promise<string> {
  const git = gitIn(project);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  await git(["add", "--all"]);
  await git(["commit", "--quiet", "--message", message]);
  return (await git(["rev-parse", "HEAD"])).trim();
}

const issueText = `---
id: ${issue}
type: feature
title: Greet, and take leave
status: open
stage: draft
---

## Objective

Two files, each written in a session of its own. Session 1 does the first task only, commits it, and then hands over with
\`monoco relay prepare\`; session 2 does the second task, and submits.

## Acceptance Criteria

- [ ] \`${files.first}\` holds the one line \`hello\`
- [ ] \`${files.second}\` holds the one line \`goodbye\`

## Technical Tasks

- [ ] Write \`${files.first}\` (session 1, which then hands over)
- [ ] Write \`${files.second}\` (session 2, which then submits)
`;

/** Runs one session, with its progress on standard error. Ctrl-C reaches the session too, which ends in its own way. */
function runOnce(cwd: string, env: Io["env"]): Promise<number> {
  const stdout = new Writable({ write: (_chunk, _encoding, written) => written() });
  const flags = { jobs: 1, once: true, wait: false, json: true, resume: false };
  return within({ cwd, env, stdout }, () => runRelays([issue], flags));
}

type Ended = Extract<RelayEvent, { type: "session.ended" }>;

function endsOf(events: readonly RelayEvent[]): Ended[] {
  return events.filter((event) => event.type === "session.ended");
}

function cannotBeAsked(name: string, ended: Ended | undefined): MonocoError {
  const why = ended ? `${ended.reason}: ${endingWords(ended.evidence).join("; ")}` : t`no session was run`;
  return new MonocoError("agent", t`${name} could not be asked: ${why}`, {
    hint: t`fix its login, credit or model; monoco agent list shows what is found`,
  });
}

/** The agent's text, as its adapter reads it. */
function saidIn(entry: AgentEntry, stream: string): string {
  if (!isThere(stream)) return "";
  const { read } = agents[entry.kind].dialogue("");
  return readFileSync(stream, "utf8")
    .split("\n")
    .flatMap(read)
    .flatMap((update) => (update.type === "message" ? [update.text] : []))
    .join("\n\n");
}

async function touchedBy(project: string, events: readonly RelayEvent[]): Promise<TwoSessions["touched"]> {
  const git = gitIn(project);
  const touched = async (session: number): Promise<string[]> => {
    const started = events.find((event) => event.type === "session.started" && event.session === session);
    const ended = endsOf(events).find((event) => event.session === session);
    if (started?.type !== "session.started" || ended?.head === undefined) return [];
    const names = await git(["diff", "--name-only", "-z", started.head, ended.head]);
    return names.split("\0").filter((file) => file !== "");
  };
  return [await touched(1), await touched(2)];
}

function inWords({ agent, model, score, of, answers }: LiveReport): string {
  const rows = answers.map(({ question, yes, evidence }): Cell[] => [
    `  ${question}`,
    { text: yes ? t`yes` : t`no`, tone: yes ? "good" : "bad" },
    paint("dim", evidence),
  ]);
  const who = model === null ? agent : t`${agent}, model ${model}`;
  return `${paint("bold", who)}\n${tableLines(rows).join("\n")}\n  → ${paint("bold", t`${score} of ${of}`)}\n`;
}
