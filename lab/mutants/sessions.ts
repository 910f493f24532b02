/** What comes out of a session's clone, and what the next one gets. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const looked = mutantsOf("src/git/trees.ts", "test/git/trees.test.ts", [
  ["no two trees in a row are of one second", "giveOwnSecond(folder, written);", ""],
]);

const baseline = mutantsOf("src/core/relay/baseline.ts", "test/core/relay/baseline.test.ts", [
  [
    "another failing test is red",
    'return isWithin(now.failing, before.failing) ? "same" : undefined;',
    'return "same";',
  ],
  ["an output without names is red where the base has them", "if (before.failing) return undefined;", ""],
  ["another exit status is red", 'now.exitCode === before.exitCode ? "unread" : undefined', '"unread"'],
  [
    "a check that cannot be run starts no session",
    "setUp ?? checks.find(({ exitCode }) => notRun.includes(exitCode))",
    "setUp",
  ],
]);

const settings = mutantsOf("src/git/clone/own-settings.ts", "test/git/kept-clone.test.ts", [
  ["hooks and configuration are restored", "    copy(before, now);\n", ""],
  ["what a session changed is set aside", "copy(now, join(aside, name));", ""],
  ["a submodule's .git behind a link is nobody's to remove", "!leadsNowhereElse(workspace, path) ||", ""],
  [
    "hooks in an ignored folder are restored",
    "if (path !== undefined && leadsNowhereElse(workspace, path)) {",
    "if (false) {",
  ],
]);

const settled = mutantsOf("src/git/clone/settle.ts", "test/git/kept-clone.test.ts", [
  ["an operation in progress stays", "if (await unfinishedIn(person, folder)) return { names };", ""],
  ["HEAD is back on its branch", 'await git(["symbolic-ref", "HEAD", ref]);', ""],
  ["locks of killed gits go", "for (const lock of locks) rmSync(lock, { force: true });", ""],
  ["no lock outside of git's own folders goes", "&& lockedByGit.includes(entry.name)", ""],
]);

const fetched = mutantsOf("src/git/clone/fetch-session.ts", "test/git/kept-clone.test.ts", [
  [
    "commits that only a reflog names are kept",
    'await keepReflog(git, { ...from, gitDir: join(from.workspace, ".git") }, `${into}/reflog`);',
    "",
  ],
]);

const rich = "test/git/rich-clone.test.ts";
const shared = [
  ...mutantsOf("src/git/clone/module-work.ts", rich, [
    [
      "a submodule that leads elsewhere brings nothing",
      'if (foreignPart(gitDir, join(to, "objects")) !== undefined) continue;',
      "",
    ],
  ]),
  ...mutantsOf("src/git/clone/remotes.ts", rich, [
    ["no user is in a remote's address", 'username: "", password: "", ', ""],
    ["no program is in a remote's address", "|| /^\\w+::/.test(address)", ""],
    ["no fetch moves the base", "`^refs/heads/${base}`", "`^refs/heads/no/${base}`"],
  ]),
  ...mutantsOf("src/git/clone/names.ts", rich, [
    ["what origin/* lends is held", "await moveRef(git, ref, commit.trim());", ""],
  ]),
  ...mutantsOf("src/git/clone/modules.ts", rich, [
    ["a link on the way to a submodule goes", "if (isOwnFolder(at)) continue;", "continue;"],
  ]),
  ...mutantsOf("src/git/filters.ts", "test/git/filters.test.ts", [
    ["the person's own attributes count", "return values.at(-2) ?? ", "return "],
  ]),
];

export const sessions: readonly Mutant[] = [
  ...baseline,
  ...looked,
  ...settings,
  ...settled,
  ...fetched,
  ...shared,
];
