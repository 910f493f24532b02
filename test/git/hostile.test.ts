/** What an agent planted in its clone fires where a person runs plain git there, and in nothing that monoco runs. */
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, it } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { commitTree, mergeTrees, moveBase, submoduleChanges, withFile } from "../../src/git/landing.ts";
import { keepTree, namesBetween, takeSnapshot } from "../../src/git/snapshot.ts";
import { treeOf } from "../../src/git/repository.ts";
import { fetchSession } from "../../src/git/fetch-session.ts";
import { makeClone, replaceGitDir, restoreFiles } from "../../src/git/workspace.ts";
import { refs } from "../../src/git/refs.ts";
import type { CloneSource } from "../../src/git/workspace.ts";
import { temporaryRepository, writeFiles } from "../support/repository.ts";
import type { TestRepository } from "../support/repository.ts";
import { full as test, testRows } from "../support/full.ts";

const issue = "FEAT-0001";

type Clone = TestRepository & { source: CloneSource; workspace: string; start: string };

/** `plant` runs in the agent's clone; `$PAYLOAD` is a program that tells when it is run. `plain` shows that it would be. */
type Payload = [name: string, plant: string, plain: string];

const hooks = [
  ..."applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change".split(
    " ",
  ),
  ..."post-merge post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit".split(
    " ",
  ),
  ..."pre-push pre-rebase pre-receive prepare-commit-msg proc-receive push-to-checkout reference-transaction update".split(
    " ",
  ),
];

const commit = "git add --all && git commit --quiet --message evil --allow-empty";
/** All that comes later is in the config; the attributes are committed, as far as that goes without firing them. */
const attributes = (name: string) => `echo '* ${name}' > .gitattributes && ${commit}`;

const payloads: Payload[] = [
  ["core.fsmonitor", 'git config core.fsmonitor "$PAYLOAD"', "git status"],
  [
    "a clean filter",
    `${attributes("filter=evil")} && git config filter.evil.clean "$PAYLOAD"`,
    "echo 1 > new && git add new",
  ],
  [
    "a smudge filter",
    `${attributes("filter=evil")} && git config filter.evil.smudge "$PAYLOAD"`,
    "rm a.txt && git checkout a.txt",
  ],
  [
    "a filter process",
    `${attributes("filter=evil")} && git config filter.evil.process "$PAYLOAD"`,
    "echo 1 > new && git add new",
  ],
  [
    "a filter in info/attributes",
    'mkdir -p .git/info && echo "* filter=evil" > .git/info/attributes && git config filter.evil.clean "$PAYLOAD"',
    "echo 1 > new && git add new",
  ],
  [
    "textconv",
    `${attributes("diff=evil")} && git config diff.evil.textconv "$PAYLOAD" && echo 2 > a.txt`,
    "git diff",
  ],
  [
    "a diff driver",
    `${attributes("diff=evil")} && git config diff.evil.command "$PAYLOAD" && echo 2 > a.txt`,
    "git diff",
  ],
  ["an external diff", 'git config diff.external "$PAYLOAD" && echo 2 > a.txt', "git diff"],
  [
    "a merge driver",
    `${attributes("merge=evil")} && git config merge.evil.driver "$PAYLOAD"`,
    "git checkout -q -b x && echo x > a.txt && git commit -qam x && git checkout -q - && echo y > a.txt && git commit -qam y && git merge x",
  ],
  [
    "core.hooksPath",
    'mkdir evil && cp "$PAYLOAD" evil/post-index-change && git config core.hooksPath evil',
    "git update-index --refresh; git add --all",
  ],
  [
    "core.alternateRefsCommand",
    'git config core.alternateRefsCommand "$PAYLOAD" && echo ../../../repository/.git/objects > .git/objects/info/alternates',
    'git -C ../repository push "$PWD" HEAD:refs/heads/pushed',
  ],
  // git reads it from a person's own settings only: taken for those, it fires.
  [
    "uploadpack.packObjectsHook",
    'git config uploadpack.packObjectsHook "$PAYLOAD"',
    "GIT_CONFIG_GLOBAL=$PWD/.git/config git clone --no-local . ../again",
  ],
  [
    "core.sshCommand",
    'git config core.sshCommand "$PAYLOAD" && git remote add origin ssh://evil/evil',
    "git fetch origin",
  ],
  [
    "ext::",
    'git config protocol.ext.allow always && git remote add origin "ext::$PAYLOAD"',
    "git fetch origin",
  ],
  [
    "a promisor remote",
    `echo secret > x && ${commit} && rm .git/objects/$(git rev-parse HEAD:x | sed 's|..|&/|') && git config extensions.partialClone origin && git remote add origin . && git config remote.origin.promisor true && git config remote.origin.uploadpack "$PAYLOAD"`,
    "git cat-file -p HEAD:x",
  ],
  ["core.pager", 'git config core.pager "$PAYLOAD"', 'script -qec "git log" /dev/null'],
  ["core.editor", 'git config core.editor "$PAYLOAD"', "git commit --allow-empty"],
  ["sequence.editor", 'git config sequence.editor "$PAYLOAD"', "git rebase --interactive --root"],
  [
    "gpg.program",
    'git config gpg.program "$PAYLOAD" && git config commit.gpgSign true',
    "git commit --allow-empty --message x",
  ],
  [
    "credential.helper",
    'git config credential.helper "$PAYLOAD"',
    "echo url=https://evil.invalid | git credential fill",
  ],
  [
    "include.path",
    'git config --file evil.inc core.fsmonitor "$PAYLOAD" && git config include.path "$PWD/evil.inc"',
    "git status",
  ],
  [
    "a config of the worktree",
    'git config extensions.worktreeConfig true && git config --worktree core.fsmonitor "$PAYLOAD"',
    "git status",
  ],
  [
    "a nested repository",
    'git init --quiet nested && git -C nested commit --quiet --allow-empty -m x && git -C nested config core.fsmonitor "$PAYLOAD"',
    "git -C nested status",
  ],
  [
    "a submodule",
    `git init --quiet sub && git -C sub commit --quiet --allow-empty -m x && ${commit} && git -C sub config core.fsmonitor "$PAYLOAD"`,
    "git status",
  ],
  [
    "a .git that is elsewhere",
    'mv .git elsewhere && echo gitdir: elsewhere > .git && git config core.fsmonitor "$PAYLOAD"',
    "git status",
  ],
];

