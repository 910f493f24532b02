/** One case: two clones work, push and pull in turns or at once, and are cut; then both are carried to the end, and nothing may be missing. */
import type { Random } from "../place/random.ts";
import { carry, head, heldBy, issue, kept, openWorld, withHook, withoutRemote, work } from "./world.ts";
import type { World } from "./world.ts";
import type { Cut } from "../../../test/support/cut.ts";

const troubles = ["none", "kill", "kill", "unreachable", "rejected", "two holders"] as const;
type Trouble = (typeof troubles)[number];

/** `cuts`: by their kind. */
export type Came = { wrong: string[]; cuts: Trouble[] };

export async function cutCase(random: Random): Promise<Came> {
  const world = await openWorld();
  const came: Came = { wrong: [], cuts: [] };
  /** The commits of each clone, and all that the remote's head ever was. */
  const made = world.clones.map(() => new Set<string>());
  const published = new Set<string>();
  try {
    for (let step = 0; step < 4; step += 1) {
      const who = random.whole(0, 1);
      const clone = world.clones[who]!;
      made[who]!.add(await work(world, clone, `${who} ${step}`, random.next() < 0.3));
      const trouble = random.of(troubles);
      const [before] = await headThere(world);
      if (await carryWith(world, { who, trouble, random })) came.cuts.push(trouble);
      const [after] = await headThere(world);
      if (after !== undefined) published.add(after);
      if (before !== undefined && !(await holds(world, { before, after })))
        came.wrong.push(`step ${step} (${trouble}): ${before} on the remote was overwritten by ${after}`);
    }
    came.wrong.push(...(await settle(world)));
    for (const commit of await headThere(world)) published.add(commit);
    came.wrong.push(...(await missing(world, made, published)), ...(await wordsThere(world)));
  } finally {
    world.sandbox.dispose();
  }
  return came;
}

/** Whether it was met: a kill at a git that is not reached is none. */
async function carryWith(
  world: World,
  { who, trouble, random }: { who: number; trouble: Trouble; random: Random },
): Promise<boolean> {
  const clone = world.clones[who]!;
  const other = world.clones[1 - who]!;
  const args = ["relay", random.of(["push", "pull"]), issue];
  const cut: Cut = { nth: random.whole(1, 13), when: random.of(["before", "after"]) };
  switch (trouble) {
    case "none":
      await carry(world, clone, args);
      return false;
    case "kill":
      return (await carry(world, clone, args, cut)).signal === "SIGKILL";
    case "unreachable":
    case "rejected": {
      const heal =
        trouble === "rejected" ? withHook(world, random.of(["head", "submissions"])) : withoutRemote(world);
      await carry(world, clone, args);
      heal();
      return true;
    }
    case "two holders": {
      await work(world, other, `other ${random.next()}`, false);
      const both = [
        carry(world, clone, ["relay", "push", issue]),
        carry(world, other, ["relay", "push", issue]),
      ];
      await Promise.all(both);
      return true;
    }
  }
}

/** Both clones come to the same head; where they diverged, one of them takes the other's. */
async function settle(world: World): Promise<string[]> {
  const [first, second] = world.clones;
  for (const [clone, take] of [
    [first, "mine"],
    [second, "theirs"],
    [first, "theirs"],
  ] as const) {
    await carry(world, clone, ["relay", "pull", issue, "--take", take]);
    await carry(world, clone, ["relay", "push", issue]);
  }
  const { sandbox, bare, clones } = world;
  const heads = await Promise.all([bare, ...clones].map((at) => sandbox.sh(at, `git rev-parse ${head}`)));
  return new Set(heads).size === 1 ? [] : [`the heads are ${heads.join(", ")}`];
}

async function headThere({ sandbox, bare }: World): Promise<string[]> {
  const shown = await sandbox.sh(bare, `git rev-parse -q --verify ${head} || :`);
  return shown === "" ? [] : [shown];
}

/** Whether the remote's head is still the one of before, or goes on from it. */
async function holds(
  { sandbox, bare }: World,
  { before, after }: { before: string; after: string | undefined },
): Promise<boolean> {
  const command = `git merge-base --is-ancestor ${before} ${after} && echo yes || :`;
  return after !== undefined && (await sandbox.sh(bare, command)) === "yes";
}

async function missing(
  world: World,
  made: readonly ReadonlySet<string>[],
  published: ReadonlySet<string>,
): Promise<string[]> {
  const there = await heldBy(world, world.bare);
  const gone = [...published].filter((commit) => !there.has(commit));
  const wrong = gone.map((commit) => `${commit} was the remote's head, and no ref of it has it`);
  for (const [who, commits] of made.entries()) {
    const here = await heldBy(world, world.clones[who]!);
    const lost = [...commits].filter((commit) => !here.has(commit));
    wrong.push(...lost.map((commit) => `${commit} was made in clone ${who}, and no ref there has it`));
  }
  return wrong;
}

async function wordsThere({ sandbox, bare }: World): Promise<string[]> {
  const found = await sandbox.sh(
    bare,
    `git cat-file --batch-all-objects --batch | grep -a -c '${kept}' || :`,
  );
  return found === "0" ? [] : [`the remote has words that should have stayed, ${found} times`];
}
