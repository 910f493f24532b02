/** What is not shown is asked of the same Reviewer once, and then of a person; meanwhile the trial runs beside the Reviewer. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { becauseOf } from "../../src/core/reason/reason.ts";
import { openStub } from "../support/claude-stub.ts";
import { processesOf } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";
import { commit, issuePath, issueText, openPlace, run, say, submit, waitFor } from "../support/place.ts";
import type { Place } from "../support/place.ts";

const id = "FEAT-0001";
const add = "add() {\n  echo $(($1 + $2))\n}\n";
const sub = "\nsub() {\n  echo $(($1 - $2))\n}\n";
const tests = (call: string, result: number): string => `. ./lib.sh\n[ "$(${call})" = ${result} ]\n`;
const honest = { "lib.sh": add + sub, "tests/sub.sh": tests("sub 3 1", 2) };
const check = "for t in tests/*.sh; do sh $t || exit 1; done";
const hollow = { command: "grep -q sub lib.sh", exitCode: 0 };
const shown = { command: '. ./lib.sh; [ "$(sub 3 1)" = 2 ]', exitCode: 0 };
const probe = { command: '. ./lib.sh; [ "$(sub 1 3)" = -2 ]', exitCode: 0 };
const met = (criterion: number, evidence: object): object => ({ criterion, result: "met", ...evidence });
const approval = (criteria: object[], probes: object[] = [probe]): object => ({
  verdict: "approve",
  criteria,
  probes,
});

type Story = {
  write?: Record<string, string>;
  /** What it does before that. */
  does?: object[];
  /** Its later sessions. */
  works?: object[][];
  reviewer: object[][];
  criteria?: string[];
  checks?: string;
  settings?: string;
  files?: Record<string, string>;
};

/** A relay whose Executor submits `write`. */
async function open(story: Story): Promise<Place> {
  const { write = honest, does = [], works = [], criteria = ["sub subtracts"], files = {} } = story;
  const text = issueText(id).replace(
    "- [ ] the file is there",
    criteria.map((one) => `- [ ] ${one}`).join("\n"),
  );
  return openPlace(
    { executor: [[...does, { write }, commit, submit], ...works], reviewer: story.reviewer },
    {
      files: { "lib.sh": add, "tests/add.sh": tests("add 1 2", 3), [issuePath(id)]: text, ...files },
      settings: `checks: [${JSON.stringify(story.checks ?? check)}]\nbaseline: none\n${story.settings ?? ""}`,
    },
  );
}

const promptOf = (place: Place, session: string): string =>
  readFileSync(join(place.project, ".monoco/relays", id, "sessions", session, "prompt.md"), "utf8");
const reviewersOf = (place: Place): string[] =>
  place
    .all("session.started")
    .flatMap(({ role, reason }) => (role === "reviewer" ? [becauseOf(reason)] : []));
const onceMore = ["submission 1 is checked", "the last verdict does not count"];

