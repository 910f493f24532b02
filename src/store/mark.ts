/** The mark of a relay's checks: an environment variable by which their processes are found, with a name that does not mention monoco. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "./durable.ts";

export type Mark = { name: string; value: string };

/**
 * The relay's mark, made on first use and kept for later runs. Commands `beside` a session get another value, so that a sweep
 * of one does not kill the other.
 */
export function markOf(relayFolder: string, whose: "own" | "beside" = "own"): Mark {
  const made = readMark(relayFolder) ?? makeMark(relayFolder);
  return whose === "own" ? made : { ...made, value: `${made.value}b` };
}

function makeMark(relayFolder: string): Mark {
  const mark = freshMark();
  writeDurably(join(relayFolder, "mark"), `${mark.name}=${mark.value}\n`);
  return mark;
}

export function freshMark(): Mark {
  return { name: `V${randomBytes(6).toString("hex").toUpperCase()}`, value: randomBytes(12).toString("hex") };
}

/** The marks of all relays in `folder`, by issue. */
export function marksIn(folder: string): { issue: string; mark: Mark }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((issue) => {
    const mark = readMark(join(folder, issue));
    return mark ? [{ issue, mark }] : [];
  });
}

/** The relay's mark; undefined if it has none yet. */
export function readMark(relayFolder: string): Mark | undefined {
  const path = join(relayFolder, "mark");
  if (!existsSync(path)) return undefined;
  const [name, value] = readFileSync(path, "utf8").trim().split("=");
  return name && value ? { name, value } : undefined;
}
