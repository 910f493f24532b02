/** What is wrong with an issue: faults with line and remedy. */
import type { Fault } from "./fault.ts";
import type { FrontMatter } from "./front-matter.ts";
import { itemsOf, proseIn, readBody, readFrontMatter } from "./issue-document.ts";
import { titleFault, titleOf, typeFault, typeOfId } from "./issue-document.ts";
import type { IssueFrontMatter } from "./issue-document.ts";
import { closeIssue } from "./issue-edit.ts";
import { issueIdPattern, slugOf } from "./issue-name.ts";
import { solutions } from "./issue-vocabulary.ts";
import type { Stage, Status } from "./issue-vocabulary.ts";
import type { Section } from "./markdown.ts";

/** Everything that is wrong with an issue, in the order of its lines. Never throws. */
export function lintIssue(text: string, file: string): Fault[] {
  const { front, faults, values } = readFrontMatter(text);
  const found = [...faults];
  if (values) found.push(...lintValues(values, front, file));
  if (values && faults.length === 0) found.push(...lintEditing(text));
  if (front.hasFrontMatter) found.push(...lintBody(front));
  return found.sort((a, b) => a.line - b.line);
}

function lintValues(values: IssueFrontMatter, front: FrontMatter, file: string): Fault[] {
  const found: Fault[] = [];
  const say = (key: string, message: string, hint: string): void => {
    found.push({ line: front.keyLines.get(key) ?? 1, message, hint });
  };
  const { id, status, stage, solution } = values;
  const name = file.split(/[\\/]/).at(-1) ?? file;
  if (!name.startsWith(id) || !/^(?:-|\.|$)/.test(name.slice(id.length))) {
    say(
      "id",
      `the file's name does not begin with ${id}`,
      `rename it to ${id}-${slugOf(titleOf(values, front.body))}.md`,
    );
  }
  if (!titleOf(values, front.body)) found.push(titleFault);
  if (!values.type && !typeOfId(id)) found.push(typeFault(front));
  if (status === "closed" && !solution)
    say("status", "closed without a solution", `solution: ${solutions.join(" | ")}`);
  if (status !== "closed" && solution)
    say(
      "solution",
      `${status}, and yet it has a solution`,
      "set status: closed and stage: done, or take it out",
    );
  if (!stagesOf[status].includes(stage)) {
    const key = front.keyLines.has("stage") ? "stage" : "status";
    say(
      key,
      `${status} and ${stage} do not go together`,
      `${status} goes with ${stagesOf[status].join(", ")}`,
    );
  }
  for (const key of ["created_at", "updated_at", "opened_at", "closed_at"] as const) {
    const time = values[key];
    if (time === undefined || zonedTime.test(time)) continue;
    say(key, `${key} is no time with a zone: ${time.slice(0, 40)}`, "write it like 2026-01-31T09:00:00Z");
  }
  for (const other of values.dependencies.filter((other) => !issueIdPattern.test(other))) {
    say("dependencies", `${other.slice(0, 40)} is no issue's id`, "ids look like FEAT-0001");
  }
  if (values.dependencies.includes(id))
    say("dependencies", "it depends on itself", "take it out of the list");
  return found;
}

/** What the merge will write, tried now: one value a line can be changed, a map in braces cannot. */
function lintEditing(text: string): Fault[] {
  try {
    closeIssue(text, { closedAt: "2026-01-31T09:00:00Z", solution: "implemented" });
    return [];
  } catch {
    const message = "monoco could not close it without breaking its front matter";
    return [{ line: 2, message, hint: "write `key: value` lines, without braces and anchors" }];
  }
}

const stagesOf: Record<Status, readonly Stage[]> = {
  open: ["draft", "doing", "review"],
  closed: ["done"],
  backlog: ["draft", "freezed"],
};

const zonedTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

function lintBody(front: FrontMatter): Fault[] {
  const { all, byName, criteria } = readBody(front);
  const line = (section: Section | undefined): number =>
    section ? section.line + front.bodyLine - 1 : front.bodyLine;
  const twice = all.filter(({ name, section }) => name && byName[name] !== section);
  const found: Fault[] = twice.map(({ section }) => ({
    line: line(section),
    message: `a second section "${section.heading}"; only the first counts`,
    hint: "put the two together",
  }));
  if (!proseIn(byName.objective)) {
    const hint = "say under `## Objective` (目标) what is to be achieved, and why";
    found.push({ line: line(byName.objective), message: "no objective", hint });
  }
  if (criteria.length === 0) {
    const hint = "list under `## Acceptance Criteria` (验收标准) what must hold: `- [ ] …`";
    found.push({ line: line(byName.criteria), message: "no acceptance criteria", hint });
  } else if (byName.criteria && itemsOf(byName.criteria).every((item) => item.state === undefined)) {
    const hint = "write them as `- [ ] …`, so that they can be ticked";
    found.push({ line: criteria[0]?.line ?? 1, message: "acceptance criteria without checkboxes", hint });
  }
  return found;
}
