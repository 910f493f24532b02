/** Where an issue came from, as its front matter tells: the source, and the hashes that the import left. */
import { inspectFrontMatter } from "../text/front-matter.ts";
import { sourceHashKey, sourceKey } from "./imported-issue.ts";

export type IssueSource = { source: string; hashes: string; branch: string; createdAt: string };

/** Undefined where it names none. Never throws: a file that is broken otherwise may still be known by its source. */
export function issueSource(text: string): IssueSource | undefined {
  const { data } = inspectFrontMatter(text).front;
  const word = (key: string): string => (typeof data[key] === "string" ? data[key] : "");
  const source = word(sourceKey);
  if (source === "") return undefined;
  return { source, hashes: word(sourceHashKey), branch: word("branch"), createdAt: word("created_at") };
}
