/** The dossier of a submission: the grounds of its merge as Markdown, for a person, a pull request or an issue's page. */
import { givenWords } from "./given.ts";
import { rateWords } from "./escapes.ts";
import type { Rate } from "./escapes.ts";
import { heldBy, networkOf, sandboxName } from "./sandbox.ts";
import { becauseOf } from "../reason/reason.ts";
import { short } from "../text/figures.ts";
import { kindOf, kindWords } from "../issue/criterion-kind.ts";
import { inspectionLines } from "../review/inspection.ts";
import { plain, plainLine, visible } from "../text/sanitize.ts";
import { trialLines } from "../trial/trial-words.ts";
import { codeSpan, fence } from "../prompt/fence.ts";
import { sharedCommand } from "../relay/gate.ts";
import { findingsText } from "../prompt/findings-text.ts";
import type { Opening, SubmissionRecord } from "../journal/relay-state.ts";
import type { Criterion, Probe } from "../review/verdict-schema.ts";
import { named } from "../language/names.ts";
import { inEnglish, languageSpoken, t, translatable, translated } from "../language/translate.ts";

export type DossierInput = {
  opening: Opening;
  submission: SubmissionRecord;
  /** The texts of the contract's criteria, in order. */
  criteria: readonly string[];
  /** `git diff --stat` against the merge base. */
  stat: string;
  /** The place of the dossier: a terminal, with the folder of the checks' logs; or a page of a code host, where Markdown takes effect. */
  reader: { logs: string } | "page";
  /** What became of the earlier merges of the Reviewer, by its name. */
  earlier?: { name: string; rate: Rate } | undefined;
};

/** The dossier as Markdown; text of others is fenced or on one line. At a terminal nothing is escaped, so that it can be copied. A page is in English. */
export function dossierOf(input: DossierInput): string {
  return input.reader === "page" ? inEnglish(() => dossierIn(input)) : dossierIn(input);
}

function dossierIn(input: DossierInput): string {
  const { opening, submission, criteria, stat, reader } = input;
  const pen = reader === "page" ? forPage : forTerminal;
  const { prose } = pen;
  const reviewer = reviewersWords(submission);
  const held = heldBy(opening);
  const sandbox = held.isSandbox ? sandboxName({ ...held, network: networkOf(opening) }) : named("none");
  const who = named(submission.by);
  const by = submission.session ? t`${who}, session ${submission.session}` : who;
  const parts = [
    `# ${t`${opening.issue}: submission ${submission.submission}, ${prose(opening.title, 200)}`}`,
    t`Commit ${submission.head} by ${by}. Sandbox: ${sandbox}.`,
    givenWords(opening.settings.env),
    submission.tampered.length > 0
      ? `**${t`TAMPERING: it changes ${submission.tampered.map((one) => prose(one)).join(", ")}`}**`
      : "",
    ...inspectionParts(submission, reviewer),
    titled(t`The tests, put to the test`, trialText(submission)),
    titled(t`Verdict`, verdictText(input, pen)),
    titled(t`On the merged tree`, mergedText(submission, pen)),
    titled(t`Criteria`, criteriaText(criteria, reviewer?.criteria ?? [], pen)),
    titled(t`Findings`, findingsPart(submission, reviewer)),
    titled(t`Findings of verdicts that did not count`, refusedPart(submission, reviewer)),
    titled(t`Probes`, probesText(reviewer?.probes ?? [], pen)),
    titled(t`Checks`, checksText(submission, input.reader, pen)),
    titled(t`Rounds`, roundsText(opening, submission, pen)),
    titled(t`Changes`, stat.trim() === "" ? "" : fence(stat.trimEnd())),
  ];
  return visible(`${parts.filter((part) => part !== "").join("\n\n")}\n`);
}

function inspectionParts({ inspection }: SubmissionRecord, reviewer: Reviewed | undefined): string[] {
  if (!inspection) return [];
  const { paths, weakened } = inspectionLines(inspection, languageSpoken(), reviewer?.answers);
  const list = (lines: readonly string[]): string => (lines.length === 0 ? "" : fence(lines.join("\n")));
  return [
    titled(t`Protected paths that it changes`, list(paths)),
    titled(t`What may weaken tests or checks`, list(weakened)),
  ];
}

function trialText(submission: SubmissionRecord): string {
  const trial = submission.trial;
  const lines = trial ? trialLines(trial, languageSpoken(), reviewersWords(submission)?.takenBack) : [];
  return lines.length === 0 ? "" : fence(lines.join("\n"));
}

