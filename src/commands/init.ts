/** monoco init: makes monoco.yaml, issues/ and a marked block in AGENTS.md, and makes git ignore the runtime folder. A second run changes nothing. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { stringify } from "yaml";
import { join } from "node:path";
import { isOnPath } from "../agents/environment.ts";
import { MonocoError } from "../core/error/error.ts";
import { fillTemplate } from "../core/text/template.ts";
import { gitIn, gitOr, zeroed } from "../git/git.ts";
import { defaultBranch } from "../git/remotes.ts";
import type { DefaultBranch } from "../git/remotes.ts";
import type { Language } from "../core/language/handoff-words.ts";
import { isThere, readDocument } from "../store/document.ts";
import { writeDurably, writeNew } from "../store/durable.ts";
import { issueFolders, listIssueFiles } from "../store/issue-folder.ts";
import { printJson } from "../views/json.ts";
import { answerTo, atTerminal } from "./answer.ts";
import { kindsIn, settingsOf } from "./project-kinds.ts";
import type { Kind } from "./project-kinds.ts";
import { isBranchName } from "../core/settings/finish-schema.ts";
import { loadTemplate } from "../app/documents.ts";
import { openHere } from "../app/here.ts";
import { excludeRuntime } from "../app/wire.ts";
import type { Here } from "../app/here.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

const begin = "<!-- monoco:begin (written by monoco init; remove the block to remove it) -->";
const end = "<!-- monoco:end -->";

export async function init(flags: { language: string; json: boolean }): Promise<number> {
  const { language, json } = flags;
  if (language !== "en" && language !== "zh") {
    throw new MonocoError("input", t`unknown language "${language}"`, {
      hint: t`--language en, or zh`,
    });
  }
  const here = await openHere();
  const top = here.repository.worktree;
  const done: string[] = [];
  // Reads everything before writing: a broken file leaves nothing half set up.
  const settings = await settingsFor(here, { language, json });
  listIssueFiles(top);
  const agents = withBlock(join(top, "AGENTS.md"));
  if (settings !== undefined) {
    writeNew(join(top, "monoco.yaml"), settings.text);
    const { branch, sure } = settings.base;
    const wrote = t`wrote monoco.yaml`;
    done.push(
      sure ? wrote : t`${wrote}, with base: ${branch}; change it if work is merged into another branch`,
      ...settings.kinds.map(kindWords),
    );
    if (settingsOf(settings.kinds).checks.length === 0)
      done.push(t`found no tests: write the commands that prove the work into checks in monoco.yaml`);
  }
  if (!issueFolders.some((name) => existsSync(join(top, name)))) {
    writeNew(join(top, "issues", ".gitkeep"), "");
    done.push(t`made issues/`);
  }
  if (agents) {
    writeDurably(agents.path, agents.bytes);
    done.push(t`added a block to AGENTS.md`);
  }
  if (excludeRuntime(here.repository))
    done.push(t`excluded /.monoco/ and /RALPH.md from git (.git/info/exclude)`);
  if (json) printJson({ root: top, done });
  else {
    io().stdout.write(done.length > 0 ? `${done.join("\n")}\n` : t`nothing to do: all is there\n`);
    io().stdout.write(
      t`next: look at monoco.yaml, try it with monoco check --fresh, commit it, then monoco run "What you want", or monoco issue create "Title"\n`,
    );
  }
  return 0;
}

type Flags = { language: Language; json: boolean };

/** A new monoco.yaml; undefined if one exists, which must be readable. */
async function settingsFor(
  here: Here,
  { language, json }: Flags,
): Promise<{ text: string; base: DefaultBranch; kinds: Kind[] } | undefined> {
  const top = here.repository.worktree;
  if (isThere(join(top, "monoco.yaml"))) {
    readDocument(join(top, "monoco.yaml"));
    return undefined;
  }
  const { text, path } = loadTemplate(top, language, "monoco.yaml");
  const base = await baseOf(here, json);
  const listed = await gitOr(
    gitIn(top)(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]),
    "",
  );
  const kinds = await kindsIn(top, zeroed(listed));
  const values = { ...guesses(kinds), base: stringify(base.branch).trim() };
  return { text: `${schemaLine(top)}${fillTemplate(text, values, path)}`, base, kinds };
}

const schemaInPackage = "node_modules/monoco/schema/monoco.schema.json";

/** Names the schema for editors, if everybody with the repository's packages has it. */
function schemaLine(top: string): string {
  return existsSync(join(top, schemaInPackage)) ? `# yaml-language-server: $schema=${schemaInPackage}\n` : "";
}

/** The branch that work starts from; the person is asked if the repository does not say which one that is. */
async function baseOf(here: Here, json: boolean): Promise<DefaultBranch> {
  const found = await defaultBranch(gitIn(here.repository.worktree));
  if (found.sure || json || !atTerminal()) return found;
  const answer = await answerTo(t`The branch that work starts from and is merged into [${found.branch}]: `);
  if (answer === "") return found;
  if (isBranchName(answer)) return { branch: answer, sure: true };
  throw new MonocoError("input", t`expected the name of a branch, got "${answer}"`);
}

/** What the template of monoco.yaml leaves open, as lists of YAML: from the project, and from the machine (bash). */
function guesses(kinds: readonly Kind[]): Record<string, string> {
  const { setup, cache, checks } = settingsOf(kinds);
  const list = (words: readonly string[]): string =>
    `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
  return {
    setup: list(setup),
    cache: list(cache).replaceAll('"', ""),
    checks: list(checks),
    shell: `${isOnPath("bash", io().env["PATH"] ?? "") ? "" : "# "}shell: bash -o pipefail`,
  };
}

function kindWords({ name, because, setup, checks }: Kind): string {
  const commands = [...setup, ...checks].join("; ");
  return t`found ${name} (${because.join(", ")}): ${commands || t`nothing to run`}`;
}

/** AGENTS.md with the block appended and all other bytes unchanged, at the target if it is a link; undefined if it has the block. */
function withBlock(link: string): { path: string; bytes: Buffer } | undefined {
  const there = isThere(link);
  const path = there ? realpathSync(link) : link;
  const before = there ? readFileSync(path) : Buffer.alloc(0);
  if (before.includes(begin)) return undefined;
  const text = t`## Issues and relays

Work is described in \`issues/*.md\` and carried by monoco: \`monoco issue list\`, \`monoco run ID\`, \`monoco status\`.
Inside a session: \`monoco check\`, \`monoco relay prepare\` (hand over), \`monoco issue submit\` (put up for review).`;
  const block = `${begin}\n${text}\n${end}`;
  const gap = before.length === 0 ? "" : before.at(-1) === 10 ? "\n" : "\n\n";
  const bytes = Buffer.concat([before, Buffer.from(`${gap}${block}\n`)]);
  return { path, bytes };
}
