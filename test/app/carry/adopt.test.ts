/** A remote run takes a relay over from another machine: it goes on where it was cut off, and believes nothing that opens a gate. */
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { adoptRelay } from "../../../src/app/carry/adopt.ts";
import { fetchRelays, wholeCarrier } from "../../../src/app/carry/carrier.ts";
import type { Carrier } from "../../../src/app/carry/own.ts";
import { pushRelay } from "../../../src/app/carry/push.ts";
import { openHere } from "../../../src/app/here.ts";
import type { Outcome } from "../../../src/core/carry/outcome.ts";
import { MonocoError } from "../../../src/core/error/error.ts";
import type { RelayEvent } from "../../../src/core/journal/event.ts";
import { listRemote } from "../../../src/git/carry/remote.ts";
import { keepGit } from "../../../src/git/git.ts";
import { within } from "../../../src/io/io.ts";
import { openJournal } from "../../../src/store/journal.ts";
import { eventsOf } from "../../support/cli.ts";
import { full } from "../../support/full.ts";
import { approves, run, say, waitFor } from "../../support/place.ts";
import type { Story } from "../../support/place.ts";
import { cloneAt, openTwoClones } from "../../support/two-clones.ts";
import type { Clone, TwoClones } from "../../support/two-clones.ts";

const issue = "FEAT-0001";
const prefix = `refs/monoco/${issue}`;
const journal = `.monoco/relays/${issue}/journal.jsonl`;

/** Acts in this process as a machine that holds the relay. */
async function holding<T>(
  { place }: TwoClones,
  clone: Clone,
  act: (carrier: Carrier) => Promise<T>,
): Promise<T> {
  return within({ cwd: clone.folder, env: place.sandbox.env }, async () => {
    const here = await openHere();
    const leave = keepGit(here.repository.root);
    try {
      return await act(wholeCarrier(here, {}));
    } finally {
      leave();
    }
  });
}

const push = (two: TwoClones, clone: Clone): Promise<Outcome> =>
  holding(two, clone, async (carrier) =>
    pushRelay(carrier, issue, { listed: await listRemote(carrier.remote), allowed: [], locked: true }),
  );

const adopt = (two: TwoClones, clone: Clone): Promise<Outcome | MonocoError> =>
  holding(two, clone, async (carrier) => {
    await fetchRelays(carrier, [issue]);
    return adoptRelay(carrier, issue).catch((error: unknown) => {
      if (error instanceof MonocoError) return error;
      throw error;
    });
  });

/** Puts this text in the place of the clone's journal, and away its copy. */
async function write(clone: Clone, text: string): Promise<void> {
  writeFileSync(join(clone.folder, journal), text);
  await clone.sh(`git update-ref -d ${prefix}/journal`);
}

/** Writes a journal of these events, each with the hash of the line before. */
async function forge(clone: Clone, events: readonly RelayEvent[]): Promise<void> {
  rmSync(join(clone.folder, journal));
  const made = openJournal(join(clone.folder, journal));
  for (const { v: _v, seq, prev: _prev, atMs, ...body } of events) made.append(seq - 1, body, atMs);
  made.close();
  await clone.sh(`git update-ref -d ${prefix}/journal`);
}

const roles = (clone: Clone): string =>
  clone
    .all("session.started")
    .map(({ session, role }) => `${session} ${role}`)
    .join(", ");

/** An Executor that goes on with what it finds: uncommitted work, red checks, requested changes. */
const step = `
if ! test -e begun.txt; then echo 1 > begun.txt; git add -A; git commit -qm begun; echo half > half.txt; exit; fi
git ls-files | grep -q half.txt || { test -e half.txt || echo lost > lost.txt; git add -A; git commit -qm half; monoco issue submit; exit; }
for next in green fixed; do
  test -e $next.txt || { echo 1 > $next.txt; git add -A; git commit -qm $next; monoco issue submit; exit; }
done
monoco issue submit
`;
const inSteps: Story = {
  executor: [[{ usage: { contextTokens: 10, costUsd: 1 } }, run(step)]],
  reviewer: [
    [
      {
        verdict: "request_changes",
        unless: "test -e fixed.txt",
        findings: [{ id: "unfixed", severity: "major", title: "not fixed", criterion: "1" }],
      },
      { verdict: "approve" },
    ],
  ],
};