function titled(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n\n${body}`;
}

function verdictText({ submission, earlier }: DossierInput, { prose }: Pen): string {
  const { review, refusals, given } = submission;
  const lines = refusals.map(
    ({ session, verdict, why }) =>
      `- ${t`session ${session} said ${named(verdict)}, which does not count:`}\n${why.map((one) => `  - ${prose(one, 300)}`).join("\n")}`,
  );
  if (given) lines.push(`- ${t`session ${given.session} said ${named(given.verdict)}: not weighed yet`}`);
  if (!review) return [...lines, lines.length > 0 ? "" : t`None yet.`].join("\n").trim();
  const who =
    review.by === "reviewer"
      ? t`the Reviewer (session ${review.session ?? "?"})`
      : t`the ${named(review.by.replace("_", " "))}`;
  const record = earlier ? t` [${prose(earlier.name)}: ${rateWords(earlier.rate)}]` : "";
  const against = review.overrides ? t`, against the Reviewer's ${named(review.overrides)}` : "";
  const trend = review.trend ? t`; ${named(review.trend)}` : "";
  const verdict = `**${named(review.verdict)}**`;
  lines.push(`- ${t`${verdict} by ${who}${record}${against}${trend}`}`);
  if (review.unresolved)
    lines.push(
      `- ${t`RESOLVED ONLY BY A NEW FILE THAT NOTHING NAMES: ${review.unresolved.map((id) => prose(id)).join(", ")}`}`,
    );
  if (review.summary) lines.push("", fence(review.summary));
  return lines.join("\n");
}

/** The review of a merge after the base moved: the files where both sides meet, and the confirmations. */
function mergedText({ questioned, confirmations, submission }: SubmissionRecord, { prose }: Pen): string {
  if (!questioned) return "";
  const lines = confirmations.flatMap(({ by, session, onto, summary, findings }) => {
    const who =
      by === "reviewer" ? t`the Reviewer (session ${session ?? "?"})` : t`the ${named(by.replace("_", " "))}`;
    const said = summary ? t`: ${prose(summary, 300)}` : "";
    const fenced = findings.length > 0 ? ["", fence(findingsText({ submission, findings }))] : [];
    return [`- ${t`**confirmed** by ${who}, merged with ${short(onto ?? "")}${said}`}`, ...fenced];
  });
  return [
    prose(becauseOf(questioned.reason), 1_000),
    "",
    ...(lines.length > 0 ? lines : [t`Not confirmed.`]),
  ].join("\n");
}

type Reviewed = Pick<
  SubmissionRecord["refusals"][0],
  "criteria" | "probes" | "findings" | "answers" | "submission" | "takenBack"
>;

/** The Reviewer's last verdict, counted or not: a person's verdict overrules it, but says nothing about criteria. */
export function reviewersWords({ reviews, refusals }: SubmissionRecord): Reviewed | undefined {
  return reviews.findLast(({ by }) => by === "reviewer") ?? refusals.at(-1);
}

/** The findings, a person's own first. */
function findingsPart({ review, submission }: SubmissionRecord, reviewer: Reviewed | undefined): string {
  const own = review && review.by !== "reviewer" ? review.findings : [];
  const findings = [...own, ...(reviewer?.findings ?? [])];
  return findings.length === 0 ? "" : fence(findingsText({ submission, findings }));
}

/** The findings of a refused verdict: its form was wrong, but they may be right. */
function refusedPart({ refusals, submission }: SubmissionRecord, reviewer: Reviewed | undefined): string {
  const shown = new Set(reviewer?.findings.map(({ id }) => id));
  return refusals
    .map(({ session, findings }) => ({ session, findings: findings.filter(({ id }) => !shown.has(id)) }))
    .filter(({ findings }) => findings.length > 0)
    .map(
      ({ session, findings }) =>
        `${t`Session ${session}:`}\n\n${fence(findingsText({ submission, findings }))}`,
    )
    .join("\n\n");
}

/** A row for each piece of evidence: the trees it ran on, its results there, and its worth. */
export function evidenceTable(
  criteria: readonly string[],
  judged: readonly Criterion[],
  pen: Pen,
): { head: string[]; rows: string[][] } {
  const rows = criteria.flatMap((text, index) => {
    const said = judged.filter(({ criterion }) => criterion === index + 1);
    const name = [String(index + 1), pen.prose(text), kindWords(kindOf(text))];
    return said.length === 0
      ? [[...name, t`not judged`, "", "", "", ""]]
      : said.map((one) => [...name, ...evidenceCells(one, pen)]);
  });
  const head = ["#", t`criterion`, t`kind`, t`result`, t`evidence`, t`submission`, t`base`, t`worth`];
  return { head, rows };
}

function criteriaText(criteria: readonly string[], judged: readonly Criterion[], pen: Pen): string {
  if (criteria.length === 0) return t`The issue names none.`;
  const { head, rows } = evidenceTable(criteria, judged, pen);
  const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  // Never to be answered: it is the commonest honest verdict.
  const shared = sharedCommand(judged);
  return shared > 0 ? `${table}\n\n${t`1 command for ${shared} criteria`}` : table;
}

