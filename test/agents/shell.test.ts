/** The shell of set-ups and checks: bash where it is on the PATH, else sh, or the one that is set. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { shellFor } from "../../src/agents/shell.ts";
import { errorOf } from "../support/error-of.ts";

const folder = mkdtempSync(join(tmpdir(), "monoco shell-"));
afterAll(() => rmSync(folder, { recursive: true }));
for (const name of ["bash", "my shell"]) writeFileSync(join(folder, name), "#!/bin/sh\n");
for (const name of ["bash", "my shell"]) chmodSync(join(folder, name), 0o755);

test.for([
  ["bash, if nothing is set", undefined, folder, ["bash", "-c"]],
  ["sh, if there is no bash", undefined, join(folder, "empty"), ["/bin/sh", "-c"]],
  ["no bash in a relative folder, where an agent could put one", undefined, ".", ["/bin/sh", "-c"]],
  ["a command line", " bash  -o pipefail ", folder, ["bash", "-o", "pipefail", "-c"]],
  ["a list of words", [join(folder, "my shell"), "-e"], "", [join(folder, "my shell"), "-e", "-c"]],
] as const)("%s", ([, setting, PATH, argv]) => {
  expect(shellFor(setting, { PATH })).toEqual(argv);
});

test.for(["zsh -o pipefail", "./bash", "bin/bash", "/no/such/bash", " "])(
  "a shell that is not installed, or would be the clone's own, is refused: %s",
  (setting) => {
    expect(errorOf(() => shellFor(setting, { PATH: folder }, "monoco.yaml:3"))).toMatchObject({
      kind: "input",
      message: `monoco.yaml:3: shell: no such program on the PATH: ${setting.trim().split(" ")[0]}`,
      hint: "install it, or name another one: shell: bash -o pipefail",
    });
  },
);
