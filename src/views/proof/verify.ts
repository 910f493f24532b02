/** Prints what came of verifying a commit: its signature, the comparisons with git, a line for each command. */
import type { Comparison } from "../../core/attest/compare.ts";
import type { RunLine, Seen, Side } from "../../core/attest/runs.ts";
import type { Signature, Verified } from "../../core/attest/verified.ts";
import { counted } from "../../core/language/counted.ts";
import { named } from "../../core/language/names.ts";
import { approverWords } from "../../core/report/landing-message.ts";
import { sandboxName } from "../../core/report/sandbox.ts";
import type { Predicate } from "../../core/attest/statement-schema.ts";
import type { Tone } from "../../core/journal/events/line.ts";
import { t, translatable, translated } from "../../core/language/translate.ts";
import { short } from "../../core/text/figures.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { padTo } from "../columns.ts";
import { paint } from "../paint.ts";

type Mark = Comparison["is"] | "signed" | "flaky" | "unsigned" | "unrun";

const marks: Readonly<Record<Mark, string>> = translatable({
  same: "same",
  differs: "DIFFERS",
  claimed: "claimed",
  moved: "moved",
  signed: "signed",
  flaky: "flaky",
  unsigned: "unsigned",
  unrun: "not run",
});
const markColumns = 10;

export function renderVerified(one: Verified): string {
  const title = "predicate" in one ? `${one.predicate.landing.issue}: ${one.predicate.title}` : "";
  return `${[paint("bold", `${short(one.commit)}  ${plainLine(title)}`.trim()), ...linesOf(one)].join("\n")}\n`;
}

function linesOf(one: Verified): string[] {
  if (one.is === "no_record")
    return [
      line("plain", t`it has no record`),
      line("dim", t`hint: monoco relay pull --all brings the records of the remote`),
    ];
  if (one.is === "unreadable") return [line("bad", t`its note is not a record that this version can read`)];
  const isSigned = one.signature.is === "good";
  return [
    signatureLine(one.signature),
    ...one.comparisons.map((comparison) => comparisonLine(comparison, isSigned)),
    ...saidWords(one.predicate).map((text) => marked(isSigned ? "signed" : "claimed", text)),
    ...one.lines.flatMap((run) => runLines(run, isSigned)),
    ...one.failed.map(({ side, command, exitCode }) =>
      marked(
        "differs",
        side === "merge"
          ? t`the set-up failed on the merge: ${command} (${status(exitCode)})`
          : t`the set-up failed on the base: ${command} (${status(exitCode)})`,
      ),
    ),
    ...(one.unrun ? [marked("unrun", translated(unrunWords[one.unrun]))] : []),
    one.is === "differs"
      ? line("bad", t`it does NOT hold`)
      : line("good", one.unrun ? t`what was compared holds` : t`it holds`),
  ];
}

/** What neither git nor a run can show. */
function saidWords({ landing, findings, listed, tests, monoco }: Predicate): string[] {
  const { executors, reviewer, sandbox } = landing;
  const agents = executors.map(({ agent, model }) => (model === undefined ? agent : `${agent} (${model})`));
  const isIn = (state: string): number => findings.filter((one) => one.state === state).length;
  const places = (listed?.protected.length ?? 0) + (listed?.weakened.length ?? 0);
  const changes = tests?.takeBack.changes ?? [];
  const approver = reviewer.by === "person" ? t`a person` : approverWords(reviewer);
  const guarded = changes.filter(({ result }) => result === "guarded").length;
  return [
    t`made by ${agents.join(t`, `) || t`a person`}, approved by ${approver}; sandbox: ${sandboxName(sandbox)}; monoco ${monoco}`,
    t`findings: ${isIn("resolved")} resolved, ${isIn("overruled")} overruled, ${isIn("open")} open; ${counted(places, "place")} listed, ${listed?.answers.length ?? 0} answered`,
    ...(changes.length > 0
      ? [t`tests put to the test: checks guard ${guarded} of ${counted(changes.length, "change")}`]
      : []),
  ];
}

const unrunWords = translatable({
  asked: "the commands, by --no-run",
  differs: "the commands, since something differs already",
  untrusted: "commands that no allowed signer signed and the base does not name",
});

const line = (tone: Tone, text: string): string => `  ${paint(tone, plainLine(text, 1_000))}`;

