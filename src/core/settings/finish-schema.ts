/** The schemas of `merge:` and `finish:` in monoco.yaml: how approved work becomes commits, and where these go. */
import { z } from "zod";
import { slugOf } from "../issue/name.ts";
import { setting } from "./setting.ts";
import { t } from "../language/translate.ts";

/** `merge`: one merge commit; `squash`: a single commit. */
export const mergeStrategies = ["merge", "squash"] as const;
export type MergeStrategy = (typeof mergeStrategies)[number];

const finishWays = ["merge", "branch", "pr"] as const;

/** Parts that a branch's name must not have, by git-check-ref-format(1): git would read it as an expression. */
const never = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\//u;

/** Whether git takes the name for a branch. */
export function isBranchName(name: string): boolean {
  if (never.test(name) || name === "@" || name.startsWith("-") || name.endsWith(".")) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}

/** The name of an issue's work branch. */
export function workBranch(pattern: string, issue: { id: string; title: string }): string {
  return pattern.replaceAll("{id}", issue.id).replaceAll("{slug}", slugOf(issue.title));
}

const isPattern = (pattern: string): boolean =>
  pattern.includes("{id}") &&
  /^[^{}]+$/.test(workBranch(pattern, example)) &&
  isBranchName(workBranch(pattern, example));
const example = { id: "FEAT-0001", title: "title" };

const finishMap = z.strictObject({
  by: setting(
    z.enum(finishWays).default("merge"),
    "what is done with the commits: `merge` moves the base; `branch` leaves them on the work branch; `pr` pushes that branch and opens a pull request. `finish: pr` is short for it: [docs/merging.md](merging.md#finish)",
  ),
  branch: setting(
    z
      .string()
      .refine(isPattern, {
        error: () =>
          t`expected the name of a branch with {id} in it, and {slug} if you like, as in feature/{id}-{slug}`,
      })
      .default("monoco/{id}"),
    "the name of the work branch, for hosts that have a rule for names: `feature/{id}-{slug}`; `{slug}` is the title in short",
  ),
  lookMinutes: setting(
    z.number().positive().default(5),
    "how often a run with `--watch` looks at an open pull request: [docs/merging.md](merging.md#the-pull-request)",
    "minutes",
  ),
  comment: setting(
    z.boolean().default(false),
    "post the dossier on the GitHub issue that the work was imported from, once the work is merged: [docs/exchange.md](exchange.md#finishcomment)",
  ),
});

/** `finish: pr` is short for `finish: { by: pr }`. */
export const finishSchema = z.union(
  [z.enum(finishWays).transform((by) => finishMap.parse({ by })), finishMap],
  { error: () => t`write one of ${finishWays.join(", ")}, or a map like { by: pr }` },
);

/** The values of one source with the short form expanded, since sources are joined key by key. */
export function finishInFull<T extends { readonly [key: string]: unknown }>(values: T): T {
  return typeof values["finish"] === "string" ? { ...values, finish: { by: values["finish"] } } : values;
}

/** The key of a variable or flag with the short form expanded: `finish` means `finish.by`, unless the text is a map. */
export function keyInFull(key: string, text: string): string {
  return key === "finish" && !text.trimStart().startsWith("{") ? "finish.by" : key;
}
