/** A person's git packs, deletes and brings objects at any time (`gc`, `repack`, `fetch`): nothing of ours fails of it. */
import { chmodSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { execaSync } from "execa";
import { expect, onTestFinished, test, vi } from "vitest";
import { takeSnapshot } from "../../src/git/snapshot.ts";
import { fetchSession } from "../../src/git/clone/fetch-session.ts";
import { makeClone } from "../../src/git/clone/workspace.ts";
import { plainGit, temporaryRepository, writeFiles } from "../support/repository.ts";

const branch = "monoco/FEAT-0001";

// TRAP 26
test("a clone has all objects of a repository that is repacked while it is made", async () => {
  const place = await temporaryRepository(
    Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`${n % 50}/${n}.txt`, `${n}\n`])),
  );
  const workspace = join(place.outside, "clone");
  const repackNow = () => execaSync("git", ["repack", "-adq"], { cwd: place.folder });
  const meanwhile = (async () => {
    await once(() => filesIn(workspace, /^[0-9a-f]{38}$/) > 0);
    repackNow();
    await once(() => filesIn(workspace, /\.pack$/) > 0);
    execaSync("git", ["commit", "-qm", "more", "--allow-empty"], { cwd: place.folder });
    repackNow();
  })();
  await Promise.all([
    makeClone(
      { root: place.folder, base: "main", ref: "HEAD", branch, clones: "copied" as const },
      workspace,
    ),
    meanwhile,
  ]);
  const objects = await plainGit(workspace)("rev-list", "--objects", "--missing=print", "--all");
  expect(objects.split("\n").filter((line) => line.startsWith("?"))).toEqual([]);
});

test.for<[string, string]>([
  [
    "fetch",
    "error: unable to create temporary file: No such file or directory\nfatal: failed to write object",
  ],
  ["fetch", "fatal: packfile ./objects/pack/pack-1.pack cannot be accessed"],
  ["write-tree", "fatal: unable to create temporary file: No such file or directory"],
  ["update-ref", "fatal: Unable to create 'x/.git/packed-refs.lock': File exists."],
])("git %s is run again where another git was at work in the repository: %s", async ([verb, words]) => {
  const place = await temporaryRepository();
  const workspace = join(place.outside, "clone");
  const failed = failOnce(place.outside, verb, words);
  const source = { root: place.folder, base: "main", ref: "HEAD", branch, clones: "borrowed" as const };
  await makeClone(source, workspace);
  const previousHead = await place.git("rev-parse", "HEAD");
  await plainGit(workspace)("commit", "--quiet", "--allow-empty", "--message", "work");
  const head = await plainGit(workspace)("rev-parse", "HEAD");
  writeFiles(workspace, { "b.txt": "two\n" });
  const from = { workspace, issue: "FEAT-0001", session: 1, previousHead };
  const commonDir = join(place.folder, ".git");
  expect(await fetchSession({ ...source, ref: "refs/monoco/FEAT-0001/head" }, from)).toEqual({ head });
  expect(await takeSnapshot({ root: place.folder, commonDir }, workspace, previousHead)).toMatchObject({
    uncommitted: ["b.txt"],
  });
  expect(readFileSync(failed, "utf8")).toBe("");
});

/** A `git` that fails once at this verb, with these words; the file that shows that it did. */
function failOnce(outside: string, verb: string, words: string): string {
  const once = join(outside, "once");
  const git = execaSync("/bin/sh", ["-c", "command -v git"]).stdout;
  const shim = `#!/bin/sh
case " $* " in *" ${verb} "*) [ -e '${once}' ] || { : > '${once}'; printf '%s\\n' "${words}" >&2; exit 128; };; esac
exec '${git}' "$@"
`;
  writeFiles(outside, { "bin/git": shim });
  chmodSync(join(outside, "bin/git"), 0o755);
  vi.stubEnv("PATH", `${join(outside, "bin")}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return once;
}

/** Resolves in the first turn of the event loop in which it is so. */
async function once(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

function filesIn(clone: string, name: RegExp): number {
  const objects = join(clone, ".git", "objects");
  if (!existsSync(objects)) return 0;
  const all = readdirSync(objects, { recursive: true, encoding: "utf8" });
  return all.filter((path) => name.test(basename(path))).length;
}
