/** An agent's clone in which something was planted, and all that monoco's git does with it from the end of a session to the merge. */
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect } from "vitest";
import { fetchSession } from "../../src/git/clone/fetch-session.ts";
import { gitIn } from "../../src/git/git.ts";
import { commitTree } from "../../src/git/identity.ts";
import { mergeTrees, moveBase, submoduleChanges, withFile } from "../../src/git/landing.ts";
import { refs } from "../../src/git/refs.ts";
import { treeOf } from "../../src/git/repository.ts";
import { keepTree, namesBetween, takeSnapshot } from "../../src/git/snapshot.ts";
import { bringInBase, settleClone } from "../../src/git/clone/settle.ts";
import { makeClone, restoreFiles } from "../../src/git/clone/workspace.ts";
import type { CloneSource } from "../../src/git/clone/workspace.ts";
import { writeFiles } from "./repository.ts";
import { issue, sessionClone } from "./session-clone.ts";
import type { TestRepository } from "./repository.ts";

export type HostileClone = TestRepository & { source: CloneSource; workspace: string; start: string };

/** From the end of a session to the merge, in the order of a relay; `within` is the sandbox in which git reads the clone. */
export async function everythingThatMonocoRuns(
  { folder, outside, workspace, start, ...place }: HostileClone,
  within: readonly string[] = [],
): Promise<void> {
  const source = { ...place.source, within };
  const git = gitIn(folder);
  const { head } = await fetchSession(source, { workspace, issue, session: 1, previousHead: start, within });
  const snapshot = await takeSnapshot({ root: folder, commonDir: join(folder, ".git") }, workspace, head);
  const tree = snapshot.tree ?? (await treeOf(git, head));
  const ref = refs.wip(issue, 1);
  await keepTree(git, { tree, parents: [head], ref, message: "uncommitted work" });
  await namesBetween(folder, start, tree);
  await settleClone(source, workspace, { head, aside: join(outside, "aside") });
  await bringInBase(source, workspace);
  await restoreFiles(folder, workspace, ref);
  await submoduleChanges(git, start, head);
  await makeClone({ ...source, ref }, reviewOf({ outside }));
  const merged = await mergeTrees(git, start, head);
  const text = await withFile(git, {
    tree: merged.tree,
    path: "issue.md",
    text: "closed\n",
    scratch: join(outside, "scratch"),
  });
  const commit = await commitTree(git, { tree: text, parents: [start, head], message: "merge" });
  expect(await moveBase(git, { base: "main", commit, expected: start })).toEqual({ moved: true });
}

/** The Reviewer's clone. */
export const reviewOf = ({ outside }: Pick<HostileClone, "outside">): string => join(outside, "clone.review");

export async function cloneWith(plant: string): Promise<HostileClone> {
  const clone = await sessionClone();
  const { workspace } = clone;
  writeFiles(clone.outside, { payload: `#!/bin/sh\nbasename "$0" >> '${clone.outside}/fired'\n` });
  chmodSync(join(clone.outside, "payload"), 0o755);
  shell(clone, workspace, plant, { reject: true });
  expect(firedIn(clone)).toEqual([]);
  return clone;
}

/** The agent's clone as it was before monoco mended it. */
export function copyOf({ workspace }: HostileClone): string {
  execaSync("cp", ["-a", workspace, `${workspace}.copy`]);
  return `${workspace}.copy`;
}

export function firedIn({ outside }: HostileClone): string[] {
  const path = join(outside, "fired");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

/** With an editor that ends at once, where none is planted. Whether plain git gets through with its work does not matter: that the payload fires does. */
export function shell(
  { outside }: HostileClone,
  cwd: string,
  script: string,
  { reject } = { reject: false },
): void {
  const env = { PAYLOAD: join(outside, "payload"), GIT_EDITOR: undefined, VISUAL: undefined, EDITOR: "true" };
  execaSync("/bin/sh", [reject ? "-ec" : "-c", script], { cwd, env, input: "", reject, timeout: 20_000 });
}