function evidenceCells(one: Criterion, { prose, command }: Pen): string[] {
  const { result, exitCode, base, worth, reproduced, seen, text, emptied, ownRuler } = one;
  const place = one.file && prose(`${one.file}${one.line === undefined ? "" : `:${one.line}`}`);
  const shown = one.command === undefined ? (place ?? "") : command(one.command);
  const more = text === undefined ? "" : prose(text, 120);
  return [
    named(result.replace("_", " ")),
    [shown, more].filter(Boolean).join(", "),
    reproduced === false ? t`NOT REPRODUCED: ${prose(seen ?? "")}` : status(exitCode),
    status(base),
    `${ownRuler ? t`measured by a program that the submission changes` : worthWords(worth)}${emptied ? translated(emptiedWords[emptied]) : ""}`,
  ];
}

function worthWords(worth: Criterion["worth"]): string {
  return worth === "shown_by_absence"
    ? t`fails on the base because what it needs is missing`
    : named(worth?.replaceAll("_", " ") ?? "");
}

const emptiedWords = translatable({
  differs: "; fails when the change is removed",
  same: "; result is the same when the change is removed",
  text: "; result changes when only a comment is added",
  elsewhere: "; result differs in another folder",
  words: "; result differs when the removed text is kept in a comment",
  unused: "; result depends only on a new file that nothing names",
  data: "; result depends only on files that are neither sources nor tests",
  tests: "; result depends only on tests",
  not_tried: "; not taken back",
});

function status(exitCode: number | null | undefined): string {
  return exitCode === null ? t`did not end` : String(exitCode ?? "");
}

function reproducedText({ reproduced, seen }: Pick<Criterion, "reproduced" | "seen">): string {
  if (reproduced === undefined) return t`not run again`;
  return reproduced ? t`reproduced by monoco` : t`NOT REPRODUCED: ${seen ?? ""}`;
}

function probesText(probes: readonly Probe[], { prose, command }: Pen): string {
  return probes
    .map(
      (probe) =>
        `- ${t`${command(probe.command)}: exit status ${probe.exitCode}, ${prose(reproducedText(probe))}`}`,
    )
    .join("\n");
}

function checksText(
  { checks }: SubmissionRecord,
  reader: DossierInput["reader"],
  { command: shown }: Pen,
): string {
  if (!checks) return t`Not run yet.`;
  if (checks.results.length === 0) return t`None are configured.`;
  return checks.results
    .map(({ command, exitCode, timedOut, log, asBefore }) => {
      const how = timedOut ? t`timed out` : t`exit status ${exitCode ?? named("none")}`;
      const red =
        asBefore === "same"
          ? t`red on the base, too, with the same failures (${how})`
          : t`red on the base, too; whether by the same tests cannot be read (${how})`;
      const end = exitCode === 0 ? named("green") : asBefore ? red : t`RED (${how})`;
      const where = reader === "page" ? "" : t` (${[reader.logs, log].join("/")})`;
      return `- ${t`${shown(command)}: ${end}${where}`}`;
    })
    .join("\n");
}

function roundsText({ submissions }: Opening, { submission }: SubmissionRecord, { prose }: Pen): string {
  const earlier = submissions.filter((one) => one.submission < submission && one.review);
  return earlier
    .map(({ submission: n, review }) => {
      const held = review!.findings.filter(({ holds }) => holds).map(({ id }) => id);
      const trend = review!.trend ? t` (${named(review!.trend)})` : "";
      const by = named(review!.by.replace("_", " "));
      return `- ${t`submission ${n}: ${named(review!.verdict)} by the ${by}${trend}${held.length > 0 ? t`: ${prose(held.join(", "))}` : ""}`}`;
    })
    .join("\n");
}

/** Writes text and commands of others for a reader. */
type Pen = { prose(text: string, charsMax?: number): string; command(text: string): string };

/** Writes for a terminal. Commands are never cut: a person copies them. */
const forTerminal: Pen = {
  prose: (text, charsMax = 400) => plainLine(text, charsMax),
  command: (text) => codeSpan(text.trim()),
};

/** Writes for cells that a page shows as text: nothing in them takes effect, so nothing is marked. */
export const plainPen: Pen = {
  prose: (text, charsMax = 400) => plainLine(text, charsMax),
  command: (text) => text.trim(),
};

/** Writes for a page, where no markup and no mention takes effect. A command is whole there, too, and its lines fit into a table's cell. */
const forPage: Pen = {
  prose: (text, charsMax = 120) =>
    plainLine(text, charsMax).replaceAll(/[\\|`[<@*_&]/g, (mark) => `\\${mark}`),
  command: (text) =>
    `<code>${plain(text.trim())
      .replaceAll(/[&<>\\`*_[\]~|@#!$^:]/g, entity)
      .replaceAll("\n", "<br>")}</code>`,
};

const entity = (mark: string): string => `&#${mark.codePointAt(0)};`;
