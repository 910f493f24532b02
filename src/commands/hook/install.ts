/** monoco hook install and uninstall: add the hand-over to a person's own agent, and remove it again. */
import { relative } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { offPathWords, onPathRemedy } from "../../core/doctor/rows.ts";
import { nearest } from "../../core/text/nearest.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { readInstalled } from "../../app/hooks/record.ts";
import { printJson } from "../../views/json.ts";
import { paint } from "../../views/paint.ts";
import { findProgram, isFoundByOthers } from "../../app/agents.ts";
import { openHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { differs, install as write, recordPath, uninstall as takeOut } from "../../app/hooks/apply.ts";
import { installing, resolved, uninstalling } from "../../app/hooks/change.ts";
import type { Change } from "../../app/hooks/change.ts";
import { agentsEntry, hookAgents, targetsOf } from "../../app/hooks/targets.ts";
import type { HookAgent, Scope, Target } from "../../app/hooks/targets.ts";
import { currentSession, refuseFromWithin } from "../../app/session-context.ts";
import { settledHere } from "../../app/settings.ts";
import { excludeRuntime } from "../../app/wire.ts";
import { homeFolder, io } from "../../io/io.ts";
import { changedLines } from "./changed-lines.ts";
import { t, translatable, translated } from "../../core/language/translate.ts";
import { padTo } from "../../views/columns.ts";

export type HookFlags = { project: boolean; user: boolean; dryRun: boolean; json: boolean };

/** Works everything out before the first file is written. */
export async function install(names: string[], flags: HookFlags): Promise<number> {
  const asked = names.map(agentOf);
  const { here, scope } = await whereTo(flags);
  const agents = asked.length > 0 ? asked : foundHere();
  const record = recordPath(here);
  const { files } = readInstalled(record);
  const targets = [...agents.flatMap((agent) => targetsOf(agent, scope)), ...agentsEntry(scope)];
  const changes = targets.map((target) => installing(target, files));
  if (!flags.dryRun) {
    if (here) excludeRuntime(here.repository);
    write(record, changes);
  }
  tell(changes, { flags, scope, agents });
  return 0;
}

/** Without a name, removes everything of the scope. AGENTS.md keeps its entry as long as one agent is left. */
export async function uninstall(names: string[], flags: HookFlags): Promise<number> {
  const asked = names.map(agentOf);
  const { here, scope } = await whereTo(flags);
  const agents = asked.length > 0 ? asked : [...hookAgents];
  const record = recordPath(here);
  const { files } = readInstalled(record);
  const isKnown = ({ path }: Target): boolean => files.some((one) => one.path === resolved(path));
  const others = hookAgents.filter((agent) => !agents.includes(agent));
  const stays = others.some((agent) => targetsOf(agent, scope).some(isKnown));
  const targets = [
    ...agents.flatMap((agent) => targetsOf(agent, scope)),
    ...(stays ? [] : agentsEntry(scope)),
  ];
  const changes = targets.flatMap((target) => uninstalling(target, files) ?? []);
  if (!flags.dryRun)
    takeOut(
      record,
      changes,
      targets.map(({ path }) => resolved(path)),
    );
  tell(changes, { flags, scope, agents: [] });
  return 0;
}

function agentOf(name: string): HookAgent {
  const match = hookAgents.find((agent) => agent === name);
  if (match) return match;
  const meant = nearest(name, hookAgents);
  throw new MonocoError("input", t`no hooks are known for an agent "${plainLine(name, 60)}"`, {
    hint: meant ? t`did you mean ${meant}?` : t`name one of ${hookAgents.join(", ")}`,
  });
}

async function whereTo(flags: HookFlags): Promise<{ here: Here | undefined; scope: Scope }> {
  if (flags.project && flags.user) {
    throw new MonocoError("input", t`--project and --user name two places`, { hint: t`give one of them` });
  }
  if (currentSession()) {
    throw new MonocoError("input", t`a session does not change a person's own agents`, {
      hint: t`monoco relay prepare hands over`,
    });
  }
  if (flags.user) return { here: undefined, scope: { worktree: undefined, language: "en" } };
  const here = await openHere();
  refuseFromWithin(here.repository);
  const { language } = settledHere(here).settings;
  return { here, scope: { worktree: here.repository.worktree, language } };
}

function foundHere(): HookAgent[] {
  const installed = hookAgents.filter((agent) => findProgram(agent, io().cwd) !== undefined);
  if (installed.length > 0) return installed;
  throw new MonocoError("agent", t`none of ${hookAgents.join(", ")} is on the PATH`, {
    hint: t`name one: monoco hook install ${hookAgents[0]}`,
  });
}

type About = { flags: HookFlags; scope: Scope; agents: readonly HookAgent[] };

function tell(changes: readonly Change[], { flags, scope, agents }: About): void {
  const top = scope.worktree ?? homeFolder();
  const shortened = (path: string): string => {
    const short = relative(top, path);
    return short.startsWith("..") ? path : `${scope.worktree === undefined ? "~/" : ""}${short}`;
  };
  const rows = changes.map((change) => ({ ...change, file: shortened(change.path), what: whatOf(change) }));
  if (flags.json) {
    const files = rows.map(({ agent = null, path, what }) => ({ agent, path, what }));
    return printJson({
      scope: scope.worktree === undefined ? "user" : "project",
      dryRun: flags.dryRun,
      onPath: isFoundByOthers(),
      files,
    });
  }
  const { stdout } = io();
  if (flags.dryRun) stdout.write(t`dry run: nothing is written\n`);
  for (const { file, what, before, after } of rows) {
    stdout.write(`${padTo(translated(whats[what]), 8)}${plainLine(file, 400)}\n`);
    if (what !== "made" && what !== "changed") continue;
    for (const { sign, text } of changedLines(before?.toString("utf8") ?? "", after?.toString("utf8") ?? ""))
      stdout.write(`${paint(sign === "+" ? "good" : "bad", `  ${sign} ${plain(text)}`)}\n`);
  }
  if (rows.every(({ what }) => what === "same")) stdout.write(t`nothing to do\n`);
  for (const agent of agents) stdout.write(`${translated(notes[agent])}\n`);
  if (agents.length > 0 && !isFoundByOthers()) stdout.write(`${offPathWords()}. ${onPathRemedy()}\n`);
  if (agents.length > 0) {
    const undo = ["monoco hook uninstall", ...(flags.user ? ["--user"] : [])].join(" ");
    stdout.write(
      t`next: on a branch with the id of an issue in its name, /relay hands over; ${undo} undoes this\n`,
    );
  }
}

const whats = translatable({
  same: "same",
  kept: "kept",
  made: "made",
  changed: "changed",
  removed: "removed",
});

function whatOf(change: Change): keyof typeof whats {
  if (change.kept) return "kept";
  if (!differs(change)) return "same";
  if (change.before === undefined) return "made";
  return change.after === undefined ? "removed" : "changed";
}

/** When each agent begins to use the hook. */
const notes: Record<HookAgent, string> = translatable({
  claude: "claude: takes it in its next session",
  codex:
    "codex: skips the hook until you trust it (/hooks), and in a folder that it does not trust; $relay is the command",
  gemini: "gemini: takes it in its next session, in a folder that it trusts",
});
