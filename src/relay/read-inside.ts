/** A file of an agent's folder, read as hostile: a regular file, its real parent inside the folder, of a sane size. */
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import { dirname, join } from "node:path";

/** Its text; undefined where it is not there, or not to be read. */
export function readInside(folder: string, name: string, bytesMax: number): string | undefined {
  const path = join(folder, name);
  return attempt(() => {
    const stat = lstatSync(path);
    if (!stat.isFile() || stat.size > bytesMax) return undefined;
    const parent = realpathSync(dirname(path));
    const root = realpathSync(folder);
    return parent === root || parent.startsWith(`${root}/`) ? readFileSync(path, "utf8") : undefined;
  }, undefined);
}
