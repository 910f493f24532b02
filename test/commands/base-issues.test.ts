/** The issues of the base, as whoever runs a backlog reads them again and again. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { baseReader } from "../../src/app/base-issues.ts";
import type { BaseIssues } from "../../src/app/base-issues.ts";
import { openHere } from "../../src/app/here.ts";
import type { Here } from "../../src/app/here.ts";
import { parseCard } from "../../src/core/issue/issue.ts";
import { openSandbox } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { issuePath, issueText } from "../support/place.ts";
import { initRepository } from "../support/repository.ts";

let sandbox: Sandbox;
let project: string;
let here: Here;
const idOf = (n: number): string => `FEAT-${String(n).padStart(4, "0")}`;
const write = (path: string, text: string | Buffer): void => writeFileSync(join(project, path), text);
const commit = (): Promise<unknown> => sandbox.sh(project, "git add -A && git commit -qm Change");

beforeEach(async () => {
  sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  project = join(sandbox.folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  for (let n = 1; n <= 3; n++) write(issuePath(idOf(n)), issueText(idOf(n)));
  initRepository(project);
  await commit();
  here = await openHere(project);
});

function told({ sound, broken }: BaseIssues): object {
  return {
    sound: [...sound].map(([id, { path, card }]) => [id, path, card]),
    broken: [...broken].map(([id, { message, hint }]) => [id, message, hint]),
  };
}

/** Whoever knows nothing yet is told the same. */
async function expectSame(read: () => Promise<BaseIssues>): Promise<BaseIssues> {
  const issues = await read();
  rmSync(join(project, ".monoco"), { recursive: true, force: true });
  expect(told(issues)).toEqual(told(await baseReader(here, "main").read()));
  return issues;
}

describe("in one run", () => {
  test("what has changed since is told", async () => {
    const { read } = baseReader(here, "main");
    const first = await expectSame(read);
    expect([...first.sound.values()].map(({ card }) => card)).toEqual(
      [1, 2, 3].map((n) => parseCard(issueText(idOf(n)), "")),
    );
    write("other.txt", "no issue");
    await commit();
    await expectSame(read);
    write(issuePath("FEAT-0002"), issueText("FEAT-0002").replace("open", "closed").replace("draft", "done"));
    await commit();
    const { sound } = await expectSame(read);
    expect(sound.get("FEAT-0002")?.card.status).toBe("closed");
    rmSync(join(project, issuePath("FEAT-0003")));
    write("issues/FEAT-0004-copy.md", issueText("FEAT-0002"));
    write("issues/FEAT-0001-copy.md", issueText("FEAT-0001"));
    write("issues/FEAT-0005-gone.md", "---\nid: FEAT-0005\ntitle: T\nstage: gone\n---\n");
    write("issues/README.md", "Not an issue");
    await commit();
    const last = await read();
    expect([...last.sound.keys()]).toEqual(["FEAT-0002"]);
    expect([...last.broken].map(([id, { message }]) => [id, message])).toEqual([
      ["FEAT-0001", `FEAT-0001 is in 2 files: issues/FEAT-0001-copy.md, ${issuePath("FEAT-0001")}`],
      ["FEAT-0004", "issues/FEAT-0004-copy.md:2: its id is FEAT-0002, not FEAT-0004"],
      ["FEAT-0005", 'issues/FEAT-0005-gone.md:4: stage cannot be "gone"'],
    ]);
  });

  test("a file that is not UTF-8 keeps no other from being read", async () => {
    write(
      "issues/FEAT-0004-latin.md",
      Buffer.from(issueText("FEAT-0004").replace("A file", "Une é"), "latin1"),
    );
    await commit();
    const { sound } = await baseReader(here, "main").read();
    expect([...sound.keys()]).toEqual(["FEAT-0001", "FEAT-0002", "FEAT-0003", "FEAT-0004"]);
  });
});

test("the next run tells what the last one has kept", async () => {
  mkdirSync(join(project, ".monoco"));
  const first = await baseReader(here, "main").read();
  expect(told(await baseReader(here, "main").read())).toEqual(told(first));
});
