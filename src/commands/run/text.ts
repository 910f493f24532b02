/** monoco run "some text": an agent proposes an issue; the person agrees on it, and it is committed on the base and run. */
import { editFrontMatter } from "../../core/text/front-matter-edit.ts";
import { MonocoError, exitCodes } from "../../core/error/error.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { lintIssue } from "../../core/issue/lint.ts";
import { slugOf } from "../../core/issue/name.ts";
import { idPrefixes } from "../../core/issue/vocabulary.ts";
import type { IssueType } from "../../core/issue/vocabulary.ts";
import { requestCharsMax } from "../../core/limits.ts";
import { issueOfText, issueProposed } from "../../core/prompt/proposal.ts";
import type { Proposal } from "../../core/prompt/proposal-schema.ts";
import { checkCommands } from "../../core/settings/check-schema.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { short } from "../../core/text/figures.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { shellWord } from "../../core/text/shell.ts";
import { ifSigning } from "../../git/identity.ts";
import { commitNewFile } from "../../git/own-commit.ts";
import { issuePathsAt } from "../../git/issues.ts";
import { commitOfBase } from "../../git/repository.ts";
import { propose } from "../../relay/proposal/propose.ts";
import type { Proposed } from "../../relay/proposal/propose.ts";
import { issueFolders } from "../../store/issue-folder.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { takeProposal } from "../../store/proposals.ts";
import { adviceWords } from "../../views/hint.ts";
import { openScreen } from "../../views/terminal.ts";
import { loadTemplate } from "../../app/documents.ts";
import type { Here } from "../../app/here.ts";
import { makeTemporary } from "../../app/temporary.ts";
import type { Temporary } from "../../app/temporary.ts";
import { layOut, setUpRunner } from "../../app/wire.ts";
import { io } from "../../io/io.ts";
import { fillIn } from "../issue/create.ts";
import { nextId, whileMinting } from "../issue/ids.ts";
import { atTerminal } from "../answer.ts";
import { agreeOn } from "./agree.ts";
import type { Draft } from "./agree.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { run } from "./run.ts";
import { runHere } from "./run-flags.ts";
import type { RunFlags } from "./run-flags.ts";
import { t } from "../../core/language/translate.ts";

export type TextFlags = Omit<RunFlags, "resume"> & { yes: boolean; dryRun: boolean };

/** Exit status of the run; 1 if the person said no, 2 if nobody could be asked: then nothing is changed. */
export async function runText(given: readonly string[], flags: TextFlags): Promise<number> {
  const text = textIn(given, flags);
  const { here, settled } = await runHere(flags);
  const { settings } = settled;
  const base = await commitOfBase(here.repository.git, settings.base);
  const temporary = makeTemporary("issue");
  try {
    const writing = { here, settings, flags };
    const proposed = await proposeHere(writing, { text, base, temporary });
    const draft = await draftOf(writing, { text, proposed });
    const agreed = await agreeOn(draft, { text, temporary, flags });
    if (agreed === undefined) {
      io().stderr.write(t`nothing was written\n`);
      return exitCodes.person;
    }
    const id = await commit(writing, { issue: agreed, text, proposed });
    return await run([id], { ...flags, resume: false });
  } finally {
    temporary.remove();
  }
}

/** Throws `input` for flags and arguments that are for ids only. */
function textIn(given: readonly string[], { all = false, dryRun, watch = false }: TextFlags): string {
  const text = given[0]?.trim() ?? "";
  const refuse = (message: string, hint: string): MonocoError => new MonocoError("input", message, { hint });
  if (given.length > 1)
    throw refuse(
      t`one text becomes one issue, and it goes with no id`,
      t`quote the whole text: monoco run "Fix the login page"`,
    );
  if (all || watch)
    throw refuse(
      t`a text becomes one issue: --all and --watch work through those that are there`,
      t`leave them out, or the text`,
    );
  if (dryRun)
    throw refuse(
      t`--dry-run shows what is known without asking an agent, and a text has no issue yet`,
      t`without a terminal, monoco run ${shellWord(plainLine(text))} shows the issue and writes nothing`,
    );
  if (text.length > requestCharsMax)
    throw refuse(
      t`a text has at most ${requestCharsMax} characters, got ${text.length}`,
      t`write it into a file, and give that to monoco issue create -`,
    );
  return text;
}

type Writing = { here: Here; settings: Settings; flags: TextFlags };

