/** Reads the spending of sessions that proposed issues. No schema is used, so that status and the inbox need not load zod. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { attempt, jsonOf } from "../core/error/attempt.ts";
import { proposalMs } from "../core/limits.ts";
import type { Spending } from "../core/relay/spending.ts";
import { isRecord } from "../core/text/record.ts";

export const proposalFile = (folder: string, name: string): string => join(folder, name, "proposal.json");

/** The spending of all such sessions. One whose runner was killed counts with its time limit at most. */
export function proposalSpendings(folder: string, nowMs: number): Spending[] {
  return attempt(() => readdirSync(folder), []).flatMap((name) => {
    const text = attempt(() => readFileSync(proposalFile(folder, name), "utf8"), "");
    return spendingOf(jsonOf(text), nowMs) ?? [];
  });
}

function spendingOf(record: unknown, nowMs: number): Spending | undefined {
  if (!isRecord(record)) return undefined;
  const figure = (key: string): number | undefined => {
    const value = record[key];
    return typeof value === "number" && value >= 0 ? value : undefined;
  };
  const startedAtMs = figure("startedAtMs");
  if (startedAtMs === undefined) return undefined;
  const lastMs = startedAtMs + proposalMs;
  const endedAtMs = figure("endedAtMs") ?? (lastMs < nowMs ? lastMs : undefined);
  return {
    issue: "",
    session: 0,
    run: typeof record["run"] === "string" ? record["run"] : undefined,
    startedAtMs,
    endedAtMs,
    minutes: endedAtMs === undefined ? undefined : (endedAtMs - startedAtMs) / 60_000,
    tokens: figure("tokens") ?? 0,
    costUsd: figure("costUsd") ?? 0,
  };
}
