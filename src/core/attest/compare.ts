/** Compares the record of a merge with what git alone knows: the commit, its parents, what merges into its tree, the contract. */
import { unlessRefused } from "../error/attempt.ts";
import { contractChanges, criteriaOf } from "../issue/contract.ts";
import { parseIssue } from "../issue/issue.ts";
import type { Issue } from "../issue/issue.ts";
import { trailersOf } from "../report/landing-message.ts";
import type { Statement } from "./statement-schema.ts";

/** A commit as git has it. */
export type CommitFacts = { commit: string; tree: string; parents: readonly string[]; message: string };

/** What git knows of a commit and of those that its record names. What is not here is undefined. */
export type GitFacts = {
  /** The commit that is verified. */
  landed: CommitFacts;
  /** The commit that monoco made: the same, unless a pull request or a person landed another. */
  made: CommitFacts | undefined;
  /** The hash of the landed commit's diff, as in the record. */
  patch: string;
  submission: { tree: string; base: string | undefined } | undefined;
  /** For a pull request's later commit: the parents it has to have, and the message of what the pull request showed already. */
  above: { parents: readonly string[]; message: string } | undefined;
  /** The paths in which the made commit differs from the merge of its base and the submission, and those that conflict there. */
  differing: readonly string[] | undefined;
  /** The paths in which another landed commit differs from its first parent with the change of the made one. */
  moved: readonly string[] | undefined;
  contract: {
    /** The issue's file where it was pinned, with its hash; whether that commit is on the base. */
    pinned: string | undefined;
    sha256: string | undefined;
    isBelow: boolean;
    onBase: string | undefined;
    inMerge: string | undefined;
  };
  /** Set-up, shell and checks of monoco.yaml on the base; undefined if there is none or it cannot be read. */
  project:
    | { setup: readonly string[]; shell: unknown; checks: readonly string[]; attest: "auto" | "sign" | "off" }
    | undefined;
};

/** `claimed`: git cannot show it. `moved`: it is of another commit with the same change. */
export type Comparison = {
  of: "subject" | "parents" | "submission" | "content" | "trailers" | "contract" | "criteria" | "commands";
  is: "same" | "differs" | "claimed" | "moved";
  /** What differs: paths, hashes, lines. Of trailers and commands, those that are there begin with `+ `, those that should be with `- `. */
  what: string[];
};

export function compare({ subject, predicate }: Statement, facts: GitFacts): Comparison[] {
  const { landed, made, submission } = facts;
  const { merge, landing } = predicate;
  const [{ digest }, tree] = subject;
  const isSubject = digest.gitCommit === landed.commit;
  const trees = [
    ...(tree && isSubject && tree.digest.gitTree !== landed.tree ? [tree.digest.gitTree] : []),
    ...(made && made.tree !== merge.tree ? [merge.tree] : []),
  ];
  const whole = {
    subject: isSubject ? [] : facts.patch === predicate.patch ? undefined : [digest.gitCommit],
    submission: submission && [
      ...(submission.tree === predicate.submission.tree ? [] : [predicate.submission.tree]),
      ...(submission.base === predicate.submission.base ? [] : [predicate.submission.base]),
    ],
    trailers: made && otherLines(made.message, trailersOf(landing)),
  };
  const { path } = predicate.contract;
  const differing = facts.differing?.filter((one) => predicate.isLoop || one !== path);
  const moved = facts.moved ?? [];
  const content = differing === undefined && trees.length + moved.length === 0 ? undefined : [];
  return [
    { of: "subject", ...(whole.subject ? found(whole.subject) : { is: "moved", what: [digest.gitCommit] }) },
    { of: "parents", ...found(made && strangeParents(made, predicate, facts)) },
    { of: "submission", ...found(whole.submission) },
    { of: "content", ...found(content && [...content, ...trees, ...(differing ?? []), ...moved]) },
    { of: "trailers", ...found(whole.trailers) },
    ...ofContract(predicate, facts),
    { of: "commands", ...commandsOf(predicate, facts) },
  ];
}

const found = (wrong: readonly string[] | undefined): Pick<Comparison, "is" | "what"> =>
  wrong === undefined
    ? { is: "claimed", what: [] }
    : { is: wrong.length > 0 ? "differs" : "same", what: [...wrong] };

type Of = Statement["predicate"];