function marked(mark: Mark, text: string): string {
  const tone = mark === "differs" ? "bad" : mark === "same" || mark === "signed" ? "good" : "plain";
  return `  ${paint(tone, padTo(translated(marks[mark]), markColumns))}${plainLine(text, 1_000)}`;
}

function signatureLine(signature: Signature): string {
  if (!("key" in signature))
    return signature.is === "missing"
      ? marked("differs", t`it is not signed, and monoco.yaml on the base says attest: sign`)
      : marked("unsigned", t`anybody may have written the record`);
  const { key } = signature;
  if (signature.is === "good") return marked("signed", t`by ${signature.by} (${key})`);
  if (signature.is === "none")
    return marked("claimed", t`signed by ${key}; git's gpg.ssh.allowedSignersFile is not set`);
  return marked(
    "differs",
    signature.is === "bad"
      ? t`the signature does not match the record`
      : t`signed by ${key}, which the allowed signers do not name`,
  );
}

type Said = Record<"same" | "differs", string> & Partial<Record<Comparison["is"], string>>;

/** Where a word is missing, that for \`same\` is used. The commit of monoco's can be another one than the verified, with the same change. */
const said: Readonly<Record<Comparison["of"], Said>> = {
  subject: translatable({
    same: "the record is of this commit",
    moved: "the record is of another commit with the same change",
    differs: "the record is of another commit",
  }),
  parents: translatable({
    same: "monoco's commit has the parents of the record",
    differs: "monoco's commit has other parents than the record",
  }),
  submission: translatable({
    same: "the submission is the one that was approved",
    differs: "the submission is not the one that was approved",
  }),
  content: translatable({
    same: "its tree is the submission merged with the base and the issue closed, and nothing else",
    differs: "its tree is not the submission merged with the base",
  }),
  trailers: translatable({
    same: "monoco's commit has the trailers of the record",
    differs: "monoco's commit has other trailers (+) than the record (-)",
  }),
  contract: translatable({
    same: "the contract is the issue on the base",
    differs: "the contract is not the issue on the base",
  }),
  criteria: translatable({
    same: "the criteria are the contract's",
    differs: "the criteria are not the contract's",
  }),
  commands: translatable({
    same: "set-up and checks are those of the contract and of monoco.yaml on the base",
    claimed:
      "other commands ran as set-up and checks (+) than those of the contract and of monoco.yaml on the base (-)",
    differs: "checks of the contract are missing",
  }),
};

function comparisonLine({ of, is, what }: Comparison, isSigned: boolean): string {
  const words = translated(said[of][is] ?? said[of].same);
  const names = what.slice(0, namesMax).map((name) => plainLine(name, 120));
  return marked(
    is === "claimed" && isSigned ? "signed" : is,
    names.length > 0 ? t`${words}: ${names.join(t`, `)}` : words,
  );
}

/** Names on a line; more of them help nobody. */
const namesMax = 5;

/** The criterion or check with how it ended, and below it its command, whole, so that it can be copied. */
function runLines(
  { criterion, statement, result = "met", evidence, claimed, seen, is }: RunLine,
  isSigned: boolean,
): string[] {
  const what = criterion === undefined ? t`check` : `${criterion}. ${plainLine(statement ?? "", 200)}`;
  const ends = (from: Partial<Record<Side, Seen | number>>): string =>
    (["merge", "base"] as const)
      .flatMap((side) => {
        const end = from[side];
        if (end === undefined) return [];
        const exit = status(typeof end === "number" ? end : end.exitCode);
        return [side === "merge" ? t`${exit} on the merge` : t`${exit} on the base`];
      })
      .join(t`, `);
  const [says, saw] = [ends(claimed), ends(seen)];
  const parts = [
    ...(result === "met" ? [] : [t`judged ${named(result.replaceAll("_", " "))}`]),
    ...(says === "" ? [] : [t`claimed ${says}`]),
    ...(saw === "" ? [] : [t`seen ${saw}`]),
  ];
  const shown = evidence === "" ? t`no evidence` : plainLine(evidence, commandCharsMax);
  return [
    marked(is === "claimed" && isSigned ? "signed" : is, [what, ...parts].join(t`; `)),
    `  ${" ".repeat(markColumns)}${paint("dim", shown)}`,
  ];
}

/** The longest command of a verdict. */
const commandCharsMax = 8_000;

const status = (exitCode: number | null): string => (exitCode === null ? t`no end` : String(exitCode));
