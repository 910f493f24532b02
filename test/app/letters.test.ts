/** People's messages that travel to a relay as refs of a remote. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { carrierHere } from "../../src/app/carry/carrier.ts";
import type { Carrier } from "../../src/app/carry/own.ts";
import { openHere } from "../../src/app/here.ts";
import { sendLetter } from "../../src/app/letters/send.ts";
import { takeLetters } from "../../src/app/letters/take.ts";
import { settingsSchema } from "../../src/core/settings/settings.ts";
import { listRemote, pushMoves } from "../../src/git/carry/remote.ts";
import { openTwoClones } from "../support/two-clones.ts";
import type { Clone, TwoClones } from "../support/two-clones.ts";

const via = { who: "Ana <ana@example.com>", by: "ref" } as const;
const id = "FEAT-0001";
const nobody: ReadonlySet<string> = new Set();

const carrierIn = async ({ folder }: Clone): Promise<Carrier> =>
  carrierHere(await openHere(folder), settingsSchema.parse({}));

/** What a holder in this clone does: lists, takes, and deletes what it has heard. */
async function takenIn(
  clone: Clone,
  heard: ReadonlySet<string> = nobody,
): Promise<{ deleted: number; refused: string[] }> {
  const carrier = await carrierIn(clone);
  const { moves, refused } = await takeLetters(carrier, id, {
    listed: await listRemote(carrier.remote),
    heard,
  });
  if (moves.length > 0) expect(await pushMoves(carrier.remote, moves)).toEqual({ is: "taken" });
  return { deleted: moves.length, refused };
}

const inboxOf = (clone: Clone): Record<string, unknown>[] => {
  const folder = join(clone.folder, ".monoco/relays", id, "inbox");
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
};

const lettersOn = async ({ there }: TwoClones): Promise<number> =>
  (await there(`git for-each-ref refs/monoco/${id}/letters`)).split("\n").filter(Boolean).length;

/** Puts a commit with this message, whatever it is, under the name of a letter. */
const forge = async ({ folder, sh }: Clone, message: string, name: string): Promise<string> => {
  const { writeFileSync } = await import("node:fs");
  writeFileSync(join(folder, "../forged"), message);
  return sh(
    `c=$(git commit-tree $(git mktree </dev/null) -F ../forged) && git push -q origin $c:refs/monoco/${id}/letters/${name}`,
  );
};

test("a letter goes as a ref, comes into the inbox under its own id, and its ref stays until the journal has it", async () => {
  const clones = await openTwoClones();
  const sent = await sendLetter(await carrierIn(clones.b), id, { type: "say", text: "Use tabs.", via });
  expect(sent).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  for (const _ of ["once", "twice"]) {
    expect(await takenIn(clones.a)).toEqual({ deleted: 0, refused: [] });
    expect(inboxOf(clones.a)).toEqual([
      { type: "say", text: "Use tabs.", via, id: sent.id, atMs: expect.any(Number) },
    ]);
  }
  expect(await lettersOn(clones)).toBe(1);
  const heard = new Set([sent.id]);
  expect(await takenIn(clones.a, heard)).toEqual({ deleted: 1, refused: [] });
  expect(await lettersOn(clones)).toBe(0);
});

test("a message that no relay takes is refused before anything is pushed", async () => {
  const clones = await openTwoClones();
  const carrier = await carrierIn(clones.b);
  for (const body of [
    { type: "say", text: "", via },
    { type: "say", text: "x".repeat(8_001), via },
    { type: "escaped", text: "it broke", via },
    { type: "stop", via: { ...via, who: "" } },
    { type: "review", submission: 1, verdict: "approve", findings: [], summary: "", via },
  ])
    await expect(sendLetter(carrier, id, body)).rejects.toThrow(/not one that a relay takes/);
  const token = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
  expect(await sendLetter(carrier, id, { type: "say", text: token, via })).toHaveProperty("secret");
  expect(await lettersOn(clones)).toBe(0);
});

const uuid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
const say = { atMs: 1, type: "say", text: "hello", via };

