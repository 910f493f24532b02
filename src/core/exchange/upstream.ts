/** The origin of an issue, from its front matter: the source, and the hashes that the import wrote. */
import { inspectFrontMatter } from "../text/front-matter.ts";
import { sourceHashKey, sourceKey } from "./imported-issue.ts";

export type IssueSource = { source: string; hashes: string; branch: string; createdAt: string };

/** Undefined if the issue names no source. Never throws: a broken file may still name its source. */
export function issueSource(text: string): IssueSource | undefined {
  const { data } = inspectFrontMatter(text).front;
  const word = (key: string): string => (typeof data[key] === "string" ? data[key] : "");
  const source = word(sourceKey);
  if (source === "") return undefined;
  return { source, hashes: word(sourceHashKey), branch: word("branch"), createdAt: word("created_at") };
}
