/** The commands of `monoco hook`: those that agents call, and those that install hooks into a person's own agent. */
import { json } from "../options.ts";
import { flag, verb } from "../verb.ts";
import type { Group, Verb } from "../verb.ts";
import { translatable } from "../../core/language/translate.ts";

const agents: [name: "[AGENT...]", about: string] = [
  "[AGENT...]",
  translatable("claude, codex or gemini; those that are installed, without it"),
];

const where = {
  project: flag("in this worktree, which is the default"),
  user: flag("in your home, for all repositories"),
  dryRun: flag("print what would be written, and write nothing"),
  json,
};

const install = verb({
  name: "install",
  about:
    "give your own sessions of an agent a way to hand over: a hook, a /relay command, an entry in AGENTS.md",
  args: [agents],
  options: where,
  examples: [
    "monoco hook install claude",
    "monoco hook install --dry-run",
    "monoco hook install codex --user",
  ],
  ends: ["agent"],
  run: async (names, flags) => (await import("./install.ts")).install(names, flags),
});

const uninstall = verb({
  name: "uninstall",
  about:
    "take that out again: files are as they were before, byte for byte, but for what you have changed since",
  args: [agents],
  options: where,
  examples: ["monoco hook uninstall claude", "monoco hook uninstall --user"],
  run: async (names, flags) => (await import("./install.ts")).uninstall(names, flags),
});

/** A command that hooks call; `main.ts` runs it without loading this file. */
function called(name: string, about: string): Verb {
  return verb({
    name,
    about,
    examples: [`monoco hook ${name}`],
    run: async () => (await import("../../hook/hook.ts")).hook(name),
  });
}

export const hook: Group = {
  name: "hook",
  about: "hooks of agents",
  verbs: [
    install,
    uninstall,
    called("on-stop", "called by an agent that wants to stop, in a session that monoco runs"),
    called("on-tool", "called by an agent after each tool, in a session that monoco runs"),
    called("on-session-start", "called by an agent as a session that monoco runs begins"),
    called("on-own-stop", "called by an agent in a session of yours, where hook install put it there"),
  ],
};
