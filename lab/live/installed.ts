/** The folders of all vendors' pinned CLIs; each one's own module says loudly that it is not installed, once a file of tests. */
import type { vendors } from "../../src/core/settings/agent-kinds.ts";
import { claudeDir } from "./claude.ts";
import { codexDir } from "./codex.ts";
import { geminiDir } from "./gemini.ts";
import { opencodeDir } from "./opencode.ts";

export const installedDirs: Readonly<Record<(typeof vendors)[number], string | undefined>> = {
  claude: claudeDir,
  codex: codexDir,
  gemini: geminiDir,
  opencode: opencodeDir,
};
