/** A fleet: two clones of one repository, a bare remote between them, and a database that is set up for their workers. */
import { expect, onTestFinished } from "vitest";
import { databaseVariable } from "../../src/core/lease/database.ts";
import type { Running } from "./cli.ts";
import { issueText, run, say, waitFor } from "./place.ts";
import type { Story } from "./place.ts";
import type { Postgres } from "./postgres.ts";
import { openTwoClones } from "./two-clones.ts";
import type { Clone, TwoClones } from "./two-clones.ts";

/** Each issue's Executor writes a file of its own, and notes that it did so and what of the database it can see. */
export const works: Story = {
  executor: [
    [
      run(
        'echo "$MONOCO_ISSUE" > "$MONOCO_ISSUE.txt"; env | grep -i -e postgres -e s3cr3t -e DATABASE >> "$FIFOS/seen"; git add -A; git commit -qm "work on $MONOCO_ISSUE"',
      ),
      { submit: true },
    ],
  ],
  reviewer: [[{ verdict: "approve" }]],
};

/** The same, but the first Executor stands still first. */
export const stands: Story = {
  ...works,
  executor: [[say("here"), waitFor("go"), ...works.executor[0]!], ...works.executor],
};

export type FleetPlace = TwoClones & {
  url: string;
  start(clone: Clone, ...args: string[]): Running;
  /** The subjects of the merges on the remote's base, the oldest first. */
  merges(): Promise<string[]>;
  /** As if a minute had passed without a word of the workers that have these keys. */
  silence(key: string): Promise<void>;
};

type Options = {
  ids?: string[];
  /** What an issue depends on. */
  after?: Record<string, string>;
};

export const fleetsOn =
  (postgres: Postgres) =>
  (story: Story, options: Options = {}): Promise<FleetPlace> =>
    openFleet(postgres, story, options);

async function openFleet(
  postgres: Postgres,
  story: Story,
  { ids = ["FEAT-0001"], after = {} }: Options,
): Promise<FleetPlace> {
  const file = (id: string): [string, string] => [
    `issues/${id}-write-a-file.md`,
    issueText(id, after[id] === undefined ? "" : `dependencies: [${after[id]}]\n`),
  ];
  const clones = await openTwoClones(story, {
    issues: [],
    files: Object.fromEntries(ids.map(file)),
    settings: "remote: { name: origin }",
  });
  const url = await postgres.database();
  const { place } = clones;
  const env = { [databaseVariable]: url };
  expect(await place.sandbox.monoco(["fleet", "migrate"], { cwd: place.project, env })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^postgres:\/\/\/fleet\d+ is ready/) as string,
  });
  return {
    ...clones,
    url,
    start: (clone, ...args) => {
      const running = place.sandbox.start(args, { cwd: clone.folder, env });
      onTestFinished(() => running.kill("SIGKILL"));
      return running;
    },
    merges: async () => {
      const log = await clones.there("git log --first-parent --reverse --format=%s main");
      return log.split("\n").filter((line) => line.includes("FEAT-"));
    },
    silence: async (key) => {
      const aged = `UPDATE monoco.job SET heartbeat_on = now() - interval '1 hour' WHERE singleton_key = '${key}'`;
      await postgres.sql(url, aged);
    },
  };
}
