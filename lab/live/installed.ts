/** The folders of the pinned CLIs; undefined, with a loud line, where one is not installed. */
import { dirname } from "node:path";
import { installedAgent, isPinned, pinnedAgents } from "../../scripts/agents.ts";
import type { PinnedAgent } from "../../scripts/agents.ts";

export const installedDirs = Object.fromEntries(
  Object.keys(pinnedAgents)
    .filter(isPinned)
    .map((name) => [name, folderOf(name)]),
) as Readonly<Record<PinnedAgent, string | undefined>>;

function folderOf(name: PinnedAgent): string | undefined {
  const program = installedAgent(name);
  if (!program)
    console.warn(`SKIPPED: ${name} is not installed here; run \`npm run agents:install ${name}\``);
  return program && dirname(program);
}
