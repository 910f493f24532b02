/** Which evidence notices when all work is taken out of a submission, and which only that something stands there. */
import { gitOr, zeroed } from "../../git/git.ts";
import { takenBackFilesMax } from "../../core/limits.ts";
import type { EvidenceCommand } from "../../core/review/judge-verdict.ts";
import type { Emptied } from "../../core/review/evidence.ts";
import { withOldWords, withoutButWords } from "../../core/trial/changes.ts";
import type { Plan } from "../../core/trial/changes.ts";
import type { Edit, RoledFile } from "../../core/trial/overlays.ts";
import { languageOf } from "../../core/weakening/code-line.ts";
import type { Trying } from "./tree-runs.ts";

/** How a command ends on the submission with the edits; undefined where that was not seen. */
export type RunWith = (edits: readonly Edit[], command: string, name: string) => Promise<number | undefined>;

/** By command; nothing where the submission changes neither sources nor tests: what reads data cannot be told from what runs it. */
export async function tryWithoutWork(
  trying: Trying,
  of: {
    plan: Plan;
    commands: readonly EvidenceCommand[];
    run: RunWith;
    stale: boolean;
    added: readonly Edit[];
  },
): Promise<Map<string, Emptied>> {
  const found = new Map<string, Emptied>();
  const { files } = trying;
  if (!files.some(({ role }) => role === "source" || role === "test")) return found;
  const edits = files.flatMap((file) => editWithout(of.plan, file));
  const unused = new Set(of.commands.length > 0 ? await unusedFiles(trying) : []);
  const used = edits.filter(({ path }) => !unused.has(path));
  for (const { command, exitCode } of of.commands) {
    const ended = await of.run(edits, command, "without all work");
    let emptied: Emptied = ended === undefined ? "not_tried" : ended === exitCode ? "same" : "differs";
    // What the set-up has built is still the submission's.
    if (emptied === "same" && of.stale) emptied = "not_tried";
    if (emptied === "differs" && used.length < edits.length) {
      const kept = await of.run(used, command, `with ${[...unused][0]} alone`);
      if (kept === exitCode) emptied = "unused";
    }
    // Of a Reviewer's own program alone: a linter may object to the comment.
    if (
      emptied === "differs" &&
      of.added.some(({ path }) => command.includes(path.slice(path.lastIndexOf("/") + 1)))
    ) {
      const told = await of.run(oldWords(of.plan), command, "with the old words");
      if (told !== undefined && told !== exitCode) emptied = "words";
    }
    found.set(command, emptied);
  }
  return found;
}

/** Tests stay, and so do words: of a source its work goes, all else is what it was on the base. */
function editWithout({ sources, changes }: Plan, { path, role, before }: RoledFile): Edit[] {
  if (role === "test" || role === "beside") return [];
  const source = sources.get(path);
  if (!source) return [{ path, to: before }];
  const own = changes.filter(({ file }) => file === path);
  return own.length === 0 ? [] : [{ path, to: { mode: source.mode, text: withoutButWords(source, own) } }];
}

function oldWords({ sources, changes }: Plan): Edit[] {
  return [...sources.values()].map((source) => {
    const own = changes.filter(({ file }) => file === source.path);
    return { path: source.path, to: { mode: source.mode, text: withOldWords(source, own) } };
  });
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
