/** Faults between issues: unknown parents and dependencies, circles, and issues that can never be done. */
import { circleThrough, worksOf } from "./backlog.ts";
import { keyLine } from "../text/front-matter.ts";
import type { Advice } from "../error/hint-schema.ts";
import type { Issue } from "../issue/issue.ts";
import type { IssueFault } from "../issue/lint.ts";
import { issueIdPattern } from "../issue/name.ts";
import { t } from "../language/translate.ts";

export type ReadIssue = { path: string; text: string; issue: Issue };

/** The faults by file; `broken` are the ids of files that exist but cannot be read. */
export function lintBacklog(
  issues: readonly ReadIssue[],
  broken: readonly string[] = [],
): (IssueFault & { file: string })[] {
  const all = issues.map(({ issue }) => issue);
  const of = new Map(all.map((issue) => [issue.id, issue]));
  const works = new Map(worksOf(all).map((work) => [work.id, work]));
  const isThere = (id: string): boolean => of.has(id) || broken.includes(id);
  return issues.flatMap(({ path, text, issue }) => {
    const faults: (IssueFault & { file: string })[] = [];
    const say = (key: string, level: IssueFault["level"], message: string, hint: Advice): void => {
      faults.push({ file: path, line: keyLine(text, key), message, hint, level });
    };
    const { id, parent, status } = issue;
    if (parent !== undefined && !isThere(parent))
      say(
        "parent",
        "error",
        t`its parent ${parent.slice(0, 40)} is in no file`,
        t`fix the id, or take it out`,
      );
    const generations = parentCircle(id, of);
    if (generations)
      say(
        "parent",
        "error",
        t`each is the other's parent: ${generations.join(" → ")}`,
        t`take one of them out`,
      );
    if (status === "closed") {
      const open = all.filter((other) => other.parent === id && other.status !== "closed");
      const ids = open.map((other) => other.id).join(", ");
      if (open.length > 0)
        say("status", "warning", t`closed, and its children are not: ${ids}`, [
          [{ do: "by_hand", what: t`close them` }],
          [{ do: "move", by: "reopen", issue: id }],
        ]);
      return faults;
    }
    for (const other of issue.dependencies.filter((one) => issueIdPattern.test(one) && one !== id)) {
      const solution = of.get(other)?.solution;
      if (!isThere(other))
        say(
          "dependencies",
          "error",
          t`it depends on ${other}, which is in no file`,
          t`fix the id, or take it out`,
        );
      else if (of.get(other)?.status === "closed" && solution !== undefined && solution !== "implemented")
        say(
          "dependencies",
          "error",
          t`it waits for ${other}, which is closed as ${solution}: it will never be done`,
          t`take it out, or name what replaces it`,
        );
    }
    const circle = generations ? undefined : circleThrough(works, id);
    if (circle && circle.length > 2)
      say(
        "dependencies",
        "error",
        t`these issues wait for each other: ${circle.join(" → ")}`,
        t`take one of them out of the other's dependencies (a parent waits for its open children)`,
      );
    return faults;
  });
}

/** The chain of parents from `id` back to `id`; undefined if the chain ends. */
function parentCircle(id: string, of: ReadonlyMap<string, Issue>): string[] | undefined {
  const way = [id];
  for (let at = of.get(id)?.parent; at !== undefined; at = of.get(at)?.parent) {
    if (at === id) return [...way, id];
    if (way.includes(at)) return undefined;
    way.push(at);
  }
  return undefined;
}
