/** A remote and two clones with a relay of commits alone, in a temp folder: what is pushed, pulled and cut. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "../../../src/git/folders.ts";
import { openSandbox } from "../../../test/support/cli.ts";
import type { Ran, Sandbox } from "../../../test/support/cli.ts";
import { cutShort } from "../../../test/support/cut.ts";
import type { Cut } from "../../../test/support/cut.ts";
import { initRepository } from "../../../test/support/repository.ts";

export const issue = "FEAT-0001";
export const head = `refs/monoco/${issue}/head`;

/** Words that must not leave a clone. */
export const kept = "words-that-stay";

export type World = { sandbox: Sandbox; bare: string; clones: readonly [string, string] };

export async function openWorld(): Promise<World> {
  const sandbox = openSandbox();
  const [bare, first, second] = ["bare.git", "first", "second"].map((name) => join(sandbox.folder, name)) as [
    string,
    string,
    string,
  ];
  initRepository(first, { name: "First", email: "first@example.com" });
  await sandbox.sh(
    first,
    `git commit -q --allow-empty -m Begin && git init -q --bare -b main '${bare}' && git remote add origin '${bare}' && git push -q origin main && git clone -q '${bare}' '${second}'`,
  );
  return { sandbox, bare, clones: [first, second] };
}

/** A commit on the head, as a session leaves it, with what must stay beside it; and in a third of all cases a submission. */
export async function work(
  { sandbox }: World,
  clone: string,
  name: string,
  submits: boolean,
): Promise<string> {
  const next = `n=1; while git rev-parse -q --verify refs/monoco/${issue}/submissions/$n > /dev/null; do n=$((n + 1)); done`;
  const submit = submits ? `${next}; git update-ref refs/monoco/${issue}/submissions/$n $c` : ":";
  const stays = `blob=$(echo '${kept} ${name}' | git hash-object -w --stdin); t=$(printf '100644 blob %s\\tx\\n' $blob | git mktree); git update-ref refs/monoco/${issue}/sessions/1/wip $(git commit-tree $t -p $c -m '${kept}')`;
  return sandbox.sh(
    clone,
    `on=$(git rev-parse -q --verify ${head} || git rev-parse main); c=$(git commit-tree main^{tree} -p $on -m '${name}'); git update-ref ${head} $c; ${submit}; ${stays}; echo $c`,
  );
}

/** Runs monoco in a clone, and kills it at the cut. */
export async function carry(
  { sandbox }: World,
  clone: string,
  args: readonly string[],
  cut?: Cut,
): Promise<Ran> {
  return cut ? cutShort(sandbox, { cwd: clone, args, ...cut }) : sandbox.start(args, { cwd: clone });
}

/** Takes the remote away until the returned function is called. */
export function withoutRemote({ bare }: World): () => void {
  renameSync(bare, `${bare}.away`);
  return () => renameSync(`${bare}.away`, bare);
}

/** The remote refuses the head, or all submissions, until the returned function is called. */
export function withHook({ bare }: World, what: "head" | "submissions"): () => void {
  const path = join(bare, "hooks", "update");
  writeFileSync(path, `#!/bin/sh\ncase $1 in *${what}*) echo refused >&2; exit 1 ;; esac\n`, { mode: 0o755 });
  return () => removeTree(path);
}

/** The commits that the refs of a repository hold. */
export async function heldBy({ sandbox }: World, repository: string): Promise<Set<string>> {
  return new Set((await sandbox.git(repository, "rev-list", "--all")).split("\n"));
}
