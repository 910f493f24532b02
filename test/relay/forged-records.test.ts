/** Forgeries of a merge's record: signed, none passes; unsigned, git finds what it can see, and the rest is said to be claimed. */
import { hash } from "node:crypto";
import { expect, vi } from "vitest";
import { plainNote, readNote, signedText } from "../../src/core/attest/dsse.ts";
import type { Statement } from "../../src/core/attest/statement-schema.ts";
import { removeTree } from "../../src/git/folders.ts";
import { gitIn } from "../../src/git/git.ts";
import { patchText } from "../../src/git/notes/notes.ts";
import { testRows } from "../support/full.ts";
import type { Place } from "../support/place.ts";
import { cloneOf, merged, mergedByPull, resealed } from "../support/record.ts";
import type { Clone } from "../support/record.ts";

vi.setConfig({ testTimeout: 600_000 });

/** `bare squash`: the submission is not fetched, so that only the record knows it. */
const landings = ["merge", "bare squash", "squash", "squashed pull request"] as const;
type Landing = (typeof landings)[number];

type Forgery = {
  /** `edit` changes the statement and leaves a signature as it is. */
  does(clone: Clone, edit: (change: (statement: Statement) => void) => Promise<void>): Promise<unknown>;
  /** What is said where git can show it. */
  differs?: string;
  /** What is said where nobody signed and git cannot show it. */
  claimed?: string;
  /** Where git cannot show it although `differs`. */
  hidden?: readonly Landing[];
  /** Where it is no forgery. */
  except?: readonly Landing[];
};

/** Makes another commit of the merge, by a command that prints it, and moves the record there with everything in it that names a commit. */
const remade =
  (command: string, change: (statement: Statement) => void = () => undefined): Forgery["does"] =>
  async (clone, edit) => {
    const note = await clone.note();
    const isPull = readNote(note)!.statement.predicate.pullRequest !== undefined;
    await clone.sh(`made=$(${command}) && git reset -q --hard "$made"`);
    const [commit = "", tree = ""] = (await clone.sh("git log -1 --format='%H %T'")).trim().split(" ");
    const patch = await patchNow(clone);
    await clone.annotate(note);
    await edit((statement) => {
      const { subject, predicate } = statement;
      subject[0].digest.gitCommit = commit;
      if (subject[1]) subject[1].digest.gitTree = tree;
      predicate.patch = patch;
      if (!isPull) Object.assign(predicate.merge, { commit, tree });
      change(statement);
    });
  };

/** As records have it. */
async function patchNow({ folder }: Clone): Promise<string> {
  return hash("sha256", await patchText(gitIn(folder), "HEAD^", "HEAD"));
}

/** Changes files, and prints a commit with them and with the parents and the message of HEAD. */
const amended = (command: string): string =>
  `${command} && git add -A && git commit -q --amend --no-edit && git rev-parse HEAD`;

/** Writes the base anew with a file that conflicts, and prints a merge with it whose resolution is evil. */
const resolved = `git rev-parse -q --verify HEAD^2 > .git/second; tree=$(echo evil > file.txt && git add -A && git write-tree) &&
git log -1 --format=%B > .git/message && git reset -q --hard HEAD^ && echo other > file.txt && git add -A && git commit -qm Other &&
git commit-tree "$tree" -p HEAD $(sed 's/^/-p /' .git/second) -F .git/message`;