describe("a Reviewer whose evidence does not count is asked once more", () => {
  const criteria = ["sub subtracts", "what is subtracted may be more than there is"];
  const looks = "look.sh";
  const look = '. ./lib.sh; [ "$(sub 1 4)" = -3 ]\n';
  const tells = 'echo "${MONOCO_ASKED_AGAIN:-no}" > "$FIFOS/../asked-$MONOCO_SESSION"';
  const first = [met(1, hollow), met(2, { command: `sh ${looks}`, exitCode: 0 })];

  const expectMerged = async (place: Place): Promise<void> => {
    const ran = await place.monoco("run", id);
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(reviewersOf(place)).toEqual(onceMore);
    expect(place.all("review.refused")).toMatchObject([
      {
        session: 2,
        why: [expect.stringMatching(/^criterion 1 \(sub subtracts\): `grep -q sub lib\.sh` ended with 0/)],
      },
    ]);
    const asked = (session: number): string =>
      readFileSync(join(place.around, `asked-${session}`), "utf8").trim();
    expect([asked(2), asked(3)]).toEqual(["no", "1"]);
    const [whole, questions] = [promptOf(place, "0002-reviewer"), promptOf(place, "0003-reviewer")];
    expect(whole).toContain("diff --git a/lib.sh b/lib.sh");
    expect(questions).toContain("`grep -q sub lib.sh` ended with 0 on the submission, 1 on the base, 0 on");
    expect(questions).toContain(`2. ${criteria[1]}`);
    expect(questions).not.toContain("diff --git");
    expect(questions).not.toContain("criterion 2 (");
    // What it did not name again stands, its own file too.
    const [decided] = place.all("review.decided");
    expect(decided).toMatchObject({ session: 3, verdict: "approve", probes: [probe] });
    expect(decided!.criteria!.toSorted((a, b) => a.criterion - b.criterion)).toMatchObject([
      { ...shown, supports: true, by: "differs" },
      { command: `sh ${looks}`, supports: true, by: "differs" },
    ]);
    expect(await place.git("ls-tree", "-r", "--name-only", "main")).not.toContain(looks);
  };

  it("and merges with what it adds; what it does not name again stands", async () => {
    const place = await open({
      criteria,
      reviewer: [
        [run(tells), { write: { [looks]: look } }, approval(first)],
        [
          run(tells),
          run(`test -f ${looks} || exit 1; echo there > "$FIFOS/../there"`),
          approval([met(1, shown)], []),
        ],
      ],
    });
    await expectMerged(place);
    expect(existsSync(join(place.around, "there"))).toBe(true);
  });

  test("a program of kind command as well, by MONOCO_ASKED_AGAIN", async () => {
    const verdict = (criteria: object[], probes: object[]): string =>
      `printf '%s\\n' '${JSON.stringify({ type: "verdict", findings: [], ...approval(criteria, probes) }).replaceAll("'", `'"'"'`)}'`;
    const place = await open({
      criteria,
      reviewer: [[]],
      files: {
        "judge.sh": `${tells}
cat > /dev/null
if [ -n "$MONOCO_ASKED_AGAIN" ]; then
  test -f ${looks} && ${verdict([met(1, shown)], [])}
else
  cat > ${looks} << 'END'
${look}END
  ${verdict(first, [probe])}
fi
`,
      },
    });
    const fifos = JSON.stringify({ FIFOS: join(place.around, "fifos") });
    const settings = place
      .read("monoco.yaml")
      .replace(
        "agents: {",
        `agents: { judge: { kind: command, run: [sh, ${JSON.stringify(join(place.project, "judge.sh"))}], env: ${fifos} },`,
      )
      .replace("reviewer: { agents: [a] }", "reviewer: { agents: [judge] }");
    place.write("monoco.yaml", settings);
    await place.sh("git commit -qam Judge");
    await expectMerged(place);
  });

  it("and then a person, once, with the criterion's number: no third session is paid", async () => {
    const long = { command: `grep -q sub lib.sh${" && test -s lib.sh".repeat(6)}`, exitCode: 0 };
    const reviewer = [[approval([met(1, long), met(2, shown)])]];
    const place = await open({
      criteria: ["sub subtracts the second number from the first, as a shell does", criteria[1]!],
      reviewer,
    });
    const ran = await place.monoco("run", id);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(reviewersOf(place)).toEqual(onceMore);
    expect(place.events().at(-1)).toMatchObject({
      type: "relay.blocked",
      reason: { rule: "evidence_unclear", submission: 1, criteria: [1] },
    });
    // The question is whole: what was run, what came of it, and each way on.
    const prompt = promptOf(place, "0003-reviewer");
    expect(prompt).toMatch(/^- criterion 1 .* without its work: it shows that something is there.*$/m);
    expect(prompt).toMatch(/^Of a criterion, name what shows it: .* a person decides then\./m);
    expect(ran.stdout).toContain("what shows criterion 1 of submission 1 is for you to say");
    expect(await place.monoco("issue", "review", id, "--approve", "--no-run")).toMatchObject({ exitCode: 0 });
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("merge.done")).toHaveLength(1);
    expect(reviewersOf(place)).toEqual(onceMore);
  });

  test("in the same conversation, where its agent can go on with it", async () => {
    const looks = { command: "echo test -s file.txt | sh", exitCode: 0 };
    const beyond = { command: "git diff --check HEAD", exitCode: 0 };
    const verdict = (evidence: object): object => ({
      type: "verdict",
      findings: [],
      ...approval([met(1, evidence)], [beyond]),
    });
    const place = await openStub(
      [
        { costUsd: 1, verdict: verdict({ command: "true", exitCode: 0 }) },
        { costUsd: 1.25, verdict: verdict(looks) },
      ],
      "",
      "reviewer",
    );
    const ran = await place.run("run", id);
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    const [first, second] = place.starts();
    const conversation = first!.split(" ")[1]!;
    expect([first, second]).toEqual([`--session-id ${conversation}`, `--resume ${conversation}`]);
    const reviewers = place.all("session.started").filter(({ role }) => role === "reviewer");
    expect(reviewers.map(({ continues }) => continues)).toEqual([undefined, 2]);
    // Each is charged its own share.
    expect(place.all("session.ended").flatMap(({ costUsd }) => costUsd ?? [])).toEqual([1, 0.25]);
  });

  test("and asked what it could not verify; its second word to that goes to a person", async () => {
    const cannot = { criterion: 2, result: "not_verifiable", text: "needs a printer" };
    const place = await open({ criteria, reviewer: [[approval([met(1, shown), cannot])]] });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(reviewersOf(place)).toEqual(onceMore);
    expect(place.events().at(-1)).toMatchObject({ reason: { rule: "human_gate", criteria: [2] } });
  });

  test("and may find the work wrong after all", async () => {
    const finding = {
      id: "off",
      severity: "major",
      title: "Off by one",
      criterion: "1",
      evidence: { text: "tried" },
    };
    const place = await open({
      criteria,
      works: [[run("git commit -q --allow-empty -m Again"), submit]],
      reviewer: [
        [approval([met(1, hollow), met(2, shown)])],
        [{ verdict: "request_changes", findings: [finding] }],
        [approval([met(1, shown), met(2, shown)])],
      ],
    });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("review.decided").map(({ verdict }) => verdict)).toEqual(["request_changes", "approve"]);
    expect(promptOf(place, "0003-reviewer")).toContain("# Questions on a verdict");
    expect(promptOf(place, "0005-reviewer")).not.toContain("# Questions on a verdict");
  });
});

