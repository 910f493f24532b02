/** The port to a host of repositories: comments, people's rights, issues and pull requests. GitHub and GitLab have an adapter each. */
import type { z } from "zod";
import { wordsOf, MonocoError } from "../../core/error/error.ts";
import { jsonOf } from "../../core/error/attempt.ts";
import type { Comment } from "../../core/comments/weigh.ts";
import type { Place } from "../../core/comments/event.ts";
import { t } from "../../core/language/translate.ts";

/** `id` is what `see` takes. `body` may be cut after its first thousands of characters. */
export type Listed = { id: string; login: string; body: string };

export type UpstreamIssue = {
  title: string;
  body: string;
  labels: string[];
  url: string;
  isOpen: boolean;
  /** Why it was closed, in the host's words. */
  reason?: string | null | undefined;
};

export type NewPull = { base: string; branch: string; title: string; body: string };

export type Host = {
  /** The login that replies are written by. */
  me(): Promise<string>;
  /** The comments that may be commands or replies of ours, oldest first. */
  list(place: Place): Promise<Listed[]>;
  /** The comment as it is now; undefined if it is gone. */
  see(id: string): Promise<Comment | undefined>;
  /** Whether the account is a person's who may write, or merge `into` a branch. */
  may(login: string, into?: string): Promise<boolean>;
  reply(place: Place, text: string): Promise<void>;
  issue(number: number): Promise<UpstreamIssue>;
  /** The numbers of the open pull requests of a branch of this repository. */
  pullsOf(branch: string): Promise<number[]>;
  /** The address of the branch's open pull request, or of a new one. */
  openPull(pull: NewPull): Promise<string>;
  closePull(number: number): Promise<void>;
};

/** What an answer of a host says. Throws `input` for another shape. */
export function readAnswer<T>(schema: z.ZodType<T>, text: string, asked: string): T {
  const read = schema.safeParse(jsonOf(text));
  if (read.success) return read.data;
  throw new MonocoError("input", t`${asked}: the answer cannot be read: ${wordsOf(read.error)}`, {
    hint: t`run it by hand and look`,
  });
}

/** The answer, or undefined where the host has no such thing. */
export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (
      error instanceof MonocoError &&
      error.kind === "input" &&
      /HTTP 404|Could not resolve to a node/.test(error.message)
    )
      return undefined;
    throw error;
  }
}
