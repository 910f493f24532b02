/** Reads spec-kit's tasks.md: an item for each user story with its tasks, and one for each other task; or the stories of a spec.md. */
import { withSections } from "./criteria.ts";
import { importedLine, importedTask, importedTitle, objectiveOf, remarkOn, tagsOf } from "./import-item.ts";
import type { ImportItem, ImportTask } from "./import-item.ts";
import { boxedOf, itemOf, linesOf, locatedIn, nested, ownText, pointedTo, workFile } from "./list-entry.ts";
import type { Entry, Heading, Located, WorkFile, WorkList } from "./list-entry.ts";
import type { OutlineEntry } from "../text/markdown.ts";
import { oneLine } from "../text/one-line.ts";
import { t } from "../language/translate.ts";

/** The spec.md of a feature. */
export type Spec = { path: string; text: string };
type Headed = Located<OutlineEntry & { kind: "heading" }>;

/** A task: an item by itself, or technical tasks of its user story. */
type Task = {
  id: string;
  /** The heading of its phase. */
  phase: string;
  isParallel: boolean;
  /** The number of the story in the task's label, else in its phase. */
  story: string | undefined;
  item: ImportItem;
  lines: ImportTask[];
};

/** A user story: its heading, and the text below. */
type Story = { number: string; line: number; heading: string; text: string };

/** The list; undefined if the file has neither tasks with ids such as T001 nor user stories with scenarios. */
export function specKitTasks(file: WorkFile, spec?: Spec): WorkList | undefined {
  const boxed = boxedOf(file.entries);
  const listed = boxed.flatMap((entry) => listedTask(entry, spec?.path));
  const headings = file.entries.filter((entry) => entry.kind === "heading");
  const tasks =
    listed.length > 0 ? listed : headings.flatMap((heading) => headedTask(heading, file, spec?.path));
  if (tasks.length > 0) {
    const read = new Set(tasks.map(({ item }) => item.line));
    const left = linesOf(boxed).filter((line) => listed.length > 0 && !read.has(line));
    const remarks = remarkOn(left, (lines) => t`passed over, having no id such as T001: line ${lines}`);
    return { ...listOf(tasks, file.entries, spec), remarks };
  }
  const items = storiesIn(file).map((story) => storyItem(story, []));
  if (items.every(({ criteria }) => criteria.length === 0)) return undefined;
  return { items, places: items.map(({ key }) => ({ phase: key, isParallel: false })), remarks: [] };
}

/** The tasks in groups, in the order of the file: a story has all of its own, any other task is alone. */
function listOf(
  tasks: readonly Task[],
  entries: readonly Located<OutlineEntry>[],
  spec: Spec | undefined,
): Pick<WorkList, "items" | "places"> {
  const stories = spec ? storiesIn(workFile(spec.text)) : [];
  const groups = new Map<string, [Task, ...Task[]]>();
  for (const task of tasks) {
    let key = task.story === undefined ? task.id : `US${task.story}`;
    while (task.story === undefined && groups.has(key)) key += "-2";
    const group = groups.get(key);
    if (group) group.push(task);
    else groups.set(key, [task]);
  }
  const all = [...groups].map(([key, group]) => {
    const [{ item, phase, story: number, isParallel }] = group;
    if (number === undefined) return { item: { ...item, key }, place: { phase, isParallel } };
    const told = stories.find((story) => story.number === number);
    const aim = aimOf(phase, item.line, entries);
    const text = [aim, told?.text.trim() ?? ""].join("\n\n");
    const story = storyItem(
      { number, line: item.line, heading: told?.heading ?? phase, text },
      group.flatMap(({ lines }) => lines),
    );
    const criteria = story.criteria.length > 0 ? story.criteria : independentTest(aim);
    return { item: pointedTo({ ...story, criteria }, spec?.path), place: { phase: key, isParallel: false } };
  });
  return { items: all.map(({ item }) => item), places: all.map(({ place }) => place) };
}

const taskId = /^\W*(T-?\d{3,}(?:-?[A-Za-z]\w*)?)\b[\]:.*\s—–-]*/;
const labels = /\s*\[(?:P|US[- ]?\d[^\]]*)\]/gi;
const phaseHeading = /^\W*(?:phase\b|fase\b|阶段|フェーズ|단계)\s*[\w.]*\s*[:：—–-]?\s*/iu;

