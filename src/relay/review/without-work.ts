/** Which evidence notices when all work is taken out of a submission, and which only that something stands there. */
import { gitOr, zeroed } from "../../git/git.ts";
import { takenBackFilesMax } from "../../core/limits.ts";
import type { EvidenceCommand } from "../../core/review/verdict/to-run.ts";
import type { Emptied } from "../../core/review/evidence.ts";
import { withoutReading } from "../../core/review/command-parts.ts";
import type { Plan } from "../../core/trial/changes.ts";
import { withNames, withOldWords, withWordsAlone } from "../../core/trial/emptied.ts";
import type { Edit, RoledFile } from "../../core/trial/overlays.ts";
import { languageOf } from "../../core/weakening/code-line.ts";
import type { Trying } from "./tree-runs.ts";
import { named } from "../run-name.ts";
import type { RunName } from "../run-name.ts";

/** How a command ends on the submission with the edits, `setsUp`: set up anew with them; undefined where that was not seen. */
export type RunWith = (
  edits: readonly Edit[],
  command: string,
  name: RunName,
  setsUp?: boolean,
) => Promise<number | undefined>;

type Of = {
  plan: Plan;
  commands: readonly EvidenceCommand[];
  run: RunWith;
  /** The set-up has built something, which is still the submission's. */
  stale: () => Promise<boolean>;
  added: readonly Edit[];
};

/** By command; nothing where the submission changes neither sources nor tests: what reads data cannot be told from what runs it. */
export async function tryWithoutWork(trying: Trying, of: Of): Promise<Map<string, Emptied>> {
  const found = new Map<string, Emptied>();
  const { files } = trying;
  if (!files.some(({ role }) => role === "source" || role === "test")) return found;
  const unused = new Set(of.commands.length > 0 ? await unusedFiles(trying) : []);
  const edits = editsWithout(of.plan, files);
  for (const named of of.commands) {
    const telling = { ...named, command: await tellingPart(files, named, of.run) };
    let { run } = of;
    let emptied = await emptiedAs(telling, edits, run);
    if (emptied !== "differs" && emptied !== "not_tried" && (await of.stale())) {
      run = (on, command, name) => of.run(on, command, name, true);
      emptied = await emptiedAs(telling, edits, run);
    }
    if (emptied === "differs") emptied = await asksPerson(telling, { ...of, run, edits, unused });
    found.set(named.command, emptied);
  }
  return found;
}

/** The command without what only reads, where the rest ends the same by itself. */
async function tellingPart(
  files: readonly RoledFile[],
  { command, exitCode }: EvidenceCommand,
  run: RunWith,
): Promise<string> {
  if (exitCode !== 0) return command;
  const rest = withoutReading(
    command,
    files.map(({ path }) => path),
  );
  if (rest === command) return command;
  return (await run([], rest, named`without what only reads`)) === exitCode ? rest : command;
}

type EditsWithout = {
  /** All but tests is as on the base, and words stay. */
  all: Edit[];
  /** New names stay, too, and so does what is neither a source nor a test. */
  sources: Edit[];
  /** Of the rest as on the base. */
  data: Edit[];
  /** Tests that may be what is asked for. */
  tests: Edit[];
};

/** It has to notice on both: without names to see that something is loaded, with names to see that it works. */
async function emptiedAs(
  { command, exitCode }: EvidenceCommand,
  edits: EditsWithout,
  run: RunWith,
): Promise<Emptied> {
  const all = await run(edits.all, command, named`without all work`);
  if (all === undefined) return "not_tried";
  if (all === exitCode) {
    if (edits.tests.length === 0) return "same";
    const ended = await run([...edits.all, ...edits.tests], command, named`without the tests`);
    return ended === undefined || ended === exitCode ? "same" : "tests";
  }
  const sources = await run(edits.sources, command, named`with new names alone`);
  if (sources === undefined) return "not_tried";
  if (sources !== exitCode) return "differs";
  if (edits.data.length === 0) return "same";
  const ended = await run([...edits.sources, ...edits.data], command, named`without data`);
  return ended === undefined || ended === exitCode ? "same" : "data";
}