/** Cuts the relay of the first clone off after so many events, and pushes it as it was then. */
async function cutOff(two: TwoClones, lines: readonly string[], after: number): Promise<void> {
  const { a, there } = two;
  const events = lines.slice(0, after).map((line) => JSON.parse(line) as RelayEvent);
  const begun = await there("git rev-parse begun");
  const ends = events.flatMap((event) => (event.type === "session.ended" ? [event.head] : []));
  const kept = new Set(
    events.flatMap((event) => {
      if (event.type === "session.ended")
        return [`sessions/${event.session}/head`, `sessions/${event.session}/wip`];
      return event.type === "submission.requested" ? [`submissions/${event.submission}`] : [];
    }),
  );
  await two.there(
    "git for-each-ref --format='delete %(refname)' refs/monoco | git update-ref --stdin; git update-ref refs/heads/main begun",
  );
  await a.sh(
    `git for-each-ref --format='%(refname)' ${prefix}/seen ${prefix}/there | xargs -rn1 git update-ref -d`,
  );
  await a.sh(`git update-ref ${prefix}/head ${ends.at(-1) ?? begun}`);
  const names = (
    await a.sh(`git for-each-ref --format='%(refname)' ${prefix}/sessions ${prefix}/submissions`)
  ).split("\n");
  for (const name of names)
    if (name !== "" && !kept.has(name.slice(prefix.length + 1))) await a.sh(`git update-ref -d ${name}`);
  await write(
    a,
    lines
      .slice(0, after)
      .map((line) => `${line}\n`)
      .join(""),
  );
  expect(await push(two, a)).toMatchObject({ is: "pushed" });
}

/** Brings a relay to its merge in the first clone, then cuts it off where \`chosen\` says, and goes on in a new clone each time. */
async function goesOnAfter(chosen: (events: readonly RelayEvent[]) => readonly number[]): Promise<number> {
  const two = await openTwoClones(inSteps, { settings: "checks: [test -e green.txt]\n" });
  const { a, place, bare, there } = two;
  await there("git tag begun main");
  const ran = await a.monoco(`run ${issue}`);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  const lines = a.read(journal).split("\n").filter(Boolean);
  const keptRefs = await a.sh(`git for-each-ref --format='update %(refname) %(objectname)' ${prefix}`);
  const all = eventsOf(a.folder, issue);
  const cuts = chosen(all);
  for (const after of cuts) {
    const at = `after ${after}: ${all[after - 1]!.type}`;
    writeFileSync(join(place.around, "refs"), `${keptRefs}\n`);
    await a.sh(`git update-ref --stdin < '${join(place.around, "refs")}'`);
    await cutOff(two, lines, after);
    const folder = join(place.around, `clone-${after}`);
    await place.sandbox.git(place.around, "clone", "--quiet", bare, folder);
    const b = cloneAt(place, folder);
    const went = await b.monoco(`run ${issue} --remote`);
    expect(went, `${at}\n${went.stdout}${went.stderr}`).toMatchObject({ exitCode: 0 });
    const files = await there("git ls-tree --name-only main");
    expect(files.split("\n"), at).toEqual(
      expect.arrayContaining(["begun.txt", "half.txt", "green.txt", "fixed.txt"]),
    );
    expect(files, at).not.toContain("lost.txt");
    expect(b.read(journal).startsWith(`${lines.slice(0, after).join("\n")}\n`), at).toBe(true);
    const events = eventsOf(folder, issue);
    const since = events.slice(after);
    expect(since[0], at).toMatchObject({ type: "relay.pulled", goesOn: true });
    for (const [type, key] of [
      ["session.started", "session"],
      ["submission.requested", "submission"],
    ] as const) {
      const numbers = events.flatMap((event) => (event.type === type ? [Reflect.get(event, key)] : []));
      expect(numbers, `${at}: ${type}`).toEqual(numbers.map((_, index) => index + 1));
    }
    expect(
      events.filter(({ type }) => type === "relay.opened"),
      at,
    ).toHaveLength(1);
    if (all[after - 1]!.type === "merge.done") continue;
    const merged = since.find((event) => event.type === "merge.done")!;
    const own = since.filter(
      (event) =>
        (event.type === "checks.ran" &&
          event.target === "submission" &&
          event.n === merged.submission &&
          event.ok) ||
        (event.type === "review.decided" &&
          event.submission === merged.submission &&
          event.verdict === "approve"),
    );
    expect(
      own.map(({ type }) => type),
      at,
    ).toEqual(["checks.ran", "review.decided"]);
  }
  return cuts.length;
}

