/** Jobs of CI that are cut at random times: the workflow that monoco writes, on machines that are thrown away with all that runs on them. */
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import { runnersCase } from "./runners/case.ts";
import { seedsOf } from "./part.ts";
import type { Came, Programme } from "./row.ts";

/** A case has about fifteen cuts. */
const cases = { short: 1, long: 8 };
/** A cut falls anywhere in a whole job, and now and then none does. */
const longer = 1.1;

export const runners: Programme = {
  name: "runners",
  holds:
    "a job of CI that is cut at any time loses no commit; the next one goes on, and each issue ends in one merge or pull request",
  async run({ size, seed, part, say }): Promise<Came> {
    if (!hasBubblewrap())
      return { n: 0, violations: [], notes: ["bubblewrap does not work here: not tried"] };
    const seeds = seedsOf({ seed, n: cases[size] }, part);
    const whole = await runnersCase({ seed, finish: "pr", lifeMsMax: undefined });
    const violations = whole.wrong.map((what) => `without cuts: ${what}`);
    const lifeMsMax = Math.round(whole.wholeMs * longer);
    const cuts: string[] = [];
    for (let at = seeds.seed; at < seeds.seed + seeds.n; at += 1) {
      const begin = performance.now();
      const finish = at % 2 === 0 ? "merge" : "pr";
      const came = await runnersCase({ seed: at, finish, lifeMsMax });
      cuts.push(...came.cuts);
      violations.push(...came.wrong.map((what) => `seed ${at}: ${what}`));
      const seconds = Math.round((performance.now() - begin) / 1000);
      say(`seed ${at}, ${finish}, ${came.cuts.length} cuts, ${seconds} s: ${came.wrong[0] ?? "holds"}`);
    }
    const kinds = Object.entries(Object.groupBy(cuts, (cut) => cut)).map(
      ([cut, some]) => `${cut} ${some?.length}`,
    );
    const notes = [`cuts ${cuts.length}, within ${lifeMsMax} ms: ${kinds.toSorted().join(", ")}`];
    return { n: cuts.length, seeds: `${seeds.n} from ${seeds.seed}`, violations, notes };
  },
};
