/** A person's own session hands over: monoco relay prepare in their checkout, and a relay that goes on from there. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approves, commit, openPlace, run, submit } from "../support/place.ts";
import type { Place } from "../support/place.ts";

/** The first Executor keeps what it was given and found, finishes, and submits. */
const goesOn = [
  run(
    'cp RALPH.md "$PERSON/../given.md"; cp "$MONOCO_SESSION_DIR/prompt.md" "$PERSON/../prompt.md"; git status --porcelain > "$PERSON/../status"; cat begun.txt half.txt > "$PERSON/../found"',
  ),
  run("echo text > file.txt"),
  commit,
  submit,
];

async function onBranch(branch = "work/FEAT-0001-a-file"): Promise<Place> {
  const place = await openPlace({ executor: [goesOn], reviewer: [approves] });
  await place.sh(
    `git switch -qc ${branch} && echo begun > begun.txt && git add -A && git commit -qm begun && echo staged > staged.txt && git add staged.txt && echo half > half.txt`,
  );
  return place;
}

const fillIn = (place: Place): void => {
  const text = place.read("RALPH.md");
  place.write("RALPH.md", text.replace(/(## Next steps \(read first\)\n)/, "$11. Write file.txt\n"));
};

/** Every file of the checkout with its bytes, mode and time, its index, branches and HEAD. */
async function checkoutOf(place: Place): Promise<unknown> {
  const names = (await place.sh("git ls-files -z -co --exclude-standard")).split("\0").filter(Boolean);
  const files = names.map((name) => {
    const path = join(place.project, name);
    const { mode, mtimeMs } = statSync(path);
    return [name, readFileSync(path, "base64"), mode, mtimeMs];
  });
  const refs = await place.sh("git for-each-ref refs/heads/work; git symbolic-ref HEAD; git stash list");
  return { files, refs, status: await place.sh("git status --porcelain") };
}

test("from a checkout to a merge: commits, uncommitted work and RALPH.md are what session 1 begins with", async () => {
  const place = await onBranch();
  const before = await checkoutOf(place);
  const scaffolded = await place.monoco("relay", "prepare");
  expect(scaffolded, scaffolded.stderr).toMatchObject({ exitCode: 0 });
  expect(place.read("RALPH.md")).toContain("- Issue: FEAT-0001\n- Session: 0\n");
  expect(await place.monoco("relay", "prepare")).toMatchObject({ exitCode: 2 });
  fillIn(place);
  const handed = await place.monoco("relay", "prepare");
  expect(handed.stdout).toContain("next: end this session; monoco relay resume FEAT-0001 goes on headless");
  const ralph = place.read("RALPH.md");

  const ran = await place.monoco("relay", "resume", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(ran.stdout).toContain("a person's session handed over: work/FEAT-0001-a-file at ");
  const around = (name: string): string => readFileSync(join(place.around, name), "utf8");
  expect(around("given.md")).toBe(ralph);
  expect(around("prompt.md")).toContain("1. Write file.txt");
  expect(around("found")).toBe("begun\nhalf\n");
  expect(around("status")).toBe("?? half.txt\n?? staged.txt\n");
  expect(await place.sh("git show main:half.txt main:begun.txt main:file.txt")).toBe("half\nbegun\ntext");
  const [event] = place.all("person.handed_over");
  expect(event).toMatchObject({ branch: "work/FEAT-0001-a-file", commits: 1, text: ralph });
  expect(place.all("session.started")[0]).toMatchObject({
    head: event!.head,
    handoff: { session: 0 },
    reason: { rule: "handed_over", session: 0 },
  });
  expect(place.all("session.ended")[0]).toMatchObject({ filesChanged: 1 });
  expect(await checkoutOf(place)).toEqual(before);
  expect(readdirSync(place.around)).not.toContain(expect.stringContaining(".snapshot"));
});
