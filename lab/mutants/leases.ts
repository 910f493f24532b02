/** Leases of several machines: what their storms, and the rows about two clones, have to notice. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const storms = "lab/test/torture/leases.test.ts";

const inStorms: readonly Mutant[] = [
  {
    rule: "each ref moves only from the commit that is named",
    file: "src/git/carry/remote.ts",
    find: "`--force-with-lease=${ref}:${from}`",
    replace: "`--force-with-lease=${ref}`",
    title: "overtaken between its look and its push",
  },
  {
    rule: "a merge moves the lease in the same push",
    file: "src/app/lease/holding.ts",
    find: "const also = [{ ref, from: this.#at, to },",
    replace: "const also = [...(moves.length > 0 ? [] : [{ ref, from: this.#at, to }]),",
    title: "overtaken between its look and its push",
  },
  {
    rule: "no setting of the clock ends a lease",
    file: "src/app/lease/seen.ts",
    find: "uptime() * 1_000",
    replace: "Date.now() + 0 * uptime()",
    title: "a clock that is set by a day ends no lease",
  },
  {
    rule: "a lease keeps others out for its whole length",
    file: "src/core/lease/lease.ts",
    find: "Math.max(0, lease.minutes * 60_000 - seenMs)",
    replace: "Math.max(0, lease.minutes * 6_000 - seenMs)",
    title: "a clock that is set by a day ends no lease",
  },
].map((row) => ({ ...row, test: storms }));

const inJobs: readonly Mutant[] = [
  {
    rule: "whoever has the job has no claim without the lease",
    file: "src/app/queue/lease.ts",
    find: "if (other?.lease && other.leftMs > 0)",
    replace: "if (other?.lease && other.leftMs > 60_000)",
    title: "jobs that are lost",
  },
  {
    rule: "whoever has the job merges by the lease alone",
    file: "src/app/lease/holding.ts",
    find: "const also = [{ ref, from: this.#at, to },",
    replace: "const also = [...(moves.length > 0 ? [] : [{ ref, from: this.#at, to }]),",
    title: "jobs that are lost",
  },
  {
    rule: "each claim is a new job, none is tried again",
    file: "src/app/fleet/fleet.ts",
    find: "retryLimit: 0",
    replace: "retryLimit: 3",
    title: "a killed worker's issues",
  },
].map((row) => ({ ...row, test: "lab/test/torture/jobs.test.ts" }));

const inFleet = mutantsOf("src/app/fleet/fleet.ts", "test/app/fleet.test.ts", [
  ["a job whose worker fell silent is over, and not tried again", "retryLimit: 0", "retryLimit: 3"],
]).map((row) => ({ ...row, title: "a worker that is silent loses its jobs" }));

const inRows = [
  ...mutantsOf("src/core/lease/lease.ts", "test/commands/lease.test.ts", [
    ["a lease of one's own slot is taken over at once", "lease.slot === slot || nowMs", "nowMs"],
  ]).map((row) => ({ ...row, title: "goes on at once after a kill in the same clone" })),
  ...mutantsOf("src/app/lease/holding.ts", "test/commands/lease.test.ts", [
    ["a holder that cannot push stops in time", "if (sinceMs >= stopMs) {", "if (sinceMs >= 100 * stopMs) {"],
  ]).map((row) => ({ ...row, title: "stops the session in time, with a handoff" })),
].map((row) => ({ ...row, built: true }));

export const leases: readonly Mutant[] = [...inStorms, ...inJobs, ...inFleet, ...inRows];