const forgeries: Record<string, Forgery> = {
  "an edited note": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.criteria[0]!.base = 7)),
    claimed: "1. the file is there; claimed 0 on the merge, 7 on the base",
  },
  "the two sides of a command, swapped": {
    does: (_clone, edit) =>
      edit(({ predicate }) => void Object.assign(predicate.criteria[0]!, { exitCode: 2, base: 0 })),
    claimed: "1. the file is there; claimed 2 on the merge, 0 on the base",
  },
  "a swapped command": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.checks[0]!.command = "true")),
    claimed:
      "other commands ran as set-up and checks (+) than those of the contract and of monoco.yaml on the base (-): - test -f file.txt, + true",
  },
  "the note of another commit": {
    does: async (clone) => {
      const note = await clone.note();
      await clone.sh("echo more > more.txt && git add -A && git commit -qm More");
      await clone.annotate(note);
    },
    differs: "the record is of another commit",
  },
  "another base": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.merge.base = predicate.landing.head)),
    differs: "monoco's commit has other parents than the record",
  },
  "an amended merge": {
    does: (clone) => clone.sh("echo x > x.txt && git add -A && git commit -q --amend --no-edit"),
    differs: "the record is of another commit",
    // It has no record: neither its change nor its message is that of one.
    except: ["squashed pull request"],
  },
  "a file more in the merge": {
    does: remade(amended("echo x > x.txt")),
    differs: "its tree is not the submission merged with the base: x.txt",
    claimed: "its tree is the submission merged",
    hidden: ["bare squash"],
  },
  "an evil merge": {
    does: remade(amended("echo evil > file.txt")),
    differs: "its tree is not the submission merged with the base: file.txt",
    claimed: "its tree is the submission merged",
    hidden: ["bare squash"],
  },
  "a conflict with an evil resolution": {
    does: async (clone, edit) => {
      await remade(resolved)(clone, edit);
      const base = (await clone.sh("git rev-parse HEAD^")).trim();
      await edit(({ predicate }) => {
        if (predicate.pullRequest === undefined) predicate.merge.base = base;
      });
    },
    differs: "its tree is not the submission merged with the base: file.txt",
    claimed: "its tree is the submission merged",
    hidden: ["bare squash"],
  },
  "another commit in the merge's name": {
    does: async (clone, edit) => {
      const { commit, tree } = readNote(await clone.note())!.statement.predicate.merge;
      const again = ({ predicate }: Statement): unknown => Object.assign(predicate.merge, { commit, tree });
      await remade(amended("echo evil > file.txt"), again)(clone, edit);
    },
    differs: "its tree is not the submission merged with the base: file.txt",
  },
  "a trailer more": {
    does: remade(
      `git log -1 --format=%B > .git/message && echo "Monoco-Confirmed: by person" >> .git/message && git commit -q --amend -F .git/message && git rev-parse HEAD`,
    ),
    differs: "monoco's commit has other trailers (+) than the record (-): + Monoco-Confirmed: by person",
    // The message there is a person's.
    except: ["squashed pull request"],
  },
  "a foreign parent": {
    does: async (clone, edit) => {
      const strange = (await clone.sh("git commit-tree HEAD^^{tree} -p HEAD^ -m Strange")).trim();
      const parents = `-p ${strange} $(git rev-parse -q --verify HEAD^2 | sed 's/^/-p /')`;
      await remade(
        `git log -1 --format=%B > .git/message && git commit-tree HEAD^{tree} ${parents} -F .git/message`,
        ({ predicate }) => void (predicate.merge.above = strange),
      )(clone, edit);
    },
    differs: "monoco's commit has other parents than the record",
    claimed: "monoco's commit has the parents of the record",
    hidden: ["bare squash"],
    except: ["squashed pull request"],
  },
  "an old note, replayed": {
    does: remade("git commit -q --allow-empty -C HEAD && git rev-parse HEAD"),
    differs: "",
  },
  "a journal that is cut": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.landing.journal = "0".repeat(64))),
    differs: "monoco's commit has other trailers (+) than the record (-): - Monoco-Journal: 0000",
  },
  "a contract of somebody else": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.contract.sha256 = "0".repeat(64))),
    differs: "the contract is not the issue on the base: 0000",
  },
  "another title": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.title = "Make it safe")),
    differs: "the contract is not the issue on the base: title",
  },
  "an own criterion": {
    does: (_clone, edit) => edit(({ predicate }) => void (predicate.criteria[0]!.statement = "it is safe")),
    differs: "the criteria are not the contract's: the file is there, it is safe",
  },
  "an issue that is said to be a prompt": {
    does: (_clone, edit) =>
      edit(({ predicate }) => {
        predicate.isLoop = true;
        predicate.criteria[0]!.statement = "it is safe";
      }),
    differs: "its tree is not the submission merged with the base: issues/FEAT-0001-write-a-file.md",
    claimed: "the criteria are the contract's",
    hidden: ["bare squash"],
  },
};

async function openLanding(landing: Landing, signed: boolean): Promise<{ place: Place; whole: Clone }> {
  if (landing === "squashed pull request") {
    const { place, clone } = await mergedByPull("squash", { signed });
    return { place, whole: clone };
  }
  const place = await merged({ signed, settings: landing === "merge" ? "" : "merge: squash\n" });
  const whole = await cloneOf(place);
  if (landing === "squash") await whole.sh("git fetch -q origin 'refs/monoco/*:refs/monoco/*'");
  return { place, whole };
}