/** On the base, once: meets the Reviewer, who waits for it, and does `then`. */
const meetsOnBase = (then: string): string =>
  `case $PWD in *.base) if mkdir ../once 2> /dev/null; then mkfifo ../met 2> /dev/null; echo > ../met; ${then}; fi ;; esac; ${check}`;
const meets = run("mkfifo ../met 2> /dev/null; cat ../met");
const stays = "sleep 543";
const stillThere = (place: Place): string[] => processesOf(place.around).filter((one) => one.includes(stays));

describe("the trial runs while the Reviewer works", () => {
  it("who waits here until a check runs on another tree, at the lowest priority, as what sets that up", async () => {
    const onBase = `case $PWD in *.base) nice > ../priority ;; esac`;
    const place = await open({
      checks: meetsOnBase("nice >> ../priority"),
      settings: `setup: [${JSON.stringify(onBase)}]`,
      reviewer: [[meets, approval([met(1, shown)])]],
    });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("submission.tried")).toMatchObject([{ trial: { onBase: { result: "fail" } } }]);
    const types = place.events().map(({ type }) => type);
    expect(types.lastIndexOf("session.ended")).toBeLessThan(types.indexOf("submission.tried"));
    expect(await place.sh(`cat "$(find '${place.around}/state' -name priority)"`)).toBe("19\n19");
  });

  it("and is stopped where changes are requested: no process is left", async () => {
    const finding = {
      id: "off",
      severity: "major",
      title: "Off by one",
      criterion: "1",
      evidence: { text: "tried" },
    };
    const again = [say("second"), waitFor("go on"), run("git commit -q --allow-empty -m Again"), submit];
    const place = await open({
      checks: meetsOnBase(stays),
      works: [again],
      reviewer: [[meets, { verdict: "request_changes", findings: [finding] }], [approval([met(1, shown)])]],
    });
    const running = place.start("run", id);
    await place.heard("second");
    expect(stillThere(place)).toEqual([]);
    expect(place.all("submission.tried")).toEqual([]);
    await place.go("go on");
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(processesOf(place.around)).toEqual([]);
  });

  testRows<["process-group" | "namespace"]>([["process-group"], ["namespace"]])(
    "and is ended by the next run where the runner was killed: %s",
    async ([containment]) => {
      const place = await open({
        checks: meetsOnBase(stays),
        reviewer: [[meets, say("reviewing"), waitFor("never")], [approval([met(1, shown)])]],
      });
      const env = containment === "process-group" ? withoutNamespaces(place) : {};
      const running = place.sandbox.start(["run", id], { cwd: place.project, env });
      await place.heard("reviewing");
      expect(stillThere(place)).not.toEqual([]);
      running.kill("SIGKILL");
      expect(await running).toMatchObject({ signal: "SIGKILL" });
      if (containment === "process-group") expect(stillThere(place)).not.toEqual([]);
      const resumed = await place.sandbox.start(["relay", "resume", id], { cwd: place.project, env });
      expect(resumed, resumed.stdout + resumed.stderr).toMatchObject({ exitCode: 0 });
      expect(processesOf(place.around)).toEqual([]);
      expect(place.all("merge.done")).toHaveLength(1);
    },
  );
});

