/** The clones that relays have left on the disk, with their sizes. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { LeftClone } from "../../core/doctor/facts.ts";
import { attempt } from "../../core/error/attempt.ts";
import { isOwnFolder } from "../../git/folders.ts";

const clonePattern = /^([A-Z]{1,24}-\d{4,12})(?:\.(.+))?$/;

/** `standing` is the state of an issue's relay. Clones that an open relay uses are not measured. */
export function clonesLeft(clones: string, standing: (issue: string) => LeftClone["relay"]): LeftClone[] {
  return attempt(() => readdirSync(clones), []).flatMap((name) => {
    const path = join(clones, name);
    const [, issue = "", end] = clonePattern.exec(name) ?? [];
    const part = partOf(end);
    if (issue === "" || part === undefined || !isOwnFolder(path)) return [];
    const relay = standing(issue);
    return relay === "open" && part !== "kept" ? [] : [{ issue, part, relay, path, bytes: sizeOf(path) }];
  });
}

function partOf(end: string | undefined): LeftClone["part"] | undefined {
  if (end === undefined || /^(?:fresh|old-git|trees|snapshot|settings)$/.test(end)) return "work";
  if (end.startsWith("kept-")) return "kept";
  return /^(?:review|base|trial|scratch)(?:\.|$)/.test(end) ? "spare" : undefined;
}

/** The size of all files below; links are not followed. A file that disappears meanwhile counts nothing. */
function sizeOf(path: string): number {
  const stat = attempt(() => lstatSync(path), undefined);
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return attempt(() => readdirSync(path), []).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