async function proposeHere(
  { here, settings }: Writing,
  { text, base, temporary }: { text: string; base: string; temporary: Temporary },
): Promise<Proposed> {
  layOut(here);
  const screen = openScreen(io().stderr);
  const template = loadTemplate(here.repository.worktree, settings.language, "propose.md");
  const { interrupt, unlisten } = listenForInterrupt(screen, () => t`no issue is written`);
  const runner = setUpRunner(here, { control: { interrupt }, onProgress: () => undefined });
  try {
    const { folder } = temporary;
    const check = (one: Proposal): string | undefined => {
      try {
        return void write({ here, settings }, one.type, { id: "FEAT-0001", proposal: one });
      } catch (error) {
        if (error instanceof MonocoError && error.kind === "input") return error.message;
        throw error;
      }
    };
    const onSession = (agent: string): void =>
      screen.line({ tone: "dim", text: t`${agent} reads ${settings.base} and proposes an issue` });
    return await propose(runner, { text, base, settings, template, folder, check, onSession });
  } finally {
    screen.end();
    unlisten();
  }
}

type What = { id: string; createdAt?: string } & ({ proposal: Proposal } | { text: string });

/** The issue's file, from the template of its type. */
function write({ here, settings }: Pick<Writing, "here" | "settings">, type: IssueType, what: What): string {
  const { language } = settings;
  const template = loadTemplate(here.repository.worktree, language, `issue-${type}.md`);
  const { id, createdAt = new Date().toISOString() } = what;
  const title = "proposal" in what ? what.proposal.title : "A title";
  // Reports a person's own template that makes no valid issue as such.
  fillIn(template, { id, title, createdAt });
  const of = { id, createdAt, language };
  const made =
    "proposal" in what
      ? issueProposed(template.text, of, what.proposal)
      : issueOfText(template.text, of, what.text);
  parseIssue(made, template.path);
  return made;
}

/** The draft to show, under the next free id. */
async function draftOf(
  { here, settings }: Writing,
  { text, proposed }: { text: string; proposed: Proposed },
): Promise<Draft> {
  const { proposal } = proposed;
  const type = proposal?.type ?? "feature";
  const id = await nextId(here, idPrefixes[type]);
  const issue = write({ here, settings }, type, { id, ...(proposal ? { proposal } : { text }) });
  const by =
    "because" in proposed
      ? { because: proposed.because }
      : { agent: proposed.agent, reused: proposed.reused };
  const faultsOf = (issueText: string): string[] => {
    const path = pathOf(issueText, "issues");
    const { shell, language } = settings;
    const around = { checks: checkCommands(settings.checks), shell, language };
    return lintIssue(issueText, path, around).map(
      ({ line, message, hint }) => t`${path}:${line}: ${message} (${adviceWords(hint)})`,
    );
  };
  return { issue, by, faultsOf };
}

function pathOf(issue: string, folder: string): string {
  const { id, title } = parseIssue(issue, t`the issue`);
  return `${folder}/${[id, slugOf(title)].filter(Boolean).join("-")}.md`;
}

/** Commits under the next free id: another command may have taken the one that was shown. */
async function commit(
  { here, settings, flags }: Writing,
  { issue, text, proposed }: { issue: string; text: string; proposed: Proposed },
): Promise<string> {
  const { git } = here.repository;
  const { base } = settings;
  const places = repositoryPlaces(here.repository.root, io().env);
  const scratch = `${places.proposals}/index`;
  const person = { cwd: here.repository.root, env: io().env, scratch, mayAsk: atTerminal() };
  const signer = await ifSigning(settings.signing, person);
  const { id, commit: made } = await whileMinting(here, async () => {
    const { id: shown } = parseIssue(issue, t`the issue`);
    const id = await nextId(here, shown.replace(/-\d+$/, ""));
    const final = id === shown ? issue : editFrontMatter(issue, { id });
    const paths = await issuePathsAt(git, `refs/heads/${base}`);
    const folder = issueFolders.find((name) => paths.some((path) => path.startsWith(`${name}/`)));
    const path = pathOf(final, folder ?? issueFolders[0]);
    const { title } = parseIssue(final, path);
    const message = messageOf({ id, title, text, proposed });
    const commit = await commitNewFile(git, { base, path, text: final, message, scratch }, signer);
    return { id, commit };
  });
  if ("name" in proposed) takeProposal(places.proposals, proposed.name, id);
  const said = t`${id} is committed on ${base} as ${short(made)}`;
  openScreen(flags.json ? io().stderr : io().stdout).line({ tone: "good", text: said });
  return id;
}

/** The commit message, which names the proposer of the contract, and the text it was proposed for. */
function messageOf(of: { id: string; title: string; text: string; proposed: Proposed }): string {
  const by = "agent" in of.proposed ? `Proposed by ${of.proposed.agent} for this request:` : "Requested:";
  return `${of.id} ${plainLine(of.title, 72)}\n\n${by}\n\n${plain(of.text)}\n`;
}
