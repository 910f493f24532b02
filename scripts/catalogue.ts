/**
 * `npm run catalogue`: holds the catalogue of Chinese to the source. Everything that is said to people has an entry, no
 * entry is left over, and no sentence of the parts that talk to people stands there without being said. With --missing
 * it prints the missing keys as JSON, by area; ending in a folder or file, only those of it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { conclusions } from "../src/core/session/probe.ts";
import { weakeningKinds } from "../src/core/weakening/kinds.ts";
import { files, root, textOf } from "./source.ts";

/** A sentence in the source. `isSaid`: it goes through the catalogue. */
export type Sentence = { key: string; file: string; line: number; isSaid: boolean };

/** Text that no person reads at a terminal, by the start of its path. */
const notSpoken: readonly (readonly [path: string, why: string])[] = [
  ["src/core/prompt/", "prompts have templates in each language"],
  ["src/core/language/handoff-words.ts", "handoffs have their own two languages"],
  ["src/core/error/error.ts", "what exit codes mean stands in docs/exit-codes.md"],
  ["src/core/pulls/look.ts", "what gh is asked for, and remarks as they were written"],
  ["src/git/host/", "what the APIs of hosts are asked"],
  ["src/core/review/verdict/", "it talks to the Reviewer"],
  ["src/core/trial/output.ts", "as core/review/verdict"],
  ["src/core/review/verdict-schema.ts", "the form that the Reviewer fills in"],
  ["src/core/trial/trial-words.ts", "reviews have their own two languages"],
  ["src/core/weakening/code-line.ts", "endings of files"],
  ["src/core/handoff/labels.ts", "headings are read back"],
  ["src/core/handoff/learnings.ts", "a document that is read back"],
  ["src/core/text/diff.ts", "what git prints"],
  ["src/core/exchange/follow-ups.ts", "the text of issue files"],
  ["src/core/exchange/upstream-comment.ts", "a comment on GitHub"],
  ["src/commands/project-kinds.ts", "commands of other tools"],
  ["src/app/hooks/targets.ts", "what is written into the agents' own files"],
  ["src/app/ci/workflows.ts", "what is written into workflow files"],
  ["src/agents/", "how a session ended is evidence: failures are told apart by its words"],
  ["src/probe/", "what a scripted model is told and says"],
  ["src/hook/", "hooks speak to agents, and load no catalogue"],
  ["src/cli.ts", "it says that this Node is too old to load anything"],
  ["src/core/report/landing-message.ts", "commit messages stay English"],
  ["src/core/settings/budget-schema.ts", "what settings are for is told in docs/settings.md"],
  ["src/commands/demo/story.ts", "the demo has its own two languages"],
  ["src/commands/completion.ts", "scripts for shells"],
  ["src/commands/dashboard/guard.ts", "headers, and refusals that programs get"],
];

/** Sentences that nobody says, wherever they stand. */
const notSaid: ReadonlySet<string> = new Set([
  // Of git: where a setting was set.
  "command line:",
  // Of git: what messages of commits are searched for.
  "--grep=This reverts commit [0-9a-f]{7}",
  // The error of a git that printed nothing; a journal quotes it.
  "exit status {0}",
  // The name of a slot.
  "named ci-{0}",
  // Commands.
  "git switch {0}",
  "git branch -m {0} OTHER",
  "git push {0} {1}",
  "git push -u REMOTE {0}",
  "git fetch --unshallow",
  "gh pr create {0}",
  "gh pr edit {0} --body-file {1}",
  'glab mr create {0} --description "$(cat {1})"',
  'glab mr update {0} --description "$(cat {1})"',
  // Errors of pg-boss.
  "pg-boss is not installed",
  "pg-boss database requires migrations",
  "aws sso login --profile {0}",
  "git config --global user.name monoco && git config --global user.email monoco@example.com",
  "sudo apt-get install -qq -y {0}",
  "sudo apt-get update -qq && sudo apt-get install -qq -y bubblewrap && sudo sysctl -e -q -w kernel.apparmor_restrict_unprivileged_userns=0",
  // Messages of commits.
  "Uncommitted work of a person's session on {0}",
  "Commits that only the reflog of {0} session {1} names",
  "Uncommitted work of {0} session {1}",
  "Uncommitted work of {0} session {1} in {2}",
  "What the Reviewer of {0} session {1} changed",
  "Remote-tracking branches that the clones of this relay show",
  "Journal of {0}",
  "Handoffs of {0}",
  // What an agent is told.
  "/dev/null/a session does not push: commit, and run `monoco issue submit`",
  "it was asked for an answer, and for no work",
  "asked whether the work is done",
  "An earlier answer could not be used:",
  // What a verdict answers by name, and what stands beside it in a pull request.
  "changed by checks",
  "cannot be read",
  "the file ({0})",
  "(the diff)",
  "(the clone)",
  "it is gone",
  "only the first {0} of {1} characters were looked through",
  // By which failures and runs are told apart.
  "timed out",
  "monoco could not go on: {0}",
  "{0}\n# after the set-up",
  // The name of a document, for an error that monoco itself would have caused.
  "RALPH.md template",
]);

