/** Whose commits monoco makes. */
import { expect, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { identityOf } from "../../src/git/identity.ts";
import { temporaryRepository } from "../support/repository.ts";

test("the identity is the person's, or monoco's where there is none", async () => {
  const { folder, git } = await temporaryRepository();
  const own = gitIn(folder);
  expect(await identityOf(own)).toEqual({ name: "A Person", email: "person@example.invalid" });
  await git("config", "--global", "user.name", "");
  await git("config", "--global", "--unset", "user.email");
  expect(await identityOf(own)).toEqual({ name: "monoco", email: "monoco@localhost" });
});
