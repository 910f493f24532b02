/** Every hint leads on: each block is reached by a real relay, each way of its hint is gone, and something has changed. */
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, vi } from "vitest";
import { decide } from "../../src/core/relay/decide.ts";
import { commandsOf, firstWay } from "../../src/views/hint.ts";
import { plainHint } from "../../src/core/text/sanitize.ts";
import type { Step, Way } from "../../src/core/error/hint-schema.ts";
import type { BlockRule } from "../../src/core/reason/block-schema.ts";
import type { Opening, RelayState } from "../../src/core/journal/relay-state.ts";
import { replay } from "../../src/core/journal/state.ts";
import type { Rest } from "../../src/relay/run-relay.ts";
import { cliPath } from "../support/cli.ts";
import { approves, issuePath, openPlace, run, works } from "../support/place.ts";
import type { Place, Story } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

// Several relays in a test, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 });

const id = "FEAT-0001";

type Row = {
  story: Story;
  /** What a person does in the repository until the relay rests. */
  reach?: string;
  limits?: object;
  settings?: string;
  /** What a person does in the repository for a step that no command of monoco does. */
  byHand?: string | ((what: string) => string);
};
/** The test that reaches the block and follows its hint, where that takes a place of its own. */
type Elsewhere = { file: string; title: string };

const grows = run("date +%N >> file.txt && git add -A && git commit -qm more");
const worksOn = [grows, { submit: true }];
const idle = [run("true")];
const leftBehind = run("date +%N >> dirty.txt");
const asks = [run('monoco relay ask "Which port?"')];
const unfounded = [{ verdict: "approve", criteria: [], probes: [] }];
const rejects = [
  { verdict: "request_changes", findings: [{ id: "F1", severity: "major", title: "No", criterion: "1" }] },
];
const inTheWay = run('cd "$PERSON" && date +%N > file.txt && git add -A && git commit -qm Mine');
const submitsOwn = `git switch -qc mine && date +%N > file.txt && git add -A && git commit -qm Mine && monoco issue submit ${id} && git switch -q main`;
const easy = { executor: [worksOn], reviewer: [approves] };
const edits = (script: string): object =>
  run(`cd "$PERSON" && sed -i '${script}' ${issuePath(id)} && git commit -qam Edit`);
const branch = `monoco/${id}`;
const onBranch = run(
  `cd "$PERSON" && git update-ref refs/heads/${branch} $(git commit-tree -p ${branch} -m Mine ${branch}^{tree})`,
);
const holdsBranch = run(`cd "$PERSON" && git worktree add -q ../held ${branch}`);
const parked = { file: "test/commands/bad-relay.test.ts" };
const left = { file: "test/relay/finish.test.ts" };
const pulled = { file: "test/relay/pull-request.test.ts" };

