/** kill -9 of a command that has a temporary folder: the next command removes it, and none that somebody still uses. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { within } from "../../src/io/io.ts";
import { expect, onTestFinished, test } from "vitest";
import { makeTemporary } from "../../src/app/temporary.ts";
import { temporaryFolder } from "../support/repository.ts";

const module = new URL("../../src/app/temporary.ts", import.meta.url);

/** A process with a temporary folder of its own, an hour old. */
async function another(tmp: string) {
  const script = `import { makeTemporary } from ${JSON.stringify(module.href)}; console.log(makeTemporary("check").folder); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, TMPDIR: tmp },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [told] = (await once(child.stdout, "data")) as [Buffer];
  const folder = told.toString().trim();
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(folder, hourAgo, hourAgo);
  return { child, folder };
}

test("a killed command's folder is removed by the next command, that of one that lives is not", async () => {
  const tmp = temporaryFolder();
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = tmp;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  const [killed, alive] = await Promise.all([another(tmp), another(tmp)]);
  killed.child.kill("SIGKILL");
  await once(killed.child, "exit");
  expect([killed.folder, alive.folder].map((folder) => existsSync(folder))).toEqual([true, true]);
  const own = makeTemporary("check");
  expect([killed.folder, alive.folder, own.folder].map((folder) => existsSync(folder))).toEqual([
    false,
    true,
    true,
  ]);
  own.remove();
  expect(existsSync(own.folder)).toBe(false);
});

test("what only has such a name is left alone: a file, a link, a folder without a lock", () => {
  const tmp = temporaryFolder();
  const names = ["monoco-check-output.txt", "monoco-check-link", "monoco-check-notes"];
  writeFileSync(join(tmp, names[0]!), "mine");
  symlinkSync(tmp, join(tmp, names[1]!));
  mkdirSync(join(tmp, names[2]!, "deep"), { recursive: true });
  const hourAgo = Date.now() / 1000 - 3600;
  for (const name of names) lutimesSync(join(tmp, name), hourAgo, hourAgo);
  within({ env: { TMPDIR: tmp } }, () => makeTemporary("check").remove());
  expect(readdirSync(tmp).toSorted()).toEqual(names.toSorted());
});
