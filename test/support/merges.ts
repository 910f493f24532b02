/** What tests ask of a base branch after merges: what each brought in, and that nothing is left over. */
import { expect } from "vitest";
import { issuePath } from "./place.ts";
import type { Place } from "./place.ts";

/** What each merge on the base brought in, seen from the base: the oldest first. `git diff M^1 M` shows what a merge reversed, too. */
export async function broughtIn(place: Place): Promise<Record<string, string[]>[]> {
  const merges = await place.git("rev-list", "--reverse", "--first-parent", "--merges", "main");
  const found = merges
    .split("\n")
    .filter(Boolean)
    .map(async (merge) => {
      const subject = await place.git("log", "-1", "--format=%s", merge);
      const names = await place.git("diff", "--name-only", "-z", `${merge}^1`, merge);
      return { [subject.split(":")[0]!]: names.split("\0").filter(Boolean) };
    });
  return Promise.all(found);
}

/** Nothing of the person's differs from the base, and every issue is closed on it. */
export async function expectAllMerged(place: Place, issues: readonly string[]): Promise<void> {
  expect(await place.git("status", "--porcelain")).toBe("");
  for (const issue of issues) {
    expect(await place.git("show", `main:${issuePath(issue)}`)).toContain("\nstatus: closed\n");
    expect(place.all("merge.done", issue)).toHaveLength(1);
  }
}