const rows = {
  question: { story: { executor: [asks, asks, works], reviewer: [approves] } },
  human_gate: {
    story: { executor: [works, worksOn], reviewer: [approves] },
    settings: "gates: { medium: human }",
  },
  evidence_unclear: {
    story: { executor: [works, worksOn], reviewer: [unfounded, unfounded, unfounded, approves] },
  },
  no_verdict: { story: { executor: [works, worksOn], reviewer: [idle, idle, idle, approves] } },
  finding_repeated: {
    story: { executor: [works, worksOn], reviewer: [rejects, rejects, rejects, approves] },
  },
  review_rounds: {
    story: { executor: [works, worksOn], reviewer: [rejects, rejects, approves] },
    limits: { reviewRoundsMax: 1 },
  },
  red_rounds: {
    story: { executor: [worksOn, [run("touch ok"), ...worksOn]], reviewer: [approves] },
    limits: { redRoundsMax: 1 },
    settings: "baseline: none\nchecks: ['test -f ok']\nbreaker: { sameErrorMax: 1 }",
  },
  merge_failed: {
    story: { executor: [[inTheWay, ...worksOn]], reviewer: [approves] },
    byHand:
      "git switch -q monoco/FEAT-0001 && { git merge -q main > /dev/null || true; } && echo solved > file.txt && git commit -qam Solved",
  },
  refusal_repeated: {
    // Something of the person's makes the tree dirty behind each submit.
    story: {
      executor: [[...worksOn, leftBehind], [...worksOn, leftBehind], [...worksOn, leftBehind], worksOn],
      reviewer: [approves],
    },
    byHand: "true",
  },
  sessions_max: {
    story: { executor: [[grows], [grows], works], reviewer: [approves] },
    limits: { sessionsMax: 1 },
  },
  breaker_open: {
    story: { executor: [idle, idle, works], reviewer: [approves] },
    limits: { stalledMax: 1 },
    settings: "breaker: { reopen: manual }",
  },
  probes_max: {
    story: { executor: [idle, idle, idle, works], reviewer: [approves] },
    limits: { stalledMax: 1 },
    settings: "breaker: { coolDownMinutes: 0.001, probesMax: 1 }",
  },
  needs_person: {
    story: { executor: [[{ outage: "Not logged in" }], works], reviewer: [approves] },
    reach: `monoco run ${id} || [ $? = 4 ]`,
    byHand: "true",
  },
  budget: {
    story: { executor: [[{ usage: { contextTokens: 1, costUsd: 2 } }, grows], works], reviewer: [approves] },
    settings: "budgets: { relay: { costUsd: 1 } }",
    byHand: "sed -i 's/costUsd: 1/costUsd: 9/' monoco.yaml",
  },
  baseline: {
    story: { executor: [works], reviewer: [approves] },
    settings: `setup: ['test -f "$HOME/ready"']`,
    byHand: 'touch "$HOME/ready"',
  },
  setup_failed: {
    story: { executor: [idle, works], reviewer: [approves] },
    settings: `setup: ['test -f "$HOME/ready"']\nbaseline: none`,
    byHand: 'touch "$HOME/ready"',
  },
  checks_failed: {
    story: { executor: [[run("touch ok"), ...worksOn]], reviewer: [approves] },
    settings: "baseline: none\nchecks: ['test -f ok']",
    reach: `${submitsOwn} && monoco run ${id}`,
    byHand: "git switch -q mine && touch ok && git add -A && git commit -qm Fixed",
  },
  unsigned: {
    file: "test/relay/signing.test.ts",
    title: "resumed at a terminal, git asks for the passphrase there, and the work is merged",
  },
  base_gone: {
    file: "test/relay/merge-matrix.test.ts",
    title: "branch main is gone",
  },
  base_rewritten: { file: "test/relay/merge-matrix.test.ts", title: "a base that was rewritten" },
  base_held: {
    file: "test/relay/person-in-between.test.ts",
    title: "stash, resume, and pop bring both together",
  },
  base_stuck: { ...parked, title: "a base that nobody has checked out, and whose ref is locked" },
  base_moving: {
    file: "test/relay/person-in-between.test.ts",
    title: "at every attempt wins three times: the relay is blocked with words, and merged on resume",
  },
  issue_closed: {
    story: { executor: [[edits("s/status: open/status: backlog/"), ...worksOn]], reviewer: [approves] },
    byHand: "git revert --no-edit HEAD",
  },
  issue_changed: {
    story: { executor: [[edits("s/A file/Two files/"), ...worksOn], works], reviewer: [approves] },
    byHand: "git revert --no-edit HEAD",
  },
  issue_broken: {
    file: "test/relay/person-in-between.test.ts",
    title: "nothing is merged, it says so, and when that is put back, resume merges",
  },
  branch_ahead: {
    story: { executor: [worksOn], reviewer: [[onBranch, ...approves], approves] },
    settings: "finish: branch",
    byHand: (what) => what,
  },
  branch_held: {
    story: { executor: [worksOn], reviewer: [[holdsBranch, ...approves]] },
    settings: "finish: branch\nmerge: squash",
    byHand: "git -C ../held switch -q --detach",
  },
  // A git that somebody gets ahead of: between monoco's look at the branch and its move, once.
  branch_moved: {
    story: easy,
    settings: "finish: branch",
    reach: `mkdir ../bin && git=$(command -v git) && cat > ../bin/git <<END
#!/bin/sh
case "\\$*" in *"update-ref refs/heads/${branch} "*)
  mkdir "$PWD/../moved" 2> /dev/null && $git -C "$PWD" update-ref refs/heads/${branch} \\$($git -C "$PWD" commit-tree -p ${branch} -m Mine ${branch}^{tree}) ;;
esac
exec $git "\\$@"
END
chmod +x ../bin/git && PATH=$PWD/../bin:$PATH monoco run ${id}`,
  },
  branch_stuck: { ...left, title: "it says so, and goes on when that is renamed" },
  pull_request_ahead: {
    ...pulled,
    title: "are never replaced: blocked, and submitted with the rest it goes on",
  },
  push_failed: { ...left, title: "mended, resume pushes and opens" },
} satisfies Record<BlockRule, Row | Elsewhere>;

/** Resting without a block; merged, a relay has no hint, and needs none. */
const atRest = {
  none: { story: easy, reach: `${submitsOwn} && monoco relay clear ${id}` },
  paused: { story: easy, reach: `${submitsOwn} && monoco stop ${id}` },
  done: { story: easy, settings: "finish: branch", byHand: `git merge -q ${branch}` },
  pull_request: { ...pulled, title: "they are a finding, with the end of their log" },
  cancelled: { ...pulled, title: "it is cancelled here; cleared, it begins anew" },
} satisfies Record<Exclude<Rest["phase"], "blocked">, Row | Elsewhere>;