/** Words that code compares; where people see them they are said as another text, or as the one that is marked. */
const values: ReadonlySet<string> = new Set([...weakeningKinds, ...conclusions, "false alarm", "no verdict"]);

type Node = { type: string; start: number; [key: string]: unknown };

export function sentencesOf(file: string, source: string): Sentence[] {
  const found: Sentence[] = [];
  const isRecords = /^src\/commands\/.*(?:verbs|options)\.ts$/.test(file);
  const lineOf = (at: number): number => source.slice(0, at).split("\n").length;
  const add = (key: string, node: Node, isSaid: boolean): void => {
    found.push({ key, file, line: lineOf(node.start), isSaid });
  };
  const visit = (node: unknown, inSaid: boolean): void => {
    if (Array.isArray(node)) return node.forEach((one) => visit(one, inSaid));
    if (!isNode(node) || /^(?:Import|Export(?:All|Named)Declaration$|TS)/.test(node.type)) {
      if (isNode(node) && isNode(node["declaration"])) visit(node["declaration"], inSaid);
      if (isNode(node) && isNode(node["expression"])) visit(node["expression"], inSaid);
      return;
    }
    if (node.type === "Literal" && typeof node["value"] === "string") {
      if (inSaid || isSentence(node["value"])) add(node["value"], node, inSaid);
      return;
    }
    if (node.type === "TemplateLiteral") {
      const key = keyOf(node);
      if (inSaid || isSentence(key)) add(key, node, inSaid);
      return visit(node["expressions"], false);
    }
    if (node.type === "TaggedTemplateExpression" && ["t", "runName"].includes(nameOf(node["tag"]))) {
      const quasi = node["quasi"] as Node;
      add(keyOf(quasi), node, true);
      return visit(quasi["expressions"], false);
    }
    if (node.type === "ObjectExpression" && isBilingual(node)) return;
    if (node.type === "CallExpression") {
      const called = nameOf(node["callee"]);
      const args = node["arguments"] as Node[];
      const method = isNode(node["callee"]) ? nameOf(node["callee"]["property"]) : "";
      if (method === "describe") return visit((node["callee"] as Node)["object"], inSaid);
      if (method === "split" && isConstant((node["callee"] as Node)["object"])) return;
      if (called === "translatable") return visit(args, true);
      if (called === "translated" && args[0]?.type === "Literal") return visit(args, true);
      if (called === "counted" && args[1]?.type === "Literal") {
        add(`{0} ${String(args[1]["value"])}`, node, true);
        return visit(args[0], false);
      }
      // A schema's words are for documents and agents.
      if (nameOf((node["callee"] as Node)["property"]) === "describe") return visit(node["callee"], false);
      // The rest stands in docs/settings.md and the JSON Schema.
      if (called === "setting") return visit(args[0], false);
      if (isRecords && tellers.has(called)) {
        visit(args.slice(0, -1), false);
        return visit(args.at(-1), true);
      }
    }
    if (node.type === "Property" && nameOf(node["key"]) === "about") return visit(node["value"], true);
    if (node.type === "Property" && nameOf(node["key"]) === "args")
      return visit(isNode(node["value"]) ? itemsOf(node["value"]).map(([, about]) => about) : [], true);
    if (node.type === "Property" && nameOf(node["key"]) === "examples") return;
    for (const [key, value] of Object.entries(node))
      if (key !== "key") visit(value, inSaid && key !== "callee");
  };
  visit(parseSync(file, source).program, false);
  return found;
}

/** What makes a part of a command's record: the last that each is given is what help says. */
const tellers = new Set(
  "flag flagOff flagIfGiven text textOr texts textsIfGiven count countOr requiredText requiredNumber step closingStep called".split(
    " ",
  ),
);

/** The items of lists in a list. */
function itemsOf(list: Node): unknown[][] {
  const elements = (node: unknown): unknown[] =>
    isNode(node) && Array.isArray(node["elements"]) ? (node["elements"] as unknown[]) : [];
  return elements(list).map(elements);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** It has its texts in both languages. */
function isBilingual(node: Node): boolean {
  const keys = (node["properties"] as Node[]).map(({ key }) => nameOf(key));
  return keys.includes("en") && keys.includes("zh");
}

/** `"a b" + "c d"`, a list of words that is split. */
function isConstant(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === "ParenthesizedExpression") return isConstant(node["expression"]);
  if (node.type === "BinaryExpression") return isConstant(node["left"]) && isConstant(node["right"]);
  return node.type === "Literal";
}