// TRAP 47: nothing is pushed into an agent's clone, and a fetch from it fires nothing.
testRows(payloads, (_, at) => at % 5 === 0)(
  "%s fires in plain git, and in nothing that monoco runs",
  async ([, plant, plain]) => {
    const place = await cloneWith(plant);
    const copy = copyOf(place);
    await everythingThatMonocoRuns(place);
    expect(firedIn(place)).toEqual([]);
    shell(place, copy, plain);
    expect(firedIn(place)).not.toEqual([]);
  },
);

// TRAP 47
it("hooks of all kinds fire in plain git, and in nothing that monoco runs", async () => {
  const all = hooks.join(" ");
  const place = await cloneWith(
    `mkdir .git/hooks && for hook in ${all}; do cp "$PAYLOAD" .git/hooks/$hook; done`,
  );
  const copy = copyOf(place);
  await everythingThatMonocoRuns(place);
  expect(firedIn(place)).toEqual([]);
  shell(place, copy, `for hook in ${all}; do git hook run $hook; done`);
  expect(firedIn(place)).toEqual(hooks);
});

test("a merge whose .gitattributes name drivers that nobody has leaves the person's checkout clean", async () => {
  const place = await cloneWith(attributes("filter=evil diff=evil merge=evil"));
  await everythingThatMonocoRuns(place);
  expect(await place.git("status", "--porcelain")).toBe("");
  expect(await place.git("show", "HEAD:.gitattributes")).toBe("* filter=evil diff=evil merge=evil");
});

/** From the end of a session to the merge, in the order of a relay. */
async function everythingThatMonocoRuns({ folder, outside, source, workspace, start }: Clone): Promise<void> {
  const git = gitIn(folder);
  const { head } = await fetchSession(source, { workspace, issue, session: 1, previousHead: start });
  const snapshot = await takeSnapshot({ root: folder, commonDir: join(folder, ".git") }, workspace, head);
  const tree = snapshot.tree ?? (await treeOf(git, head));
  const ref = refs.wip(issue, 1);
  await keepTree(folder, { tree, head, ref, message: "uncommitted work" });
  await namesBetween(folder, start, tree);
  await replaceGitDir(source, workspace);
  await restoreFiles(folder, workspace, ref);
  await submoduleChanges(git, start, head);
  const review = join(outside, "clone.review");
  await makeClone({ ...source, ref }, review);
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

async function cloneWith(plant: string): Promise<Clone> {
  const place = await temporaryRepository();
  const start = await place.git("rev-parse", "HEAD");
  await place.git("update-ref", refs.head(issue), start);
  const workspace = join(place.outside, "clone");
  const source = { root: place.folder, base: "main", ref: refs.head(issue), branch: `monoco/${issue}` };
  await makeClone(source, workspace);
  writeFiles(place.outside, { payload: `#!/bin/sh\nbasename "$0" >> '${place.outside}/fired'\n` });
  chmodSync(join(place.outside, "payload"), 0o755);
  const clone = { ...place, source, workspace, start };
  shell(clone, workspace, plant, { reject: true });
  expect(firedIn(clone)).toEqual([]);
  return clone;
}

/** The agent's clone as it was before monoco mended it. */
function copyOf({ workspace }: Clone): string {
  execaSync("cp", ["-a", workspace, `${workspace}.copy`]);
  return `${workspace}.copy`;
}

function firedIn({ outside }: Clone): string[] {
  const path = join(outside, "fired");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

/** Whether plain git gets through with its work does not matter: that the payload fires does. */
function shell({ outside }: Clone, cwd: string, script: string, { reject } = { reject: false }): void {
  const env = { PAYLOAD: join(outside, "payload"), GIT_EDITOR: undefined, EDITOR: undefined, TERM: "xterm" };
  execaSync("/bin/sh", [reject ? "-ec" : "-c", script], { cwd, env, input: "", reject, timeout: 20_000 });
}
