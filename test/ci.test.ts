/** .ci/run, with stand-ins for npm and npx that note what they are asked for: which rows it runs, and how it ends. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { temporaryRepository, writeFiles } from "./support/repository.ts";

const root = join(import.meta.dirname, "..");
const runPath = ".ci/run";

/** `PING` is what npm says of its registry, `FAILS` is what fails, at `ENDS` a TERM comes to .ci/run. */
const stub = `#!/bin/sh
echo "$*" >> "$ASKED"
case "$*" in "ping --fetch-retries=0") echo "$PING" >&2; exit 1;; "$FAILS") exit 1;; "$ENDS") kill -TERM "$PPID"; exec sleep 60;; esac
`;

type Ran = { exitCode: number | undefined; asked: string[]; output: string };
type Place = {
  ci(options?: { args?: string[]; ping?: string; fails?: string; ends?: string }): Promise<Ran>;
};

async function makePlace(): Promise<Place> {
  const { folder, outside } = await temporaryRepository();
  mkdirSync(join(folder, dirname(runPath)));
  copyFileSync(join(root, runPath), join(folder, runPath));
  const bin = join(outside, "bin");
  writeFiles(bin, { npm: stub, npx: stub });
  for (const name of ["npm", "npx"]) chmodSync(join(bin, name), 0o755);
  const asked = join(outside, "asked");
  return {
    ci: async ({ args = [], ping = "npm error code E404", fails = "nothing", ends = "nothing" } = {}) => {
      rmSync(asked, { force: true });
      const env = {
        PATH: `${bin}${delimiter}${process.env["PATH"]}`,
        ASKED: asked,
        PING: ping,
        FAILS: fails,
        ENDS: ends,
        TMPDIR: outside,
      };
      const ran = await execa(join(folder, runPath), args, { env, all: true, reject: false });
      const lines = existsSync(asked) ? readFileSync(asked, "utf8").trim().split("\n") : [];
      return {
        exitCode: ran.exitCode,
        asked: lines.filter((line) => line.startsWith("test") || line.startsWith("run test")),
        output: ran.all,
      };
    },
  };
}

const allRows = ["run test:full", "run test:live"];
const few = ["test", "run test:live -- --tags-filter=!full"];

test("a run runs a row of each kind, and with --all all rows", async () => {
  const place = await makePlace();
  expect(await place.ci()).toMatchObject({ exitCode: 0, asked: few });
  expect(await place.ci({ args: ["--all"] })).toMatchObject({ exitCode: 0, asked: allRows });
});

test.for(["run test:full", "run test:live", "--no-install knip"])(
  "a run in which `%s` fails is red",
  async (fails) => {
    const place = await makePlace();
    expect(await place.ci({ args: ["--all"], fails })).toMatchObject({ exitCode: 1 });
  },
);

test("a run that is interrupted ends what it was running", async () => {
  const place = await makePlace();
  const args = ["--all"];
  expect(await place.ci({ args, ends: "run test:live" })).toMatchObject({ exitCode: 143, asked: allRows });
});

const agentsFail = { fails: "run --silent agents:install" };

test.for([
  ["EAI_AGAIN", []],
  ["EAI_AGAIN", ["--all"]],
  ["E404", []],
] as const)("agents that cannot be installed, where npm's registry says %s, %j", async ([code, args]) => {
  const place = await makePlace();
  const { exitCode, output } = await place.ci({
    ...agentsFail,
    args: [...args],
    ping: `npm error code ${code}`,
  });
  const isSkipped = code === "EAI_AGAIN" && args.length === 0;
  expect(exitCode, output).toBe(isSkipped ? 0 : 1);
  expect(/green in \d+ s, BUT ALL LIVE ROWS ARE SKIPPED/.test(output)).toBe(isSkipped);
});

test("an argument that it does not know is refused, and nothing is run", async () => {
  const place = await makePlace();
  expect(await place.ci({ args: ["--al"] })).toEqual({
    exitCode: 2,
    asked: [],
    output: "error: expected nothing or --all, got --al",
  });
});
