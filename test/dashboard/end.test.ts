/** The dashboard's own file, and its end, also where it cannot begin. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { repositoryPlaces } from "../../src/store/places.ts";
import { openDashboard } from "../support/dashboard.ts";
import { openPlace } from "../support/place.ts";
import type { Place } from "../support/place.ts";

const notePath = ({ project, sandbox: { env } }: Place): string =>
  join(repositoryPlaces(project, env).clones, "dashboard.json");

test("a dashboard that cannot be noted says so and ends", async () => {
  const place = await openPlace({ executor: [[]], reviewer: [[]] });
  mkdirSync(notePath(place), { recursive: true });
  const { exitCode, stderr } = await place.monoco("dashboard");
  expect(exitCode).toBeGreaterThan(0);
  expect(stderr).toContain("dashboard.json");
});

test("a dashboard that ends takes back its own note, and leaves that of a later one", async () => {
  const place = await openPlace({ executor: [[]], reviewer: [[]] });
  const note = notePath(place);
  let later = false;
  onTestFinished(() => expect(existsSync(note)).toBe(later));
  const { pid } = await openDashboard(place);
  expect(existsSync(note)).toBe(true);
  rmSync(note);
  writeFileSync(note, JSON.stringify({ pid: pid + 1 }));
  later = true;
});
