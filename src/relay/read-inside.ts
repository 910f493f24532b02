/** Reads a file of an agent's folder safely: a regular file of limited size whose real folder is inside. */
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import { dirname, join } from "node:path";

/** The file's text; undefined if it does not exist or is not safe to read. */
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
