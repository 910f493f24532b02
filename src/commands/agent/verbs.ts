/** The commands of `monoco agent`. */
import { json } from "../options.ts";
import { flag, text, verb } from "../verb.ts";
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
    model: text("<model>", "with --live: the model to ask"),
    json,
  },
  examples: ["monoco agent probe", "monoco agent probe claude --live --model haiku"],
  ends: ["person", "agent", "interrupted"],
  run: async (name, flags) => (await import("./probe.ts")).probe(name, flags),
});

export const agent: Group = { name: "agent", about: "the agents", verbs: [list, probe] };