describe("a relay that is cut off goes on in another clone, to the merge, with the numbers and the work that it had", () => {
  const firsts = (events: readonly RelayEvent[], ...ends: ((event: RelayEvent) => boolean)[]): number[] =>
    ends.map((is) => events.findLastIndex((event) => is(event)) + 1);

  const timeout = 300_000;
  test(
    "in the midst of a session that had uncommitted work, and with its submission checked, reviewed and approved",
    { timeout },
    async () => {
      const met = await goesOnAfter((events) => [
        ...firsts(
          events,
          (event) => event.type === "session.started" && event.session === 2,
          (event) => event.type === "session.started" && event.role === "reviewer",
          (event) => event.type === "merge.prepared",
        ),
      ]);
      expect(met).toBe(3);
    },
  );

  full("after any event", { timeout: 600_000 }, async () => {
    expect(
      await goesOnAfter((events) => events.map((_, at) => at + 1).filter((at) => at < events.length)),
    ).toBeGreaterThan(25);
  });
});

test("a runner that was killed at work: another clone goes on, and then the first one goes on from there", async () => {
  const two = await openTwoClones({
    executor: [
      [run("echo one > one.txt; git add -A; git commit -qm one; echo half > half.txt")],
      [run("git add -A; git commit -qm two"), say("busy"), waitFor("never")],
      [run("test -e half.txt && git add -A; git commit -qm half; echo more > more.txt")],
      [run("git add -A; git commit -qm more"), { submit: true }],
    ],
    reviewer: [approves],
  });
  const { a, b, place, there } = two;
  const running = place.start("run", issue);
  await place.heard("busy");
  expect(await push(two, a)).toMatchObject({ is: "pushed" });
  running.kill("SIGKILL");
  await running;
  const one = await b.monoco(`run ${issue} --remote --once`);
  expect(roles(b), one.stdout + one.stderr).toBe("1 executor, 2 executor, 3 executor");
  expect(b.all("session.ended")[1]).toMatchObject({ session: 2, reason: "failure", cause: "runner_died" });
  expect(await b.sh(`git show ${prefix}/head:half.txt`)).toBe("half");
  // What the killed session had done was never pushed; it stays in the first clone.
  const went = await a.monoco(`run ${issue} --remote`);
  expect(went, went.stdout + went.stderr).toMatchObject({ exitCode: 0 });
  expect(roles(a)).toBe("1 executor, 2 executor, 3 executor, 4 executor, 5 reviewer");
  expect(a.all("relay.pulled")).toHaveLength(2);
  expect(await there("git show main:half.txt main:more.txt")).toBe("half\nmore");
  const clones = dirname(await a.sh('ls -d "$XDG_STATE_HOME"/monoco/*/*.kept-* 2> /dev/null || true'));
  expect(readdirSync(clones).some((name) => name.includes(".kept-"))).toBe(true);
});

test("a question stays open, and its answer in the other clone lets the relay go on", async () => {
  const two = await openTwoClones({
    executor: [
      [run("echo one > one.txt; git add -A; git commit -qm one; monoco relay ask Which?")],
      [run("monoco relay ask Which?")],
      [run("monoco relay ask Which?")],
      [run("echo two > two.txt; git add -A; git commit -qm two"), { submit: true }],
    ],
    reviewer: [approves],
  });
  const { a, b, there } = two;
  expect(await a.monoco(`run ${issue}`)).toMatchObject({ exitCode: 1 });
  await push(two, a);
  expect(await adopt(two, b)).toMatchObject({ is: "pulled", begins: false });
  expect((await b.monoco(`status ${issue}`)).stdout).toContain("Which?");
  expect(await b.monoco(`answer ${issue} this`)).toMatchObject({ exitCode: 0 });
  expect(await b.monoco(`run ${issue} --remote`)).toMatchObject({ exitCode: 0 });
  expect(await there("git show main:one.txt main:two.txt")).toBe("one\ntwo");
});

const worksOnce: Story = {
  executor: [[run("echo one > one.txt; git add -A; git commit -qm one"), { submit: true }]],
  reviewer: [approves],
};

