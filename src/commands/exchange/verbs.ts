/** The commands that exchange work with other tools: import, export. */
import { dryRun, json } from "../options.ts";
import { flag, text, verb } from "../verb.ts";

export const importing = verb({
  name: "import",
  about: "make issues of what other tools plan with: Ralph, Task Master, beads, spec-kit, Conductor, GitHub",
  args: [
    ["<source>", "a .json, .md or .jsonl file, github, or - for JSON Lines on standard input"],
    ["[which]", "with github: an issue's number, or a label"],
  ],
  options: {
    all: flag("also what is done at the source, as closed issues"),
    update: flag("rewrite what has changed at the source and is still as it was imported"),
    as: text("<name>", "what the source is called in the issues, instead of its path"),
    dryRun,
    json,
  },
  examples: [
    "monoco import fix_plan.md --dry-run",
    "monoco import github 12",
    "monoco import prd.json --update",
  ],
  ends: ["conflict", "later"],
  run: async (source, which, flags) => (await import("./import.ts")).importFrom(source, which, flags),
});

export const exporting = verb({
  name: "export",
  about: "write into prd.json, as passes, which of its stories are merged",
  args: [["<file>", "a prd.json that was imported"]],
  options: { as: text("<name>", "what it was called when it was imported"), dryRun, json },
  examples: ["monoco export prd.json --dry-run"],
  run: async (file, flags) => (await import("./export.ts")).exportTo(file, flags),
});