function nameOf(node: unknown): string {
  return isNode(node) && typeof node["name"] === "string" ? node["name"] : "";
}

function keyOf(template: Node): string {
  const quasis = template["quasis"] as { value: { cooked: string } }[];
  return quasis.map(({ value }, index) => `${index === 0 ? "" : `{${index - 1}}`}${value.cooked}`).join("");
}

/** Two words beside each other, unless they are a pattern, a command, markup, a document that is read back, or a value. */
function isSentence(text: string): boolean {
  const isSaid = /[a-z]{2,},? [a-z]{2,}/i.test(text) && !values.has(text);
  return isSaid && ![pattern, command, markup, document].some((other) => other.test(text));
}

const pattern = /\(\?[:=!<]|\\[bdsw]/i;
const command =
  /^(?:--[a-z]+|(?:git|monoco|gh|grep|npm) [a-z-]+)(?: [a-z-]+){0,2}(?: (?:-\S*|\d+|\{\d\}\S*|[A-Z][\w.|]*|\w+\.json|".*"|…|(?:\||&&) .*))*$/;
const markup = /^(?:<(?:!doctype|h\d|svg|t[dr])\b|body\{)/;
/** Front matter, headings, comments, and the words of a commit. */
const document = /^(?:---|<!--|Proposed by)|\n## /;

const folder = join(root, "src", "views", "zh");

/** All entries, by the path of the file that they stand in. */
export function readCatalogue(): Map<string, Record<string, string>> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Map(
    names.map((name) => [
      relative(root, join(folder, name)),
      JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, string>,
    ]),
  );
}

/** What is wrong with it, a line each. */
export function faultsOf(
  sentences: readonly Sentence[],
  catalogue: ReturnType<typeof readCatalogue>,
): string[] {
  const entries = [...catalogue].flatMap(([file, texts]) =>
    Object.entries(texts).map(([key, text]) => ({ file, key, text })),
  );
  const known = new Map(entries.map(({ key, file }) => [key, file]));
  const said = new Set(sentences.filter(({ isSaid }) => isSaid).map(({ key }) => key));
  const placeholders = (text: string): string => [...new Set(text.match(/\{\d+\}/g))].toSorted().join(" ");
  return [
    ...sentences
      .filter(({ isSaid, key }) => isSaid && !known.has(key))
      .map(({ file, line, key }) => `${file}:${line}: no entry for ${JSON.stringify(key)}`),
    ...sentences
      .filter(
        (one) =>
          !one.isSaid && !notSaid.has(one.key) && !notSpoken.some(([path]) => one.file.startsWith(path)),
      )
      .map(({ file, line, key }) => `${file}:${line}: not said: ${JSON.stringify(key)}`),
    ...entries
      .filter(({ key }) => !said.has(key))
      .map(({ file, key }) => `${file}: nothing says ${JSON.stringify(key)}`),
    ...entries
      .filter(({ key, file }) => known.get(key) !== file)
      .map(({ file, key }) => `${file}: said twice, also in ${known.get(key)}: ${JSON.stringify(key)}`),
    ...entries
      .filter(({ text }) => text.trim() === "")
      .map(({ file, key }) => `${file}: empty: ${JSON.stringify(key)}`),
    ...entries
      .filter(({ key, text }) => text.trim() !== "" && placeholders(key) !== placeholders(text))
      .map(
        ({ file, key, text }) =>
          `${file}: other values in ${JSON.stringify(text)} than in ${JSON.stringify(key)}`,
      ),
  ];
}

export const sentences = files.flatMap((file) => sentencesOf(file, textOf.get(file)!));

if (import.meta.main) {
  const [flag, at = "src"] = process.argv.slice(2);
  const catalogue = readCatalogue();
  if (flag === "--missing") {
    const known = new Set([...catalogue.values()].flatMap((texts) => Object.keys(texts)));
    const missing = sentences.filter(
      ({ file, key, isSaid }) => isSaid && !known.has(key) && file.startsWith(at),
    );
    process.stdout.write(
      `${JSON.stringify(Object.fromEntries(missing.map(({ key }) => [key, ""])), null, 2)}\n`,
    );
  } else {
    const faults = faultsOf(sentences, catalogue).filter(
      (fault) => flag === undefined || fault.startsWith(flag),
    );
    for (const fault of faults) process.stderr.write(`${fault}\n`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  }
}
