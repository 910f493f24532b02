/** What a probe found counts for the very program that was probed, in lists and in relays; of one that has changed it says nothing. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { eventsOf, openSandbox, processesOf } from "../support/cli.ts";
import { writeFiles } from "../support/repository.ts";
import { full as test } from "../support/full.ts";

/** A stub in the place of Claude Code, as if it had lost its hooks: it does the probe's work, ends, and never calls one. */
const stub = (version: string): string => `#!/bin/sh
test "$1" = --version && echo ${version} && exit
echo '{"type":"system","subtype":"init","session_id":"00000000-0000-4000-8000-000000000001","model":"m"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"Working."},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"true"}}]}}'
if [ -e issue.md ]; then
  echo one > one.txt
  until [ -e go.txt ]; do sleep 0.1; done
  echo two > two.txt
fi
echo '{"type":"result","is_error":false,"terminal_reason":"completed","result":"I stop."}'
`;

const issue = "FEAT-0001";
const yesterday = new Date(Date.now() - 86_400_000);

/** `claude` on the PATH is a link, as its installer leaves one; the program behind it is of yesterday. */
async function makePlace() {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const program = (name: string): string => join(sandbox.folder, "versions", name);
  const link = join(sandbox.folder, "bin-of-agents", "claude");
  const project = join(sandbox.folder, "project");
  const install = (name: string, text: string, time = yesterday): void => {
    mkdirSync(dirname(program(name)), { recursive: true });
    // As a package manager does it: a new file in the place of the old one.
    writeFileSync(`${program(name)}.new`, text, { mode: 0o755 });
    utimesSync(`${program(name)}.new`, time, time);
    renameSync(`${program(name)}.new`, program(name));
  };
  const use = (name: string): void => {
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(program(name), link);
  };
  writeFiles(project, {
    "monoco.yaml": "roles: { executor: { agents: [claude] }, reviewer: { agents: [claude] } }\n",
    [`issues/${issue}-a.md`]: `---\nid: ${issue}\ntitle: A\nstatus: open\nstage: draft\n---\n\n## Objective\n\nA.\n\n## Acceptance Criteria\n\n- [ ] a\n`,
  });
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  install("one", stub("9.0.0"));
  use("one");
  const options = { cwd: project, env: { PATH: `${dirname(link)}:/usr/bin:/bin` } };
  const monoco = (...words: string[]) => sandbox.monoco(words, options);
  return {
    sandbox,
    install,
    use,
    probe: () => monoco("agent", "probe", "claude", "--json"),
    /** By a list, and by what a relay misses: hooks that were found not to be there are not waited for. */
    judged: async () => {
      const listed = await monoco("agent", "list", "--json");
      const reports = JSON.parse(listed.stdout) as { name: string; probed: string | null }[];
      const ran = await monoco("run", issue, "--once");
      const ends = eventsOf(project, issue).filter((event) => event.type === "session.ended");
      const end = ends.at(-1);
      expect(end, ran.stdout + ran.stderr).toMatchObject({ reason: "completed_without_submit" });
      return {
        probed: reports.find(({ name }) => name === "claude")?.probed,
        missesHooks: endingWords(end!.evidence).includes("its hooks were not seen to be loaded"),
      };
    },
  };
}

type Place = Awaited<ReturnType<typeof makePlace>>;

const byFindings = { probed: "external loop", missesHooks: false };
const asDeclared = { probed: null, missesHooks: true };

test.for<[string, (place: Place) => void, object]>([
  ["the very program that was probed is judged by what was found", () => {}, byFindings],
  [
    "another version in its place is as declared: of its size, and written later",
    ({ install }) => install("one", stub("1.0.1"), new Date()),
    asDeclared,
  ],
  [
    "another version in its place is as declared: of its time, and longer",
    ({ install }) => install("one", stub("1.0.10")),
    asDeclared,
  ],
  [
    "another file behind the same link is as declared, also one of its size and time",
    ({ install, use }) => {
      install("two", stub("1.0.1"));
      use("two");
    },
    asDeclared,
  ],
  [
    "the old file behind the link again is judged by what was found",
    ({ install, use }) => {
      install("two", stub("1.0.1"));
      use("two");
      use("one");
    },
    byFindings,
  ],
])(
  "%s",
  async ([, change, expected]) => {
    const place = await makePlace();
    const before = await place.judged();
    expect(before).toEqual(asDeclared);
    expect(await place.probe()).toMatchObject({ exitCode: 0, stderr: "" });
    change(place);
    expect(await place.judged()).toEqual(expected);
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  },
  120_000,
);

test("a new version that is probed has findings of its own, and leaves those of the old one", async () => {
  const place = await makePlace();
  await place.probe();
  place.install("two", '#!/bin/sh\ntest "$1" = --version && echo 9.1.0 && exit\necho broken >&2; exit 3\n');
  place.use("two");
  const probed = await place.probe();
  expect(JSON.parse(probed.stdout)).toMatchObject([{ version: "9.1.0", conclusion: "unusable" }]);
  place.use("one");
  expect(await place.judged()).toEqual(byFindings);
});
