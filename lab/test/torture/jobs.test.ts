/** Workers behind jobs in PostgreSQL, in storms of `npm run torture -w lab`: whatever becomes of the jobs, the leases decide. */
import { describe, expect, it } from "vitest";
import { rageOfJobs } from "../../torture/jobs.ts";
import { hasPostgres } from "../../../test/support/postgres.ts";
import { full as test } from "../../../test/support/full.ts";

describe.skipIf(!hasPostgres)("with PostgreSQL (skipped where it is not installed)", () => {
  it("three workers merge each issue once, though PostgreSQL is killed and restarted, and lines to it fail", async () => {
    expect(await rageOfJobs(1)).toMatchObject({ wrong: [] });
  });

  test(
    "jobs that are lost give nobody an issue that is held, and no merge",
    { timeout: 300_000 },
    async () => {
      expect(await rageOfJobs(1, { faults: ["jobs lost"], times: 12 })).toMatchObject({ wrong: [] });
    },
  );

  test("a killed worker's issues are free again after its silence", { timeout: 300_000 }, async () => {
    const came = await rageOfJobs(1, { faults: ["a worker killed"], times: 6, patienceMs: 100_000 });
    expect(came).toMatchObject({ wrong: [] });
  });

  test(
    "any faults, many times: no commit is lost, and each merge happens once",
    { timeout: 300_000 },
    async () => {
      expect(await rageOfJobs(2, { times: 4, issues: 12 })).toMatchObject({ wrong: [] });
    },
  );
});
