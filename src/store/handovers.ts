/** Keeps what people's own sessions handed over, one file for each issue until a relay takes it up; each RALPH.md is kept. */
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { jsonOf } from "../core/error/attempt.ts";
import { handedOverSchema } from "../core/handoff/handed-over.ts";
import type { HandedOver } from "../core/handoff/handed-over.ts";
import { issueIdPattern } from "../core/issue/name.ts";
import { writeDurably } from "./durable.ts";
import type { RepositoryPlaces } from "./places.ts";
import { t } from "../core/language/translate.ts";

type Where = Pick<RepositoryPlaces, "handovers">;

/** The hand-over of an issue; undefined if there is none. Throws `input` for a file that cannot be read. */
export function readHandOver({ handovers }: Where, issue: string): HandedOver | undefined {
  const path = join(handovers, issue, file);
  if (!existsSync(path)) return undefined;
  const read = handedOverSchema.safeParse(jsonOf(readFileSync(path, "utf8")));
  if (read.success) return read.data;
  throw new MonocoError("input", t`${path}:1: it is not what monoco wrote there`, {
    hint: t`remove it, then monoco relay prepare ${issue} hands over again`,
  });
}

/** Issues with a hand-over that no relay has taken up. */
export function issuesHandedOver({ handovers }: Where): string[] {
  if (!existsSync(handovers)) return [];
  return readdirSync(handovers)
    .filter((name) => issueIdPattern.test(name) && existsSync(join(handovers, name, file)))
    .sort();
}

export function keepHandOver({ handovers }: Where, given: HandedOver): void {
  const folder = join(handovers, given.issue);
  writeDurably(join(folder, `RALPH-${given.sha256.slice(0, 12)}.md`), given.text);
  writeDurably(join(folder, file), `${JSON.stringify(given, undefined, 2)}\n`);
}

/** Whether this text was handed over before: it is kept, so the file may be replaced. */
export function isKept({ handovers }: Where, sha256: string): boolean {
  if (!existsSync(handovers)) return false;
  const name = `RALPH-${sha256.slice(0, 12)}.md`;
  return readdirSync(handovers).some((issue) => existsSync(join(handovers, issue, name)));
}

/** Removes a hand-over that was taken up or is no longer wanted; its RALPH.md stays. */
export function dropHandOver({ handovers }: Where, issue: string): void {
  rmSync(join(handovers, issue, file), { force: true });
}

const file = "handover.json";