/** The task of a line that begins with an id; `itemFor` gets the line without the labels. */
function taskOf(
  line: string,
  headings: readonly Heading[],
  itemFor: (text: string) => Pick<Task, "item" | "lines">,
): Task[] {
  const id = taskId.exec(line)?.[1];
  if (id === undefined) return [];
  const phase =
    headings.findLast(({ text }) => phaseHeading.test(text)) ?? headings.find(({ depth }) => depth > 1);
  return [
    {
      id,
      phase: phase?.text ?? "",
      isParallel: /\[P\]/.test(line),
      story: /\[US[- ]?(\d+)/i.exec(line)?.[1] ?? storyNumber(phase?.text ?? ""),
      ...itemFor(line.replace(taskId, `${id} `).replaceAll(labels, "")),
    },
  ];
}

function listedTask(entry: Entry, read: string | undefined): Task[] {
  const [first = "", ...rest] = entry.item.text.split("\n");
  return taskOf(first, entry.headings, (text) => {
    const item = { ...entry.item, text: [text, ...rest].join("\n") };
    const state = item.state ?? "todo";
    const lines = [...importedTask(ownText(item), state), ...nested(item, state)];
    return { item: pointedTo(itemOf({ ...entry, item }), read), lines };
  });
}

/** A task that is a heading, done if all boxes below are. */
function headedTask(heading: Headed, file: WorkFile, read: string | undefined): Task[] {
  return taskOf(heading.text, heading.headings, (text) => {
    const below = textBelow(heading, file);
    const boxes = boxedOf(locatedIn(below));
    const isDone = boxes.length > 0 && boxes.every(({ item }) => item.state === "done");
    const item: ImportItem = {
      key: "",
      line: heading.line,
      type: "feature",
      title: importedTitle(text),
      objective: objectiveOf(text, [below]),
      criteria: [],
      tasks: [],
      tags: [],
      dependencies: [],
      ...(isDone && { done: "implemented" }),
    };
    return { item: pointedTo(withSections(item), read), lines: importedTask(text, isDone ? "done" : "todo") };
  });
}

/** The text below a heading, up to the next one that is not deeper. */
function textBelow({ line, depth }: Headed, { entries, lines }: WorkFile): string {
  const next = entries.find((entry) => entry.kind === "heading" && entry.line > line && entry.depth <= depth);
  return lines.slice(line, next && next.line - 1).join("\n");
}

/** The stories of a spec, each once: headings with a story's number, in any language if its priority is in brackets. */
function storiesIn(file: WorkFile): Story[] {
  const stories = file.entries.flatMap((entry): Story[] => {
    if (entry.kind !== "heading") return [];
    const { line, text: heading } = entry;
    const head = heading.slice(0, headingCharsMax);
    const number = storyNumber(head) ?? /(\d+).*[(（][^)）]*\bP\d/u.exec(head)?.[1];
    return number === undefined ? [] : [{ number, line, heading, text: textBelow(entry, file) }];
  });
  return stories.filter(({ number }, at) => stories.findIndex((story) => story.number === number) === at);
}

/** A longer heading is no story's, and patterns would take long on it. */
const headingCharsMax = 500;

function storyNumber(heading: string): string | undefined {
  return /\b(?:user story|US)[- ]?(\d+)\b/i.exec(heading)?.[1];
}

/** What a phase says of itself before its first task, on `line`, in paragraphs that begin in bold: its goal and its test. */
function aimOf(phase: string, line: number, entries: readonly Located<OutlineEntry>[]): string {
  const texts = entries.flatMap((entry) => {
    const isOfPhase = entry.line < line && entry.headings.some(({ text }) => text === phase);
    return entry.kind === "text" && isOfPhase && entry.text.startsWith("**") ? [entry.text] : [];
  });
  return texts.join("\n\n");
}

const independent =
  /^\*\*(?:independent test|独立测试|独立テスト|독립 테스트|prueba independiente|teste independente)[^*]*\*\*\s*[:：]?\s*(.+)$/imu;

/** The test by which a phase is judged where no scenario is known. */
function independentTest(aim: string): string[] {
  const test = independent.exec(aim)?.[1];
  return test === undefined ? [] : [importedLine(test)];
}

function storyItem({ number, line, heading, text }: Story, tasks: ImportTask[]): ImportItem {
  const title = oneLine(
    heading
      .slice(0, headingCharsMax)
      .replace(phaseHeading, "")
      .replace(/\s*[(（][^)）]*\bP\d[^)）]*[)）]/u, "")
      .replace(/\s*🎯.*$/u, ""),
  );
  const priority = /\bP(\d)\b/.exec(heading)?.[1];
  const isDone = tasks.length > 0 && tasks.every(({ state }) => state === "done");
  return withSections({
    key: `US${number}`,
    line,
    type: "feature",
    title: importedTitle(title),
    objective: objectiveOf(title, [text]),
    criteria: [],
    tasks,
    ...(priority !== undefined && { priority }),
    tags: tagsOf([`US${number}`]),
    dependencies: [],
    ...(isDone && { done: "implemented" }),
  });
}