const isHere = (entry: [string, Row | Elsewhere]): entry is [BlockRule, Row] => "story" in entry[1];
const entries: [string, Row | Elsewhere][] = Object.entries(rows);

// TRAP 64
describe("every way of every hint leads on", () => {
  testRows(entries.filter(isHere))("where the relay is blocked by %s", async ([rule, row]) => {
    const place = await openPlace(row.story, row);
    await reach(place, row);
    const blocked = await expectBlocked(place, rule);
    await expectInInbox(place, blocked);
    for (const way of waysOf(blocked)) {
      const restore = keep(place);
      await go(place, way, row);
      const now = stateOf(place);
      // What a person says is a change: a session has it, however that one ends.
      if (way.some((step) => step.do === "say"))
        expect(now.sessions.length).toBeGreaterThan(blocked.sessions.length);
      else expect(standingOf(now), `${rule}: ${wordsOf(way)}`).not.toEqual(standingOf(blocked));
      if (isRetry(way)) await expectNoCircle(place, row, blocked);
      restore();
    }
  });

  test.for(entries.flatMap(([rule, one]) => ("file" in one ? [[rule, one] as const] : [])))(
    "where the relay is blocked by %s: elsewhere",
    ([, { file, title }]) => {
      expect(readFileSync(join(import.meta.dirname, "../..", file), "utf8")).toContain(title);
    },
  );
});

describe("at rest without a block, every way leads on", () => {
  const rests: [string, Row | Elsewhere][] = Object.entries(atRest);
  test.for(rests.flatMap(([phase, row]) => ("story" in row ? [[phase, row] as const] : [])))(
    "where its phase is %s",
    async ([phase, row]) => {
      const place = await openPlace(row.story, row);
      await reach(place, row);
      const before = await statusOf(place);
      expect(before.phase).toBe(phase);
      const state = stateOf(place);
      const rest = decide(state, state.opening!.settings.limits, Date.now());
      const ways = rest.do === "rest" ? rest.hint : [];
      expect(ways).toHaveLength(1);
      await go(place, ways[0]!, row);
      expect(await statusOf(place)).not.toEqual(before);
    },
  );

  test.for(rests.flatMap(([phase, row]) => ("file" in row ? [[phase, row] as const] : [])))(
    "where its phase is %s: elsewhere",
    ([, { file, title }]) => {
      expect(readFileSync(join(import.meta.dirname, "../..", file), "utf8")).toContain(title);
    },
  );
});

const needRelay = [
  "relay stop",
  "relay resume",
  "relay status",
  "relay show",
  "relay log",
  "relay explain",
  "relay clear",
  "relay say … Hello",
  "relay answer … Yes",
];

test("where no relay was ever opened, each command that needs one names the command that opens it", async () => {
  const place = await openPlace(easy);
  const open = `monoco run ${id}`;
  const hints = await Promise.all(
    needRelay.map(async (command) => {
      const words = command.includes("…") ? command.replace("…", id) : `${command} ${id}`;
      const { exitCode, stderr } = await place.monoco(...words.split(" "));
      return `${command}: ${exitCode} ${/^hint: (.*)$/m.exec(stderr)?.[1]}`;
    }),
  );
  expect(hints).toEqual(needRelay.map((command) => `${command}: 2 ${open} (opens one)`));
  await reach(place, { story: easy, reach: open });
  expect(place.all("relay.opened")).toHaveLength(1);
});

const statusOf = async (place: Place): Promise<{ phase: string; hint: string }> => {
  const { phase, hint } = JSON.parse((await place.monoco("relay", "status", id, "--json")).stdout);
  return { phase, hint };
};

/** Tried again in vain: another hint is given, and what is new in it leads on, too. */
async function expectNoCircle(place: Place, row: Row, before: RelayState): Promise<void> {
  const again = stateOf(place);
  if (again.opening?.halted?.phase !== "blocked") return;
  expect(again.opening.halted.hint).not.toEqual(before.opening?.halted?.hint);
  expect(waysOf(again).filter(isRetry)).toEqual([]);
  const known = waysOf(before).map(wordsOf);
  for (const way of waysOf(again).filter((one) => !known.includes(wordsOf(one)))) {
    await go(place, way, row);
    expect(standingOf(stateOf(place)), wordsOf(way)).not.toEqual(standingOf(again));
  }
}

const monoco = `monoco() { "${process.execPath}" "${cliPath}" "$@"; }`;

