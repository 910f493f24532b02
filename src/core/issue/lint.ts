/** Finds faults in an issue, each with line and remedy. */
import type { Fault } from "../error/fault.ts";
import type { FrontMatter } from "../text/front-matter.ts";
import { issueHeadings, itemsOf, proseIn, readBody, readFrontMatter } from "./document.ts";
import { titleFault, titleOf, typeFault } from "./document.ts";
import type { IssueFrontMatter, Item } from "./document.ts";
import { counting } from "./contract.ts";
import { kindOf } from "./criterion-kind.ts";
import { wrongBoxes } from "./boxes.ts";
import type { TextEdit } from "./boxes.ts";
import { closeIssue } from "./edit.ts";
import { issueIdPattern, slugOf } from "./name.ts";
import { solutions, typeOfId } from "./vocabulary.ts";
import type { Stage, Status } from "./vocabulary.ts";
import type { Section } from "../text/markdown.ts";
import { endsByPipe } from "../text/shell.ts";
import { isPriority, priorityWords } from "./priority.ts";
import type { Language } from "../language/handoff-words.ts";
import { t } from "../language/translate.ts";

/** A warning holds nothing back. `fix` is the edit that `lint --fix` makes. */
export interface IssueFault extends Fault {
  level: "error" | "warning";
  fix?: TextEdit[];
}

/** Settings that affect the findings. */
export type Around = {
  /** The checks that monoco.yaml runs for every issue. */
  checks?: readonly string[];
  /** The setting `shell`. */
  shell?: string | readonly string[] | undefined;
  /** The language of headings in hints; English by default. */
  language?: Language;
};

/** All faults of an issue, by line. Never throws. */
export function lintIssue(text: string, file: string, around: Around = {}): IssueFault[] {
  const { front, faults, values } = readFrontMatter(text);
  const issueFaults: IssueFault[] = faults.map(asError);
  if (values) issueFaults.push(...lintValues(values, front, file));
  if (values && faults.length === 0) issueFaults.push(...lintEditing(text).map(asError));
  if (front.hasFrontMatter) issueFaults.push(...lintBody(front, around.language ?? "en").map(asError));
  if (front.hasFrontMatter && faults.length === 0) issueFaults.push(...lintBoxes(front));
  if (values && values.status !== "closed") issueFaults.push(...lintContract(values, front, around));
  return issueFaults.sort((a, b) => a.line - b.line);
}

const asError = (fault: Fault & Pick<IssueFault, "fix">): IssueFault => ({ ...fault, level: "error" });

function lintValues(values: IssueFrontMatter, front: FrontMatter, file: string): IssueFault[] {
  const issueFaults: IssueFault[] = [];
  const say = (key: string, message: string, hint: string): void => {
    issueFaults.push({ line: front.keyLines.get(key) ?? 1, message, hint, level: "error" });
  };
  const { id, status, stage, solution } = values;
  const name = file.split(/[\\/]/).at(-1) ?? file;
  if (!name.startsWith(id) || !/^(?:-|\.|$)/.test(name.slice(id.length))) {
    say(
      "id",
      t`the file's name does not begin with ${id}`,
      t`rename it to ${id}-${slugOf(titleOf(values, front.body))}.md`,
    );
  }
  if (!titleOf(values, front.body)) issueFaults.push(asError(titleFault()));
  if (!values.type && !typeOfId(id)) issueFaults.push(asError(typeFault(front)));
  if (status === "closed" && !solution)
    say("status", t`closed without a solution`, `solution: ${solutions.join(" | ")}`);
  if (status !== "closed" && solution)
    say(
      "solution",
      t`${status}, and yet it has a solution`,
      t`set status: closed and stage: done, or take it out`,
    );
  if (!stagesOf[status].includes(stage)) {
    const key = front.keyLines.has("stage") ? "stage" : "status";
    say(
      key,
      t`${status} and ${stage} do not go together`,
      t`${status} goes with ${stagesOf[status].join(", ")}`,
    );
  }
  const { priority } = values;
  if (priority !== undefined && !isPriority(priority)) {
    say(
      "priority",
      t`unknown priority ${JSON.stringify(priority.slice(0, 40))}`,
      t`one of ${priorityWords.join(", ")}, or a whole number (1 before 2)`,
    );
  }
  for (const key of ["created_at", "updated_at", "opened_at", "closed_at"] as const) {
    const time = values[key];
    if (time === undefined || zonedTime.test(time)) continue;
    say(key, t`${key} is no time with a zone: ${time.slice(0, 40)}`, t`write it like 2026-01-31T09:00:00Z`);
  }
  for (const other of values.dependencies.filter((other) => !issueIdPattern.test(other))) {
    say("dependencies", t`${other.slice(0, 40)} is no issue's id`, t`ids look like FEAT-0001`);
  }
  if (values.dependencies.includes(id))
    say("dependencies", t`it depends on itself`, t`take it out of the list`);
  return issueFaults;
}

