/** Settings from the outside: where each comes from, and what a flag changes is in the journal. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { approves, commit, issuePath, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";
import { transcript } from "../support/transcript.ts";

const story = { executor: [works], reviewer: [approves] };

const own = (place: Place, text: string, folder = join(place.around, "home", ".config")): void => {
  const path = join(folder, "monoco", "config.yaml");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

type Shown = { key: string; value: unknown; from: string; where: string; line: number | null };

async function shown(place: Place, args: string[] = [], env: Record<string, string> = {}) {
  const ran = await place.sandbox.monoco(["config", "show", "--json", ...args], {
    cwd: place.project,
    env,
  });
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  const all = JSON.parse(ran.stdout) as Shown[];
  return (key: string) => all.find((one) => one.key === key);
}

describe("monoco config show", () => {
  it("tells each value with its origin: file and line, variable, flag or default (TRAP 41)", async () => {
    const place = await openPlace(story, { settings: "exit:\n  doneSessions: 4\n  testSessions: 4\n" });
    own(place, "exit: { doneSessions: 5 }\nquality: mine\n");
    const of = await shown(place, ["--set", "exit.testSessions=6"], {
      MONOCO_EXIT_TEST_SESSIONS: "5",
      MONOCO_EXIT_THRESHOLD: "0.7",
    });
    expect(of("exit.doneSessions")).toEqual({
      key: "exit.doneSessions",
      value: 4,
      from: "project",
      where: "monoco.yaml",
      line: 5,
    });
    expect(of("exit.testSessions")).toMatchObject({ value: 6, from: "flag", where: "--set", line: null });
    expect(of("exit.threshold")).toMatchObject({
      value: 0.7,
      from: "environment",
      where: "MONOCO_EXIT_THRESHOLD",
    });
    expect(of("quality")).toMatchObject({
      value: "mine",
      from: "user",
      where: "~/.config/monoco/config.yaml",
      line: 2,
    });
    expect(of("limits.stalledMax")).toMatchObject({ value: 3, from: "default", line: null });
    expect(of("agents.a.env.PERSON")).toMatchObject({ value: "(hidden)", from: "project" });
  });

  it("a policy file that monoco.yaml extends stands below it, and above the user's own file", async () => {
    const place = await openPlace(story, {
      settings: "extends: policies/calm.yaml\npreset: complex\nexit: { doneSessions: 4 }\n",
      files: { "policies/calm.yaml": "# calm\nexit: { doneSessions: 5, testSessions: 7 }\n" },
    });
    own(place, "exit: { testSessions: 9, threshold: 0.9 }\n");
    const of = await shown(place);
    expect(of("exit.doneSessions")).toMatchObject({ value: 4, from: "project" });
    expect(of("exit.testSessions")).toMatchObject({
      value: 7,
      from: "policy",
      where: "policies/calm.yaml",
      line: 2,
    });
    expect(of("exit.threshold")).toMatchObject({ value: 0.9, from: "user" });
    expect(of("limits.sessionsMax")).toMatchObject({ value: 50, from: "preset", where: "preset complex" });
    expect(of("extends")).toBeUndefined();
  });

  it("in words: key, value, place", async () => {
    const place = await openPlace(story);
    own(place, "limits: { stalledMax: 7 }\n", join(place.around, "elsewhere"));
    const ran = await place.sandbox.monoco(["config", "show"], {
      cwd: join(place.project, "issues"),
      env: { XDG_CONFIG_HOME: join(place.around, "elsewhere") },
    });
    expect(transcript(ran)).toMatchInlineSnapshot(`
      "base                          main         default
      language                      en           default
      setup                         []           default
      cache                         []           default
      checks                        []           default
      env.setup                     []           default
      env.checks                    []           default
      baseline                      auto         default
      protected                     []           default
      checkAfterSession             true         default
      quality                       production   default
      preset                        medium       default
      agents.a.kind                 scripted     monoco.yaml:1
      agents.a.script               story.yaml   monoco.yaml:1
      agents.a.env.PERSON           (hidden)     monoco.yaml:1
      agents.a.env.FIFOS            (hidden)     monoco.yaml:1
      roles.executor.agents         ["a"]        monoco.yaml:2
      roles.reviewer.agents         ["a"]        monoco.yaml:2
      clones                        borrowed     default
      filters                       refuse       default
      signing                       auto         default
      attest                        auto         default
      sandbox                       auto         default
      sandboxRead                   []           default
      sandboxWrite                  []           default
      siblings                      []           default
      network                       full         default
      networkHosts                  []           default
      sessions                      fresh        default
      learnings                     false        default
      merge                         merge        default
      review.minutes                10           default
      review.checkTwice             false        default
      review.testsOnBase            true         default
      review.crossing               true         default
      review.takeBack               true         default
      review.afterMerge             auto         default
      review.takeBackMax            4            default
      review.tests                  []           default
      finish.by                     merge        default
      finish.branch                 monoco/{id}  default
      finish.lookMinutes            5            default
      finish.comment                false        default
      comments.agents               []           default
      intake.label                  monoco       default
      exit.submit                   true         default
      exit.ask                      true         default
      exit.doneSessions             2            default
      exit.testSessions             3            default
      exit.testSharePercent         30           default
      exit.threshold                0.6          default
      breaker.reopen                cooldown     default
      breaker.coolDownMinutes       30           default
      breaker.probesMax             3            default
      breaker.sameErrorMax          5            default
      breaker.deniedMax             2            default
      breaker.outputDeclinePercent  70           default
      limits.sessionsMax            30           default
      limits.sessionMinutes         30           default
      limits.startSeconds           120          default
      limits.silenceMinutes         10           default
      limits.contextMarks           [60,75,85]   default
      limits.reviewRoundsMax        3            default
      limits.redRoundsMax           5            default
      limits.stalledMax             7            /place/elsewhere/monoco/config.yaml:1
      limits.questionsMax           2            default
      limits.sameFailureMax         4            default
      limits.turnsPerMinute         30           default
      limits.backoffSeconds         0            monoco.yaml:3
      limits.sessionsPerHour        100          default
      limits.checkMinutes           10           default
      limits.setupMinutes           20           default
      limits.usageLimitMinutes      60           default"
    `);
  });
});

type Given = { env?: Record<string, string>; own?: string; args?: string[]; settings?: string };

describe("a mistake is exit code 2, names its place, and opens no relay", () => {
  const mistakes: [string, Given][] = [
    ["a policy file that is not there", { settings: "extends: gone.yaml" }],
    ["a policy file that holds more than thresholds", { settings: "extends: story.yaml" }],
    ["a variable's name", { env: { MONOCO_LIMIT_SESSIONS_MAX: "3" } }],
    ["the user's own file", { own: "limits:\n  sessionMax: 3\n" }],
    ["a flag", { args: ["--set", "breaker.sameErrorsMax=3"] }],
  ];

  it("in files, variables and flags", async () => {
    const told: string[] = [];
    for (const [what, { env = {}, own: text, args = [], settings = "" }] of mistakes) {
      const place = await openPlace(story, { settings });
      if (text !== undefined) own(place, text);
      const ran = await place.sandbox.monoco(["run", "FEAT-0001", ...args], { cwd: place.project, env });
      told.push(`# ${what}`, transcript(ran));
      expect(place.events()).toEqual([]);
    }
    expect(told.join("\n")).toMatchInlineSnapshot(`
      "# a policy file that is not there
      ! error: monoco.yaml:4: no such policy file: gone.yaml
      ! hint: name a policy file, beside monoco.yaml or by its whole path
      exit 2
      # a policy file that holds more than thresholds
      ! error: story.yaml:1: executor: unknown key
      ! hint: known keys: preset, exit, breaker, limits, budgets
      exit 2
      # a variable's name
      ! error: the environment: MONOCO_LIMIT_SESSIONS_MAX is not a setting of monoco
      ! hint: did you mean MONOCO_LIMITS_SESSIONS_MAX? unset it; or monoco config show (lists the keys: limits.sessionsMax is MONOCO_LIMITS_SESSIONS_MAX)
      exit 2
      # the user's own file
      ! error: ~/.config/monoco/config.yaml:2: limits.sessionMax: unknown key
      ! hint: did you mean limits.sessionsMax? known keys: sessionsMax, sessionMinutes, startSeconds, silenceMinutes, contextMarks, reviewRoundsMax, redRoundsMax, stalledMax, questionsMax, sameFailureMax, turnsPerMinute, backoffSeconds, sessionsPerHour, tokensPerHour, checkMinutes, setupMinutes, usageLimitMinutes
      exit 2
      # a flag
      ! error: --set breaker.sameErrorsMax: unknown setting
      ! hint: did you mean breaker.sameErrorMax? known keys: reopen, coolDownMinutes, probesMax, sameErrorMax, deniedMax, outputDeclinePercent
      exit 2"
    `);
  });
});

test("what a relay runs by is journaled with its origins, and what a flag changes on a later run, too", async () => {
  const begins = [{ write: { "a.txt": "a\n" } }, commit, { handoff: { next: ["go on"] } }];
  const place = await openPlace({ executor: [begins, works], reviewer: [approves] });
  expect(await place.monoco("run", "FEAT-0001", "--once", "--set", "limits.sessionsMax=1")).toMatchObject({
    exitCode: 1,
  });
  expect(place.all("relay.opened")[0]).toMatchObject({
    settings: { limits: { sessionsMax: 1, backoffSeconds: 0 } },
    origins: {
      "limits.sessionsMax": "--set",
      "limits.backoffSeconds": "monoco.yaml:3",
      "roles.executor.agents": "monoco.yaml:2",
    },
  });
  const ran = await place.monoco("relay", "resume", "FEAT-0001", "--set", "limits.sessionsMax=9");
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(ran.stdout).toContain("resumed by a person, with limits.sessionsMax 9 (was 1; --set)");
  expect(place.all("relay.resumed")).toEqual([
    expect.objectContaining({
      changes: ["limits.sessionsMax 9 (was 1; --set)"],
      settings: expect.objectContaining({ limits: expect.objectContaining({ sessionsMax: 9 }) }),
    }),
  ]);
});

test("what a run set by flags stays with its relay: less typed later weakens nothing, and a name changes it", async () => {
  const begins = [{ write: { "a.txt": "a\n" } }, commit, { handoff: { next: ["go on"] } }];
  const place = await openPlace({
    executor: [[{ handoff: { next: ["nobody's turn"] } }]],
    reviewer: [approves],
  });
  const script = JSON.stringify(join(place.project, "other.yaml"));
  own(place, `agents: { other: { kind: scripted, script: ${script} } }\n`);
  place.write("slow.yaml", "breaker: { deniedMax: 9 }\n");
  place.write("other.yaml", JSON.stringify({ executor: [begins, works], reviewer: [approves] }));
  const flags = ["--agent", "other", "--set", "gates.medium=human", "--policy", "slow.yaml"];
  const once = await place.monoco("run", "FEAT-0001", "--once", ...flags);
  expect(once).toMatchObject({ exitCode: 1 });
  expect(once.stdout).toContain("one session has run: monoco resume FEAT-0001 --policy slow.yaml goes on");
  const stopped = await place.monoco("relay", "stop", "FEAT-0001");
  expect(stopped.stdout).toContain("next: monoco resume FEAT-0001 --policy slow.yaml");
  const gated = await place.monoco("resume", "FEAT-0001");
  expect(gated, gated.stdout + gated.stderr).toMatchObject({ exitCode: 1 });
  expect(gated.stdout).toContain("a person has to approve, too (gates.medium human)");
  const ahead = await place.monoco("run", "FEAT-0001", "--dry-run", "--json");
  expect(JSON.parse(ahead.stdout)).toMatchObject({ order: [{ id: "FEAT-0001", approval: true }] });
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 1 });
  expect(place.all("relay.resumed").map(({ settings }) => settings)).toEqual([undefined, undefined]);
  const named = await place.monoco("run", "FEAT-0001", "--set", "gates.medium=reviewer");
  expect(named, named.stdout + named.stderr).toMatchObject({ exitCode: 0 });
  expect(place.all("relay.resumed").at(-1)).toMatchObject({
    changes: ["gates.medium reviewer (was human; --set)"],
    policy: "slow.yaml",
    settings: { breaker: { deniedMax: 9 } },
  });
  expect(place.all("session.started").map(({ agent }) => agent)).toEqual(["other", "other", "a"]);
});

test("preset auto is chosen by the issue when the relay opens, journaled with its reason, and stays", async () => {
  const begins = [{ write: { "a.txt": "a\n" } }, commit, { handoff: { next: ["go on"] } }];
  const place = await openPlace(
    { executor: [begins, works], reviewer: [approves] },
    { settings: "preset: auto\n" },
  );
  const issue = place.read(issuePath("FEAT-0001"));
  const critical = issue.replace("stage: draft\n", "stage: draft\ncriticality: critical\n");
  place.write(issuePath("FEAT-0001"), critical);
  await place.git("commit", "-qam", "Critical");
  expect(await place.monoco("run", "FEAT-0001", "--once")).toMatchObject({ exitCode: 1 });
  const chosen = {
    name: "complex",
    reason: {
      rule: "preset_size",
      criteria: 1,
      tasks: 0,
      size: "simple",
      raised: { by: "critical", to: "complex" },
    },
  };
  expect(place.all("relay.opened")[0]).toMatchObject({
    preset: chosen,
    settings: { preset: "auto", limits: { sessionsMax: 50 } },
    origins: { "limits.sessionsMax": "preset auto: complex" },
  });
  // Another setting changes meanwhile, and so does the issue: the preset stays.
  place.write(issuePath("FEAT-0001"), issue);
  await place.git("commit", "-qam", "Not critical");
  expect(
    await place.monoco("relay", "resume", "FEAT-0001", "--once", "--set", "limits.stalledMax=9"),
  ).toMatchObject({ exitCode: 1 });
  expect(place.all("relay.resumed")).toEqual([
    expect.objectContaining({
      preset: chosen,
      changes: ["limits.stalledMax 9 (was 3; --set)"],
      settings: expect.objectContaining({
        limits: expect.objectContaining({ sessionsMax: 50, stalledMax: 9 }),
      }),
    }),
  ]);
});

describe("monoco init", () => {
  const line = "# yaml-language-server: $schema=node_modules/monoco/schema/monoco.schema.json\n";
  test("tells editors of the schema where the repository has monoco among its packages, and only there", async () => {
    const place = await openPlace(story);
    await place.sh("rm monoco.yaml");
    expect(await place.monoco("init")).toMatchObject({ exitCode: 0 });
    expect(place.read("monoco.yaml")).not.toContain("$schema");
    await place.sh("rm monoco.yaml");
    place.write("node_modules/monoco/schema/monoco.schema.json", "{}");
    expect(await place.monoco("init")).toMatchObject({ exitCode: 0 });
    expect(place.read("monoco.yaml").startsWith(line)).toBe(true);
    expect(await place.monoco("config", "show")).toMatchObject({ exitCode: 0 });
  });

  testRows(["en", "zh"])("what it writes leaves a preset its numbers (%s)", async (language) => {
    const place = await openPlace(story);
    await place.sh("rm monoco.yaml");
    expect(await place.monoco("init", "--language", language)).toMatchObject({ exitCode: 0 });
    const of = await shown(place, ["--set", "preset=complex"]);
    expect(of("preset")).toMatchObject({ value: "complex" });
    expect(of("limits.sessionsMax")).toMatchObject({ value: 50, where: "preset complex" });
  });
});
