/** Keeps the local base at the remote's: in a remote run the base moves on the remote first. */
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { fetchRemote, listRemote } from "../../git/carry/remote.ts";
import type { Remote } from "../../git/carry/remote.ts";
import type { Git } from "../../git/git.ts";
import { moveBase } from "../../git/landing.ts";
import { commitOf, isAncestor } from "../../git/repository.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { io } from "../../io/io.ts";
import { movingBranch } from "../../relay/wait-for-lock.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { carrierHere } from "../carry/carrier.ts";
import type { Here } from "../here.ts";
import { excludeRuntime } from "../wire.ts";
import { sinceBootMs } from "./seen.ts";

/** Fast-forwards the local base. Throws `input` if it has commits that the remote lacks, or a worktree holds it back, and `later` if the remote does not answer. */
export async function followBase({ repository }: Here, remote: Remote, base: string): Promise<void> {
  const { git } = repository;
  const { name } = remote;
  const ref = `refs/heads/${base}`;
  const there = (await listRemote(remote, [ref])).get(ref);
  const here = await commitOf(git, ref);
  if (here === there && here !== undefined) return;
  const push = { hint: `git push ${name} ${base}` };
  if (there === undefined) throw new MonocoError("input", t`${name} has no branch ${base}`, push);
  await fetchRemote(remote, [`+${ref}:refs/remotes/${name}/${base}`]);
  // The command that needs the base names the one that makes it.
  if (here === undefined) return;
  // The lock makes the folder.
  excludeRuntime(repository);
  const control = { interrupt: new AbortController().signal };
  const places = repositoryPlaces(repository.root, io().env);
  await movingBranch({ repositoryPlaces: places, control }, base, () =>
    forward(git, { name, base, there, push }),
  );
}

async function forward(
  git: Git,
  { name, base, there, push }: { name: string; base: string; there: string; push: { hint: string } },
): Promise<void> {
  const here = (await commitOf(git, `refs/heads/${base}`)) ?? there;
  const commit = (await commitOf(git, `refs/remotes/${name}/${base}`)) ?? there;
  // Another relay of this clone has just done it.
  if (here === commit) return;
  if (await isAncestor(git, commit, here))
    throw new MonocoError("input", t`${base} has commits that ${name} lacks`, push);
  if (!(await isAncestor(git, here, commit)))
    throw new MonocoError("input", t`${base} and ${name}/${base} have gone different ways`, {
      hint: `git rebase ${name}/${base} ${base} && git push ${name} ${base}`,
    });
  const moved = await moveBase(git, { base, commit, expected: here });
  // Somebody moved it at this moment; the next look compares again.
  if (moved.moved || moved.why === "lost") return;
  const at = moved.why === "held" ? moved.worktree : base;
  throw new MonocoError("input", t`${base} cannot follow ${name}/${base}: ${at}: ${moved.because}`, {
    hint: moved.remedy,
  });
}

/** The bounds of how often a remote run looks at the remote's base while a slot is free, ms. */
const followMsMin = 2_000;
const followMsMax = 30_000;

/** How often to look, when nothing has begun or ended here for so long and nothing can begin: what the others merge may let something begin. */
export const followMs = (idleMs: number | undefined): number =>
  idleMs === undefined ? followMsMax : Math.min(followMsMax, Math.max(followMsMin, idleMs / 4));

export type Follow = (idleMs: number | undefined) => Promise<void>;

/** Brings the base up to the remote's in a remote run, not more often than is due; undefined in another run. */
export function followedBase(here: Here, settings: Settings): Follow | undefined {
  if (!settings.remote?.runs) return undefined;
  const { remote } = carrierHere(here, settings);
  let lastMs = -followMsMax;
  return async (idleMs) => {
    if (sinceBootMs() - lastMs < followMs(idleMs)) return;
    lastMs = sinceBootMs();
    await followBase(here, remote, settings.base);
  };
}
