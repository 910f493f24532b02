/** The contract in force: the issue as pinned when the relay opened, with the checks that it and monoco.yaml name. */
import { MonocoError } from "../core/error.ts";
import { parseIssue } from "../core/issue.ts";
import type { Issue } from "../core/issue.ts";
import { openingOf, settingsOf } from "./relay.ts";
import type { Relay } from "./relay.ts";

export type Contract = { issue: Issue; checks: string[] };

export function contractNow(relay: Relay): Contract {
  const { contract } = openingOf(relay);
  const issue = parseIssue(contract.text, contract.path);
  return { issue, checks: [...new Set([...settingsOf(relay).checks, ...issue.checks])] };
}

/** The text of the issue's copy at `commit`, for progress; the contract's where the copy is missing or broken. */
export async function issueTextAt(relay: Relay, commit: string): Promise<string> {
  const { contract } = openingOf(relay);
  const text = await relay.edges.repository.fileAt(relay.repository.git, commit, contract.path);
  if (text === undefined) return contract.text;
  try {
    parseIssue(text, contract.path);
    return text;
  } catch (error) {
    if (error instanceof MonocoError) return contract.text;
    throw error;
  }
}

export async function issueAt(relay: Relay, commit: string): Promise<Issue> {
  return parseIssue(await issueTextAt(relay, commit), openingOf(relay).contract.path);
}
