/** The issue file, the contract of a relay: text to values. */
import { MonocoError } from "../error/error.ts";
import { faultError } from "../error/fault.ts";
import { frontMatterHint, proseIn, readBody, readFrontMatter } from "./document.ts";
import { titleFault, titleOf, typeFault } from "./document.ts";
import type { Body, IssueFrontMatter, Item } from "./document.ts";
import type { FrontMatter } from "../text/front-matter.ts";
import type { Card } from "./card.ts";
import { typeOfId } from "./vocabulary.ts";
import type { Language } from "../language/handoff-words.ts";
import { t } from "../language/translate.ts";

export interface Issue extends Card {
  related: string[];
  files: string[];
  /** Patterns of protected paths that the work may change. */
  allows: string[];
  checks: string[];
  /** Checks and set-up are not run on the base before the first session. */
  baseline?: "none";
  createdAt?: string;
  updatedAt?: string;
  openedAt?: string;
  closedAt?: string;
  language: Language;
  objective: string;
  criteria: Item[];
  tasks: Item[];
  reviewComments: string;
}

/** Parses an issue. Throws `input` with file, line and remedy for the first fault that prevents reading it. */
export function parseIssue(text: string, file: string): Issue {
  const { front, values, card } = readHead(text, file);
  const body = readBody(front);
  return {
    ...card,
    related: values.related,
    files: values.files,
    allows: values.allows,
    checks: values.checks,
    ...(values.baseline && { baseline: values.baseline }),
    ...(values.created_at !== undefined && { createdAt: values.created_at }),
    ...(values.updated_at !== undefined && { updatedAt: values.updated_at }),
    ...(values.opened_at !== undefined && { openedAt: values.opened_at }),
    ...(values.closed_at !== undefined && { closedAt: values.closed_at }),
    language: languageOf(body.byName, card.title),
    objective: proseIn(body.byName.objective),
    criteria: body.criteria,
    tasks: body.tasks,
    reviewComments: proseIn(body.byName.reviewComments),
  };
}

/** Parses only the fields for lists; of the body it reads the heading, if that is the title. */
export function parseCard(text: string, file: string): Card {
  return readHead(text, file).card;
}

/** The front matter, checked: every fault that prevents reading an issue is thrown here. */
function readHead(text: string, file: string): { front: FrontMatter; values: IssueFrontMatter; card: Card } {
  const { front, faults, values } = readFrontMatter(text);
  if (faults[0]) throw faultError(faults[0], file);
  if (!values) throw new MonocoError("input", t`${file}:1: no front matter`, { hint: frontMatterHint() });
  const title = titleOf(values, front.body);
  const type = values.type ?? typeOfId(values.id);
  if (!title) throw faultError(titleFault(), file);
  if (!type) throw faultError(typeFault(front), file);
  const { id, status, stage, solution, priority, criticality, parent, dependencies, tags } = values;
  const card = {
    id,
    type,
    title,
    status,
    stage,
    ...(solution && { solution }),
    ...(priority !== undefined && { priority }),
    ...(criticality && { criticality }),
    ...(parent !== undefined && { parent }),
    dependencies,
    tags,
  };
  return { front, values, card };
}

function languageOf(byName: Body["byName"], title: string): Language {
  const inChinese = Object.values(byName).map((section) => chinese(section.heading.split(/[(（/]/)[0] ?? ""));
  if (inChinese.length === 0) return chinese(title) ? "zh" : "en";
  return inChinese.filter(Boolean).length * 2 > inChinese.length ? "zh" : "en";
}

function chinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}
