/** What a check leads to is followed until nothing new turns up: such a file is protected, and crossed with the base's. */
import { expect, test as it } from "vitest";
import { commit, openPlace, submit } from "../support/place.ts";

const id = "FEAT-0001";
const files = {
  "lib.sh": "add() {\n  echo $(($1 + $2))\n}\n",
  "tests/add.sh": '. ./lib.sh\n[ "$(add 1 2)" = 3 ]\n',
  "check.sh": ". ./ci/one.sh\n",
  "ci/one.sh": '. "$(dirname "$0")/ci/../tools/go.sh"\n',
  "tools/go.sh": "node tools/two.mjs\n",
  "tools/two.mjs": 'import "./deep/three.mjs";\n',
  "tools/deep/three.mjs":
    'import { execFileSync } from "node:child_process";\nexecFileSync("sh", ["ci/four.sh"], { stdio: "inherit" });\n',
  "ci/four.sh": "for t in tests/*.sh; do sh $t || exit 1; done\n",
  "package.json": '{ "scripts": { "test": "sh check.sh" } }\n',
  "src/price.js": "export const price = 1;\n",
};

it("a script five levels below a check; with it what decides about the code of others", async () => {
  const place = await openPlace(
    {
      executor: [
        [
          {
            write: {
              "lib.sh": "add() {\n  echo 0\n}\n",
              "ci/four.sh": "true\n",
              "package.json": '{ "scripts": { "test": "sh check.sh", "postinstall": "sh lib.sh" } }\n',
              "node_modules/helper/index.js": "exports.help = 1;\n",
              ".npmrc": "ignore-scripts=false\n",
            },
          },
          { run: "ln -sf ../lib.sh src/price.js" },
          commit,
          submit,
        ],
      ],
      reviewer: [[{ verdict: "approve" }]],
    },
    { files, settings: 'checks: ["sh check.sh"]\n', limits: { sessionsMax: 2 } },
  );
  await place.monoco("run", id);
  const [inspected] = place.all("submission.inspected");
  expect(inspected?.protected).toEqual([
    { path: "ci/four.sh", kind: "command", by: "sh check.sh" },
    { path: "package.json", kind: "lifecycle", by: "postinstall" },
    { path: ".npmrc", kind: "registry" },
    { path: "node_modules/helper/index.js", kind: "vendored" },
    { path: "src/price.js", kind: "link", by: "../lib.sh" },
  ]);
  expect(place.all("submission.inspected").at(-1)!.weakened).toContainEqual(
    expect.objectContaining({ kind: "crossed", file: expect.stringContaining("ci/four.sh") }),
  );
});