/** A PATH on which the namespace's wrapper fails, as it does where the machine forbids it. */
function withoutNamespaces(place: Place): Record<string, string> {
  const folder = join(place.around, "no-namespaces");
  mkdirSync(folder);
  writeFileSync(join(folder, "setpriv"), "#!/bin/sh\nexit 1\n");
  chmodSync(join(folder, "setpriv"), 0o755);
  return { PATH: `${folder}:${place.sandbox.env["PATH"]}` };
}

testRows<[string, string]>([
  ["at its folder's name", "case $PWD in *FEAT-0001*) echo $(($1 - $2)) ;; *) echo 0 ;; esac"],
  ["for a runner's variables", 'if [ "$CI" ]; then echo $(($1 - $2)); else echo 0; fi'],
  [
    "at its folder's name, in Node",
    `node -e 'console.log(process.cwd().includes("FEAT-0001") ? process.argv[1] - process.argv[2] : 0)' $1 $2`,
  ],
])("code that looks %s is found by the run elsewhere", async ([, body]) => {
  const write = { ...honest, "lib.sh": `${add}\nsub() {\n  ${body}\n}\n` };
  const place = await open({ write, reviewer: [[approval([met(1, shown)])]] });
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
  expect(place.all("review.refused")[0]!.why).toEqual([
    expect.stringContaining("it ends otherwise in another folder and without a runner's variables"),
  ]);
  expect(place.events().at(-1)).toMatchObject({ reason: { rule: "evidence_unclear", criteria: [1] } });
});

const oldHelper = {
  "src/old.sh": "old() {\n  echo 1\n}\n",
  "src/main.sh": ". ./src/old.sh\necho main\n",
  "tests/main.sh": '[ "$(sh src/main.sh)" = main ]\n',
};

testRows<[string, Story]>(
  [
    [
      "a feature with its test, by the check for all criteria",
      {
        criteria: ["sub subtracts", "sub is tested"],
        reviewer: [[approval([1, 2].map((n) => met(n, { command: check, exitCode: 0 })))]],
      },
    ],
    [
      "a Dockerfile, because it is there",
      {
        write: { Dockerfile: "FROM alpine\nEXPOSE 8080\n" },
        criteria: ["There is a Dockerfile", "it exposes port 8080"],
        reviewer: [
          [
            approval(
              [
                met(1, { command: "test -f Dockerfile", exitCode: 0 }),
                met(2, { file: "Dockerfile", line: 2 }),
              ],
              [{ command: "grep -c FROM Dockerfile", exitCode: 0 }],
            ),
          ],
        ],
      },
    ],
    [
      "a deletion, because nothing names it any more",
      {
        files: oldHelper,
        does: [run("git rm -q src/old.sh && echo 'echo main' > src/main.sh")],
        write: {},
        criteria: ["The old helper is removed", "nothing refers to old.sh"],
        reviewer: [
          [
            approval(
              [
                met(1, { command: "test ! -e src/old.sh", exitCode: 0 }),
                met(2, { command: "! grep -rn old src", exitCode: 0 }),
              ],
              [{ command: "sh src/main.sh", exitCode: 0 }],
            ),
          ],
        ],
      },
    ],
    [
      "documentation, by a file and a line",
      {
        write: { "docs/install.md": "# Install\n\nRun `sh install.sh`.\n" },
        criteria: ["The docs describe how to install it"],
        reviewer: [
          [
            approval(
              [met(1, { file: "docs/install.md", line: 3 })],
              [{ command: "grep -q Install docs/install.md", exitCode: 0 }],
            ),
          ],
        ],
      },
    ],
  ],
  (_, at) => at < 2,
)("honest work merges at once with a plain Reviewer: %s", async ([, story]) => {
  const place = await open(story);
  const ran = await place.monoco("run", id);
  expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
  expect(reviewersOf(place)).toEqual(onceMore.slice(0, 1));
  expect(place.all("merge.done")).toHaveLength(1);
});
