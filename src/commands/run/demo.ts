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
import { describeInChinese } from "../../views/story.ts";
import { paint } from "../../views/terminal.ts";
import { check } from "../check.ts";
import { demoWords } from "./demo-language.ts";
import { run } from "./run.ts";
import { packageRoot } from "../../app/documents.ts";
import { openHere, placesFor } from "../../app/here.ts";
import { monocoCommand } from "../../app/wire.ts";
import { io, pathHere, temporaryRoot, within } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export type DemoFlags = { language: string; folder?: string; setUpOnly: boolean };

export async function demo(flags: DemoFlags): Promise<number> {
  const { language } = flags;
  if (language !== "en" && language !== "zh") {
    throw new MonocoError("input", t`unknown language "${language}"`, { hint: t`--language en, or zh` });
  }
  const started = Date.now();
  // Without git there would be half a demo, and its folder no longer empty.
  await gitIn(temporaryRoot())(["--version"]);
  const folder = emptyFolder(flags.folder ?? mkdtempSync(join(temporaryRoot(), "monoco-demo-")));
  const { project, issue } = await makeProject(folder, language);
  const say = (text: string): void => void io().stdout.write(`${text}\n`);
  const words = demoWords[language];
  say(words.project(project));
  if (flags.setUpOnly) return 0;
  const env = { ...io().env, XDG_STATE_HOME: join(folder, "state") };
  const code = await within({ cwd: project, env }, () => runAndShow(issue, language, say));
  say(`\n${words.end(seconds(Date.now() - started), folder)}`);
  return code;
}

async function runAndShow(issue: string, language: Language, say: (text: string) => void): Promise<number> {
  const words = demoWords[language];
  const command = `monoco run ${issue}`;
  say(`$ ${command}\n`);
  const code = await run([issue], { jobs: 1, once: false, wait: true, json: false, resume: false, language });
  await whereToLook(issue, language, say);
  if (code === 0) {
    say(`\n${paint("bold", words.checksNow)}`);
    await check(undefined, { json: false });
  }
  return code;
}

function emptyFolder(named: string): string {
  const path = pathHere(named);
  mkdirSync(path, { recursive: true });
  if (readdirSync(path).length === 0) return realpathSync(path);
  throw new MonocoError("input", t`${named} is not empty`, {
    hint: t`name a new folder, or leave --folder out`,
  });
}

/** The repository: a function without its work done, a test that fails, an issue that asks for it, a script for the agent. */
async function makeProject(folder: string, language: Language): Promise<{ project: string; issue: string }> {
  const issue = language === "zh" ? "DEMO-0002" : "DEMO-0001";
  const project = join(folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  const shipped = join(packageRoot, "templates", "demo");
  for (const name of readdirSync(shipped)) {
    const text = readFileSync(join(shipped, name), "utf8");
    writeFileSync(
      join(project, name),
      name.endsWith(".yaml")
        ? fillTemplate(text, { language, issue, ...demoWords[language].story }, name)
        : text,
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
  await git(["commit", "--quiet", "--message", demoWords[language].begin]);
  return { project, issue };
}

async function whereToLook(issue: string, language: Language, say: (text: string) => void): Promise<void> {
  const words = demoWords[language];
  const here = await openHere();
  const places = placesFor(here, issue);
  const events = readJournal(places.journal);
  const describe = language === "zh" ? describeInChinese : describeEvent;
  const first = events[0]?.atMs ?? 0;
  say(`\n${paint("bold", words.timeline)}`);
  for (const event of events) {
    const described = describe(event);
    if (described)
      say(
        `  ${paint("dim", `+${((event.atMs - first) / 1000).toFixed(1).padStart(5)} s`)}  ${paint(described.tone, described.text)}`,
      );
  }
  const history = "git log --graph";
  say(`\n${paint("bold", words.base)}  (${history})`);
  const log = await here.repository.git(["log", "--graph", "--format=%h %s", "main"]);
  for (const line of log.trimEnd().split("\n")) say(`  ${line}`);
  say(`\n${paint("bold", words.places)}`);
  say(`  journal    ${places.journal}`);
  for (const event of events) {
    if (event.type === "handoff.recorded")
      say(`  handoff    ${places.session(event.session, "executor").handoff}  (${event.source})`);
  }
  say(`  prompts    ${join(places.relay, "sessions")}/*/prompt.md`);
  say(`  checks     ${join(places.relay, "submissions")}/*/`);
  const status = [...monocoCommand(), "relay", "status", issue].map(shellWord).join(" ");
  say(`  status     cd ${shellWord(here.repository.root)} && ${status}`);
}
