/** The commands of a fleet: several machines that share a backlog by a PostgreSQL database. */
import { database, json, runEnds, runningIssues } from "../options.ts";
import { text, verb } from "../verb.ts";
import type { Group } from "../verb.ts";

const { jobs, agent, set, policy, followUps } = runningIssues;

export const worker = verb({
  name: "worker",
  about: "work on the issues of a fleet, as one of its machines, until it is stopped",
  options: {
    database,
    jobs,
    until: text("<time>", "begin no session after 07:30, 2026-11-23T07:30, or 8h from now"),
    agent,
    set,
    policy,
    followUps,
  },
  examples: ["monoco worker", "monoco worker -j 2 --until 8h"],
  ends: runEnds,
  run: async (flags) => {
    const whole = { ...flags, all: true, watch: true, fleet: true, once: false, wait: true, json: false };
    return (await import("../run/run.ts")).run([], { ...whole, resume: false });
  },
});

const migrate = verb({
  name: "migrate",
  about: "make the tables of a fleet in the database, or bring older ones up to date",
  options: { database },
  examples: ["monoco fleet migrate --database postgres://monoco@db.example.org/monoco"],
  ends: ["later"],
  run: async (flags) => (await import("./migrate.ts")).migrate(flags),
});

const status = verb({
  name: "status",
  about: "the workers of this repository's fleet, what each has, for how long, and what nobody has",
  options: { database, json },
  examples: ["monoco fleet status", "monoco fleet status --json"],
  ends: ["later"],
  run: async (flags) => (await import("./status.ts")).status(flags),
});

export const fleet: Group = {
  name: "fleet",
  about: "machines that share a backlog by a PostgreSQL database",
  verbs: [status, migrate],
};