async function reach(place: Place, row: Row): Promise<void> {
  // A run that a block ends exits with 1.
  await place.sh(`${monoco}\n${row.reach ?? `monoco run ${id}`} || [ $? = 1 ]`);
}

async function expectBlocked(place: Place, rule: BlockRule): Promise<RelayState> {
  const state = stateOf(place);
  const halted = state.opening?.halted;
  expect(halted).toMatchObject({ phase: "blocked", reason: { rule } });
  for (const way of halted?.hint ?? []) expect(waysInDocs(rule)).toContainEqual(stepsOf(way));
  return state;
}

/** The inbox asks the person, with the way that is gone first here; after a look, the dossier names the verdicts. */
async function expectInInbox(place: Place, state: RelayState): Promise<void> {
  const command = state.opening?.question
    ? `monoco answer ${id} "…"`
    : plainHint(firstWay(state.opening?.halted?.hint ?? [], state));
  const { stdout } = await place.monoco("inbox");
  expect(stdout).toMatch(/^needs you   1 /);
  expect(stdout.split("\n").map((line) => line.trim())).toContain(command);
  if (!command.startsWith("monoco issue review")) return;
  const dossier = await place.monoco(...command.split(" ").slice(1));
  expect(dossier.stdout).toContain(`next: monoco issue review ${id} --approve`);
}

const blockedPage = readFileSync(new URL("../../docs/blocked.md", import.meta.url), "utf8");

/** The ways out that docs/blocked.md lists for a rule, each as its commands and what is done by hand. */
function waysInDocs(rule: BlockRule): string[][] {
  const section = blockedPage.split("\n## ").find((part) => part.includes(`\n\`${rule}\`. `)) ?? "";
  const points = section.split("\n").filter((line) => line.startsWith("- "));
  return points.map((point) => {
    const steps = point.split(/, then | and (?=`monoco )/).filter((step) => !step.startsWith("`--"));
    return steps.map((step) => /`(monoco [^`]+)`/.exec(step)?.[1] ?? byHand);
  });
}

const byHand = "by hand";

function stepsOf(way: Way): string[] {
  return way.map((step) => {
    if (step.do === "judge") return "monoco issue review ID --show";
    return commandsOf(step, {})[0]?.replace(id, "ID") ?? byHand;
  });
}

const stateOf = (place: Place): RelayState => replay(place.events());
const isGate = (halted: Opening["halted"]): boolean =>
  halted?.phase === "blocked" && halted.reason.rule === "human_gate";
const standingOf = ({ opening }: RelayState): unknown => opening && standsAt(opening);
const standsAt = ({ halted, merged, cleared, question, submissions }: Opening): unknown => ({
  // Different numbers in the words of a block are not a change; a new question, and new work to judge, are.
  halted: {
    ...halted,
    reason: isGate(halted) ? submissions.at(-1)?.tree : question?.session,
  },
  merged,
  cleared,
});
const isRetry = (way: Way): boolean => way.some((step) => step.do === "retry");
const wordsOf = (way: Way): string => JSON.stringify(way);

/** Each verdict that a hint offers is a way of its own. */
function waysOf({ opening }: RelayState): Way[] {
  return (opening?.halted?.hint ?? []).flatMap((way) => {
    const judge = way.find((step) => step.do === "judge");
    if (!judge) return [way];
    return judge.verdicts.map((verdict): Way =>
      way.map((step): Step => (step.do === "judge" ? { ...step, verdicts: [verdict] } : step)),
    );
  });
}

/** Every command is accepted; where the relay then comes to is looked at by the caller. */
async function go(place: Place, way: Way, { byHand }: Row): Promise<void> {
  for (const step of way) {
    const [command] = commandsOf(step, stateOf(place));
    if (command === undefined) {
      const what = step.do === "by_hand" ? step.what : wordsOf(way);
      const done = typeof byHand === "function" ? byHand(what) : byHand;
      expect(done, what).toBeDefined();
      await place.sh(done!);
      continue;
    }
    const said = await place.sh(`${monoco}\n${command} 2>&1; echo "exit $?"`);
    const runs = step.do === "resume" || step.do === "retry";
    expect(said, command).toMatch(runs ? /exit [01]$/ : /exit 0$/);
    if (step.do === "submit") await place.sh("git switch -q main");
  }
}

/** Where all is as it was when the answer is called. */
function keep(place: Place): () => void {
  const copy = `${place.around}.kept`;
  const copied = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
  rmSync(copy, { recursive: true, force: true });
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(place.around, copy, copied);
  return () => {
    rmSync(place.around, { recursive: true, force: true });
    cpSync(copy, place.around, copied);
  };
}
