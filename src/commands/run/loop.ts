/** monoco loop: a prompt, one fresh session after the other, until its promise is given and its checks pass. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { parseLoop } from "../../core/prompt/loop.ts";
import type { Loop } from "../../core/journal/loop-schema.ts";
import { keepJournalCopy } from "../../relay/journal-copy.ts";
import type { Relay } from "../../relay/relay.ts";
import { runRelay } from "../../relay/run-relay.ts";
import type { RunOptions } from "../../relay/run-relay.ts";
import { readDocument } from "../../store/document.ts";
import { showProgress } from "../../views/progress.ts";
import { openScreen } from "../../views/terminal.ts";
import { packageRoot, readOwnOrShipped } from "../../app/documents.ts";
import { openHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { openLoop } from "../../app/loop-relay.ts";
import { askToGoOn, goOn } from "./one-issue.ts";
import { tellNotices } from "./notices.ts";
import { listenForInterrupt, stopWords } from "./interrupt.ts";
import { tell } from "./came-of-it.ts";
import { waiterOf } from "./run.ts";
import { currentSession, refuseFromWithin } from "../../app/session-context.ts";
import { settledHere } from "../../app/settings.ts";
import { io, pathHere } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export type LoopFlags = {
  promise?: string;
  max?: number;
  verify?: string[];
  review?: boolean;
  template?: string;
  agent?: string;
  set?: string[];
  once: boolean;
  wait: boolean;
  json: boolean;
};

export async function loop(file: string | undefined, flags: LoopFlags): Promise<number> {
  if (currentSession()) {
    throw new MonocoError("input", t`a session cannot run loops`, { hint: t`do the work, or hand over` });
  }
  const here = await openHere();
  refuseFromWithin(here.repository);
  const wanted = loopFrom(here, file, flags);
  const settled = settledHere(here, flags);
  tellNotices(settled.settings);
  const screen = openScreen(flags.json ? io().stderr : io().stdout);
  let progress: ReturnType<typeof showProgress> | undefined;
  const relays = new Set<Relay>();
  const { interrupt, unlisten } = listenForInterrupt(screen, () => stopWords(relays));
  const { relay, lock } = await openLoop(
    here,
    { loop: wanted, settled },
    {
      control: { interrupt },
      onProgress: (issue) => (news) => (progress ??= showProgress(screen, issue)).tell(news),
    },
  );
  relays.add(relay);
  const waiter = waiterOf(flags, screen);
  try {
    const wait: RunOptions["wait"] = (action) => waiter.goOn(relay.issue, action);
    const end = await runRelay(relay, { once: flags.once, wait });
    await keepJournalCopy(relay);
    progress?.stop();
    const context = { flags: { ...flags, jobs: 1, resume: false }, screen };
    if (end.end === "once" && (await askToGoOn(relay.issue))) return await goOn(relay, context);
    return tell(relay, end, context);
  } finally {
    waiter.end();
    progress?.stop();
    lock.release();
    unlisten();
  }
}

function loopFrom(here: Here, file: string | undefined, flags: LoopFlags): Loop {
  if ((file === undefined) === (flags.template === undefined)) {
    throw new MonocoError("input", t`a loop needs one prompt: a file, or a template`, {
      hint: t`monoco loop PROMPT.md, or monoco loop --template ${templatesIn(here).join("|")}`,
    });
  }
  const { text, path } = file === undefined ? template(here, flags.template!) : prompt(file);
  return parseLoop(text, path, flags);
}

function prompt(file: string): { text: string; path: string } {
  const path = pathHere(file);
  if (existsSync(path)) return { text: readDocument(path), path: file };
  throw new MonocoError("input", t`no such file: ${file}`, { hint: t`write what is to be done into it` });
}

function template(here: Here, name: string): { text: string; path: string } {
  const names = templatesIn(here);
  if (names.includes(name))
    return readOwnOrShipped(here.repository.worktree, "templates", [`loops/${name}.md`]);
  throw new MonocoError("input", t`unknown loop template "${name}"`, {
    hint: t`there are ${names.join(", ")}`,
  });
}

/** The loop templates: the repository's own in templates/loops/, and the shipped ones. */
function templatesIn(here: Here): string[] {
  const folders = [here.repository.worktree, packageRoot].map((root) => join(root, "templates", "loops"));
  const names = folders.filter(existsSync).flatMap((folder) => readdirSync(folder));
  return [
    ...new Set(names.filter((name) => name.endsWith(".md")).map((name) => basename(name, ".md"))),
  ].sort();
}
