/** monoco demo: the whole story on a real repository in a temp folder, with the built-in scripted agent; no key, no network. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { describeEvent } from "../../core/journal/events/records.ts";
import { seconds } from "../../core/text/figures.ts";
import { shellWord } from "../../core/text/shell.ts";
import { fillTemplate } from "../../core/text/template.ts";
import { gitIn } from "../../git/git.ts";
import type { Language } from "../../core/language/handoff-words.ts";
import { readJournal } from "../../store/journal.ts";
import { paint } from "../../views/paint.ts";
import { check } from "../check.ts";
import { demoStory } from "./story.ts";
import { run } from "../run/run.ts";
import { packageRoot } from "../../app/documents.ts";
import { openHere, placesFor } from "../../app/here.ts";
import { monocoCommand } from "../../app/wire.ts";
import { io, pathHere, temporaryRoot, within } from "../../io/io.ts";
import { named } from "../../core/language/names.ts";
import { tableLines } from "../../views/table.ts";
import { languageSpoken, t } from "../../core/language/translate.ts";

export type DemoFlags = { language?: string; folder?: string; setUpOnly: boolean };

export async function demo(flags: DemoFlags): Promise<number> {
  const language = flags.language ?? languageSpoken();
  if (language !== "en" && language !== "zh") {
    throw new MonocoError("input", t`unknown language "${language}"`, { hint: t`--language en, or zh` });
  }
  const started = Date.now();
  // Checked first: without git the demo would stop halfway, in a folder that is no longer empty.
  await gitIn(temporaryRoot())(["--version"]);
  const folder = emptyFolder(flags.folder ?? mkdtempSync(join(temporaryRoot(), "monoco-demo-")));
  const { project, issue } = await makeProject(folder, language);
  const say = (text: string): void => void io().stdout.write(`${text}\n`);
  say(t`A small project with a failing test is in ${project}`);
  if (flags.setUpOnly) return 0;
  const env = { ...io().env, XDG_STATE_HOME: join(folder, "state") };
  const code = await within({ cwd: project, env }, () => runAndShow(issue, say));
  say(
    t`\nThat took ${seconds(Date.now() - started)}. The folder is yours to look at and to delete: ${folder}`,
  );
  return code;
}

async function runAndShow(issue: string, say: (text: string) => void): Promise<number> {
  const command = `monoco run ${issue}`;
  say(`$ ${command}\n`);
  const code = await run([issue], { jobs: 1, once: false, wait: true, json: false, resume: false });
  await whereToLook(issue, say);
  if (code === 0) {
    say(`\n${paint("bold", t`The test on the base branch now`)}`);
    await check(undefined, { json: false });
  }
  return code;
}

function emptyFolder(name: string): string {
  const path = pathHere(name);
  mkdirSync(path, { recursive: true });
  if (readdirSync(path).length === 0) return realpathSync(path);
  throw new MonocoError("input", t`${name} is not empty`, {
    hint: t`name a new folder, or leave --folder out`,
  });
}

/** The repository: an unfinished function, a failing test, an issue that asks for the work, a script for the agent. */
async function makeProject(folder: string, language: Language): Promise<{ project: string; issue: string }> {
  const issue = language === "zh" ? "DEMO-0002" : "DEMO-0001";
  const project = join(folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  const shipped = join(packageRoot, "templates", "demo");
  for (const name of readdirSync(shipped)) {
    const text = readFileSync(join(shipped, name), "utf8");
    writeFileSync(
      join(project, name),
      name.endsWith(".yaml") ? fillTemplate(text, { language, issue, ...demoStory[language] }, name) : text,
    );
  }
  const examples = join(packageRoot, "issues", "examples");
  const example = readdirSync(examples).find((name) => name.startsWith(issue));
  if (!example) throw new MonocoError("bug", t`the example ${issue} is missing from the package`);
  writeFileSync(join(project, "issues", example), readFileSync(join(examples, example), "utf8"));
  const git = gitIn(project);
  await git(["init", "--quiet", "--initial-branch=main", "."]);
  await git(["config", "user.name", "Demo"]);
  await git(["config", "user.email", "demo@example.com"]);
  await git(["add", "--all"]);
  await git(["commit", "--quiet", "--message", demoStory[language].begin]);
  return { project, issue };
}

async function whereToLook(issue: string, say: (text: string) => void): Promise<void> {
  const here = await openHere();
  const places = placesFor(here, issue);
  const events = readJournal(places.journal);
  const first = events[0]?.atMs ?? 0;
  say(`\n${paint("bold", t`The timeline`)}`);
  for (const event of events) {
    const described = describeEvent(event);
    if (described)
      say(
        `  ${paint("dim", `+${((event.atMs - first) / 1000).toFixed(1).padStart(5)} s`)}  ${paint(described.tone, described.text)}`,
      );
  }
  const history = "git log --graph";
  say(`\n${paint("bold", t`The base branch`)}  (${history})`);
  const log = await here.repository.git(["log", "--graph", "--format=%h %s", "main"]);
  for (const line of log.trimEnd().split("\n")) say(`  ${line}`);
  say(`\n${paint("bold", t`Where to look`)}`);
  const handoffs = events.filter((event) => event.type === "handoff.recorded");
  const run = (...args: string[]): string =>
    `cd ${shellWord(here.repository.root)} && ${[...monocoCommand(), ...args].map(shellWord).join(" ")}`;
  const rows = [
    [t`journal`, places.journal],
    ...handoffs.map(({ session, source }) => [
      t`handoff`,
      `${places.session(session, "executor").handoff}  (${named(source)})`,
    ]),
    [t`prompts`, `${join(places.relay, "sessions")}/*/prompt.md`],
    [t`checks`, `${join(places.relay, "submissions")}/*/`],
    [t`status`, run("relay", "status", issue)],
    [t`proof`, run("verify")],
  ];
  for (const line of tableLines(rows)) say(`  ${line}`);
}
