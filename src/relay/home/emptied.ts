/** The places that a sandbox shows empty, and the paths in a home that it never shows unasked. */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
import { hasPrivateKey } from "../../agents/environment.ts";
import { walker } from "../../agents/mounts.ts";
import { attempt } from "../../core/error/attempt.ts";
import { credentialNames } from "../../core/home/home-files.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { linkedWorktrees } from "../../git/worktrees.ts";
import { temporaryRoot } from "../../io/io.ts";
import { stateFolder } from "../../store/places.ts";
import type { RepositoryPlaces } from "../../store/places.ts";

/** The person's environment and repository. */
export type Around = {
  env: Readonly<Record<string, string | undefined>>;
  repository: { root: string; commonDir: string };
  repositoryPlaces: Pick<RepositoryPlaces, "monoco">;
};

/** `scratch` can be written, and is thrown away. */
export type Emptied = { home: string; scratch: string[]; hidden: string[]; worktrees: string[] };

export function emptied({ env, repository, repositoryPlaces }: Around): Emptied {
  const home = homeOf({ env });
  const { root, commonDir } = repository;
  const worktrees = linkedWorktrees(commonDir);
  const scratch = [..."/tmp /var/tmp /dev/shm".split(" "), temporaryRoot(), home];
  const hidden = [..."/run /home /root".split(" "), root, commonDir, ...worktrees];
  const own = [stateFolder(env), repositoryPlaces.monoco];
  return {
    home,
    scratch: scratch.filter(isFolder),
    hidden: [...hidden, ...own].filter(isFolder),
    worktrees,
  };
}

export const homeOf = ({ env }: Pick<Around, "env">): string => env["HOME"] || homedir();

/** A path of `sandboxRead` or `sandboxWrite`. */
export const inHome = (path: string, home: string): string => resolve(home, path.replace(/^~\//, ""));

export const isIn = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`);

/** Tests without throwing, since errors are slow. */
export const statOr = (path: string) => attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);

export const isFile = (path: string): boolean => isAbsolute(path) && statOr(path)?.isFile() === true;

/** Whether `path` is a folder other than `/`, which cannot be hidden but is some containers' home. */
export const isFolder = (path: string): boolean => path !== "/" && statOr(path)?.isDirectory() === true;

/** What a sandbox of these settings does with a path without links: hides it, shows it by a setting, or never shows it. */
export type Sight = {
  isHidden(real: string): boolean;
  isNamed(real: string): boolean;
  isPrivate(real: string): boolean;
};

export function sightOf(
  around: Around,
  { sandboxRead, sandboxWrite }: Pick<Settings, "sandboxRead" | "sandboxWrite">,
): Sight {
  const { home, scratch, hidden } = emptied(around);
  const walked = walker();
  const real = (path: string): string => walked(path).real;
  const there = (paths: readonly string[]): string[] =>
    paths.filter((path) => walked(path).isThere).map(real);
  const empty = there([...scratch, ...hidden]);
  const named = there([...sandboxRead, ...sandboxWrite].map((path) => inHome(path, home)));
  const { commonDir } = around.repository;
  const secret = there([
    ...credentialNames.map((name) => join(home, name)),
    stateFolder(around.env),
    around.repositoryPlaces.monoco,
    commonDir,
  ]);
  return {
    isHidden: (path) => empty.some((one) => isIn(path, one)),
    isNamed: (path) => named.some((one) => isIn(path, one)),
    isPrivate: (path) =>
      secret.some((one) => isIn(path, one) || isIn(one, path)) ||
      empty.some((one) => isIn(one, path)) ||
      /^\.env(?:\.|$)/.test(basename(path)) ||
      hasPrivateKey(path),
  };
}
