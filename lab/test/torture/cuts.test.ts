/** Pushes and pulls that `npm run torture -w lab` cuts lose nothing. */
import { expect, test } from "vitest";
import { cutCase } from "../../torture/cuts/case.ts";
import { randomBy } from "../../torture/place/random.ts";

test("nothing is lost, overwritten or said where a push or pull is cut", { timeout: 300_000 }, async () => {
  expect(await cutCase(randomBy(1))).toMatchObject({ wrong: [] });
});
