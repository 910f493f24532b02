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

/** Notes the dashboard in each of its repositories. */
export function noteDashboard(heres: readonly Here[], port: number): void {
  for (const here of heres) {
    const path = pathOf(here);
    const more = heres.length === 1 ? "" : `?in=${encodeURIComponent(here.repository.root)}`;
    mkdirSync(dirname(path), { recursive: true });
    writeAtomically(path, JSON.stringify({ pid: process.pid, begin: `http://127.0.0.1:${port}/i/`, more }));
  }
}

/** Takes the notes of this process back; those of another dashboard stay. */
export function forgetDashboard(heres: readonly Here[]): void {
  for (const here of heres) if (noted(here).pid === process.pid) rmSync(pathOf(here), { force: true });
}

function noted(here: Here): { pid?: number; begin?: string; more?: string } {
  return jsonOf(attempt(() => readFileSync(pathOf(here), "utf8"), "")) ?? {};
}

/** The page of an issue; undefined if no dashboard runs. */
export function linkTo(here: Here, issue: string): string | undefined {
  const { pid, begin, more } = noted(here);
  const runs = pid !== undefined && attempt(() => process.kill(pid, 0), false);
  return runs ? `${begin}${issue}${more}` : undefined;
}
