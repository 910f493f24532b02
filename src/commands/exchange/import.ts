/** monoco import: issues from prd.json, tasks.json, a checklist, GitHub, or JSON Lines. It plans first, then writes all or none. */
import { hash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, extname, join, posix, relative, resolve, sep } from "node:path";
import { readChecklist } from "../../core/exchange/checklist.ts";
import { MonocoError } from "../../core/error/error.ts";
import { githubFields, readGithubIssues } from "../../core/exchange/github-issues.ts";
import { importedWord } from "../../core/exchange/import-item.ts";
import type { Reading } from "../../core/exchange/import-item.ts";
import { planImport } from "../../core/exchange/import-plan.ts";
import type { ImportOptions, ImportStep } from "../../core/exchange/import-plan.ts";
import { documentBytesMax, importBytesMax, importItemsMax } from "../../core/limits.ts";
import { idPrefixes } from "../../core/issue/vocabulary.ts";
import type { IssueType } from "../../core/issue/vocabulary.ts";
import { bytesOf } from "../../core/text/bytes.ts";
import { plainHint, plainLine } from "../../core/text/sanitize.ts";
import { readJson, readJsonLines } from "../../core/exchange/json-lines.ts";
import type { Spec } from "../../core/exchange/spec-kit.ts";
import type { Language } from "../../core/language/handoff-words.ts";
import { readDocument } from "../../store/document.ts";
import { textOfStandardInput } from "../standard-input.ts";
import { writeDurably, writeNew } from "../../store/durable.ts";
import { issueFolderIn } from "../../store/issue-folder.ts";
import { printJson } from "../../views/json.ts";
import { paint } from "../../views/paint.ts";
import { gh } from "../../git/github/gh.ts";
import { openHere, placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { nextId, whileMinting } from "../issue/ids.ts";
import { knownSources } from "../../app/known-sources.ts";
import { loadSettings } from "../../app/settings.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export type ImportFlags = { all: boolean; update: boolean; dryRun: boolean; json: boolean; as?: string };

/** The items to import, and the name of their source in the issues. */
type Source = { name: string; reading: Reading };

export async function importFrom(
  from: string,
  which: string | undefined,
  flags: ImportFlags,
): Promise<number> {
  const here = await openHere();
  const { language } = loadSettings(here);
  if (which !== undefined && from !== "github") {
    const message = t`${from} is imported whole: what is ${JSON.stringify(which.slice(0, 60))}?`;
    throw new MonocoError("input", message, {
      hint: t`an issue's number or a label goes with github: monoco import github 12`,
    });
  }
  const source = await read(here, { from, which, all: flags.all, language });
  const name = flags.as === undefined ? source.name : importedWord(flags.as);
  if (name === "") throw new MonocoError("input", t`--as: a name is needed`, { hint: "--as linear" });
  const top = here.repository.worktree;
  const folder = issueFolderIn(top);
  // Locked from the first look to the last file, so that two imports at once write each item once.
  const steps = await whileMinting(here, async () => {
    const planned = await planHere(here, source.reading, {
      name,
      folder,
      language,
      all: flags.all,
      update: flags.update,
    });
    const long = planned.find(({ text }) => text !== undefined && bytesOf(text) > documentBytesMax);
    if (long) {
      throw new MonocoError("input", t`${long.path}: an issue has at most ${documentBytesMax} bytes`, {
        hint: t`put what is long into a file of the repository, and name that`,
      });
    }
    if (!flags.dryRun) writeAll(top, folder, planned);
    return planned;
  });
  tell(steps, { name, folder, remarks: source.reading.remarks, flags });
  return 0;
}

type Wanted = Pick<ImportOptions, "name" | "folder" | "language" | "all" | "update">;

/** Plans the steps over all branches and worktrees, with unused ids. */
export async function planHere(here: Here, reading: Reading, wanted: Wanted): Promise<ImportStep[]> {
  return planImport(reading, {
    ...wanted,
    existing: await knownSources(here, (id) => existsSync(placesFor(here, id).journal)),
    ids: await freeIds(here),
    nowIso: new Date().toISOString(),
    hash: shortHash,
  });
}

export const shortHash = (text: string): string => hash("sha256", text).slice(0, 16);

async function freeIds(here: Here): Promise<ImportOptions["ids"]> {
  const free = async (type: IssueType): Promise<{ prefix: string; next: number }> => {
    const prefix = idPrefixes[type];
    const id = await nextId(here, prefix);
    return { prefix, next: Number(id.slice(prefix.length + 1)) };
  };
  return {
    feature: await free("feature"),
    fix: await free("fix"),
    chore: await free("chore"),
    epic: await free("epic"),
  };
}

type Asked = { from: string; which: string | undefined; all: boolean; language: Language };

async function read(here: Here, asked: Asked): Promise<Source> {
  const { from, language } = asked;
  if (from === "github") return readGithub(here, asked);
  if (from === "-")
    return {
      name: "stdin",
      reading: readJsonLines(await textOfStandardInput(importBytesMax, tooLong), t`standard input`),
    };
  const path = resolve(here.cwd, from);
  const name = relative(here.repository.worktree, path).split(sep).join("/");
  const file = basename(name);
  switch (extname(path).toLowerCase()) {
    case ".json":
      return { name, reading: readJson(readDocument(path, importBytesMax), { file, language }) };
    case ".jsonl":
      return { name, reading: readJsonLines(readDocument(path, importBytesMax), from) };
    case ".md":
      return { name, reading: readChecklist(readDocument(path), from, specBeside(path, name)) };
    default:
      throw new MonocoError("input", t`${from}: what kind of file this is cannot be told from its name`, {
        hint: t`prd.json, fix_plan.md, tickets.jsonl, github, or - for JSON Lines on standard input`,
      });
  }
}

/** The spec.md in the folder of a spec-kit's tasks.md or a Conductor's plan.md. */
function specBeside(path: string, name: string): Spec | undefined {
  const spec = join(dirname(path), "spec.md");
  if (!/^(?:tasks|plan)\.md$/i.test(basename(path)) || !existsSync(spec)) return undefined;
  return { path: posix.join(posix.dirname(name), "spec.md"), text: readDocument(spec) };
}

async function readGithub(here: Here, { which, all }: Asked): Promise<Source> {
  const number = /^#?(\d{1,12})$/.exec(which ?? "")?.[1];
  const label = which === undefined || which === "" ? [] : [`--label=${which}`];
  const state = all ? "all" : "open";
  const args =
    number === undefined
      ? ["issue", "list", `--state=${state}`, ...label, `--limit=${importItemsMax}`, `--json=${githubFields}`]
      : ["issue", "view", number, `--json=${githubFields}`];
  const answer = await gh(args, { cwd: here.repository.worktree });
  if (answer.trim() === "[]") {
    const none = state === "open" ? t`gh issue list: no open issue` : t`gh issue list: no issue`;
    throw new MonocoError("input", which ? t`${none} with the label ${which}` : none, {
      hint: t`gh issue list shows what is there; --all takes the closed ones too`,
    });
  }
  return readGithubIssues(answer, `gh ${args.join(" ")}`);
}

function tooLong(): MonocoError {
  return new MonocoError("input", t`standard input: more than ${importBytesMax} bytes`, {
    hint: t`import it in parts`,
  });
}

/** Writes all files or none: a failure removes those already written. */
export function writeAll(top: string, folder: string, steps: readonly ImportStep[]): void {
  const undo: (() => void)[] = [];
  try {
    mkdirSync(join(top, folder), { recursive: true });
    for (const { do: what, path = "", text } of steps) {
      const target = join(top, path);
      if (text === undefined) continue;
      if (what === "create") {
        writeNew(target, text);
        undo.push(() => rmSync(target, { force: true }));
      } else {
        const before = readDocument(target);
        writeDurably(target, text);
        undo.push(() => writeDurably(target, before));
      }
    }
  } catch (error) {
    for (const back of undo.toReversed()) back();
    throw error;
  }
}

function tell(
  steps: readonly ImportStep[],
  { name, folder, remarks, flags }: { name: string; folder: string; remarks: string[]; flags: ImportFlags },
): void {
  const written = steps.filter(({ text }) => text !== undefined).length;
  if (flags.json) {
    const shown = steps.map((step) => ({ ...step, text: undefined }));
    printJson({
      source: name,
      dryRun: flags.dryRun,
      written: flags.dryRun ? 0 : written,
      steps: shown,
      remarks,
    });
    return;
  }
  const write = (text: string): void => void io().stdout.write(`${text}\n`);
  for (const { do: what, id, source, title, path, because, hint } of steps) {
    const done = {
      create: t`new`,
      update: t`written anew`,
      keep: because,
      changed: because,
      skip: t`passed over: ${because}`,
    }[what];
    write(
      `${paint("bold", plainLine(id ?? source))}  ${done}  ${plainLine(title, 100)}${what === "create" ? `  ${plainLine(path ?? "")}` : ""}`,
    );
    if (what === "changed" && hint) write(paint("dim", t`  hint: ${plainHint(hint)}`));
  }
  for (const remark of remarks) write(paint("dim", plainLine(remark, 400)));
  const skipped = steps.filter((step) => step.do === "skip").length;
  if (skipped > 0) write(paint("dim", t`${skipped} passed over: --all imports what is done too, closed`));
  if (flags.dryRun) write(t`${written} would be written; nothing was`);
  else if (written === 0) write(t`nothing to write`);
  else
    write(
      t`${written} written\nnext: monoco issue lint, git add ${folder} && git commit -m "Import ${plainLine(name)}", then monoco run --all`,
    );
}
