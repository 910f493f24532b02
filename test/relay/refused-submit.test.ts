/** A submit that `monoco issue submit` refuses in the session: journaled once a session, and a relay stops after three alike. */
import { expect, it } from "vitest";
import { approves, commit, openPlace, run, submit } from "../support/place.ts";
import { testRows } from "../support/full.ts";

const tries = run("monoco issue submit");
const leaves = run("echo 1 >> left.txt");
const tidies = run("rm -f left.txt");
const works = run("echo 1 >> file.txt && git add file.txt && git commit -qm Work");

// TRAP 72
testRows([
  ["uncommitted changes", [[works, leaves, tries, tries]], { kind: "uncommitted", paths: ["left.txt"] }],
  ["no changes", [[tries]], { kind: "empty" }],
  [
    "a merge in the middle",
    [
      [
        works,
        run("git checkout -qb s HEAD~ && echo s > file.txt && git add -A && git commit -qm s"),
        run("git checkout -q - && git merge s"),
        tries,
      ],
      [tries],
    ],
    { kind: "unfinished" },
  ],
] as const)(
  "three sessions that end at the same refusal stop the relay: %s",
  async ([, sessions, refused]) => {
    const place = await openPlace({ executor: sessions.map((steps) => [...steps]), reviewer: [approves] });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    const events = place.all("submission.refused");
    expect(events.map(({ session, by }) => `${by} ${session}`)).toEqual([
      "executor 1",
      "executor 2",
      "executor 3",
    ]);
    for (const event of events) expect(event).toMatchObject(refused);
    expect(place.all("relay.blocked").map(({ reason }) => reason)).toMatchObject([
      { rule: "refusal_repeated", times: 3 },
    ]);
    const prompt = place.read(".monoco/relays/FEAT-0001/sessions/0002-executor/prompt.md");
    expect(prompt).toContain(`The last submission was refused\n`);
    expect(prompt).toContain(events[0]!.why);
  },
);

it("a session that submits after a refusal, or removes its reason, is not harmed", async () => {
  const place = await openPlace({
    executor: [
      [works, leaves, tries, tidies],
      [leaves, tries, commit, tries],
    ],
    reviewer: [approves],
  });
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.all("submission.refused")).toEqual([]);
  expect(place.all("session.ended").map(({ reason }) => reason)).toEqual([
    "completed_without_submit",
    "submitted",
    "decided",
  ]);
});

it("a letter of another version is set aside, and those beside it are taken", async () => {
  const letter = `{"id":"0000000000000-aaaaaaaaaaaaaaaa","atMs":1,"type":"%s","of":"another version"}`;
  const drop = (type: string): object =>
    run(`cd "$MONOCO_SESSION_DIR/outbox" && printf '${letter}' ${type} > half && mv half 0-${type}.json`);
  const place = await openPlace({
    executor: [[drop("unheard_of"), drop("refused"), works, submit]],
    reviewer: [approves],
  });
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.all("submission.refused")).toEqual([]);
});
