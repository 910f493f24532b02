/** The schemas of `merge:`, `finish:` and `remote:` in monoco.yaml: how approved work becomes commits, and where work goes. */
import { z } from "zod";
import { slugOf } from "../issue/name.ts";
import { leaseMinutesMax } from "../limits.ts";
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

export const attestSchema = setting(
  z.enum(["auto", "sign", "off"]).default("auto"),
  "the record of each merge, a git note that `monoco verify` reads: `auto` signs it where your git signs commits with an SSH key, `sign` always does, with git's `user.signingkey`; `off` writes none: [docs/verify.md](verify.md)",
);

/** What holds people's or agents' words, and goes only where it is asked for. */
export const carried = ["sessions", "handoffs", "journal"] as const;

const isNamespace = (text: string): boolean =>
  text === "heads" || (text.startsWith("refs/") && isBranchName(text));

/** Git takes a name with a colon for a URL, which may hold a password. */
const remoteName = z.string().regex(/^[^-:][^:]*$/, {
  error: () => t`expected the name of a remote, as git remote prints it, and no URL`,
});

const remoteMap = z.strictObject({
  name: setting(
    remoteName.default("origin"),
    "the remote of git to which relays are pushed, and from which they are pulled. `remote: origin` is short for it: [docs/remote.md](remote.md)",
  ),
  carry: setting(
    z.array(z.enum(carried)).default([]),
    "what goes besides the commits of the work and its submissions: `sessions` (the commit that each session left), `handoffs` (each RALPH.md), `journal`. They hold words of agents and people: [docs/remote.md](remote.md#what-goes)",
  ),
  namespace: setting(
    z
      .string()
      .refine(isNamespace, {
        error: () => t`expected heads, or the beginning of a ref's name, as in refs/monoco`,
      })
      .default("refs/monoco"),
    "where the refs are on the remote; `heads` for a host that takes nothing but branches: [docs/remote.md](remote.md#hosts-that-take-branches-only)",
  ),
  runs: setting(
    z.boolean().default(false),
    "each run is one of several machines': it takes a lease of each relay on the remote, pushes as it goes, and moves the base there. `run --remote` is short for it: [docs/fleet.md](fleet.md)",
  ),
  leaseMinutes: setting(
    z.number().positive().max(leaseMinutesMax).default(45),
    "how long a machine that is not heard of keeps a relay. Its runner renews the lease after a third of it, and stops its session after 60 % without an answer: [docs/fleet.md](fleet.md#leases)",
    "minutes",
  ),
});

/** `remote: origin` is short for `remote: { name: origin }`. */
export const remoteSchema = z.union([remoteName.transform((name) => remoteMap.parse({ name })), remoteMap], {
  error: () => t`write the name of a remote, or a map like { name: origin }`,
});
export type RemoteSettings = z.infer<typeof remoteMap>;