test("what is no letter is named, deleted, and reaches no inbox", async () => {
  const clones = await openTwoClones();
  const { b } = clones;
  const json = (n: number, more: object = {}): string => JSON.stringify({ id: uuid(n), ...say, ...more });
  await forge(b, json(1, { type: "handoff" }), uuid(1));
  await forge(b, json(2, { via: undefined }), uuid(2));
  await forge(b, json(3), uuid(4));
  await forge(b, json(5, { id: "../../../../escape" }), uuid(5));
  await forge(b, json(6, { text: "x".repeat(300_000) }), uuid(6));
  await forge(b, "[".repeat(100_000), uuid(7));
  await forge(b, json(8), "head");
  await forge(b, json(9), `deep/${uuid(9)}`);
  await b.sh(
    `o=$(echo text | git hash-object -w --stdin) && git push -q origin $o:refs/monoco/${id}/letters/${uuid(0)}`,
  );
  await b.sh(
    `t=$(git rev-parse main^{tree}) && git push -q origin $t:refs/monoco/${id}/letters/a0000000-0000-4000-8000-000000000000`,
  );
  await b.sh(
    `git tag -a -m '${json(1)}' v1 && git push -q origin v1:refs/monoco/${id}/letters/b0000000-0000-4000-8000-000000000000`,
  );
  const { deleted, refused } = await takenIn(clones.a);
  expect(deleted).toBe(11);
  expect(refused.map((one) => one.replace(/^refs\/monoco\/FEAT-0001\/letters\//, ""))).toMatchInlineSnapshot(`
    [
      "00000000-0000-4000-8000-000000000000 is no letter: it is a blob",
      "00000000-0000-4000-8000-000000000001 is no letter: Invalid discriminator value. Expected 'stop' | 'answer' | 'say' | 'submit' | 'review'",
      "00000000-0000-4000-8000-000000000002 is no letter: it does not say who sent it",
      "00000000-0000-4000-8000-000000000004 is no letter: it has the id of another one",
      "00000000-0000-4000-8000-000000000005 is no letter: it has the id of another one",
      "00000000-0000-4000-8000-000000000006 is no letter: larger than 262144 bytes",
      "00000000-0000-4000-8000-000000000007 is no letter: malformed",
      "a0000000-0000-4000-8000-000000000000 is no letter: it is a tree",
      "b0000000-0000-4000-8000-000000000000 is no letter: it is a tag",
      "deep/00000000-0000-4000-8000-000000000009 is no letter: its name is not a letter's",
      "head is no letter: its name is not a letter's",
    ]
  `);
  expect(() => inboxOf(clones.a)).toThrow(/ENOENT/);
  expect(await lettersOn(clones)).toBe(0);
});

test("who sent it is a name on one line, without control characters", async () => {
  const clones = await openTwoClones();
  const who = "Ana\u001b[2J\n\u202eevil";
  await forge(clones.b, JSON.stringify({ id: uuid(1), ...say, via: { who, by: "ref" } }), uuid(1));
  await takenIn(clones.a);
  expect(inboxOf(clones.a)).toMatchObject([{ via: { who: "Ana evil", by: "ref" } }]);
});

test("a ref of a name that git does not allow is left alone: its deletion would fail the whole push", async () => {
  const clones = await openTwoClones();
  const carrier = await carrierIn(clones.a);
  const main = (await clones.a.sh("git rev-parse main")).trim();
  const names = ["../head", "a..b", "a b", "", ".x", "x.lock"];
  const listed = new Map(names.map((name) => [`refs/monoco/${id}/letters/${name}`, main]));
  expect(await takeLetters(carrier, id, { listed, heard: nobody })).toEqual({ moves: [], refused: [] });
});

test("an unreachable remote is said, and nothing is lost", async () => {
  const clones = await openTwoClones();
  const carrier = await carrierIn(clones.b);
  const sent = await sendLetter(carrier, id, { type: "stop", via });
  const listed = await listRemote(carrier.remote);
  await clones.b.sh("mv ../bare.git ../gone.git");
  await expect(sendLetter(carrier, id, { type: "stop", via })).rejects.toMatchObject({ kind: "later" });
  await expect(takeLetters(carrier, id, { listed, heard: nobody })).rejects.toMatchObject({ kind: "later" });
  await clones.b.sh("mv ../gone.git ../bare.git");
  await takenIn(clones.b);
  expect(inboxOf(clones.b)).toMatchObject([{ id: sent.id, type: "stop" }]);
});
