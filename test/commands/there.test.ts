/** monoco status, inbox, say, answer, stop, issue review and submit with --remote: a relay that another machine holds. */
import { describe, expect, test } from "vitest";
import { carrierHere } from "../../src/app/carry/carrier.ts";
import { openHere } from "../../src/app/here.ts";
import { takeLetters } from "../../src/app/letters/take.ts";
import { settingsSchema } from "../../src/core/settings/settings.ts";
import { writeLease } from "../../src/git/carry/lease.ts";
import { listRemote, pushMoves } from "../../src/git/carry/remote.ts";
import { gitIn } from "../../src/git/git.ts";
import { approves, run, say, waitFor } from "../support/place.ts";
import type { Story } from "../support/place.ts";
import { transcript, transcriptOf } from "../support/transcript.ts";
import { openTwoClones } from "../support/two-clones.ts";
import type { Clone, TwoClones } from "../support/two-clones.ts";

const settings = "remote: { carry: [journal, handoffs, sessions] }\n";
const id = "FEAT-0001";
const hour = 60 * 60_000;
const asks: Story = { executor: [[run("monoco relay ask 'Hello or hi?'")]], reviewer: [approves] };
const submits: Story = {
  executor: [[run("echo text > file.txt; git add -A; git commit -qm work"), { submit: true }]],
  reviewer: [approves],
};

/** Another machine's lease beside the relay. */
async function hold({ a }: TwoClones, untilMs: number): Promise<void> {
  const git = gitIn(a.folder);
  const lease = { v: 1, issue: id, slot: "s", who: "Ana", host: "laptop", attempt: 1, minutes: 45, untilMs };
  const commit = await writeLease(git, { ...lease, v: 1 });
  await git(["push", "--quiet", "origin", `+${commit}:refs/monoco/${id}/lease`]);
}

/** What a holder does between two actions: takes the letters, hears them, and deletes what its journal has. */
async function hear(clone: Clone): Promise<void> {
  const carrier = carrierHere(await openHere(clone.folder), settingsSchema.parse({}));
  const take = async (): Promise<void> => {
    const events = [
      "note.said",
      "question.answered",
      "relay.paused",
      "review.decided",
      "letter.refused",
    ] as const;
    const more = ["submission.requested", "submission.refused"] as const;
    const heard = [...events, ...more].flatMap((type) =>
      clone.all(type).map((one) => ({ messageId: "", ...one })),
    );
    const { moves } = await takeLetters(carrier, id, {
      listed: await listRemote(carrier.remote),
      heard: new Set(heard.map(({ messageId }) => messageId)),
    });
    if (moves.length > 0) expect(await pushMoves(carrier.remote, moves)).toEqual({ is: "taken" });
  };
  await take();
  // Whoever finds the relay without a runner reads its inbox.
  await clone.monoco(`say ${id} heard`);
  await take();
}

const spoken =
  ({ monoco }: Clone) =>
  (...args: string[]) =>
    monoco(args.join(" "));

