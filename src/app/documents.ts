/** Roles, templates and other text files that people edit: the repository's own come before the shipped ones. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MonocoError } from "../core/error/error.ts";
import { refuseUnknownNames } from "../core/text/template.ts";
import { templateNames } from "../core/handoff/template-names.ts";
import type { TemplateName } from "../core/handoff/template-names.ts";
import type { Language } from "../core/language/handoff-words.ts";
import type { Templates } from "../relay/relay.ts";
import { isThere, readDocument } from "../store/document.ts";
import { t } from "../core/language/translate.ts";

/** The package's own folder: two levels above this file, in the source and in the build. */
export const packageRoot = fileURLToPath(new URL("../..", import.meta.url));

/** A template by its file name: the repository's own (templates/LANG/NAME or templates/NAME) before the shipped one. */
export function loadTemplate(worktree: string, language: Language, name: string): Document {
  return readOwnOrShipped(worktree, "templates", [join(language, name), name]);
}

const templateFiles = {
  ralph: "RALPH.md",
  plan: "plan.md",
  wrapUp: "wrap-up.md",
  stopAsked: "stop-asked.md",
  personSays: "person-says.md",
  lastWords: "last-words.md",
  closing: "closing.md",
  postMortem: "post-mortem.md",
  executorPrompt: "executor-prompt.md",
  reviewerPrompt: "reviewer-prompt.md",
  reviewerAgain: "reviewer-again.md",
  loopPrompt: "loop-prompt.md",
} as const satisfies Record<TemplateName, string>;

/** All templates of a relay. Throws `input` with file and line for a template that cannot be read or filled in. */
export function loadTemplates(worktree: string, language: Language): Templates {
  const load = (name: TemplateName): string => {
    const { text, path } = loadTemplate(worktree, language, templateFiles[name]);
    refuseUnknownNames(text, templateNames[name], path);
    return text;
  };
  return {
    ralph: load("ralph"),
    plan: load("plan"),
    wrapUp: load("wrapUp"),
    stopAsked: load("stopAsked"),
    personSays: load("personSays"),
    lastWords: load("lastWords"),
    closing: load("closing"),
    postMortem: load("postMortem"),
    executorPrompt: load("executorPrompt"),
    reviewerPrompt: load("reviewerPrompt"),
    reviewerAgain: load("reviewerAgain"),
    loopPrompt: load("loopPrompt"),
  };
}

export type Document = { text: string; path: string };

/** The repository's own document before the shipped one. Refuses an empty document: it would leave an agent without instructions. */
export function readOwnOrShipped(worktree: string, folder: string, names: readonly string[]): Document {
  const candidates = [
    ...names.map((name) => join(worktree, folder, name)),
    ...names.map((name) => join(packageRoot, folder, name)),
  ];
  const path = candidates.find(isThere);
  if (!path) throw new MonocoError("bug", t`${folder}/${names[0]} is missing from the package`);
  const text = readDocument(path);
  if (text.trim() !== "") return { text, path };
  throw new MonocoError("input", t`${path}:1: it is empty`, {
    hint: t`write it, or remove it: the one that comes with monoco then counts`,
  });
}
