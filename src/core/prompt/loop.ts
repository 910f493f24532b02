/** A loop: a prompt instead of an issue, given to fresh sessions until its promise is printed and its checks pass. */
import { z } from "zod";
import { MonocoError } from "../error/error.ts";
import { splitFrontMatter } from "../text/front-matter.ts";
import { loopSessionsMax } from "../limits.ts";
import { plainLine } from "../text/sanitize.ts";
import { loopSchema, promiseSchema } from "../journal/loop-schema.ts";
import type { Loop } from "../journal/loop-schema.ts";
import { promiseDefault } from "../exit/promise.ts";
import { fence } from "./fence.ts";
import { wordsOfIssue } from "../settings/schema-errors.ts";
import type { Source } from "../settings/layers.ts";

/** The front matter of a prompt's file; every key is optional, and flags override it. */
const termsSchema = z.strictObject({
  promise: promiseSchema.optional(),
  verify: z
    .union([
      z
        .string()
        .min(1)
        .transform((command) => [command]),
      z.array(z.string().min(1)),
    ])
    .optional(),
  review: z.boolean().optional(),
  max: z.number().int().positive().optional(),
});
export type LoopTerms = { [K in keyof Omit<Loop, "prompt">]?: Loop[K] | undefined };

/** The loop of a prompt's file, with `flags` overriding it. Throws `input` with file and line. */
export function parseLoop(text: string, file: string, flags: LoopTerms = {}): Loop {
  const front = splitFrontMatter(text, file);
  const parsed = termsSchema.safeParse(front.data);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const key = issue.code === "unrecognized_keys" ? issue.keys[0]! : String(issue.path[0] ?? "");
    throw new MonocoError(
      "input",
      `${file}:${front.keyLines.get(key) ?? 1}: ${key}: ${wordsOfIssue(issue)}`,
      {
        hint: `keys that may stand there: ${Object.keys(termsSchema.shape).join(", ")}`,
      },
    );
  }
  const prompt = front.body.trim();
  if (prompt === "") {
    throw new MonocoError("input", `${file}:${front.bodyLine}: expected a prompt, got nothing`, {
      hint: "write what is to be done",
    });
  }
  return loopOf({ prompt, ...parsed.data }, flags);
}

/** The loop of these terms: `flags` win, and missing terms have defaults. Throws `input` for invalid terms. */
export function loopOf(said: { prompt: string } & LoopTerms, flags: LoopTerms = {}): Loop {
  const parsed = loopSchema.safeParse({
    prompt: said.prompt,
    promise: flags.promise ?? said.promise ?? promiseDefault,
    verify: flags.verify ?? said.verify ?? [],
    review: flags.review ?? said.review ?? false,
    max: flags.max ?? said.max ?? loopSessionsMax,
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new MonocoError("input", `${issue.path.join(".")}: ${wordsOfIssue(issue)}`, {
    hint: "a promise is a word like COMPLETE, verify a command, max a number of sessions",
  });
}

/** The issue behind a loop, as the Reviewer's contract. It has no boxes, since nobody could tick them. */
export function contractOf(id: string, loop: Loop): string {
  const title = titleOf(loop.prompt);
  return `---
id: ${id}
type: chore
title: ${JSON.stringify(title)}
status: open
stage: draft
checks: ${JSON.stringify(loop.verify)}
---

# ${id}: ${title}

## Objective

${fence(loop.prompt)}

## Acceptance Criteria

What the objective asks for is done, and the checks pass.
`;
}

function titleOf(prompt: string): string {
  const lines = prompt.split("\n").map((line) => plainLine(line.replace(/^[\s#>*-]+/, ""), 80));
  return lines.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? "loop";
}

/** The settings that a loop forces above all others: only its promise ends it. */
export function loopSource(loop: Loop): Source {
  const rounds = { redRoundsMax: loop.max, ...(loop.review ? {} : { reviewRoundsMax: loop.max }) };
  return {
    values: { exit: { submit: true }, limits: { sessionsMax: loop.max, ...rounds } },
    at: () => ({ from: "flag", where: "the loop" }),
  };
}

/** Whether two loops are the same work, so that one can continue the other. `max` may be raised. */
export function isSameLoop(a: Loop, b: Loop): boolean {
  const work = loopSchema.omit({ max: true }).loose();
  return JSON.stringify(work.parse({ ...a, max: 0 })) === JSON.stringify(work.parse({ ...b, max: 0 }));
}
