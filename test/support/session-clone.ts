/** A repository with the clone that a session of FEAT-0001 works in. */
import { join } from "node:path";
import { keepSettings } from "../../src/git/clone/own-settings.ts";
import { gitIn } from "../../src/git/git.ts";
import { makeClone } from "../../src/git/clone/workspace.ts";
import type { CloneSource } from "../../src/git/clone/workspace.ts";
import { refs } from "../../src/git/refs.ts";
import { plainGit, temporaryRepository } from "./repository.ts";
import type { PlainGit, TestRepository } from "./repository.ts";

export const issue = "FEAT-0001";
export const branch = `monoco/${issue}`;

/** `agent`: git in the clone; `start`: the commit that both are at. */
export type SessionClone = TestRepository & {
  source: CloneSource;
  workspace: string;
  agent: PlainGit;
  start: string;
};

/** `tag`: one that the repository has at the start. */
export async function sessionClone(
  files?: Record<string, string>,
  { tag }: { tag?: string } = {},
): Promise<SessionClone> {
  const place = await temporaryRepository(files);
  const start = await place.git("rev-parse", "HEAD");
  await place.git("update-ref", refs.head(issue), start);
  if (tag !== undefined) await place.git("tag", tag);
  const workspace = join(place.outside, "clone");
  const source = {
    root: place.folder,
    base: "main",
    ref: refs.head(issue),
    branch,
    clones: "borrowed" as const,
  };
  await makeClone(source, workspace);
  await keepSettings(gitIn(place.folder), workspace);
  return { ...place, source, workspace, agent: plainGit(workspace), start };
}
