/** A small weekend on two workers, by each queue, comes to the same: the backlog merged, each issue once, and nothing tried twice. */
import { afterAll, beforeAll, expect } from "vitest";
import { full as test } from "../../test/support/full.ts";
import { hasPostgres, newServer } from "../../test/support/postgres.ts";
import { backlogOf } from "../fleet/backlog.ts";
import { adapters, faultsOf, playWeekend } from "../fleet/weekend.ts";

const server = newServer();
beforeAll(() => (hasPostgres ? server.begin() : undefined));
afterAll(() => server.dispose());

/** PostgreSQL is not everywhere. */
const here = adapters.filter((adapter) => adapter !== "pg-boss" || hasPostgres);

test.for(here)("eight issues on two workers, by %s", { timeout: 300_000 }, async (adapter) => {
  const backlog = backlogOf(8, 0.2);
  const database = adapter === "pg-boss" ? await server.database() : "";
  const played = await playWeekend(backlog, { adapter, workers: 2, database });
  try {
    expect(faultsOf(backlog, played)).toEqual([]);
  } finally {
    played.fleet.dispose();
  }
});
