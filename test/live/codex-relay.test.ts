/** The whole story with the real Codex: a repository with an npm dependency, real tools and hooks, a scripted model. */
import { test as base } from "vitest";
import { codexDir, codexVendor } from "./codex.ts";
import { expectStory, makeStoryPlace, storyOf } from "./story.ts";

const test = base.skipIf(!codexDir);

test("from an issue to a merge: context mark, kill, stop hook, submit, changes requested, approval", async () => {
  const place = await makeStoryPlace(codexVendor, storyOf(codexVendor));
  await expectStory(codexVendor, place);
});
