/** .ci/run, with stand-ins for npm and npx that note what they are asked for: which rows it runs, and how it ends. .ci/overlay, with small suites. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { onOwnMounts } from "./support/namespaces.ts";
import { temporaryRepository, writeFiles } from "./support/repository.ts";

const root = join(import.meta.dirname, "..");
const runPath = ".ci/run";
const overlayPath = ".ci/overlay";

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
  writeFiles(folder, { [overlayPath]: '#!/bin/sh\nexec "$@"\n' });
  chmodSync(join(folder, overlayPath), 0o755);
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

const allRows = ["run test:full", "run test:full -w lab", "run test:live -w lab"];
const few = ["test", "test -w lab", "run test:live -w lab -- --tags-filter=!full"];

test("a run runs a row of each kind, and with --all all rows", async () => {
  const place = await makePlace();
  expect(await place.ci()).toMatchObject({ exitCode: 0, asked: few });
  expect(await place.ci({ args: ["--all"] })).toMatchObject({ exitCode: 0, asked: allRows });
});

test.for(["run test:full", "run test:full -w lab", "run test:live -w lab", "--no-install knip"])(
  "a run in which `%s` fails is red",
  async (fails) => {
    const place = await makePlace();
    expect(await place.ci({ args: ["--all"], fails })).toMatchObject({ exitCode: 1 });
  },
);

test("a run that is interrupted ends what it was running", async () => {
  const place = await makePlace();
  const args = ["--all"];
  expect(await place.ci({ args, ends: "run test:live -w lab" })).toMatchObject({
    exitCode: 143,
    asked: allRows,
  });
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

test.for([
  ["that stays in its places passes", 'echo x > x; echo x > "$TMPDIR/x"; echo x > "$HOME/x"', 0, ""],
  ["that fails is red", "exit 3", 3, ""],
  ["that writes elsewhere is red", "echo x > /etc/monoco-x; exit 0", 1, "/etc/monoco-x"],
  ["that makes a folder elsewhere is red", "mkdir /opt/monoco-x", 1, "/opt/monoco-x"],
  ["that writes beside the devices is red", "ln -s null /dev/monoco-x", 1, "/dev/monoco-x"],
  ["that leaves a process behind is red", "setsid sleep 60 > /dev/null 2>&1 &", 1, "sleep 60"],
] as const)(
  "a suite %s, and nothing of it reaches the machine",
  async ([, suite, exitCode, named], context) => {
    const { folder, outside } = await temporaryRepository();
    mkdirSync(join(folder, dirname(overlayPath)));
    copyFileSync(join(root, overlayPath), join(folder, overlayPath));
    const env = { TMPDIR: outside };
    // Where there is no view of the system, nothing of it is run.
    const words = ["sh", "-c", onOwnMounts(suite)];
    const ran = await execa(join(folder, overlayPath), words, { env, all: true, reject: false });
    if (ran.all.includes("WARNING")) context.skip(ran.all);
    expect(ran.exitCode, ran.all).toBe(exitCode);
    expect(ran.all).toContain(named);
    expect(readdirSync(outside).filter((name) => name.startsWith("monoco-overlay"))).toEqual([]);
    if (named.startsWith("/")) expect(existsSync(named)).toBe(false);
  },
);
