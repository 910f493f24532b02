/** With the index that git wrote as it made the workspace, the first snapshot is what it is without one. */
import { join } from "node:path";
import { expect } from "vitest";
import { makeClone } from "../../src/git/clone/workspace.ts";
import { testRows } from "../support/full.ts";
import { temporaryRepository } from "../support/repository.ts";
import { snapshotAfter, sourceIn } from "../support/snapshot-after.ts";

// On a disk: of files in memory no index is kept.
process.env["TMPDIR"] = "/var/tmp";

const files = {
  "a.txt": "one",
  "d/e.txt": "one",
  ".gitignore": "*.ignored\n",
  "lines.txt": "one\r\n",
  ".gitattributes": "lines.txt text eol=crlf\n",
};

testRows<[string, string]>([
  ["nothing", "true"],
  ["a change of the same size at once", "printf two > a.txt"],
  [
    "a change of the same size whose time was put back",
    "touch -r a.txt ../time; printf two > a.txt; touch -r ../time a.txt",
  ],
  ["an executable bit", "chmod +x a.txt"],
  ["a deleted file, and a new one", "rm d/e.txt; echo 1 > new.txt; echo 2 > x.ignored"],
  ["an index of the agent's own", "printf two > a.txt; git update-index --assume-unchanged a.txt"],
  ["a commit, and a change beside it", "printf six > a.txt; git commit -qam six; printf ten > d/e.txt"],
])("%s", async ([, work]) => {
  const place = await temporaryRepository(files);
  const snapshot = async (name: string, keepsIndex: boolean): Promise<object> => {
    const workspace = join(place.outside, name);
    await makeClone({ ...sourceIn(place), ref: "HEAD" }, workspace);
    const env = { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
    return snapshotAfter(place, workspace, { work, keepsIndex, env });
  };
  expect(await snapshot("kept", true)).toEqual(await snapshot("plain", false));
});

const date = "2026-01-01T00:00:00Z";
