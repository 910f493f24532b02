/** Jobs of CI that `npm run torture -w lab` cuts lose nothing, and the next ones go on. */
import { beforeAll, expect, test } from "vitest";
import { isHere, skipWithout } from "../../../test/support/namespaces.ts";
import { runnersCase } from "../../torture/runners/case.ts";

beforeAll(() => void isHere("bubblewrap"));

test(
  "three jobs that are cut at random times go on until each issue has one merge",
  { timeout: 300_000 },
  async (context) => {
    skipWithout("bubblewrap", context);
    const came = await runnersCase({ seed: 2, finish: "merge", lifeMsMax: 6_000, roundsMax: 2 });
    expect(came).toMatchObject({ wrong: [] });
    expect(came.cuts.length).toBeGreaterThan(0);
  },
);
