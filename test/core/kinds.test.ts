/** Criteria of other projects, labelled by hand: how often the rules guess their kind, and on which side they err. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { criterionKinds, kindOf } from "../../src/core/issue/criterion-kind.ts";
import type { CriterionKind } from "../../src/core/issue/criterion-kind.ts";

type Row = { text: string; label: string; guess: string };

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/kinds/${name}`, import.meta.url), "utf8");

const texts = z.array(z.string()).optional();
const sources = z
  .array(
    z.strictObject({ from: z.string(), behaves: texts, as_before: texts, document: texts, measured: texts }),
  )
  .parse(parse(fixture("criteria.yaml")));
const criteria: Row[] = sources.flatMap((source) =>
  criterionKinds.flatMap((label) =>
    (source[label] ?? []).map((text) => ({ text, label, guess: kindOf(text).kind })),
  ),
);

/** What asks for more evidence comes later. */
const strictness: readonly string[] = [
  "document",
  "as_before",
  "behaves",
  "measured",
] satisfies CriterionKind[];

type Figures = { all: number; right: number; strict: number; lax: number };

function figuresOf(rows: readonly Row[]): Figures {
  const rank = (one: string): number => strictness.indexOf(one);
  const right = rows.filter(({ label, guess }) => label === guess).length;
  const lax = rows.filter(({ label, guess }) => rank(guess) < rank(label)).length;
  return { all: rows.length, right, strict: rows.length - right - lax, lax };
}

function halves(rows: readonly Row[]): { tuned: Row[]; heldOut: Row[] } {
  const isTuned = ({ text }: Row): boolean =>
    Number.parseInt(createHash("sha256").update(text).digest("hex")[0]!, 16) % 2 === 0;
  return { tuned: rows.filter(isTuned), heldOut: rows.filter((row) => !isTuned(row)) };
}

test("there are many, from many projects, in two languages, each once and with its source", () => {
  expect(criteria.length).toBeGreaterThanOrEqual(200);
  expect(criteria.filter(({ text }) => /\p{Script=Han}/u.test(text)).length).toBeGreaterThanOrEqual(30);
  expect(new Set(sources.map(({ from }) => from.split("@")[0])).size).toBeGreaterThanOrEqual(15);
  expect(new Set(criteria.map(({ text }) => text)).size).toBe(criteria.length);
});

// `strict`: it asks for more than the label. `lax`, which is worse: for less.
test("how many criteria are guessed right, on both sides of the split", () => {
  const { tuned, heldOut } = halves(criteria);
  expect(figuresOf(tuned)).toMatchInlineSnapshot(`
    {
      "all": 135,
      "lax": 1,
      "right": 131,
      "strict": 3,
    }
  `);
  expect(figuresOf(heldOut)).toMatchInlineSnapshot(`
    {
      "all": 126,
      "lax": 2,
      "right": 100,
      "strict": 24,
    }
  `);
});
