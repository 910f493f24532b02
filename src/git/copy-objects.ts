/** Copies a repository's objects while other gits pack, remove and add objects, and misses none that the copy needs. */
import { constants, readFileSync, rmSync, writeFileSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { packRoundsMax } from "../core/limits.ts";
import { t } from "../core/language/translate.ts";

/**
 * Copies all objects of the folder `from` (a git directory's `objects`) into the folder `to`; `to` borrows from the same
 * folders as `from`. The files are real copies that share blocks where the file system can. An aborted `stop` rejects with an
 * `interrupted` error. Git writes a new pack before it deletes the packed objects and older packs. So packs are copied after
 * the loose objects, until a listing shows no new pack.
 */
export async function copyObjects(from: string, to: string, stop?: AbortSignal): Promise<void> {
  const folders = (await readdir(from)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  await each(folders, (name) => copyLoose(join(from, name), join(to, name), stop));
  await copyPacks(join(from, "pack"), join(to, "pack"), stop);
  lend(lentBy(from), to);
}

async function copyLoose(from: string, to: string, stop: AbortSignal | undefined): Promise<void> {
  const names = (await orGone(readdir(from))) ?? [];
  if (names.length > 0) await mkdir(to, { recursive: true });
  for (const name of names.filter((candidate) => /^[0-9a-f]{38,}$/.test(candidate))) {
    refuseWhereStopped(stop);
    await copied(join(from, name), join(to, name));
  }
}

async function copyPacks(from: string, to: string, stop: AbortSignal | undefined): Promise<void> {
  await mkdir(to, { recursive: true });
  const had = new Set<string>();
  for (let round = 0; round < packRoundsMax; round += 1) {
    const listed = (await readdir(from)).filter((name) => name.endsWith(".idx"));
    const names = listed.map((name) => name.slice(0, -".idx".length)).filter((name) => !had.has(name));
    if (names.length === 0) return;
    for (const name of names) {
      refuseWhereStopped(stop);
      const pack = await copied(join(from, `${name}.pack`), join(to, `${name}.pack`));
      const whole = pack && (await copied(join(from, `${name}.idx`), join(to, `${name}.idx`)));
      if (whole) had.add(name);
      else await rm(join(to, `${name}.pack`), { force: true });
    }
  }
  throw new MonocoError("person", t`${from}: packs come and go faster than they can be copied`, {
    hint: t`let git finish what it does in the repository, then run the same command again; nothing is lost`,
  });
}

function refuseWhereStopped(stop: AbortSignal | undefined): void {
  if (stop?.aborted) throw new MonocoError("interrupted", t`the copying of objects was stopped`);
}

/** Copies a file; false if `from` does not exist. */
async function copied(from: string, to: string): Promise<boolean> {
  return (await orGone(copyFile(from, to, constants.COPYFILE_FICLONE).then(() => true))) ?? false;
}

async function orGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes the object folder `to` borrow from `folders` only: git reads objects there and writes to `to`. */
export function lend(folders: readonly string[], to: string): void {
  const file = join(to, "info", "alternates");
  rmSync(file, { force: true });
  if (folders.length > 0) writeFileSync(file, `${folders.join("\n")}\n`);
}

/** The folders from which the object folder `objects` borrows; git resolves a relative path from `objects`. */
export function lentBy(objects: string): string[] {
  const lines = linesOf(join(objects, "info", "alternates"));
  const alternates = lines.filter((line) => line !== "" && line[0] !== "#");
  return alternates.map((line) => (line.startsWith('"') ? line : resolve(objects, line)));
}

function linesOf(path: string): string[] {
  return attempt(() => readFileSync(path, "utf8").split("\n"), []);
}

/** The number of copies at once; Node runs them on four threads. */
const atOnce = 8;

async function each(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const left = [...names];
  const worker = async (): Promise<void> => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) await work(name);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
