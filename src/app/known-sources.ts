/** The issues that name their source: in this worktree, in other worktrees, and on every branch. */
import { issueSource } from "../core/exchange/upstream.ts";
import type { KnownIssue } from "../core/exchange/import-plan.ts";
import { parseIssue } from "../core/issue/issue.ts";
import { sourcesOn } from "../git/issues.ts";
import { worktreesOf } from "../git/worktrees.ts";
import { idOf, idOfName, listIssueFiles } from "../store/issue-folder.ts";
import type { IssueFile } from "../store/issue-folder.ts";
import type { Here } from "./here.ts";

/** The known issues, this worktree's first. */
export async function knownSources(here: Here, hasRelay: (id: string) => boolean): Promise<KnownIssue[]> {
  const { git, worktree } = here.repository;
  const issues: KnownIssue[] = [];
  for (const file of listIssueFiles(worktree).files) {
    const one = knownIn(file);
    if (!one) continue;
    const here = { text: file.text, draft: isDraft(file) && !hasRelay(one.id), createdAt: one.createdAt };
    issues.push({ ...one, here });
  }
  for (const other of await worktreesOf(git)) {
    if (other.path === worktree) continue;
    for (const file of listIssueFiles(other.path).files) {
      const one = knownIn(file);
      if (one) issues.push({ ...one, elsewhere: other.path });
    }
  }
  for (const { path, line, branch } of await sourcesOn(git, ["refs/heads", "refs/remotes"])) {
    const id = idOfName(path);
    const source = issueSource(`---\n${line}\n---\n`);
    if (id !== undefined && source) issues.push({ ...source, id, path, elsewhere: branch });
  }
  return issues;
}

function knownIn(file: IssueFile): (KnownIssue & { createdAt: string }) | undefined {
  const id = idOf(file);
  const source = issueSource(file.text);
  return id !== undefined && source ? { ...source, id, path: file.path } : undefined;
}

function isDraft({ text, path }: IssueFile): boolean {
  try {
    const { status, stage } = parseIssue(text, path);
    return status === "backlog" || (status === "open" && stage === "draft");
  } catch {
    // A file that was broken by hand: an import must not overwrite it.
    return false;
  }
}
