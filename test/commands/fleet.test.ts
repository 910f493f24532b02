/** Workers of a fleet: two clones, a real PostgreSQL and a bare remote between them, and real runs. */
import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { databaseVariable } from "../../src/core/lease/database.ts";
import type { Ran } from "../support/cli.ts";
import { fleetsOn, stands, works } from "../support/fleet.ts";
import { ofFull } from "../support/full.ts";
import { run } from "../support/place.ts";
import { hasPostgres, openPostgres } from "../support/postgres.ts";
import { openTwoClones } from "../support/two-clones.ts";

const postgres = openPostgres();
const openFleet = fleetsOn(postgres);

/** Node as it is where pg-boss is not installed. */
const withoutPgBoss = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from "node:module"; registerHooks({ resolve(name, context, next) { if (name === "pg-boss") throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }); return next(name, context); } });`,
)}`;

const text = ({ stdout, stderr }: Ran): string => `${stdout}\n${stderr}`;

describe.skipIf(!hasPostgres)("a fleet with PostgreSQL (skipped where it is not installed)", () => {
  test("two workers share a backlog of six issues with dependencies: each is merged once, and no agent sees the database", async () => {
    const ids = [1, 2, 3, 4, 5, 6].map((number) => `FEAT-000${number}`);
    const after = { "FEAT-0003": "FEAT-0001", "FEAT-0004": "FEAT-0003", "FEAT-0006": "FEAT-0002" };
    const { a, b, start, merges, place } = await openFleet(works, { ids, after });
    const ran = await Promise.all([a, b].map((clone) => start(clone, "run", "--all", "--fleet", "-j", "2")));
    expect(
      ran.map(({ exitCode }) => exitCode),
      ran
        .filter(({ exitCode }) => exitCode !== 0)
        .map(text)
        .join("\n"),
    ).toEqual([0, 0]);
    const merged = (await merges()).map((line) => /FEAT-\d+/.exec(line)?.[0] ?? "");
    expect(merged.toSorted()).toEqual(ids);
    for (const [later, earlier] of Object.entries(after))
      expect(merged.indexOf(later)).toBeGreaterThan(merged.indexOf(earlier));
    expect(await place.sh('cat "$HOME/../fifos/seen"; true')).toBe("");
    expect(ran.map(text).join("\n")).not.toContain("s3cr3t");
  });

  test("SIGTERM hands over the session, pushes it and gives everything back: exit status 130, and another worker goes on", async () => {
    const { a, b, start, place, there, merges } = await openFleet(stands);
    const drained = start(a, "worker");
    await place.heard("here");
    const status = async (): Promise<unknown> =>
      JSON.parse((await start(b, "fleet", "status", "--json")).stdout) as unknown;
    expect(await status()).toMatchObject({
      workers: [{ live: true }],
      claims: [{ key: "FEAT-0001", host: hostname() }],
      free: [],
    });
    expect((await start(b, "fleet", "status")).stdout).toContain(`FEAT-0001  ${hostname()}, process `);
    drained.kill("SIGTERM");
    expect(await drained).toMatchObject({ exitCode: 130 });
    expect(await there("git for-each-ref 'refs/monoco/FEAT-0001/lease'")).toBe("");
    expect(await there("git for-each-ref refs/monoco/FEAT-0001/head")).not.toBe("");
    expect(await status()).toMatchObject({ workers: [], claims: [], free: ["FEAT-0001"] });
    const next = await start(b, "run", "--all", "--fleet");
    expect(next.exitCode, text(next)).toBe(0);
    expect(await merges()).toHaveLength(1);
  });

  test(
    "a worker that is killed: its job and its lease run out, and another worker goes on",
    ofFull,
    async () => {
      const { a, b, start, place, silence, merges } = await openFleet(stands);
      const killed = start(a, "worker", "--set", "remote.leaseMinutes=0.3");
      await place.heard("here");
      killed.kill("SIGKILL");
      await killed;
      await silence("FEAT-0001");
      const other = start(b, "run", "--all", "--fleet");
      await place.heard("here");
      await place.go("go");
      const next = await other;
      expect(next.exitCode, text(next)).toBe(0);
      expect(await merges()).toHaveLength(1);
    },
  );

  test("PostgreSQL that is stopped in mid-run: the session goes on, and its work is merged", async () => {
    const { a, start, place, merges } = await openFleet(stands);
    const worker = start(a, "run", "--all", "--fleet");
    await place.heard("here");
    await postgres.stop();
    await place.go("go");
    const ran = await worker;
    await postgres.start();
    expect(ran.exitCode, text(ran)).toBe(0);
    expect(text(ran).match(/nothing new begins/g)).toHaveLength(1);
    expect(await merges()).toHaveLength(1);
  });

  test(
    "fleetMax: two workers never run more relays of an agent at once than the fleet may",
    ofFull,
    async () => {
      const alone = run(
        'mkdir "$FIFOS/busy" || echo two at once >> "$FIFOS/seen"; sleep 0.5; rmdir "$FIFOS/busy"',
      );
      const story = { ...works, executor: [[alone, ...works.executor[0]!]] };
      const { a, b, start, place, merges } = await openFleet(story, { ids: ["FEAT-0001", "FEAT-0002"] });
      const args = ["run", "--all", "--fleet", "--set", "agents.a.fleetMax=1"];
      const ran = await Promise.all([a, b].map((clone) => start(clone, ...args)));
      expect(
        ran.map(({ exitCode }) => exitCode),
        ran.map(text).join("\n"),
      ).toEqual([0, 0]);
      expect(await merges()).toHaveLength(2);
      expect(await place.sh('cat "$HOME/../fifos/seen" 2> /dev/null; true')).toBe("");
    },
  );

  test("budgets of a day count the sessions of all machines", ofFull, async () => {
    const { a, b, start, merges } = await openFleet(works, { ids: ["FEAT-0001", "FEAT-0002"] });
    const args = ["--all", "--fleet", "--set", "budgets.day.sessions=2"];
    expect(await start(a, "run", "FEAT-0001", ...args)).toMatchObject({ exitCode: 0 });
    const over = await start(b, "run", "FEAT-0002", ...args);
    expect(over.exitCode, text(over)).toBe(1);
    expect(text(over)).toContain("budgets.day.sessions");
    expect(await merges()).toHaveLength(1);
    expect(b.all("session.started", "FEAT-0002")).toEqual([]);
  });

  test("without pg-boss a fleet's commands name what to install, and all others work", async () => {
    const { place, url } = await openFleet(works);
    const env = { NODE_OPTIONS: withoutPgBoss, [databaseVariable]: url };
    const under = (args: string): Promise<Ran> =>
      place.sandbox.start(args.split(" "), { cwd: place.project, env });
    for (const args of ["worker", "fleet status", "fleet migrate", "run --all --fleet"])
      expect(await under(args), args).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("npm install --save-exact pg-boss@12.38.0") as string,
      });
    for (const args of ["inbox", "run --all --dry-run", "config show"])
      expect(await under(args), args).toMatchObject({ exitCode: 0 });
  });
});

test.each([
  ["worker", /which database\? No address was given/],
  ["fleet status --database mysql://me:s3cr3t@host/db", /--database: expected the address of a database/],
  ["run FEAT-0001 --fleet --database postgres://me:s3cr3t@host/db", /--fleet shares the whole backlog/],
  ["run --all --fleet --detach --database postgres://me:s3cr3t@host/db", /would be in the log/],
  [
    "fleet migrate --database postgres://me:s3cr3t@none.invalid/db",
    /postgres:\/\/none\.invalid\/db cannot be used/,
  ],
])("monoco %s: exit status 2, and no password is printed", async (args, said) => {
  const { place } = await openTwoClones(works);
  const ran = await place.monoco(...args.split(" "));
  expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(said) as string });
  expect(text(ran)).not.toContain("s3cr3t");
});
