/** monoco without a word: what needs a person, with the command that deals with it, and what came of the rest. */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import stringWidth from "string-width";
import { expect, onTestFinished, test, vi } from "vitest";
import { main } from "../../src/main.ts";
import { openSandbox } from "../support/cli.ts";
import { skipWithout } from "../support/namespaces.ts";
import { issuePath, issueText, openPlace, run, say, waitFor, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { transcript, transcriptOf } from "../support/transcript.ts";
import { full } from "../support/full.ts";

// Several relays in a test, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 });

const done =
  "echo $MONOCO_ISSUE > $MONOCO_ISSUE.txt && git add -A && git commit -qm Work && monoco issue submit";
/** FEAT-0001 merges, 2 asks, 3 waits for a person's approval, 4 gets nowhere. */
const executor = [
  run(
    `case $MONOCO_ISSUE in FEAT-0002) monoco relay ask "Which port?";; FEAT-0004) true;; *) ${done};; esac`,
  ),
];

async function weekend(): Promise<Place> {
  const place = await openPlace(
    { executor: [executor], reviewer: [[{ verdict: "approve" }]] },
    {
      limits: { stalledMax: 1, questionsMax: 1 },
      settings: "gates: { high: human }\nbreaker: { reopen: manual }\n",
      files: {
        [issuePath("FEAT-0001")]: issueText("FEAT-0001"),
        [issuePath("FEAT-0002")]: issueText("FEAT-0002"),
        [issuePath("FEAT-0003")]: issueText("FEAT-0003", "criticality: high\n"),
        [issuePath("FEAT-0004")]: issueText("FEAT-0004", "priority: high\n"),
        [issuePath("FEAT-0005")]: issueText("FEAT-0005", "dependencies: [FEAT-0004]\n"),
        [issuePath("FEAT-0006")]: issueText("FEAT-0006", "dependencies: [FEAT-0099]\n"),
        [issuePath("FEAT-0007")]: issueText("FEAT-0007", "status: backlog\n").replace("status: open\n", ""),
      },
    },
  );
  await place.monoco("run", "--all");
  return place;
}

type Told = { items: { kind: string; because: string; commands: string[] }[] };

/** As at a terminal. */
async function look(place: Place): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const printed = text(stdout);
  const exitCode = await main([], { cwd: place.project, env: place.sandbox.env, stdout });
  stdout.end();
  const told = { exitCode, stdout: await printed, stderr: "", signal: undefined };
  // eslint-disable-next-line no-control-regex
  return transcript(told).replaceAll(/\u001b\[\d+m/g, "");
}

test("after a weekend one screen accounts for every issue, and each of its commands leads on", async () => {
  const place = await weekend();
  const monoco = (...args: string[]) => place.monoco(...args);
  expect(await transcriptOf(monoco, [[], ["status"], ["inbox", "--approvals", "--ids"]]))
    .toMatchInlineSnapshot(`
      "$ monoco 
      needs you   1 ask · 1 wait for your approval · 1 stuck
      working     none
      done        1 merged
      not begun   1 wait for others · 1 wait for what cannot come · 1 put off
      spent       6 sessions, none reported a cost

      FEAT-0002  Write a file · asks: Which port?
                 monoco answer FEAT-0002 "…"
      FEAT-0003  Write a file · submission 1 is approved by the Reviewer: a person has
                 to approve, too (gates.high human)
                 monoco issue review FEAT-0003
      FEAT-0004  Write a file · no progress in 1 session in a row (stalledMax 1)
                 monoco say FEAT-0004 "…", then monoco resume FEAT-0004
      FEAT-0006  Write a file · waits for FEAT-0099, which is not there
                 monoco issue lint
      $ monoco status
      FEAT-0002   blocked       session 1 asks: Which port?
      FEAT-0003   blocked       submission 1 is approved by the Reviewer: a person ha…
      FEAT-0004   blocked       no progress in 1 session in a row (stalledMax 1)
      1 merged (--all lists them)
      $ monoco inbox --approvals --ids
      FEAT-0003"
    `);
  expect(await look(place)).not.toContain("since your last look");
  // The look at the submission names the command that approves it.
  const dossier = await place.monoco("issue", "review", "FEAT-0003");
  expect(dossier.stdout).toContain("next: monoco issue review FEAT-0003 --approve");
  await place.monoco("issue", "review", "FEAT-0003", "--approve", "--no-run");
  await place.monoco("relay", "answer", "FEAT-0002", "8080");
  await place.monoco("relay", "say", "FEAT-0004", "Look again");
  expect(await look(place)).toMatchInlineSnapshot(`
    "needs you   1 stuck · 2 ready to go on
    working     none
    done        1 merged (0 since your last look 0 min ago)
    not begun   1 wait for others · 1 wait for what cannot come · 1 put off
    spent       6 sessions, none reported a cost

    FEAT-0004  Write a file · no progress in 1 session in a row (stalledMax 1)
               monoco say FEAT-0004 "…", then monoco resume FEAT-0004
    FEAT-0003  Write a file · nobody runs it; a person has given a verdict: approve
               monoco resume FEAT-0003
    FEAT-0002  Write a file · nobody runs it; its question is answered
               monoco resume FEAT-0002
    FEAT-0006  Write a file · waits for FEAT-0099, which is not there
               monoco issue lint
    "
  `);
  await place.monoco("relay", "resume", "FEAT-0003");
  expect(await look(place)).toMatchInlineSnapshot(`
    "needs you   1 stuck · 1 ready to go on
    working     none
    done        2 merged (1 since your last look 0 min ago)
    not begun   1 wait for others · 1 wait for what cannot come · 1 put off
    spent       6 sessions, none reported a cost

    FEAT-0004  Write a file · no progress in 1 session in a row (stalledMax 1)
               monoco say FEAT-0004 "…", then monoco resume FEAT-0004
    FEAT-0002  Write a file · nobody runs it; its question is answered
               monoco resume FEAT-0002
    FEAT-0006  Write a file · waits for FEAT-0099, which is not there
               monoco issue lint
    "
  `);
});

test("a runner that was killed, and one that is stopped by a signal, are told as what they are", async (context) => {
  skipWithout("a PID namespace", context);
  const place = await openPlace({ executor: [[say("in-session"), waitFor("go")]], reviewer: [[]] });
  const running = place.start("run", "FEAT-0001");
  await place.heard("in-session");
  const holder = place.read(".monoco/locks/FEAT-0001.runner");
  const pid = Number(/^process (\d+) /.exec(holder)?.[1]);
  const kindNow = async (): Promise<object> => {
    const { items } = JSON.parse((await place.monoco("inbox", "--json")).stdout) as Told;
    return items.map(({ kind, because, commands }) => ({ kind, because, commands }))[0]!;
  };
  expect(await kindNow()).toMatchObject({ kind: "working" });
  process.kill(pid, "SIGSTOP");
  await expect.poll(kindNow).toMatchObject({ kind: "frozen" });
  expect((await place.monoco()).stdout).toContain(`kill -CONT ${pid}`);
  await place.sh(`kill -CONT ${pid}`);
  await expect.poll(kindNow).toMatchObject({ kind: "working" });
  running.kill("SIGKILL");
  await running;
  expect(await kindNow()).toEqual({
    kind: "cut_off",
    because: "session 1 was cut off: its runner died",
    commands: ["monoco resume FEAT-0001"],
  });
});

test("where nothing of monoco's is, it says what to do first", async () => {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  await sandbox.sh(sandbox.folder, "mkdir new && git -C new init -q -b main");
  const at =
    (folder: string) =>
    async (...args: string[]) =>
      sandbox.monoco(args, { cwd: join(sandbox.folder, folder) });
  expect(await transcriptOf(at("home"), [[]])).toMatchInlineSnapshot(`
    "$ monoco 
    This folder is in no git repository: monoco works in one.
      git init                      makes one here
      monoco init                   then writes monoco.yaml and issues/
    Not sure yet? monoco demo plays a relay in a scratch folder; monoco --help lists the commands."
  `);
  expect(await transcriptOf(at("new"), [[], ["init"], []])).toMatchInlineSnapshot(`
    "$ monoco 
    This repository has no monoco.yaml and no issues yet.
      monoco init                   writes both, and changes nothing that is there
      monoco issue create "Title"   writes the first issue; commit it
      monoco run --all              works on every open issue
    Not sure yet? monoco demo plays a relay in a scratch folder; monoco --help lists the commands.
    $ monoco init
    wrote monoco.yaml
    found no tests: write the commands that prove the work into checks in monoco.yaml
    made issues/
    added a block to AGENTS.md
    excluded /.monoco/ and /RALPH.md from git (.git/info/exclude)
    next: look at monoco.yaml, try it with monoco check --fresh, commit it, then monoco run "What you want", or monoco issue create "Title"
    $ monoco 
    needs you   none
    working     none
    done        none
    not begun   none
    spent       0 sessions

    no issues yet: monoco issue create "Title" writes one"
  `);
});

test("what others wrote drives no terminal, hides nothing and breaks no line", async () => {
  const evil =
    "\u001b[2J\u001b]0;owned\u0007a\u202eb\u200bc \u0007宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽 <b>x</b>";
  const asks = run(`monoco relay ask '${evil.replaceAll("\u001b", "\\033")}${"long ".repeat(500)}'`);
  const path = "issues/FEAT-0002-evil.md";
  const place = await openPlace(
    { executor: [[asks]], reviewer: [[]] },
    {
      limits: { questionsMax: 1 },
      files: {
        [path]: issueText("FEAT-0002").replace("title: Write a file", `title: ${JSON.stringify(evil)}`),
      },
    },
  );
  await place.monoco("run", "--all");
  for (const args of [[], ["status"], ["inbox", "--json"]]) {
    const { stdout } = await place.monoco(...args);
    // eslint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]/);
    if (args[1] !== "--json")
      for (const line of stdout.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  }
});

test("short roads: an id in any case and without zeros, or none where one relay is open, and a word on another level", async () => {
  const place = await openPlace(
    { executor: [executor], reviewer: [[{ verdict: "approve" }]] },
    {
      settings: "gates: { medium: human }\n",
      limits: { questionsMax: 1 },
      issues: ["FEAT-0001", "FEAT-0002", "FEAT-0003"],
    },
  );
  await place.monoco("run", "feat-1");
  expect(
    await transcriptOf(place.monoco, [
      ["diff", "--stat"],
      ["diff", "Feat-1", "--file", "FEAT-0001.txt"],
      ["review", "FEAT-0001"],
      ["relay", "board"],
      ["answer", "FEAT-0001"],
      ["say", "feat-9"],
      ["say", "UTF-8"],
      ["say", "Mind the tests"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco diff --stat
     FEAT-0001.txt | 1 +
     1 file changed, 1 insertion(+)
    $ monoco diff Feat-1 --file FEAT-0001.txt
    diff --git a/FEAT-0001.txt b/FEAT-0001.txt
    new file mode 100644
    index 0000000..4e6345a
    --- /dev/null
    +++ b/FEAT-0001.txt
    @@ -0,0 +1 @@
    +FEAT-0001
    $ monoco review FEAT-0001
    ! error: unknown command "review"
    ! hint: did you mean monoco issue review?
    exit 2
    $ monoco relay board
    ! error: unknown command "relay board"
    ! hint: did you mean monoco issue board?
    exit 2
    $ monoco answer FEAT-0001
    ! error: what is said to FEAT-0001?
    ! hint: name it behind the id: FEAT-0001 "…"
    exit 2
    $ monoco say feat-9
    ! error: what is said to feat-9?
    ! hint: name it behind the id: feat-9 "…"
    exit 2
    $ monoco say UTF-8
    FEAT-0001: the next session is told
    next: monoco resume FEAT-0001
    $ monoco say 'Mind the tests'
    FEAT-0001: the next session is told
    next: monoco resume FEAT-0001"
  `);
  await place.monoco("run", "feat-2", "feat-3");
  expect(
    await transcriptOf(place.monoco, [
      ["log"],
      ["issue", "review", "feat-1", "feat-2", "FEAT-0003", "--approve", "--no-run"],
      ["issue", "review", "--next"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco log
    ! error: which issue? No id was given, and this is neither a session nor an issue's branch
    ! hint: name one of the 3 relays that are open: FEAT-0001, FEAT-0002, FEAT-0003
    exit 2
    $ monoco issue review feat-1 feat-2 FEAT-0003 --approve --no-run
    FEAT-0001: submission 1: approve
    next: monoco resume FEAT-0001
    FEAT-0003: submission 1: approve
    next: monoco resume FEAT-0003
    ! error: FEAT-0002 has a relay (blocked): that says where it stands
    ! hint: monoco status FEAT-0002; monoco relay clear FEAT-0002 ends it, and keeps its work
    exit 2
    $ monoco issue review --next
    nothing waits for your verdict"
  `);
});

full("at a terminal review --next asks about each that waits", async () => {
  const place = await openPlace(
    { executor: [executor], reviewer: [[{ verdict: "approve" }]] },
    { settings: "gates: { medium: human }\n", issues: ["FEAT-0001", "FEAT-0003", "FEAT-0005"] },
  );
  await place.monoco("run", "--all", "-j", "1");
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const printed = text(stdout);
  const asked = main(["issue", "review", "--next"], {
    cwd: place.project,
    env: { ...place.sandbox.env, PAGER: "cat" },
    stdout,
    stdin,
  });
  stdin.end("s\nd\nr\nNo newline at the end\na\n");
  expect(await asked).toBe(0);
  stdout.end();
  expect(await printed).toContain("+FEAT-0003");
  const verdicts = ["FEAT-0001", "FEAT-0003", "FEAT-0005"].map((issue) =>
    place
      .all("review.decided", issue)
      .filter(({ by }) => by === "person")
      .map(({ verdict }) => verdict),
  );
  expect(verdicts).toEqual([[], ["request_changes"], ["approve"]]);
});

test("review --next takes whatever the overview sends to a review, for whichever reason it is stuck", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [[{ say: "I cannot tell." }]] },
    { limits: { sessionsMax: 3 }, settings: "breaker: { reopen: manual }\n" },
  );
  await place.monoco("run", "--all");
  expect((await place.monoco()).stdout).toContain("monoco issue review FEAT-0001");
  expect((await place.monoco("issue", "review", "--next")).stdout).toContain("FEAT-0001");
});
