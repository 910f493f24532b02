/** monoco export: writes merged issues back into prd.json as `passes`, and changes no other byte. */
import { basename, relative, resolve, sep } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { importedWord } from "../../core/exchange/import-item.ts";
import { sourceOf } from "../../core/exchange/import-plan.ts";
import { issueSource } from "../../core/exchange/upstream.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { writePasses } from "../../core/exchange/prd-passes.ts";
import type { PassesChange } from "../../core/exchange/prd-passes.ts";
import { readPrd } from "../../core/exchange/prd.ts";
import { sourcesOn } from "../../git/issues.ts";
import { commitOf, documentAt } from "../../git/repository.ts";
import { readDocument } from "../../store/document.ts";
import { writeDurably } from "../../store/durable.ts";
import { printJson } from "../../views/json.ts";
import { openHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { loadSettings } from "../../app/settings.ts";
import { knownSources } from "../../app/known-sources.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export type ExportFlags = { dryRun: boolean; json: boolean; as?: string };

export async function exportTo(file: string, flags: ExportFlags): Promise<number> {
  const here = await openHere();
  const { base, language } = loadSettings(here);
  const path = resolve(here.cwd, file);
  const name =
    flags.as === undefined
      ? relative(here.repository.worktree, path).split(sep).join("/")
      : importedWord(flags.as);
  const text = readDocument(path);
  const { form, stories } = readPrd(text, { file: basename(path), language });
  if (form !== "prd") {
    throw new MonocoError("input", t`${file}: only a prd.json can be written`, {
      hint: "monoco export prd.json",
    });
  }
  const sources = new Set((await knownSources(here, () => false)).map(({ source }) => source));
  const merged = await mergedSources(here, base);
  const isMerged = (key: string): boolean | undefined => {
    const source = sourceOf(name, key);
    return sources.has(source) ? merged.has(source) : undefined;
  };
  const imported = stories.filter(({ item }) => isMerged(item.key) !== undefined);
  if (imported.length === 0) {
    throw new MonocoError("input", t`${file}: no issue came from it as ${name}`, {
      hint: t`monoco import ${file}, or --as NAME where it was imported under another name`,
    });
  }
  const { text: after, changes } = writePasses(text, stories, isMerged);
  if (!flags.dryRun && changes.length > 0) writeDurably(path, after);
  tell(changes, {
    file,
    base,
    flags,
    imported: imported.length,
    merged: imported.filter(({ item }) => isMerged(item.key)).length,
  });
  return 0;
}

/** The sources of the issues that are closed as implemented on the base branch; a working copy does not count. */
async function mergedSources(here: Here, base: string): Promise<Set<string>> {
  const { git } = here.repository;
  const ref = `refs/heads/${base}`;
  if (!(await commitOf(git, ref))) {
    throw new MonocoError("input", t`no such branch: ${base}, so what is merged cannot be determined`, {
      hint: t`set base in monoco.yaml, or git branch it`,
    });
  }
  const merged = new Set<string>();
  for (const { path } of await sourcesOn(git, [ref])) {
    const text = await documentAt(git, ref, path);
    const issue = text === undefined ? undefined : issueSource(text);
    if (text === undefined || !issue) continue;
    const { status, solution } = parseIssue(text, path);
    if (status === "closed" && solution === "implemented") merged.add(issue.source);
  }
  return merged;
}

function tell(
  changes: readonly PassesChange[],
  of: { file: string; base: string; flags: ExportFlags; imported: number; merged: number },
): void {
  const { file, base, flags, imported, merged } = of;
  if (flags.json) {
    printJson({ file, base, dryRun: flags.dryRun, imported, merged, changes });
    return;
  }
  const write = (text: string): void => void io().stdout.write(`${text}\n`);
  for (const { key, title, to } of changes)
    write(
      `${plainLine(key)}  passes: ${to}${to ? "" : t` (its issue is not merged into ${base})`}  ${plainLine(title, 100)}`,
    );
  const done =
    changes.length === 0 ? t`nothing to change` : flags.dryRun ? t`nothing was written` : t`written`;
  write(t`${file}: ${merged} of ${imported} imported stories are merged into ${base}; ${done}`);
}
