/** The language of a command, found before anything else is loaded, so that help and errors use it, too. */
import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { speakTo } from "../core/language/translate.ts";
import type { Catalogue } from "../core/language/translate.ts";
import type { Language } from "../core/language/handoff-words.ts";
import { homeFolder, io } from "../io/io.ts";

const spoken = new AsyncLocalStorage<Catalogue>();
speakTo({ catalogue: () => spoken.getStore(), minutesAhead: (ms) => -new Date(ms).getTimezoneOffset() });

/** Runs a command in the language of this catalogue. */
export function speaking<T>(catalogue: Catalogue, command: () => T): T {
  return spoken.run(catalogue, command);
}

/**
 * The setting `language`, by its usual order: flag, environment, monoco.yaml, the user's own file. Reads its line without
 * loading a parser; faults of a file are reported when its settings are loaded.
 */
export function languageHere(argv: readonly string[]): Language {
  const given = argv.map((word, at) =>
    /^--(?:set|language)$/.test(argv[at - 1] ?? "") ? `${argv[at - 1]}=${word}` : word,
  );
  const flag = given.findLast((word) => /^--(?:set=)?language=/.test(word));
  return (
    languageIn(flag?.replace(/^.*=/, "language: ")) ??
    languageIn(`language: ${io().env["MONOCO_LANGUAGE"] ?? ""}`) ??
    languageIn(textOf(projectFile(io().cwd))) ??
    languageIn(textOf(userFile())) ??
    "en"
  );
}

function languageIn(yaml = ""): Language | undefined {
  const language = /^language:\s*["']?(en|zh)["']?\s*(?:#.*)?$/m.exec(yaml)?.[1];
  return language === "zh" || language === "en" ? language : undefined;
}

function userFile(): string {
  return join(io().env["XDG_CONFIG_HOME"] || join(homeFolder(), ".config"), "monoco", "config.yaml");
}

/** The monoco.yaml of the folder's worktree. */
function projectFile(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return join(folder, "monoco.yaml");
  return folder === dirname(folder) ? undefined : projectFile(dirname(folder));
}

/** Returns undefined for anything but a readable file. Opening a named pipe would block until somebody writes to it. */
function textOf(path: string | undefined): string | undefined {
  try {
    return path !== undefined && statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
