/** Where the pinned agent CLIs of the live tests are installed: a cache folder outside the package's dependencies. */
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * One pin for everybody: what a live test shows, it shows of these versions. `program` is a pattern below `node_modules`:
 * what a person's npm puts on the PATH, or the native program itself where that takes an install script.
 */
export const pinnedAgents = {
  claude: {
    package: "@anthropic-ai/claude-code",
    version: "2.1.332",
    program: "@anthropic-ai/claude-code-*/claude{,.exe}",
  },
  codex: { package: "@openai/codex", version: "0.171.0", program: "@openai/codex/bin/codex.js" },
  gemini: {
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "@google/gemini-cli/bundle/gemini.js",
  },
  opencode: {
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode-{linux,darwin,windows}-*/bin/opencode{,.exe}",
  },
  // Has no adapter: it speaks the Agent Client Protocol.
  kimi: {
    package: "@moonshot-ai/kimi-code",
    version: "2.1.0",
    program: "@moonshot-ai/kimi-code/dist/main.mjs",
  },
} as const;
export type PinnedAgent = keyof typeof pinnedAgents;

export function isPinned(word: string): word is PinnedAgent {
  return Object.hasOwn(pinnedAgents, word);
}

/**
 * The path of an installed CLI; undefined where the pinned version is not there.
 * Its folder holds nothing else, so it can be put on a PATH.
 */
export function installedAgent(name: PinnedAgent): string | undefined {
  const program = join(agentFolder(name), "bin", name);
  return existsSync(program) ? program : undefined;
}

/** The folder of one agent in its pinned version; another version is another folder. */
export function agentFolder(name: PinnedAgent): string {
  return join(agentsFolder(), `${name}-${pinnedAgents[name].version}`);
}

/** `.agents/` in the repository, or $MONOCO_AGENTS_DIR. */
export function agentsFolder(): string {
  return process.env["MONOCO_AGENTS_DIR"] || join(import.meta.dirname, "..", ".agents");
}
