/** The files of a person that hold the hand-over: by agent and by scope, which is this repository or their home. */
import { join } from "node:path";
import type { HookAt } from "../../core/hooks/json-hook.ts";
import type { Block } from "../../core/hooks/marked-block.ts";
import type { Language } from "../../core/language/handoff-words.ts";
import { homeFolder, io } from "../../io/io.ts";
import { loadTemplate, packageRoot } from "../documents.ts";

/** The agents with a hook at the end of a turn and with commands or skills of a person's own. */
export const hookAgents = ["claude", "codex", "gemini"] as const;
export type HookAgent = (typeof hookAgents)[number];

/** The repository's worktree; undefined for the person's home. */
export type Scope = { worktree: string | undefined; language: Language };

export type Target = { agent: HookAgent | undefined; path: string } & (
  | { kind: "hook"; at: HookAt; comments: boolean }
  /** A file that is monoco's as a whole. */
  | { kind: "own"; text: string }
  | { kind: "block"; block: Block }
);

/** Finds monoco's hook, even in a command that a person has extended. */
export const oursPattern = /\bmonoco hook on-own-stop\b/;

/** Does nothing if monoco is missing, or in sessions that monoco runs, which have hooks of their own. */
const command = `[ -n "$MONOCO_SESSION_DIR" ] || ! command -v monoco >/dev/null 2>&1 || monoco hook on-own-stop`;

const timeoutSeconds = 30;

export function targetsOf(agent: HookAgent, scope: Scope): Target[] {
  const hook = { type: "command", command, timeout: timeoutSeconds } as const;
  const { config, skill } = placesOf(agent, scope);
  switch (agent) {
    case "claude":
      return [
        hookTarget(agent, join(config, "settings.json"), { event: "Stop", hook }),
        { agent, path: skill, kind: "own", text: skillText(scope) },
      ];
    case "codex":
      return [
        hookTarget(agent, join(config, "hooks.json"), { event: "Stop", hook }),
        { agent, path: skill, kind: "own", text: skillText(scope) },
      ];
    case "gemini": {
      const at = { event: "AfterAgent", hook: { name: "monoco", ...hook, timeout: timeoutSeconds * 1000 } };
      return [
        { ...hookTarget(agent, join(config, "settings.json"), at), comments: true },
        { agent, path: skill, kind: "own", text: commandText(scope) },
      ];
    }
  }
}

/** AGENTS.md, for any agent that reads it; in a repository only. */
export function agentsEntry({ worktree, language }: Scope): Target[] {
  if (worktree === undefined) return [];
  const lines = body("hand-over-entry.md", { worktree, language }).trim().split("\n");
  const block = {
    begin:
      "<!-- monoco:hand-over:begin (written by monoco hook install; monoco hook uninstall removes it) -->",
    end: "<!-- monoco:hand-over:end -->",
    lines,
  };
  return [{ agent: undefined, path: join(worktree, "AGENTS.md"), kind: "block", block }];
}

function hookTarget(agent: HookAgent, path: string, at: HookAt): Extract<Target, { kind: "hook" }> {
  return { agent, path, kind: "hook", at, comments: false };
}

/** The agent's own paths, with the variables that move its folder. */
function placesOf(agent: HookAgent, { worktree }: Scope): { config: string; skill: string } {
  const { env } = io();
  const home = homeFolder();
  const above = worktree ?? home;
  const moved = (variable: string, folder: string): string =>
    (worktree === undefined && env[variable]) || join(above, folder);
  switch (agent) {
    case "claude": {
      const config = moved("CLAUDE_CONFIG_DIR", ".claude");
      return { config, skill: join(config, "skills", "relay", "SKILL.md") };
    }
    case "codex": {
      const skill = join(above, ".agents", "skills", "relay", "SKILL.md");
      return { config: moved("CODEX_HOME", ".codex"), skill };
    }
    case "gemini": {
      const config = join((worktree === undefined && env["GEMINI_CLI_HOME"]) || above, ".gemini");
      return { config, skill: join(config, "commands", "relay.toml") };
    }
  }
}

const descriptions = {
  en: "Hand this session's work over to a fresh session that monoco runs. Use it when the context runs out, or when you are asked for a relay or a hand-over.",
  zh: "把本会话的工作交接给 monoco 的新会话。上下文将尽，或有人要求接力、交接时使用。",
} as const satisfies Record<Language, string>;

function skillText(scope: Scope): string {
  const description = descriptions[scope.language];
  return `---\nname: relay\ndescription: ${description}\n---\n\n${body("hand-over.md", scope)}`;
}

function commandText(scope: Scope): string {
  // A quote in a person's own template must not end the TOML string.
  const text = body("hand-over.md", scope).replaceAll("'''", "''\u200b'");
  return `description = ${JSON.stringify(descriptions[scope.language])}\nprompt = '''\n${text}'''\n`;
}

function body(name: string, { worktree, language }: Scope): string {
  return `${loadTemplate(worktree ?? packageRoot, language, name).text.trim()}\n`;
}
