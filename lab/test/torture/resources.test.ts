/** What `npm run torture -w lab` strains a relay by ends in words, and what does not is told. */
import { expect, it } from "vitest";
import { bear } from "../../torture/resources/bear.ts";
import { strainsOf } from "../../torture/resources/strains.ts";
import { full as test } from "../../../test/support/full.ts";

const strains = [...strainsOf(0.001, Date.now()), ...strainsOf(0.055, Date.now())];

test.for([
  "24 open files",
  "36 open files",
  "a clock a day ahead, then a day behind",
  "a line of 100 MB",
  "55 MB of stderr",
])("%s: the relay goes to its end, at the latest without it", async (name) => {
  const strain = strains.find((one) => one.name === name);
  expect(await bear(strain!)).toMatchObject({ wrong: [] });
});

it("is told of an error that has no words", async () => {
  const crash = ["/bin/sh", "-c", 'echo "error: a bug in monoco: of this test" >&2; exec "$@"', "sh"];
  const { bore, wrong } = await bear({ name: "a crash", under: crash });
  expect({ bore, wrong }).toEqual({
    bore: true,
    wrong: [expect.stringMatching(/^a crash: it says .*a bug in monoco/)],
  });
});