test("work that waits for a person is checked and reviewed again, and waits for a person here", async () => {
  const two = await openTwoClones(worksOnce, { settings: "gates: { medium: human }\n" });
  const { a, b, there } = two;
  expect(await a.monoco(`run ${issue}`)).toMatchObject({ exitCode: 1 });
  await push(two, a);
  expect(await b.monoco(`run ${issue} --remote`)).toMatchObject({ exitCode: 1 });
  expect(roles(b)).toBe("1 executor, 2 reviewer, 3 reviewer");
  expect(b.all("relay.blocked").at(-1)).toMatchObject({ reason: { rule: "human_gate", submission: 1 } });
  expect(await b.monoco(`issue review ${issue} --approve`)).toMatchObject({ exitCode: 0 });
  expect(await b.monoco(`run ${issue} --remote`)).toMatchObject({ exitCode: 0 });
  expect(await there("git show main:one.txt")).toBe("one");
});

test("a merge that landed on the remote's base is only recorded", async () => {
  const two = await openTwoClones(worksOnce);
  const { a, b, there } = two;
  await a.monoco(`run ${issue}`);
  const lines = a.read(journal).split("\n");
  const prepared = lines.findIndex((line) => line.includes('"type":"merge.prepared"'));
  await write(a, `${lines.slice(0, prepared + 1).join("\n")}\n`);
  await push(two, a);
  await a.sh("git push -q origin main");
  const merged = await there("git rev-parse main");
  const went = await b.monoco(`run ${issue} --remote`);
  expect(went, went.stdout + went.stderr).toMatchObject({ exitCode: 0 });
  expect(b.all("merge.done")).toMatchObject([{ commit: merged }]);
  expect(await there("git rev-parse main")).toBe(merged);
  expect(roles(b)).toBe("1 executor, 2 reviewer");
});

test("nothing new on the remote changes nothing, and what is ahead of it goes on as it is", async () => {
  const two = await openTwoClones(worksOnce);
  const { a } = two;
  await a.monoco(`run ${issue} --once`);
  await push(two, a);
  const before = a.read(journal);
  expect(await adopt(two, a)).toMatchObject({ is: "up_to_date" });
  await a.monoco(`say ${issue} more`);
  expect(await adopt(two, a)).toMatchObject({ is: "ahead" });
  expect(a.read(journal).startsWith(before)).toBe(true);
  expect(a.all("relay.pulled")).toEqual([]);
});

test("what both clones recorded: the remote's goes on, and this one's is kept", async () => {
  const two = await openTwoClones({
    ...worksOnce,
    executor: [[run("echo $MONOCO_SESSION >> n.txt; git add -A; git commit -qm n")], ...worksOnce.executor],
  });
  const { a, b } = two;
  await a.monoco(`run ${issue} --once`);
  await push(two, a);
  await adopt(two, b);
  await b.monoco(`say ${issue} theirs`);
  await push(two, b);
  await a.monoco(`resume ${issue} --once`);
  const mine = a.read(journal);
  const head = await a.sh(`git rev-parse ${prefix}/head`);
  expect(await adopt(two, a)).toMatchObject({ is: "pulled", kept: [{ commit: head }, {}] });
  expect(a.all("note.said")).toMatchObject([{ text: "theirs" }]);
  const folder = dirname(join(a.folder, journal));
  const [kept = ""] = readdirSync(folder).filter((name) => name.startsWith("journal.jsonl.kept-"));
  expect(readFileSync(join(folder, kept), "utf8")).toBe(mine);
  const sessions = readdirSync(join(folder, "sessions"));
  expect(sessions.filter((name) => name.startsWith("0002"))).toEqual([
    expect.stringMatching(/^0002-reviewer\.kept-|^0002-executor\.kept-/),
  ]);
  expect(await a.sh("git for-each-ref")).toContain(`${head} commit\t${prefix}/earlier/`);
});

