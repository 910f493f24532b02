/** The fleet in monoco watch and in the dashboard: real workers, a real PostgreSQL, a real terminal and a real browser. */
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { databaseVariable } from "../../src/core/lease/database.ts";
import { followInbox, hasBrowser, openDashboard, openTab, violations } from "../support/dashboard.ts";
import { fleetsOn, stands } from "../support/fleet.ts";
import type { FleetPlace } from "../support/fleet.ts";
import type { Place } from "../support/place.ts";
import { hasPostgres, openPostgres } from "../support/postgres.ts";
import { openTwoClones } from "../support/two-clones.ts";
import { monocoIn, openWindow, skipWithoutTmux } from "../support/tmux.ts";
import type { Window } from "../support/tmux.ts";

vi.setConfig({ testTimeout: 120_000 });

const postgres = openPostgres();
const openFleet = fleetsOn(postgres);

/** A worker on an issue, and another issue that nobody has; each command has the database in its environment. */
async function atWork(): Promise<FleetPlace> {
  const fleet = await openFleet(stands, { ids: ["FEAT-0001", "FEAT-0002"] });
  fleet.place.sandbox.env[databaseVariable] = fleet.url;
  void fleet.start(fleet.b, "worker", "-j", "1");
  await fleet.place.heard("here");
  return fleet;
}

async function watching(place: Place, issue = "FEAT-0002"): Promise<Window> {
  const window = await openWindow(place, { width: 80, height: 24 });
  await window.shows(/^[$#]/);
  await window.type(monocoIn("watch"));
  await window.keys("Enter");
  await window.shows(issue);
  return window;
}

/** Node that notes it when a package of PostgreSQL is loaded. */
const noting = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from "node:module"; import { appendFileSync } from "node:fs"; registerHooks({ resolve(name, context, next) { if (/^pg(-boss)?$/.test(name)) appendFileSync(process.env.NOTE, name + " "); return next(name, context); } });`,
)}`;

const away = /postgres:\/\/\/fleet\d+ cannot be used: /;

describe.skipIf(!hasPostgres)("with PostgreSQL (skipped where it is not installed)", () => {
  test("monoco watch has a line of numbers, and f lists who has what; a database that is away is one dim line, until it is back", async (context) => {
    skipWithoutTmux(context);
    const fleet = await atWork();
    const window = await watching(fleet.place);
    await window.shows(/^fleet \(f\) +postgres:\/\/\/fleet\d+: 1 worker, 1 claim, 1 issue that nobody has$/m);
    await window.keys("f");
    const process = `${hostname()}, process \\d+ +for 0 min$`;
    expect(await window.shows(new RegExp(`^worker +${process}`, "m"))).toMatch(
      new RegExp(`^FEAT-0001 +${process}\nnobody has: FEAT-0002$`, "m"),
    );
    await postgres.stop();
    await window.shows(new RegExp(`^${away.source}`, "m"));
    await window.keys("q");
    await window.shows(/^fleet \(f\) +postgres:.* cannot be used/m);
    // eslint-disable-next-line no-control-regex
    expect(await window.coloured()).toMatch(/\u001b\[90m *fleet \(f\)/);
    expect(await window.screen()).not.toContain("s3cr3t");
    await postgres.start();
    await window.shows(/1 worker, 1 claim/);
    await window.keys("q");
    await window.shows(/watch\n[$#]/);
  });

  test("the dashboard lists them on its first page as text, by one connection", async () => {
    const fleet = await atWork();
    const hostile = JSON.stringify({ host: "<img src=x onerror=alert(1)>\u001b[2J\u202e", pid: 7 });
    await postgres.sql(
      fleet.url,
      `UPDATE monoco.job SET data = '${hostile}' WHERE singleton_key LIKE 'FEAT-%'`,
    );
    const to = await openDashboard(fleet.place);
    const facts = followInbox(to);
    await expect
      .poll(() => facts()?.repositories[0]?.fleet, { timeout: 20_000 })
      .toEqual([
        expect.stringMatching(/^postgres:\/\/\/fleet\d+: 1 worker, 1 claim, 1 issue that nobody has$/),
        expect.stringMatching(/^worker +\S+, process \d+ +for 0 min$/),
        "FEAT-0001  <img src=x onerror=alert(1)>, process 7  for 0 min",
        "nobody has: FEAT-0002",
      ]);
    const looks = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgboss'`;
    expect(await postgres.sql(fleet.url, looks)).toBe("1");
    if (!hasBrowser) return;
    const { page, faults } = await openTab();
    await page.goto(await to.address());
    await page.waitForSelector(".counts + details");
    expect(await page.innerText(".counts + details pre")).toContain(
      "FEAT-0001  <img src=x onerror=alert(1)>",
    );
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await postgres.stop();
    const line = page.locator(".counts + p.dim");
    await line.waitFor();
    expect(await line.innerText()).toMatch(/^postgres:\/\/\/fleet\d+ cannot be used: /);
    expect((await page.innerText("body")) + to.printed()).not.toContain("s3cr3t");
    await postgres.start();
    await page.waitForSelector(".counts + details");
  });

  test.for([
    ["nothing of PostgreSQL is loaded without a database", ""],
    ["what is loaded for one is noted", "postgres://me:s3cr3t@127.0.0.1:1/none"],
  ])("%s", async ([, url = ""]) => {
    const { place } = await openTwoClones();
    const note = join(place.around, "loaded");
    Object.assign(place.sandbox.env, { [databaseVariable]: url, NODE_OPTIONS: noting, NOTE: note });
    const facts = followInbox(await openDashboard(place));
    await expect
      .poll(() => facts()?.repositories[0]?.fleet, { timeout: 20_000 })
      .toEqual(url === "" ? [] : [expect.stringContaining("postgres://127.0.0.1:1/none cannot be used")]);
    expect(existsSync(note)).toBe(url !== "");
  });
});

test("a database that never answers delays neither the list nor the end of monoco watch", async (context) => {
  skipWithoutTmux(context);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { place } = await openTwoClones();
  const { port } = server.address() as AddressInfo;
  place.sandbox.env[databaseVariable] = `postgres://me:s3cr3t@127.0.0.1:${port}/silent`;
  const window = await watching(place, "FEAT-0001");
  await window.keys("q");
  await window.shows(/watch\n[$#]/, 8_000);
});
