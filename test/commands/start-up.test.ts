/** The built program: it starts as it lies there, says what the sources say, and tells an old Node what is needed. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cliPath, openSandbox } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { makeDemo } from "../support/demo.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = openSandbox();
});
afterEach(() => sandbox.dispose());

test("the program that was built can be run as it stands, with no link made by an installation", () => {
  const version = execFileSync(join(import.meta.dirname, "../../dist/cli.js"), ["--version"], {
    encoding: "utf8",
  });
  expect(version).toMatch(/^0\.1\.0\n$/);
});

test.each(["en", "zh"])("a run that was built says in %s what the sources say", async (MONOCO_LANGUAGE) => {
  const project = await makeDemo(sandbox);
  const [args, options] = [["run", "NOPE-0001"], { cwd: project, env: { MONOCO_LANGUAGE } }] as const;
  expect(await sandbox.start(args, options)).toEqual(await sandbox.monoco(args, options));
});

test("npm run link puts it where other programs find it, by the clone's own Node, and leaves what is not its own", () => {
  const home = sandbox.env["HOME"]!;
  const link = (): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [join(import.meta.dirname, "../../scripts/link.ts")], {
      env: { ...sandbox.env, HOME: home },
      encoding: "utf8",
    });
  const path = join(home, ".local/bin/monoco");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "mine");
  expect(link()).toMatchObject({ status: 2, stderr: expect.stringContaining("not a link that") as string });
  expect(readFileSync(path, "utf8")).toBe("mine");
  rmSync(path);

  expect(link()).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("next: put it on your PATH") as string,
  });
  expect(link()).toMatchObject({ status: 0 });
  // No Node is on this PATH.
  const tools = join(sandbox.folder, "tools");
  mkdirSync(tools);
  for (const name of ["sh", "xargs", "readlink"])
    symlinkSync(
      execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(),
      join(tools, name),
    );
  const ran = spawnSync("/bin/sh", ["-c", "echo --version | xargs monoco"], {
    env: { HOME: home, PATH: `${dirname(path)}:${tools}` },
    encoding: "utf8",
  });
  expect(ran).toMatchObject({ status: 0, stdout: "0.1.0\n", stderr: "" });
});

test("installed for all, it runs by the Node that it was installed with, whatever else is on the PATH", () => {
  const prefix = join(sandbox.folder, "prefix");
  const [installed, others] = [join(prefix, "lib/node_modules/monoco/src"), join(sandbox.folder, "others")];
  for (const folder of [installed, join(prefix, "bin"), others]) mkdirSync(folder, { recursive: true });
  copyFileSync(join(import.meta.dirname, "../../src/launch.sh"), join(installed, "launch.sh"));
  symlinkSync("../lib/node_modules/monoco/src/launch.sh", join(prefix, "bin/monoco"));
  for (const folder of [join(prefix, "bin"), others])
    writeFileSync(join(folder, "node"), '#!/bin/sh\necho "$0 $*"\n', { mode: 0o755 });
  const run = (): string =>
    execFileSync(join(prefix, "bin/monoco"), ["status"], {
      env: { PATH: `${others}:/usr/bin:/bin` },
      encoding: "utf8",
    });
  const program = join(prefix, "lib/node_modules/monoco/dist/cli.js");
  expect(run()).toBe(`${join(prefix, "bin/node")} ${program} status\n`);
  rmSync(join(prefix, "bin/node"));
  expect(run()).toBe(`${join(others, "node")} ${program} status\n`);
});

test("an old Node is told what is needed, without what it lacks", () => {
  const old = join(sandbox.folder, "old.cjs");
  writeFileSync(
    old,
    "delete process.getBuiltinModule; Object.defineProperty(process.versions, 'node', { value: '18.19.1' });",
  );
  const ran = spawnSync(process.execPath, ["--require", old, cliPath, "run"], { encoding: "utf8" });
  expect(ran).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /^error: monoco needs Node 22\.19 or newer, this is 18\.19\.1\nhint: /,
    ) as string,
  });
});