testRows<[Landing, boolean]>(
  landings.flatMap(
    (landing) =>
      [
        [landing, false],
        [landing, true],
      ] as [Landing, boolean][],
  ),
  ([landing, signed]) => landing === "merge" && !signed,
)("no forgery passes for the record of a %s (signed: %s)", async ([landing, signed]) => {
  const { place, whole } = await openLanding(landing, signed);
  const fine = await whole.verify("--no-run");
  expect(fine, fine.stdout + fine.stderr).toMatchObject({ exitCode: 0 });
  expect(fine.stdout).toContain(
    signed ? "signed    by p@example.com (SHA256:" : "unsigned  anybody may have",
  );
  const here = Object.entries(forgeries).filter(([, { except }]) => except?.includes(landing) !== true);
  for (const [name, { does, differs, claimed, hidden }] of here) {
    const clone = await cloneOf(place, name);
    await does(clone, async (change) => {
      const note = await clone.note();
      const { statement } = readNote(note)!;
      change(statement);
      await clone.annotate(signed ? resealed(note, statement) : plainNote(statement));
    });
    const ran = await clone.verify("--no-run");
    const isSeen = differs !== undefined && hidden?.includes(landing) !== true;
    expect(ran.exitCode, `${name}: ${ran.stdout}${ran.stderr}`).toBe(signed || isSeen ? 1 : 0);
    if (!signed)
      expect(ran.stdout, name).toContain(isSeen ? `DIFFERS   ${differs}` : `claimed   ${claimed!}`);
    removeTree(clone.folder);
  }
});

type Envelope = { payloadType: string; payload: string; signatures: { keyid: string; sig: string }[] };

/** Forges the envelope; `sign` signs a text by ssh-keygen, as it is in a note. */
type Reseal = (
  envelope: Envelope,
  sign: (text: string, key: "key" | "other", namespace?: string) => Promise<string>,
) => Promise<object>;

const decoded = ({ payload }: Envelope): string => Buffer.from(payload, "base64").toString();
const encoded = (text: string): string => Buffer.from(text).toString("base64");
const signedAnew = (envelope: Envelope, sig: string): Envelope => ({
  ...envelope,
  signatures: [{ keyid: envelope.signatures[0]!.keyid, sig }],
});
const edited = (payload: string): string => payload.replace('"base":2', '"base":7');

const reseals: Record<string, Reseal> = {
  "by another key, with the signer's name": async (envelope, sign) =>
    signedAnew(envelope, await sign(signedText(decoded(envelope)), "other")),
  "for another purpose": async (envelope, sign) =>
    signedAnew(envelope, await sign(signedText(decoded(envelope)), "key", "git")),
  "of another payload": async (envelope, sign) =>
    signedAnew(envelope, await sign(signedText(edited(decoded(envelope))), "key")),
  "of the payload alone": async (envelope, sign) =>
    signedAnew(envelope, await sign(decoded(envelope), "key")),
  "before the payload was edited, and one of a stranger": async (envelope, sign) => {
    const payload = edited(decoded(envelope));
    const [genuine] = envelope.signatures;
    const own = { keyid: genuine!.keyid, sig: await sign(signedText(payload), "other") };
    return { ...envelope, payload: encoded(payload), signatures: [own, genuine] };
  },
  "with one of a stranger behind it": async (envelope, sign) => ({
    ...envelope,
    signatures: [
      ...envelope.signatures,
      { keyid: "x", sig: await sign(signedText(decoded(envelope)), "other") },
    ],
  }),
  "of another type": async (envelope) => ({ ...envelope, payloadType: "application/json" }),
  "with a field that is unknown": async (envelope) => ({ ...envelope, critical: ["above"] }),
  "that is no signature": async (envelope) => signedAnew(envelope, encoded("x")),
  "that is gone": async (envelope) => JSON.parse(edited(decoded(envelope))) as object,
  "beside a statement that nobody signed": async (envelope) => ({
    ...(JSON.parse(edited(decoded(envelope))) as object),
    ...envelope,
    payloadType: "x",
  }),
};

testRows<[Landing]>(landings.map((landing): [Landing] => [landing]))(
  "no forged signature passes, of the record of a %s",
  async ([landing]) => {
    const { whole } = await openLanding(landing, true);
    const note = await whole.note();
    await whole.sh("ssh-keygen -q -t ed25519 -N '' -f ~/other -C p@example.com");
    for (const [name, reseal] of Object.entries(reseals)) {
      const sign = async (text: string, key: string, namespace = "monoco"): Promise<string> => {
        await whole.annotate(text);
        const sig = await whole.sh(`ssh-keygen -q -Y sign -n ${namespace} -f ~/${key} < .git/note`);
        return encoded(sig);
      };
      const forged = await reseal(JSON.parse(note) as Envelope, sign);
      await whole.annotate(`${JSON.stringify(forged)}\n`);
      const ran = await whole.verify("--no-run");
      expect(ran.exitCode, `${name}: ${ran.stdout}${ran.stderr}`).toBe(1);
      expect(ran.stdout, name).toMatch(
        /DIFFERS {3}(?:the signature does not|signed by|it is not signed)|its note is not a record/,
      );
    }
    await whole.annotate(note);
    expect(await whole.verify("--no-run")).toMatchObject({ exitCode: 0 });
  },
);
