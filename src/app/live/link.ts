/** The running dashboard of a repository, as notices name it: its address without the key. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt, jsonOf } from "../../core/error/attempt.ts";
import { io } from "../../io/io.ts";
import { writeAtomically } from "../../store/durable.ts";
import { repositoryPlaces } from "../../store/places.ts";
import type { Here } from "../here.ts";

const pathOf = ({ repository }: Here): string =>
  join(repositoryPlaces(repository.root, io().env).clones, "dashboard.json");

/** Notes the dashboard in each of its repositories; the returned function takes that back. */
export function noteDashboard(heres: readonly Here[], port: number): () => void {
  const paths = heres.map((here) => [here.repository.root, pathOf(here)] as const);
  for (const [root, path] of paths) {
    const more = heres.length === 1 ? "" : `?in=${encodeURIComponent(root)}`;
    mkdirSync(dirname(path), { recursive: true });
    writeAtomically(path, JSON.stringify({ pid: process.pid, begin: `http://127.0.0.1:${port}/i/`, more }));
  }
  return () => {
    for (const [, path] of paths) rmSync(path, { force: true });
  };
}

/** The page of an issue; undefined if no dashboard runs. */
export function linkTo(here: Here, issue: string): string | undefined {
  const text = attempt(() => readFileSync(pathOf(here), "utf8"), "");
  const { pid, begin, more } = (jsonOf(text) ?? {}) as { pid?: number; begin?: string; more?: string };
  const runs = pid !== undefined && attempt(() => process.kill(pid, 0), false);
  return runs ? `${begin}${issue}${more}` : undefined;
}
