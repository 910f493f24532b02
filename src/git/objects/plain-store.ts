/** Whether a repository stores its refs and objects in git's default file format. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import type { Git } from "../git.ts";

/** `format`: the hash that names objects. */
export type PlainStore = { commonDir: string; format: "sha1" | "sha256" };

const known = new Map<string, PlainStore | undefined>();

/** Where a git is kept; undefined anywhere else, and where refs or objects have a form, modes, logs or syncs of their own. */
export function plainStore({ folder = "", kept }: Git): PlainStore | undefined {
  return kept?.() ? known.get(folder) : undefined;
}

/** `entries`: what `kindQuestion` found about the repository whose main worktree is `root`. */
export function learnStore(root: string, commonDir: string, entries: readonly string[]): void {
  const isFolder = (name: string): boolean =>
    attempt(() => lstatSync(join(commonDir, name)).isDirectory(), false);
  const unusual = entries.filter((entry) => !harmless.test(entry));
  const format = unusual[0] === "extensions.objectformat\nsha256" ? "sha256" : "sha1";
  const isPlain =
    // Each repository says whether it is bare: without an answer git was not able to read its configuration.
    entries.length > 0 &&
    unusual.length === (format === "sha1" ? 0 : 1) &&
    // In another form (reftable) refs/heads is a file.
    ["refs/heads", "objects"].every(isFolder);
  known.set(root, isPlain ? { commonDir, format } : undefined);
}

/** They change nothing in how a ref below refs/monoco or an object is written. */
const harmless = /^(?:core\.bare\n.*|core\.logallrefupdates\n(?:true|false)|extensions\.worktreeconfig\n.*)$/;