/** Tries the edits that the merge will make: a scalar on its own line can be changed, a map in braces cannot. */
function lintEditing(text: string): Fault[] {
  try {
    closeIssue(text, { closedAt: "2026-01-31T09:00:00Z", solution: "implemented" });
    return [];
  } catch {
    const message = t`monoco could not close it without breaking its front matter`;
    return [{ line: 2, message, hint: t`write \`key: value\` lines, without braces and anchors` }];
  }
}

const stagesOf: Record<Status, readonly Stage[]> = {
  open: ["draft", "doing", "review"],
  closed: ["done"],
  backlog: ["draft", "freezed"],
};

const zonedTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

function lintBody(front: FrontMatter, language: Language): (Fault & Pick<IssueFault, "fix">)[] {
  const { all, byName, criteria } = readBody(front);
  const line = (section: Section | undefined): number =>
    section ? section.line + front.bodyLine - 1 : front.bodyLine;
  const twice = all.filter(({ name, section }) => name && byName[name] !== section);
  const bodyFaults: (Fault & Pick<IssueFault, "fix">)[] = twice.map(({ section }) => ({
    line: line(section),
    message: t`a second section "${section.heading}"; only the first counts`,
    hint: t`put the two together`,
  }));
  if (!proseIn(byName.objective)) {
    const hint = t`say under \`## ${issueHeadings.objective[language]}\` what is to be achieved, and why`;
    bodyFaults.push({ line: line(byName.objective), message: t`no objective`, hint });
  }
  if (criteria.length === 0) {
    const hint = t`list under \`## ${issueHeadings.criteria[language]}\` what must hold: \`- [ ] …\``;
    bodyFaults.push({ line: line(byName.criteria), message: t`no acceptance criteria`, hint });
  } else if (byName.criteria && itemsOf(byName.criteria).every((item) => item.state === undefined)) {
    const hint = t`write them as \`- [ ] …\`, so that they can be ticked`;
    const message = t`acceptance criteria without checkboxes`;
    const fix = wrongBoxes(byName.criteria).length === 0 ? boxesFor(criteria, front) : [];
    bodyFaults.push({ line: criteria[0]?.line ?? 1, message, hint, ...(fix.length > 0 && { fix }) });
  }
  return bodyFaults;
}

/** Edits that put an empty box before each item. */
function boxesFor(items: readonly Item[], front: FrontMatter): TextEdit[] {
  const lines = front.body.split("\n");
  return items.flatMap(({ line }) => {
    const index = line - front.bodyLine;
    const marker = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+/.exec(lines[index] ?? "")?.[0];
    if (marker === undefined) return [];
    const before = lines.slice(0, index).reduce((sum, text) => sum + text.length + 1, 0);
    const start = front.bodyStart + before + marker.length;
    return [{ start, end: start, text: "[ ] " }];
  });
}

function lintBoxes(front: FrontMatter): IssueFault[] {
  const { byName } = readBody(front);
  return ([byName.criteria, byName.tasks] as const).flatMap((section) =>
    (section ? wrongBoxes(section) : []).map(({ line, raw, says, edit }) => ({
      line: line + front.bodyLine - 1,
      message: t`${raw} is no checkbox`,
      hint: t`write it as \`${says}\`: [ ] todo, [/] doing, [x] done, [~] cancelled`,
      level: "warning" as const,
      fix: [{ ...edit, start: edit.start + front.bodyStart, end: edit.end + front.bodyStart }],
    })),
  );
}

/** Faults of criteria that the review gate cannot measure: figures without a margin, or no command whose exit status is evidence. */
function lintContract(values: IssueFrontMatter, front: FrontMatter, around: Around): IssueFault[] {
  const { checks, shell } = around;
  const checksAt = front.keyLines.get("checks") ?? 1;
  const unmeasured = counting(readBody(front)).flatMap(({ text, line }): IssueFault[] => {
    const { kind, margin } = kindOf(text);
    if (kind !== "measured" || margin) return [];
    const message = t`measured, and it names no margin that monoco can read`;
    const hint = t`write how much, and which way: (measured: ≥ 20 % fewer allocations)`;
    return [{ line, message, hint, level: "warning" }];
  });
  const piped = values.checks.flatMap((command) => pipeFaults(command, checksAt, shell));
  const found = [...unmeasured, ...piped];
  const isWork = values.status === "open" && (values.type ?? typeOfId(values.id)) !== "epic";
  if (!isWork || checks === undefined || checks.length + values.checks.length > 0) return found;
  const hint = t`name commands whose exit status is evidence: \`checks: ["npm test"]\` here, or in monoco.yaml`;
  const message = t`no checks: only words would show that it is done`;
  return [...found, { line: checksAt, message, hint, level: "warning" }];
}

/** The warning about a check that cannot fail before its last pipe. */
export function pipeFaults(command: string, line: number, shell: Around["shell"]): IssueFault[] {
  if (!endsByPipe(command) || /pipe_?fail/i.test(String(shell ?? ""))) return [];
  const message = t`the check \`${command.trim().slice(0, 80)}\` ends with the exit status of the last command of its pipe: no failure before that counts`;
  const hint = t`set shell: bash -o pipefail in monoco.yaml, or write \`set -o pipefail; …\` before it`;
  return [{ line, message, hint, level: "warning" }];
}
