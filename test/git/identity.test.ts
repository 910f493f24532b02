/** Whose commits monoco makes: asked of git again as soon as a file is another from which git has it. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import type { Git } from "../../src/git/git.ts";
import { identityNow, identityOf } from "../../src/git/identity.ts";
import { temporaryRepository, writeFiles } from "../support/repository.ts";

async function place() {
  const { folder, outside, git } = await temporaryRepository();
  const own = gitIn(folder);
  let asked = 0;
  const counted: Git = async (...args) => {
    asked += 1;
    return own(...args);
  };
  const repository = { root: folder, commonDir: join(folder, ".git"), git: counted };
  return {
    plain: git,
    home: join(outside, "home"),
    now: async () => {
      asked = 0;
      const { name } = await identityNow(repository);
      return { name, asked };
    },
    own,
  };
}

test("the identity is the person's, or monoco's where there is none", async () => {
  const { plain, own, now } = await place();
  expect(await identityOf(own)).toEqual({ name: "A Person", email: "person@example.invalid" });
  await plain("config", "--global", "user.name", "");
  await plain("config", "--global", "--unset", "user.email");
  expect(await identityOf(own)).toEqual({ name: "monoco", email: "monoco@localhost" });
  expect((await now()).name).toBe("monoco");
});

test("git is asked once as long as no file changes, and at once after that, for each file that may name it", async () => {
  const { plain, home, now } = await place();
  const isAskedOnce = async (name: string): Promise<void> => {
    expect(await now()).toEqual({ name, asked: 1 });
    expect(await now()).toEqual({ name, asked: 0 });
  };
  await isAskedOnce("A Person");
  await plain("config", "--global", "user.name", "B Person");
  await isAskedOnce("B Person");
  await plain("config", "--global", "--unset", "user.name");
  await isAskedOnce("monoco");
  writeFiles(home, { ".config/git/config": "[user]\n\tname = C Person\n" });
  await isAskedOnce("C Person");
  await plain("config", "user.name", "D Person");
  await isAskedOnce("D Person");
  await plain("config", "extensions.worktreeConfig", "true");
  await plain("config", "--worktree", "user.name", "E Person");
  await isAskedOnce("E Person");
});

test.for<[string, string]>([
  ["include.path", "other"],
  ["includeIf.gitdir:**.path", "other"],
])("git is asked each time where %s may name other files", async ([key, value]) => {
  const { plain, home, now } = await place();
  await plain("config", "--global", key, value);
  for (const name of ["F Person", "G Person"]) {
    writeFiles(home, { other: `[user]\n\tname = ${name}\n` });
    expect(await now()).toEqual({ name, asked: 1 });
  }
});
