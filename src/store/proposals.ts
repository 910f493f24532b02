/** Keeps sessions that proposed an issue: the question, answer and cost of each, in a folder with its logs. */
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { attempt } from "../core/error/attempt.ts";
import { proposalKeptMs } from "../core/limits.ts";
import { proposalSchema } from "../core/prompt/proposal-schema.ts";
import type { Proposal } from "../core/prompt/proposal-schema.ts";
import { writeAtomically } from "./durable.ts";
import { proposalFile } from "./proposal-spendings.ts";

const count = z.int().nonnegative();
const recordSchema = z.object({
  v: z.literal(1),
  text: z.string(),
  /** The commit of the base that the session read. */
  base: z.string(),
  /** Names of the agents that could be asked, in order. */
  agents: z.array(z.string()),
  agent: z.string(),
  run: z.string(),
  startedAtMs: count,
  endedAtMs: count.optional(),
  tokens: count.optional(),
  costUsd: z.number().nonnegative().optional(),
  proposal: proposalSchema.optional(),
  /** Why there is no proposal. */
  because: z.string().optional(),
  /** The issue that was made of the proposal. */
  issue: z.string().optional(),
});
export type ProposalRecord = z.infer<typeof recordSchema>;

/** Writes a proposal's record: at its session's start and end, and when it becomes an issue. */
export function keepProposal(folder: string, name: string, record: ProposalRecord): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeAtomically(proposalFile(folder, name), JSON.stringify(record));
}

/** All readable proposals, oldest first. */
function knownProposals(folder: string): { name: string; record: ProposalRecord }[] {
  return attempt(() => readdirSync(folder), [])
    .flatMap((name) => {
      const record = readOne(proposalFile(folder, name));
      return record ? [{ name, record }] : [];
    })
    .toSorted((one, other) => one.record.startedAtMs - other.record.startedAtMs);
}

function readOne(path: string): ProposalRecord | undefined {
  return attempt(() => recordSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data, undefined);
}

/** Deletes proposals that are too old to be used, with their logs. */
export function forgetProposals(folder: string, nowMs: number): void {
  for (const { name, record } of knownProposals(folder))
    if (record.startedAtMs < nowMs - proposalKeptMs)
      rmSync(join(folder, name), { recursive: true, force: true });
}

export type Asked = Pick<ProposalRecord, "text" | "base" | "agents">;

/** The last proposal for the same question that did not become an issue: nobody pays for it twice. */
export function openProposal(
  folder: string,
  asked: Asked,
): { name: string; record: ProposalRecord & { proposal: Proposal } } | undefined {
  const { text, base, agents } = asked;
  for (const { name, record } of knownProposals(folder).toReversed()) {
    const same = record.text === text && record.base === base && record.agents.join() === agents.join();
    const { proposal } = record;
    if (same && proposal && record.issue === undefined) return { name, record: { ...record, proposal } };
  }
  return undefined;
}

/** Records the issue that was made of a proposal. */
export function takeProposal(folder: string, name: string, issue: string): void {
  const record = readOne(proposalFile(folder, name));
  if (record) keepProposal(folder, name, { ...record, issue });
}
