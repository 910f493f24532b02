/** The schema of `review:` in monoco.yaml: how the tests of a submission are put to the test, and for how long. */
import { z } from "zod";
import { isPattern } from "../text/glob.ts";
import { setting } from "./setting.ts";
import { t } from "../language/translate.ts";

const about = "[docs/review.md](review.md#the-tests-are-put-to-the-test)";

export const reviewSchema = z.strictObject({
  minutes: setting(
    z.number().positive().default(10),
    `how long the tests of one submission may be put to the test, beside the Reviewer and after it, set-up and runs on the base not counted: ${about}`,
    "minutes",
  ),
  checkTwice: setting(
    z.boolean().default(false),
    "run green checks a second time, always; without it where test files are changed",
  ),
  testsOnBase: setting(
    z.boolean().default(true),
    "lay the new and changed tests of a submission over the base: one of them has to fail there",
  ),
  crossing: setting(
    z.boolean().default(true),
    "run the base's tests and check configuration against the submission's sources, and the submission's tests under the base's configuration",
  ),
  takeBack: setting(
    z.boolean().default(true),
    "take back changes of the submission one at a time: where the checks stay green, nothing guards those lines",
  ),
  afterMerge: setting(
    z.enum(["auto", "always", "never"]).default("auto"),
    "when a Reviewer confirms an approval on the merged tree because the base has moved: `auto` where both sides changed the same file, or a changed file of one imports one of the other; `always`; `never`",
  ),
  takeBackMax: setting(
    z.number().int().positive().default(4),
    "changes that are taken back, changed files before new ones, the most central first",
    "changes",
  ),
  tests: setting(
    z
      .array(z.string().refine(isPattern, { error: () => t`expected a pattern as in .gitignore` }))
      .default([]),
    "further files that are tests, besides those that are known by [their names](protected.md#weakened-tests-and-checks), as in .gitignore; `!src/spec/` says that those are none",
  ),
});
