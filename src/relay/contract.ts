/** The contract in force: the issue as pinned at the relay's opening, with its checks and those of monoco.yaml. */
import { fileAt } from "../git/repository.ts";
import { contractChanges, criteriaOf } from "../core/issue/contract.ts";
import { MonocoError } from "../core/error/error.ts";
import { checkCommands } from "../core/settings/check-schema.ts";
import type { EventOf } from "../core/journal/event.ts";
import { parseIssue } from "../core/issue/issue.ts";
import type { Issue } from "../core/issue/issue.ts";
import { openingOf, settingsOf } from "./relay.ts";
import type { Relay } from "./relay.ts";

export type Contract = { issue: Issue; checks: string[] };

export function contractNow(relay: Relay): Contract {
  const issue = pinnedIssue(openingOf(relay).contract);
  return { issue, checks: [...new Set([...checkCommands(settingsOf(relay).checks), ...issue.checks])] };
}

export function criteriaNow(relay: Relay): string[] {
  return criteriaOf(contractNow(relay).issue);
}

type Pinned = EventOf<"relay.opened">["contract"];

/** Parsed contracts by opening, since a contract is asked for many times between two sessions and never changes. */
const parsed = new WeakMap<Pinned, Issue>();

function pinnedIssue(contract: Pinned): Issue {
  const issue = parsed.get(contract) ?? parseIssue(contract.text, contract.path);
  parsed.set(contract, issue);
  return issue;
}

/** The text of the issue's copy at `commit`, for progress; the contract's text if the copy is missing or broken. */
export async function issueTextAt(relay: Relay, commit: string): Promise<string> {
  return (await copyAt(relay, commit)).text;
}

export async function issueAt(relay: Relay, commit: string): Promise<Issue> {
  return (await copyAt(relay, commit)).issue;
}

/** The parts of the contract that `commit` changed in its copy; a copy that cannot be compared counts as changed throughout. */
export async function tamperedAt(relay: Relay, commit: string): Promise<string[]> {
  const { issue, lost } = await copyAt(relay, commit);
  return lost === undefined ? contractChanges(contractNow(relay).issue, issue) : [`the file (${lost})`];
}

type Copy = { text: string; issue: Issue; lost?: "deleted" | "cannot be read" };

async function copyAt(relay: Relay, commit: string): Promise<Copy> {
  const { contract } = openingOf(relay);
  const text = await fileAt(relay.repository.git, commit, contract.path);
  if (text === contract.text) return { text, issue: pinnedIssue(contract) };
  try {
    if (text !== undefined) return { text, issue: parseIssue(text, contract.path) };
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
  }
  const lost = text === undefined ? "deleted" : "cannot be read";
  return { text: contract.text, issue: pinnedIssue(contract), lost };
}
