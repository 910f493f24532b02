/** Attributes of an agent's that name drivers: test/attacks/git.ts has what it can plant besides. */
import { expect, it } from "vitest";
import { cloneWith, everythingThatMonocoRuns } from "../support/hostile-clone.ts";

it("a merge whose .gitattributes name drivers that nobody has leaves the person's checkout clean", async () => {
  const place = await cloneWith(
    "echo '* filter=evil diff=evil merge=evil' > .gitattributes && git add --all && git commit --quiet --message evil",
  );
  await everythingThatMonocoRuns(place);
  expect(await place.git("status", "--porcelain")).toBe("");
  expect(await place.git("show", "HEAD:.gitattributes")).toBe("* filter=evil diff=evil merge=evil");
});
