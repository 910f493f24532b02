/** The record of monoco's changes to people's own files. The record holds the files' bytes, so nobody else may read it. */
import { existsSync, readFileSync, rmSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { attempt, jsonOf } from "../../core/error/attempt.ts";
import { installedSchema } from "../../core/hooks/installed.ts";
import type { Installed } from "../../core/hooks/installed.ts";
import { writeDurably } from "../../store/durable.ts";
import { t } from "../../core/language/translate.ts";

/** Reads the record. Throws `input` if it cannot be read: its contents cannot be guessed. */
export function readInstalled(path: string): Installed {
  if (!existsSync(path)) return { v: 1, files: [], folders: [] };
  const read = installedSchema.safeParse(jsonOf(readFileSync(path, "utf8")));
  if (read.success) return read.data;
  throw new MonocoError("input", t`${path}:1: it is not what monoco hook install wrote there`, {
    hint: t`move it away; monoco hook uninstall then takes out what it knows by its marks`,
  });
}

export function writeInstalled(path: string, installed: Installed): void {
  if (installed.files.length === 0) {
    rmSync(path, { force: true });
    // The folder was made for the record alone.
    return attempt(() => rmdirSync(dirname(path)), undefined);
  }
  const mode = existsSync(path) ? undefined : 0o600;
  writeDurably(path, `${JSON.stringify(installed, undefined, 2)}\n`, mode);
}
