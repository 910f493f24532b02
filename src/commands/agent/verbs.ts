/** The commands of `monoco agent`. */
import { json } from "../options.ts";
import { countOr, flag, text, textsIfGiven, verb } from "../verb.ts";
import type { Group } from "../verb.ts";

const list = verb({
  name: "list",
  about: "which agents are found here, in which version, logged in or not, and the roles that they play",
  options: { json },
  examples: ["monoco agent list"],
  ends: ["agent"],
  run: async (flags) => (await import("./list.ts")).list(flags),
});

const probe = verb({
  name: "probe",
  about: "try what an installed agent CLI can do, before a scripted model; no key, no network",
  args: [["[AGENT]", "claude, codex …; all that are installed without it"]],
  options: {
    live: flag("ask the model itself instead, with your own login: two short sessions, scored"),
    review: flag("judge the judge: the Reviewer's verdicts on submissions known to be right or wrong"),
    model: text("<model>", "with --live or --review: the model to ask"),
    only: textsIfGiven("<name>", "with --review: the submissions with this in their names; repeatable"),
    jobs: { ...countOr("<n>", 2, "with --review: sessions at once"), short: "j" },
    yes: flag("with --review: start the sessions without asking; they cost"),
    json,
  },
  examples: [
    "monoco agent probe",
    "monoco agent probe claude --live --model haiku",
    "monoco agent probe claude --review",
  ],
  ends: ["person", "agent", "later", "interrupted"],
  run: async (name, flags) => (await import("./probe.ts")).probe(name, flags),
});

export const agent: Group = { name: "agent", about: "the agents", verbs: [list, probe] };
