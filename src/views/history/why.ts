/** Why lines are there, for a terminal: who made them, what their relay says of the file, and what guards them. */
import { named } from "../../core/language/names.ts";
import { languageSpoken, t } from "../../core/language/translate.ts";
import type { Why } from "../../core/report/why.ts";
import { short } from "../../core/text/figures.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { takenBackWords } from "../../core/trial/trial-words.ts";
import { evidenceWords } from "../account.ts";
import { paint } from "../paint.ts";
import { tableLines } from "../table.ts";

/** The file, and below it each run of lines with what is known of it; what concerns a whole submission is said once. */
export function whyLines(file: string, all: readonly Why[]): string[] {
  const said = new Set<string>();
  const isNew = (one: Why, line: string): boolean => {
    const key = one.by === "monoco" ? `${one.issue} ${one.submission} ${line}` : "";
    return key === "" || (!said.has(key) && Boolean(said.add(key)));
  };
  const rows = all.flatMap((one) => {
    const place = one.from === one.to ? String(one.from) : `${one.from}-${one.to}`;
    const words = wordsOf(one).filter((line, at) => at < 2 || isNew(one, line));
    return words.map((line, at) => [at === 0 ? place : "", line]);
  });
  return [paint("bold", plainLine(file, 4_096)), ...tableLines(rows)];
}

function wordsOf(one: Why): string[] {
  if (one.by === "nobody") return [t`not committed yet`];
  const commit = t`${short(one.commit)} "${plainLine(one.summary, 100)}"`;
  if (one.by === "person") {
    const within = one.issue === undefined ? "" : t`, in submission ${one.submission ?? "?"} of ${one.issue}`;
    return [t`not by monoco: ${commit} by ${plainLine(one.author, 100)}${within}`];
  }
  const { issue, title, submission, merge, reviewer } = one;
  return [
    merge === undefined
      ? t`${issue} "${plainLine(title)}", not merged`
      : t`${issue} "${plainLine(title)}", submission ${submission ?? "?"}, merged as ${short(merge)}`,
    t`${makerWords(one)}: ${commit}`,
    ...(reviewer === undefined ? [] : [t`reviewed by ${plainLine(reviewer)}`]),
    ...toldWords(one),
  ];
}

type ByMonoco = Extract<Why, { by: "monoco" }>;

function makerWords({ session, criteria, executor }: ByMonoco): string {
  if (session) {
    const model = session.model === undefined ? "" : ` (${session.model})`;
    return t`session ${session.session} by ${plainLine(`${session.agent}${model}`)}`;
  }
  if (criteria) return t`the merge itself`;
  return t`a session of ${plainLine(executor ?? named("unknown"))} (its journal is not here)`;
}

function toldWords({ criteria, decisions = [], findings = [], takenBack = [] }: ByMonoco): string[] {
  if (!criteria) return [];
  return [
    ...criteria.map(
      (one) =>
        t`criterion ${one.criterion}, "${plainLine(one.criterionText)}": ${plainLine(evidenceWords(one), 400)}`,
    ),
    ...decisions.map(({ session, text }) => t`decided in session ${session}: ${plainLine(text, 400)}`),
    ...findings.map(
      ({ id, severity, title }) => t`finding ${plainLine(id)} (${named(severity)}): ${plainLine(title, 400)}`,
    ),
    ...(takenBack.length > 0
      ? takenBack.map((one) => takenBackWords(one, languageSpoken()))
      : [t`no check was run without this line`]),
  ];
}
