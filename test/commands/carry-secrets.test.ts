/** monoco relay push: what is scanned for secrets, and what stays because of it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { full } from "../support/full.ts";
import { run } from "../support/place.ts";
import { inTwoSessions, openTwoClones } from "../support/two-clones.ts";
import type { Clone } from "../support/two-clones.ts";

const secret = `ghp_${"a1B2c3D4e".repeat(4)}`;

/** Commits what lies in the clone's folder, and makes that commit the relay's head. */
async function commitHead(clone: Clone, message = "work"): Promise<void> {
  await clone.sh(
    `git add -A && git commit -qm '${message}' && git update-ref refs/monoco/FEAT-0001/head HEAD`,
  );
}

const hidden: [string, (clone: Clone) => Promise<void>, RegExp][] = [
  [
    "in UTF-16",
    async (a) => {
      writeFileSync(join(a.folder, "wide.txt"), Buffer.from(`\uFEFFone\ntoken ${secret}\n`, "utf16le"));
      await commitHead(a);
    },
    /wide\.txt \([0-9a-f]+\), line 2: github/,
  ],
  [
    "between binary data, beyond the first part of a large file",
    async (a) => {
      const noise = Buffer.alloc(1_500_000, "\u0000\u0001x\n");
      writeFileSync(join(a.folder, "data.bin"), Buffer.concat([noise, Buffer.from(`\n${secret}\n`), noise]));
      await commitHead(a);
    },
    /data\.bin \([0-9a-f]+\), line \d+: github/,
  ],
  [
    "added and removed again",
    async (a) => {
      writeFileSync(join(a.folder, "gone.txt"), secret);
      await commitHead(a);
      await a.sh("git rm -q gone.txt");
      await commitHead(a, "without it");
    },
    /gone\.txt \([0-9a-f]+\), line 1: github/,
  ],
  [
    "in the name that a published file is moved to",
    async (a) => {
      await a.sh(`mkdir süb && git mv monoco.yaml süb/${secret}`);
      await commitHead(a);
    },
    /b\/ghp_\S+ \([0-9a-f]+\): in its name: github/,
  ],
  [
    "in the last file of many",
    async (a) => {
      for (let at = 0; at < 90; at += 1) writeFileSync(join(a.folder, `f${at}.txt`), `${at}\n`.repeat(at));
      writeFileSync(join(a.folder, "z.txt"), `\n\n${secret}`);
      await commitHead(a);
    },
    /z\.txt \([0-9a-f]+\), line 3: github/,
  ],
];

test.for(hidden)("finds a secret %s", async ([, make, where]) => {
  const { a, there } = await openTwoClones();
  await make(a);
  const pushed = await a.monoco("relay push FEAT-0001");
  expect(pushed, pushed.stdout + pushed.stderr).toMatchObject({ exitCode: 1 });
  expect(pushed.stdout).toMatch(where);
  expect(pushed.stdout).toContain("1 secret in what would leave");
  expect(await there("git for-each-ref refs/monoco")).toBe("");
});

test("names the commit that a file came with, not one that changed or removed it later", async () => {
  const { a } = await openTwoClones();
  writeFileSync(join(a.folder, "key.txt"), secret);
  await commitHead(a);
  const [first, object] = (await a.sh("git rev-parse HEAD HEAD:key.txt"))
    .split("\n")
    .map((one) => one.slice(0, 12));
  // Its submission is another tip, of the same second.
  await a.sh("git update-ref refs/monoco/FEAT-0001/submissions/1 HEAD && git rm -q key.txt");
  await commitHead(a, "without it");
  const pushed = await a.monoco("relay push FEAT-0001");
  expect(pushed.stdout).toContain(`  key.txt (${first}), line 1: github (object ${object})`);
});

test("of what was recorded the session and its part are named, and nothing is to be taken out of commits", async () => {
  const leaks = [
    run("echo text > file.txt; git add -A; git commit -qm work"),
    { handoff: { next: [secret] } },
  ];
  const { a } = await openTwoClones(
    { ...inTwoSessions, executor: [leaks] },
    { settings: "remote: { carry: [handoffs, journal] }\n" },
  );
  await a.monoco("run FEAT-0001 --once");
  await a.sh(`git notes --ref=monoco add -m ${secret} main`);
  const main = await a.sh("git rev-parse main");
  const pushed = await a.monoco("relay push FEAT-0001");
  expect(pushed).toMatchObject({ exitCode: 1 });
  expect(pushed.stdout).toMatch(/^ {2}RALPH\.md of session 1, line \d+: github \(object /m);
  expect(pushed.stdout).toMatch(/^ {2}part 1 of the journal, line \d+: github \(object /m);
  expect(pushed.stdout).toMatch(
    /^hint: revoke what leaked; for what is revoked or no secret: monoco relay push FEAT-0001 --allow/m,
  );
  expect(pushed.stdout).toContain(`\n  the note of ${main.slice(0, 8)}, line 1: github (object `);
  expect(pushed.stdout).not.toContain("take it out of the commits");
});

test("what the remote has already holds nothing back, also where it was removed and comes back", async () => {
  const { a } = await openTwoClones();
  writeFileSync(join(a.folder, "known.txt"), secret);
  await commitHead(a);
  await a.sh(
    "git push -q origin main && git rm -q known.txt && git commit -qm without && git push -q origin main",
  );
  writeFileSync(join(a.folder, "known.txt"), secret);
  await commitHead(a, "back");
  const pushed = await a.monoco("relay push FEAT-0001");
  expect(pushed, pushed.stdout).toMatchObject({ exitCode: 0 });
});

full("a file that is too large to scan waits for a person, who allows it", async () => {
  const { a } = await openTwoClones();
  writeFileSync(join(a.folder, "large.bin"), Buffer.alloc(17_000_000, "x"));
  await commitHead(a);
  const pushed = await a.monoco("relay push FEAT-0001");
  expect(pushed).toMatchObject({ exitCode: 1 });
  expect(pushed.stdout).toContain("not pushed: not all that would leave could be scanned for secrets");
  const [, object] = /large\.bin \([0-9a-f]+\): larger than 16 MB, not scanned \(object (\w+)\)/.exec(
    pushed.stdout,
  )!;
  expect(await a.monoco("relay push FEAT-0001 --allow short")).toMatchObject({ exitCode: 2 });
  expect(await a.monoco(`relay push FEAT-0001 --allow ${object}`)).toMatchObject({ exitCode: 0 });
});
