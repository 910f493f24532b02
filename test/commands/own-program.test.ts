/** The `monoco` that agents find on their PATH. */
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openHere } from "../../src/app/here.ts";
import { layOut } from "../../src/app/wire.ts";
import { repositoryPlaces } from "../../src/store/places.ts";
import { openPlace } from "../support/place.ts";

it("is made anew where it cannot be run", async () => {
  const before = process.env;
  process.env = { ...before };
  onTestFinished(() => void (process.env = before));
  const place = await openPlace({ executor: [], reviewer: [] });
  Object.assign(process.env, place.sandbox.env);
  const here = await openHere(place.project);
  layOut(here);
  const program = join(repositoryPlaces(here.repository.root, process.env).clones, "bin", "monoco");
  chmodSync(program, 0o644);
  layOut(here);
  expect(statSync(program).mode & 0o777).toBe(0o755);
});