describe("nothing that a journal says opens a gate", () => {
  test("its settings, roles, preset, approvals and results are not in force", async () => {
    const two = await openTwoClones(worksOnce, { settings: "gates: { medium: human }\n" });
    const { a, b, place, there } = two;
    await a.monoco(`run ${issue}`);
    await a.monoco(`issue review ${issue} --approve`);
    const ran = join(place.around, "ran");
    const events = eventsOf(a.folder, issue);
    const approved = events.findLastIndex((event) => event.type === "review.decided");
    await forge(
      a,
      events.slice(0, approved + 1).map((event) => {
        if (event.type !== "relay.opened") return event;
        const settings = {
          ...event.settings,
          setup: [`touch '${ran}'`],
          checks: [],
          gates: { ...event.settings.gates, medium: "reviewer" as const },
        };
        const origins = { "setup.0": "--set", setup: "--set", "gates.medium": "--set" };
        return {
          ...event,
          settings,
          origins,
          roleTexts: { executor: "EVIL", reviewer: "EVIL" },
          branch: "main",
          waived: ["criteria" as const],
        };
      }),
    );
    await push(two, a);
    const main = await there("git rev-parse main");
    const went = await b.monoco(`run ${issue} --remote`);
    expect(went, went.stdout + went.stderr).toMatchObject({ exitCode: 1 });
    expect(existsSync(ran)).toBe(false);
    expect(await there("git rev-parse main")).toBe(main);
    expect(b.all("relay.blocked").at(-1)).toMatchObject({ reason: { rule: "human_gate", submission: 1 } });
    expect(b.all("checks.ran")).toHaveLength(2);
    const prompts = readdirSync(join(b.folder, ".monoco/relays", issue, "sessions"));
    for (const name of prompts)
      expect(b.read(`.monoco/relays/${issue}/sessions/${name}/prompt.md`)).not.toContain("EVIL");
    const terms = b.all("relay.pulled")[0]?.terms;
    expect(terms).toMatchObject({ branch: `monoco/${issue}` });
    expect(JSON.stringify(terms)).not.toContain("EVIL");
  });

  test("it is refused where it does not fit the repository, and nothing is changed", async () => {
    const two = await openTwoClones(worksOnce, { settings: "gates: { medium: human }\n" });
    const { a, b } = two;
    await a.monoco(`run ${issue}`);
    const main = await a.sh("git rev-parse main^{tree}");
    const real = eventsOf(a.folder, issue);
    const forgeries: [says: string, forged: (event: RelayEvent) => object | undefined][] = [
      [
        "is not there, or is another",
        ({ type }) => (type === "submission.requested" ? { tree: main } : undefined),
      ],
      [
        "which is not on main",
        ({ type }) => (type === "relay.opened" ? { baseCommit: "0".repeat(40) } : undefined),
      ],
      [
        "its journal is that of FEAT-0002",
        ({ type }) => (type === "relay.opened" ? { issue: "FEAT-0002" } : undefined),
      ],
    ];
    for (const [says, forged] of forgeries) {
      await forge(
        a,
        real.map((event) => Object.assign({}, event, forged(event))),
      );
      await two.there("git for-each-ref --format='delete %(refname)' refs/monoco | git update-ref --stdin");
      expect(await push(two, a)).toMatchObject({ is: "pushed" });
      const refused = { kind: "input", message: expect.stringContaining(says) as string };
      expect(await adopt(two, b)).toMatchObject(refused);
      expect(await b.sh(`git for-each-ref ${prefix}/head ${prefix}/seen ${prefix}/submissions`)).toBe("");
      expect(existsSync(join(b.folder, journal))).toBe(false);
    }
  });

  test.for([
    ["is damaged", (text: string): string => text.replace('"seq":2', '"seq":3')],
    ["is of a newer monoco", (text: string): string => text.replaceAll('"v":1', '"v":2')],
  ] as const)("a journal that %s is refused with words, and nothing is changed", async ([, forge]) => {
    const two = await openTwoClones(worksOnce);
    const { a, b, there } = two;
    await a.monoco(`run ${issue} --once`);
    await push(two, a);
    writeFileSync(join(a.folder, "forged"), forge(a.read(journal)));
    await a.sh(
      `blob=$(git hash-object -w --no-filters forged); tree=$(printf '100644 blob %s\\t000001\\n' $blob | git mktree); git push -qf origin $(git commit-tree $tree -m x):${prefix}/journal`,
    );
    expect(await there(`git show ${prefix}/journal:000001`)).not.toBe(a.read(journal).trim());
    const refused = await adopt(two, b);
    expect(refused).toMatchObject({
      kind: "input",
      message: expect.stringContaining("as the journal is not taken") as string,
    });
    expect(await b.sh(`git for-each-ref ${prefix}/head`)).toBe("");
    expect(existsSync(join(b.folder, journal))).toBe(false);
  });
});
