/** Two clones of one repository with a bare remote between them, each with monoco in it. */
import { join } from "node:path";
import { readFileSync } from "node:fs";
import type { EventOf, RelayEvent } from "../../src/core/journal/event.ts";
import { eventsOf } from "./cli.ts";
import type { Ran, RunOptions } from "./cli.ts";
import { openPlace, run } from "./place.ts";
import type { Place, Story } from "./place.ts";

export type Clone = {
  folder: string;
  monoco(args: string, options?: RunOptions): Promise<Ran>;
  sh(command: string): Promise<string>;
  read(path: string): string;
  all<T extends RelayEvent["type"]>(type: T, issue?: string): EventOf<T>[];
};

export type TwoClones = {
  place: Place;
  a: Clone;
  b: Clone;
  bare: string;
  there(command: string): Promise<string>;
};

/** An Executor that begins in its first session, and goes on in any other with what it finds. */
export const inTwoSessions: Story = {
  executor: [
    [
      run(
        "if test -e begun.txt; then echo text > file.txt; else echo begun > begun.txt; fi; git add -A; git commit -qm work",
      ),
    ],
    [run("echo more > more.txt; git add -A; git commit -qm more"), { submit: true }],
  ],
  reviewer: [[{ verdict: "approve" }]],
};

export async function openTwoClones(
  story: Story = inTwoSessions,
  options: Parameters<typeof openPlace>[1] = {},
): Promise<TwoClones> {
  const place = await openPlace(story, options);
  const bare = join(place.around, "bare.git");
  await place.sh(
    `git init -q --bare -b main '${bare}' && git remote add origin '${bare}' && git push -q origin main && git fetch -q`,
  );
  const other = join(place.around, "other");
  await place.sandbox.git(place.around, "clone", "--quiet", bare, other);
  return {
    place,
    bare,
    a: cloneAt(place, place.project),
    b: cloneAt(place, other),
    there: (command) => place.sandbox.sh(bare, command),
  };
}

export function cloneAt(place: Place, folder: string): Clone {
  return {
    folder,
    monoco: (args, more) => place.sandbox.monoco(args.split(" "), { cwd: folder, ...more }),
    sh: (command) => place.sandbox.sh(folder, command),
    read: (path) => readFileSync(join(folder, path), "utf8"),
    all: <T extends RelayEvent["type"]>(type: T, issue = "FEAT-0001") =>
      eventsOf(folder, issue).filter(
        (event): event is Extract<RelayEvent, { type: T }> => event.type === type,
      ),
  };
}

/** A relay without agents: a commit on the head of `issue`, on top of what is there. */
export async function work(clone: Clone, text: string, issue = "FEAT-0001"): Promise<string> {
  return clone.sh(
    `ref=refs/monoco/${issue}/head; on=$(git rev-parse -q --verify $ref || git rev-parse main); blob=$(echo '${text}' | git hash-object -w --stdin); tree=$( (git ls-tree $on; printf '100644 blob %s\\t%s\\n' $blob '${text.split(" ")[0]}.txt') | git mktree); c=$(git commit-tree $tree -p $on -m '${text}'); git update-ref $ref $c; echo $c`,
  );
}