async function asksPerson(
  { command, exitCode }: EvidenceCommand,
  { plan, edits, unused, added, run }: Of & { edits: EditsWithout; unused: ReadonlySet<string> },
): Promise<Emptied> {
  const used = edits.sources.filter(({ path }) => !unused.has(path));
  if (used.length < edits.sources.length) {
    const kept = await run(used, command, named`with ${[...unused][0] ?? ""} alone`);
    if (kept === exitCode) return "unused";
  }
  // Of a Reviewer's own program alone: a linter may object to the comment.
  if (added.some(({ path }) => command.includes(path.slice(path.lastIndexOf("/") + 1)))) {
    const told = await run(oldWords(plan), command, named`with the old words`);
    if (told !== undefined && told !== exitCode) return "words";
  }
  return "differs";
}

function editsWithout({ sources }: Plan, files: readonly RoledFile[]): EditsWithout {
  const of = (...roles: RoledFile["role"][]): RoledFile[] => files.filter(({ role }) => roles.includes(role));
  const asBefore = ({ path, before }: RoledFile): Edit => ({ path, to: before });
  const emptied = (by: typeof withNames): Edit[] =>
    of("source").map((file) => {
      const source = sources.get(file.path);
      if (!source || file.before?.mode.startsWith("100") === false) return asBefore(file);
      return { path: file.path, to: { mode: file.before?.mode ?? source.mode, text: by(source) } };
    });
  const data = of("config", "manifest", "other").map(asBefore);
  const tests = of("test").filter(({ path }) => of("source").length === 0 || isMaybeProduct(path));
  return {
    all: [...emptied(withWordsAlone), ...data],
    sources: emptied(withNames),
    data,
    tests: tests.map(asBefore),
  };
}

/** What a project gives to those who test with it lies in a folder that looks like one of tests. */
function isMaybeProduct(path: string): boolean {
  return /(?:^|\/)testing\//.test(path) && !/[._-](?:test|spec)/i.test(path);
}

function oldWords({ sources }: Plan): Edit[] {
  return [...sources.values()].map((source) => ({
    path: source.path,
    to: { mode: source.mode, text: withOldWords(source) },
  }));
}

/** Languages whose files are built together, whatever they are called. */
const builtTogether = new Set(["go", "jvm", "cs", "swift", "dart", "ex"]);

/** New files, tests left out, that nothing names which was there before, contract included, nor a test, nor a new file that is used. */
export async function unusedFiles({ relay, bench, files }: Trying): Promise<string[]> {
  const { git } = relay.repository;
  const { base, submission } = bench.sides;
  const naming = async (path: string, commit: string): Promise<string[]> => {
    const [own = "", folder] = path.split("/").toReversed();
    // Who needs a package names its folder.
    const isPackage = folder !== undefined && /^(?:index|main|mod|__init__)\./.test(own);
    const name = isPackage ? folder : own.replace(/(?<=.)\.[^.]*$/, "");
    const found = await gitOr(git(["grep", "-l", "-z", "-w", "-F", "-e", name, commit]), "");
    return zeroed(found).map((one) => one.slice(commit.length + 1));
  };
  const isLeft = ({ role, before }: RoledFile): boolean =>
    !before && !["test", "beside", "manifest"].includes(role);
  const unused = new Map<string, string[]>();
  const fresh = files.filter(isLeft);
  // So many are generated, or a library: looking for each would take minutes.
  if (fresh.length > takenBackFilesMax) return [];
  for (const { path } of fresh) {
    if (builtTogether.has(languageOf(path)) || (await naming(path, base.commit)).length > 0) continue;
    const by = await naming(path, submission.commit);
    unused.set(
      path,
      by.filter((one) => one !== path && languageOf(one) !== "prose"),
    );
  }
  for (let before = -1; before !== unused.size;) {
    before = unused.size;
    for (const [path, by] of unused) if (by.some((one) => !unused.has(one))) unused.delete(path);
  }
  return [...unused.keys()];
}
