/** Turns a text that a person wrote into an issue: its title, and the rest laid over the sections of a template. */
import { MonocoError } from "../error/error.ts";
import { inspectFrontMatter } from "../text/front-matter.ts";
import { sections } from "../text/markdown.ts";
import { oneLine } from "../text/one-line.ts";
import { issueHeadings, readBody } from "./document.ts";
import type { Body } from "./document.ts";
import { t } from "../language/translate.ts";

export type Draft = { title: string; body: string };

/** The first non-blank line is the title, without a leading `#`. Throws `input` if there is none. */
export function draftOf(text: string): Draft {
  const lines = text
    .replace(/^\uFEFF/, "")
    .replaceAll(/\r\n?/g, "\n")
    .trimStart();
  const [first = "", ...rest] = lines.split("\n");
  const title = oneLine(first.replace(/^#(?=\s)/, ""));
  if (title === "" || /^(?:---|```|##|[-*+]\s|<!--)/.test(title)) {
    throw new MonocoError("input", t`an issue needs a title`, {
      hint: t`the first line is the title, the rest its objective and criteria; no front matter`,
    });
  }
  return { title, body: rest.join("\n").trim() };
}

/**
 * `issue`, made from a template, with the sections of `written` in place of its own; the text is kept as written, in
 * its order. Text before the first `##` is the objective, and checkboxes at its end are the
 * criteria. Throws `input` if an unclosed code block or comment would swallow the text after it.
 */
export function withBody(issue: string, written: string): string {
  const { front } = inspectFrontMatter(issue);
  const template = readBody(front).all;
  const top = issue.slice(0, front.bodyStart + (template[0]?.section.startOffset ?? front.body.length));
  const theirs = headed(written, (name) => headingOf(template, name));
  const own = readBody(inspectFrontMatter(`${top}${theirs}`).front);
  const headings = own.all.map(({ section }) => section.heading);
  const missing = template.filter(({ name, section }) =>
    name ? !own.byName[name] : !headings.includes(section.heading),
  );
  const source = ({ section }: Body["all"][number]): string =>
    front.body.slice(section.startOffset, section.endOffset);
  const parts = [
    ...missing.filter(({ name }) => name === "objective").map(source),
    theirs,
    ...missing.filter(({ name }) => name !== "objective").map(source),
  ];
  const text = `${top.trimEnd()}\n\n${parts.map((part) => part.trim()).join("\n\n")}\n`;
  const count = readBody(inspectFrontMatter(text).front).all.length;
  if (count === own.all.length + missing.length) return text;
  throw new MonocoError("input", t`a code block or a comment in the text never ends`, {
    hint: t`close each \`\`\` and each <!--: what follows would belong to it`,
  });
}

function headingOf(template: Body["all"], name: "objective" | "criteria"): string {
  return `## ${template.find((one) => one.name === name)?.section.heading ?? issueHeadings[name].en}`;
}

/** The text before the first heading, under headings of its own. */
function headed(written: string, heading: (name: "objective" | "criteria") => string): string {
  const { byName } = readBody(inspectFrontMatter(written).front);
  const start = sections(written)[0]?.startOffset ?? written.length;
  const lead = written.slice(0, start).trim();
  const at = byName.criteria ? lead.length : boxesAt(lead);
  const [objective, boxes] = [lead.slice(0, at).trim(), lead.slice(at).trim()];
  return [
    ...(objective === "" ? [] : byName.objective ? [objective] : [heading("objective"), objective]),
    ...(boxes === "" ? [] : [heading("criteria"), boxes]),
    written.slice(start),
  ].join("\n\n");
}

/** The offset of the checkboxes that end a text. */
function boxesAt(lead: string): number {
  // The heading adds a line at the top.
  const last = sections(`## x\n${lead}`)[0]?.blocks.at(-1);
  const box = last?.kind === "list" ? last.items.find(({ state }) => state !== undefined) : undefined;
  if (!box) return lead.length;
  const before = lead.split("\n").slice(0, box.line - 2);
  return before.join("\n").length;
}