test("what another machine holds is shown like a relay of one's own, and answered by a letter", async () => {
  const clones = await openTwoClones(asks, { settings });
  const { a, b } = clones;
  await a.monoco(`run ${id}`);
  expect(await a.monoco(`relay push ${id}`)).toMatchObject({ exitCode: 0 });
  await hold(clones, Date.now() + hour / 2);
  expect(
    await transcriptOf(spoken(b), [
      ["status", "--remote"],
      ["answer", id, "Hi!", "--remote"],
      ["say", id, "Quick.", "--remote"],
      ["status", id, "--remote"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco status --remote
    FEAT-0001   blocked       session 2 asks: Hello or hi?
                              Ana on laptop holds it, as of <time> UTC; the lease ends at <time> UTC
    $ monoco answer FEAT-0001 'Hi!' --remote
    FEAT-0001: the message is on origin
    Ana on laptop holds it, as of <time> UTC; the lease ends at <time> UTC; a running session hears it within 30 s
    next: monoco status FEAT-0001 --remote
    $ monoco say FEAT-0001 Quick. --remote
    FEAT-0001: the message is on origin
    Ana on laptop holds it, as of <time> UTC; the lease ends at <time> UTC; a running session hears it within 30 s
    next: monoco status FEAT-0001 --remote
    $ monoco status FEAT-0001 --remote
    FEAT-0001  Write a file
      phase     blocked: session 2 asks: Hello or hi?
      hint      monoco answer FEAT-0001 --remote "…", then monoco run FEAT-0001 --remote (2 sessions only asked: limits.questionsMax 2)
      question  session 2 asks: Hello or hi?
                monoco answer FEAT-0001 --remote "…"
      runner    Ana on laptop holds it, as of <time> UTC; the lease ends at <time> UTC
                2 letters on origin, not read yet
      sessions  2 sessions, 2 charged, of 30
          1  executor  a  question  <duration>, handoff: generated
          2  executor  a  question  <duration>, handoff: generated
      sandbox   none; process tree held by pid-namespace
      journal   refs/monoco/FEAT-0001/there/journal"
  `);
  // Where its lines break depends on the time.
  const inbox = transcript(await b.monoco("inbox --remote")).replaceAll(/\s+/g, " ");
  expect(inbox).toContain(
    'FEAT-0001 Write a file · asks: Hello or hi?; Ana on laptop holds it, as of <time> UTC; the lease ends at <time> UTC; 2 letters on origin, not read yet monoco answer FEAT-0001 --remote "…"',
  );
  expect(JSON.parse((await b.monoco(`stop ${id} --remote --json`)).stdout)).toEqual({
    issue: id,
    type: "stop",
    remote: "origin",
    letter: expect.any(String),
    lease: expect.objectContaining({ who: "Ana", host: "laptop", attempt: 1, minutes: 45 }),
    heardWithinMs: 30_000,
  });
  await hear(a);
  expect(a.all("question.answered")).toMatchObject([{ text: "Hi!", via: { by: "ref" } }]);
  expect(a.all("relay.paused")).toMatchObject([{ via: { by: "ref" } }]);
  expect(await clones.there(`git for-each-ref refs/monoco/${id}/letters`)).toBe("");
  expect(transcript(await a.monoco(`log ${id} -n 4`))).toMatchInlineSnapshot(`
    "times: UTC
      15  <time>  question.answered  answered by a person (monoco <monoco@localhost>, through the remote): Hi!
      16  <time>  note.said  a person (monoco <monoco@localhost>, through the remote) says: Quick.
      17  <time>  relay.paused  paused: a person asked it to stop (monoco <monoco@localhost>, through the remote)
      18  <time>  note.said  a person says: heard"
  `);
  expect((await b.monoco(`status ${id}`)).exitCode).toBe(2);
});

test("a lease that ran out, and none, are told as what they are", async () => {
  const clones = await openTwoClones(asks, { settings });
  const { a, b } = clones;
  await a.monoco(`run ${id}`);
  await a.monoco(`relay push ${id}`);
  await hold(clones, Date.now() - 3 * hour);
  const ran = await b.monoco(`answer ${id} Hi --remote`);
  await clones.there(`git update-ref -d refs/monoco/${id}/lease`);
  const none = await b.monoco(`say ${id} more --remote`);
  const inbox = await b.monoco("inbox --remote --json");
  expect([ran, none].map(transcript).join("\n")).toMatchInlineSnapshot(`
    "FEAT-0001: the message is on origin
    Ana on laptop held it, as of <time> UTC; the lease ran out 3 h ago by the clock here; whoever runs monoco run FEAT-0001 --remote next hears it
    next: monoco status FEAT-0001 --remote
    FEAT-0001: the message is on origin
    nobody holds it; whoever runs monoco run FEAT-0001 --remote next hears it
    next: monoco status FEAT-0001 --remote"
  `);
  expect(JSON.parse(inbox.stdout).items).toMatchObject([
    {
      id,
      kind: "question",
      because: "Hello or hi?; nobody holds it; 2 letters on origin, not read yet",
      commands: [`monoco answer ${id} --remote "…"`],
    },
  ]);
});

test("what cannot be sent is refused, and nothing is on the remote", async () => {
  const clones = await openTwoClones(asks, { settings, issues: [id, "FEAT-0002"] });
  const { a, b, there } = clones;
  expect(transcript(await b.monoco(`say ${id} hello --remote`))).toMatchInlineSnapshot(`
    "! error: origin has no relay FEAT-0001
    ! hint: monoco status --remote lists those that are there; the settings (remote:) name the remote
    exit 2"
  `);
  await a.monoco("run FEAT-0001 FEAT-0002");
  await a.monoco("relay push --all");
  await a.monoco(`say ${id} done`);
  await there("git update-ref refs/monoco/FEAT-0002/journal main");
  const said = await transcriptOf(spoken(b), [
    ["say", id, "hello"],
    ["stop", "--remote"],
    ["issue", "review", id, "--approve", "--remote"],
    ["status", "--remote"],
    ["inbox", "--remote", "--ids"],
  ]);
  expect(said).toMatchInlineSnapshot(`
    "$ monoco say FEAT-0001 hello
    ! error: FEAT-0001 has no relay here, but origin has one
    ! hint: monoco status FEAT-0001 --remote shows it; say, answer, stop, issue review and issue submit reach it with --remote
    exit 2
    $ monoco stop --remote
    ! error: which relay? --remote needs its id
    ! hint: monoco status --remote lists those that are there
    exit 2
    $ monoco issue review FEAT-0001 --approve --remote
    ! error: FEAT-0001 has no submission to review on the remote
    ! hint: monoco status FEAT-0001 --remote shows where it stands
    exit 2
    $ monoco status --remote
    FEAT-0001   blocked       session 2 asks: Hello or hi?
                              nobody holds it
    ! error: what origin has as the journal of FEAT-0002 cannot be read: refs/monoco/FEAT-0002/there/journal:1: the journal is damaged: the line is not JSON
    ! hint: git log -p refs/monoco/FEAT-0002/there/journal shows it
    exit 2
    $ monoco inbox --remote --ids
    FEAT-0001
    FEAT-0002"
  `);
  await b.sh("mv ../bare.git ../gone.git");
  for (const command of [`say ${id} hello --remote`, "status --remote", "inbox --remote"])
    expect(await b.monoco(command)).toMatchObject({ exitCode: 75 });
  await b.sh("mv ../gone.git ../bare.git");
  expect(await there("git for-each-ref refs/monoco/FEAT-0001/letters")).toBe("");
});

describe("a verdict by a letter", () => {
  const waiting = async (more = "", story = submits): Promise<TwoClones> => {
    const clones = await openTwoClones(story, { settings: `${settings}${more}` });
    await clones.a.monoco(`run ${id}`);
    expect(await clones.a.monoco(`relay push ${id}`)).toMatchObject({ exitCode: 0 });
    return clones;
  };
  const gate = "gates: { medium: human }\n";

  test("an approval names the commit, and the merge's record has who it was", async () => {
    const { a, b } = await waiting(gate);
    expect((await b.monoco(`issue review ${id} --remote --stat`)).stdout).toContain(
      `next: monoco issue review ${id} --remote --approve`,
    );
    expect(await b.monoco(`issue review ${id} --remote --approve`)).toMatchObject({ exitCode: 0 });
    await hear(a);
    const [decided] = a.all("review.decided").slice(-1);
    expect(decided).toMatchObject({ by: "person", verdict: "approve", via: { by: "ref" } });
    expect(await a.monoco(`resume ${id}`)).toMatchObject({ exitCode: 0 });
    expect(await a.sh("git log -1 --format=%B main")).toContain(
      `Monoco-Reviewer: person (${decided!.via!.who}, by ref)`,
    );
  });

  test("an approval of another commit than the one under review is refused, and status says so", async () => {
    const { a, b } = await waiting(gate);
    await b.monoco(`issue review ${id} --remote --approve`);
    // The person submits another commit meanwhile.
    await a.sh(`git checkout -q -b more refs/monoco/${id}/head && git commit -q --allow-empty -m more`);
    await a.sh("echo more > more.txt; git add more.txt; git commit -qm more");
    expect(await a.monoco(`issue submit ${id}`)).toMatchObject({ exitCode: 0 });
    await hear(a);
    expect(a.all("review.decided").filter(({ by }) => by === "person")).toEqual([]);
    expect((await a.monoco(`status ${id}`)).stdout).toMatch(
      /refused {3}review of a person \(.*, through the remote\): submission 1 is not the one under review/,
    );
  });

  const ci: Story = {
    ...submits,
    executor: [
      [
        run(
          "mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml; git add -A; git commit -qm ci",
        ),
        { submit: true },
      ],
    ],
  };

  test.for([
    ["does not open the gate of protected paths", "", []],
    ["opens it with gates.remote", "gates: { remote: true }\n", ["approve"]],
  ] as const)("%s", async ([, more, verdicts]) => {
    const { a, b } = await waiting(more, ci);
    const sent = await b.monoco(`issue review ${id} --remote --approve`);
    expect(sent.exitCode).toBe(verdicts.length === 0 ? 2 : 0);
    if (verdicts.length === 0) expect(sent.stderr).toContain("gates: { remote: true }");
    await hear(a);
    const decided = a.all("review.decided").filter(({ by }) => by === "person");
    expect(decided.map(({ verdict }) => verdict)).toEqual(verdicts);
  });
});

test("a commit comes with the letter that submits it", async () => {
  const clones = await openTwoClones(asks, { settings });
  const { a, b } = clones;
  await a.monoco(`run ${id}`);
  await a.monoco(`relay push ${id}`);
  await b.sh("git checkout -q -b mine && echo mine > mine.txt && git add -A && git commit -qm mine");
  expect(await b.monoco(`issue submit ${id} --remote`)).toMatchObject({ exitCode: 0 });
  await hear(a);
  expect(a.all("submission.requested")).toMatchObject([
    { by: "person", via: { by: "ref" }, head: (await b.sh("git rev-parse mine")).trim() },
  ]);
});

test("the holder of a remote run hears a letter while its session works, and the ref goes with its next push", async () => {
  const work = run("echo text > file.txt; git add -A; git commit -qm work");
  const story = { executor: [[say("begun"), waitFor("go"), work, { submit: true }]], reviewer: [approves] };
  const clones = await openTwoClones(story, { settings: "remote: { leaseMinutes: 0.5 }\n" });
  const { a, b, place } = clones;
  const running = place.start("run", id, "--remote");
  await place.heard("begun");
  // The journal is there from the session's start on.
  const sent = await b.monoco(`say ${id} quick --remote`);
  expect(sent, sent.stderr).toMatchObject({ exitCode: 0 });
  expect(sent.stdout).toMatch(/ on \S+ holds it, as of .*; a running session hears it within 3 s$/m);
  await expect.poll(() => a.all("note.said"), { timeout: 20_000 }).toMatchObject([{ via: { by: "ref" } }]);
  await place.go("go");
  expect(await running).toMatchObject({ exitCode: 0 });
  expect(await clones.there(`git for-each-ref refs/monoco/${id}/letters`)).toBe("");
  expect((await b.monoco(`status ${id} --remote`)).stdout).toContain("nobody holds it");
});