/** All parents if they are not those of the record; undefined if git cannot show it. */
function strangeParents(
  { parents }: CommitFacts,
  { merge, landing }: Of,
  { above }: GitFacts,
): readonly string[] | undefined {
  const { strategy, base } = merge;
  const plain = strategy === "merge" ? [base, landing.head] : [base];
  const own = merge.above === undefined ? plain : above?.parents;
  if (own && parents.join() !== own.join()) return parents;
  // The pull request showed a commit for the same issue.
  if (above && !above.message.includes(`\nMonoco-Issue: ${landing.issue}\n`)) return [merge.above!];
  return own && [];
}

/** The record's lines that the message does not have (`- `), and monoco's lines there that the record does not have (`+ `). */
function otherLines(message: string, lines: readonly string[]): string[] {
  const own = message.split("\n");
  const strange = own.filter((line) => /^Monoco-[A-Z]/.test(line) && !lines.includes(line));
  const missing = lines.filter((line) => !own.includes(line));
  return differences(missing, strange);
}

const differences = (missing: readonly string[], strange: readonly string[]): string[] => [
  ...missing.map((line) => `- ${line}`),
  ...strange.map((line) => `+ ${line}`),
];

function ofContract(predicate: Of, { contract }: GitFacts): Comparison[] {
  // A loop's prompt is no file in git.
  if (predicate.isLoop)
    return (["contract", "criteria"] as const).map((of) => ({ of, is: "claimed", what: [] }));
  const { pinned, sha256, isBelow, onBase, inMerge } = contract;
  const issue = issueIn(pinned, predicate);
  const isPinned = isBelow && sha256 === predicate.contract.sha256;
  const isOpen = issueIn(inMerge, predicate)?.status !== "closed";
  const onBoth = [issueIn(onBase, predicate), issueIn(inMerge, predicate)];
  const changes = onBoth.flatMap((one) =>
    issue && one ? contractChanges(issue, one) : [predicate.contract.path],
  );
  const texts = predicate.criteria.map(({ statement }) => statement);
  const named = issue && criteriaOf(issue);
  const other = named?.filter((text) => !texts.includes(text)) ?? [];
  const foreign = predicate.criteria.flatMap(({ criterion, statement }) =>
    named?.[criterion - 1] === statement ? [] : [statement],
  );
  const isOther = issue && (issue.id !== predicate.landing.issue || issue.title !== predicate.title);
  return [
    {
      of: "contract",
      ...found([
        ...(isPinned ? [] : [predicate.contract.sha256]),
        ...new Set(changes),
        ...(isOther ? ["title"] : []),
        ...(isOpen ? ["status"] : []),
      ]),
    },
    { of: "criteria", ...found([...other, ...new Set(foreign)]) },
  ];
}

function issueIn(text: string | undefined, { contract }: Of): Issue | undefined {
  return text === undefined ? undefined : unlessRefused(() => parseIssue(text, contract.path));
}

/** The contract's own checks must all have run; what monoco.yaml names can also be set elsewhere. */
function commandsOf(predicate: Of, facts: GitFacts): Pick<Comparison, "is" | "what"> {
  const ran = predicate.checks.map(({ command }) => command);
  const { isSetUp, commands } = ownCommands(predicate, facts);
  const missing = contractChecks(predicate, facts).filter((command) => !ran.includes(command));
  if (missing.length > 0) return found(missing);
  const strange = ran.filter((command) => !commands.has(command));
  const left = [...commands].filter((command) => !ran.includes(command));
  const others = differences(left, [...(isSetUp ? [] : predicate.setup), ...strange]);
  return isSetUp && others.length === 0 ? found([]) : { is: "claimed", what: others };
}

/** The commands that the contract and monoco.yaml on the base name, and whether the set-up and the shell are theirs, too. */
export function ownCommands(predicate: Of, facts: GitFacts): { isSetUp: boolean; commands: Set<string> } {
  const { setup = [], shell, checks = [] } = facts.project ?? {};
  return {
    isSetUp: JSON.stringify([predicate.setup, predicate.shell]) === JSON.stringify([setup, shell]),
    commands: new Set([...checks, ...contractChecks(predicate, facts)]),
  };
}

function contractChecks(predicate: Of, { contract }: GitFacts): readonly string[] {
  return issueIn(contract.pinned, predicate)?.checks ?? [];
}
