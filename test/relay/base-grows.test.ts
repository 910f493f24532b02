/**
 * Properties of the base branch, on real git: whatever people do and wherever relays die, its history only grows, only
 * approved work with green checks reaches it, and all that was merged stays. No agents: what they left is journaled.
 */
import * as fc from "fast-check";
import { expect, onTestFinished, vi } from "vitest";
import { openHere } from "../../src/app/here.ts";
import { settledHere } from "../../src/app/settings.ts";
import { findIssueOnBase, layOut, loadTerms, setUpRelay } from "../../src/app/wire.ts";
import { gitIn } from "../../src/git/git.ts";
import { commitTree } from "../../src/git/identity.ts";
import { withFile } from "../../src/git/landing.ts";
import { decideNow } from "../../src/relay/around.ts";
import { openOrResume } from "../../src/relay/open.ts";
import { drainInbox } from "../../src/relay/people/inbox.ts";
import { perform } from "../../src/relay/perform.ts";
import { openRelay } from "../../src/relay/relay.ts";
import type { Relay } from "../../src/relay/relay.ts";
import { dropMessage } from "../../src/store/mailbox.ts";
import { approves, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test } from "../support/full.ts";

vi.setConfig({ testTimeout: 600_000 });

const issues = ["FEAT-0001", "FEAT-0002", "FEAT-0003"] as const;
type Issue = (typeof issues)[number];

/** What a Reviewer and the checks made of a submission. */
type Judged = { verdict: "approve" | "request_changes" | "none"; green: boolean };
const isGood = ({ verdict, green }: Judged): boolean => verdict === "approve" && green;

/** Where a relay dies: just before, or just after, it journals this. */
type Death = { event: "merge.prepared" | "merge.done"; when: "before" | "after" };
/** A person puts up another commit, and approves that; or requests changes. */
type Word = { do: "put up another"; who: Issue } | { do: "object"; who: Issue };
type Step =
  | { do: "commit" | "dirty" | "clean" | "detach" | "attach" }
  | { do: "merge"; who: Issue; death?: Death | undefined }
  | Word
  | { do: "merge both"; who: [Issue, Issue] };
type Story = { strategy: "merge" | "squash"; judged: Judged[]; steps: Step[] };

const whom = fc.constantFrom(...issues);
const deaths: fc.Arbitrary<Death> = fc.record({
  event: fc.constantFrom("merge.prepared", "merge.done"),
  when: fc.constantFrom("before", "after"),
});
const stories: fc.Arbitrary<Story> = fc.record({
  strategy: fc.constantFrom("merge", "squash"),
  judged: fc.array(
    fc.record({
      verdict: fc.constantFrom("approve", "approve", "approve", "request_changes", "none"),
      green: fc.constantFrom(true, true, true, false),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  steps: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant("merge"), who: whom }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("merge"), who: whom, death: deaths }) },
      {
        weight: 2,
        arbitrary: fc
          .constantFrom<[Issue, Issue][]>(["FEAT-0001", "FEAT-0002"], ["FEAT-0002", "FEAT-0003"])
          .map((who) => ({ do: "merge both" as const, who })),
      },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constantFrom("put up another", "object"), who: whom }),
      },
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constantFrom("commit", "commit", "dirty", "clean", "detach", "attach"),
        }),
      },
    ) as fc.Arbitrary<Step>,
    { minLength: 4, maxLength: 9 },
  ),
});

/** Always tried: one that dies between the two, one that is not approved, one whose checks are red. */
const dies: Story = {
  strategy: "squash",
  judged: [
    { verdict: "approve", green: true },
    { verdict: "request_changes", green: true },
    { verdict: "approve", green: false },
  ],
  steps: [
    { do: "merge", who: "FEAT-0001", death: { event: "merge.done", when: "before" } },
    { do: "merge both", who: ["FEAT-0002", "FEAT-0003"] },
    { do: "commit" },
  ],
};

/** And this: the base moves, and nobody has it checked out whom git would ask. */
const unheld: Story = {
  strategy: "squash",
  judged: Array.from({ length: 3 }, (): Judged => ({ verdict: "approve", green: true })),
  steps: [{ do: "commit" }, { do: "detach" }, { do: "merge both", who: ["FEAT-0001", "FEAT-0002"] }],
};

/** And this: a person's word between what is prepared and what is journaled, in time and too late. */
const words: Story = {
  strategy: "merge",
  judged: Array.from({ length: 3 }, (): Judged => ({ verdict: "approve", green: true })),
  steps: [
    { do: "merge", who: "FEAT-0001", death: { event: "merge.prepared", when: "after" } },
    { do: "put up another", who: "FEAT-0001" },
    { do: "merge", who: "FEAT-0002", death: { event: "merge.done", when: "before" } },
    { do: "object", who: "FEAT-0002" },
    { do: "put up another", who: "FEAT-0002" },
    { do: "merge", who: "FEAT-0003", death: { event: "merge.prepared", when: "after" } },
    { do: "object", who: "FEAT-0003" },
    { do: "merge both", who: ["FEAT-0001", "FEAT-0003"] },
  ],
};

class Died extends Error {}

async function openIn(place: Place, issue: Issue, death?: Death): Promise<Relay> {
  const here = await openHere(place.project);
  layOut(here);
  const control = { interrupt: new AbortController().signal };
  const setup = setUpRelay(here, issue, { control, onProgress: () => undefined });
  const relay = openRelay(setup);
  if (relay.state.seq === 0) {
    await openOrResume(relay, loadTerms(here, settledHere(here)), await findIssueOnBase(here, issue, "main"));
  }
  const { record } = relay;
  relay.record = (body) => {
    if (death?.event !== body.type) return record(body);
    if (death.when === "after") record(body);
    throw new Died(body.type);
  };
  return relay;
}

/** A person's submission that adds a file with the issue's name, and what was made of it. */
async function submitted(place: Place, issue: Issue, { verdict, green }: Judged): Promise<void> {
  const relay = await openIn(place, issue);
  const git = gitIn(place.project);
  const base = await place.git("rev-parse", "main");
  const tree = await withFile(git, {
    tree: base,
    path: `${issue}.txt`,
    text: `${issue}\n`,
    scratch: relay.places.scratch,
  });
  const head = await commitTree(git, { tree, parents: [base], message: "work" });
  for (const ref of ["head", "submissions/1"])
    await place.git("update-ref", `refs/monoco/${issue}/${ref}`, head);
  await place.git("update-ref", `refs/heads/monoco/${issue}`, head);
  relay.record({ type: "submission.requested", submission: 1, head, tree, by: "person" });
  const results = green ? [] : [{ command: "false", exitCode: 1, timedOut: false, durationMs: 1, log: "x" }];
  relay.record({ type: "checks.ran", target: "submission", n: 1, tree, ok: green, results });
  if (verdict === "none") return;
  relay.record({ type: "review.decided", submission: 1, by: "person", verdict, findings: [] });
}

/** What `monoco resume` does, up to where an agent would be needed. */
async function merge(place: Place, issue: Issue, death?: Death): Promise<void> {
  const relay = await openIn(place, issue, death);
  if (relay.state.opening?.halted) relay.record({ type: "relay.resumed", by: "person" });
  try {
    for (let steps = 0; steps < 5; steps++) {
      const action = await decideNow(relay);
      if (action.do !== "merge" && action.do !== "settle_merge") return;
      await perform(relay, action);
    }
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
}

/** Through the inbox, as the commands do it; whether it was taken. */
async function say(place: Place, step: Word): Promise<boolean> {
  const { who } = step;
  const relay = await openIn(place, who);
  const git = gitIn(place.project);
  if (step.do === "object") {
    const submission = relay.state.submissions.length;
    const verdict = { verdict: "request_changes", findings: [], summary: "no" };
    dropMessage(relay.places.inbox, { type: "review", submission, ...verdict });
    return (await drainInbox(relay)).length === 0;
  }
  const base = await place.git("rev-parse", "main");
  const tree = await withFile(git, {
    tree: base,
    path: `${who}.txt`,
    text: `${who} again\n`,
    scratch: relay.places.scratch,
  });
  const commit = await commitTree(git, { tree, parents: [base], message: "again" });
  dropMessage(relay.places.inbox, { type: "submit", commit });
  if ((await drainInbox(relay)).length > 0) return false;
  const submission = relay.state.submissions.length;
  relay.record({ type: "checks.ran", target: "submission", n: submission, tree, ok: true, results: [] });
  relay.record({ type: "review.decided", submission, by: "person", verdict: "approve", findings: [] });
  return true;
}

let commits = 0;

async function take(place: Place, step: Exclude<Step, Word>): Promise<void> {
  switch (step.do) {
    case "merge":
      return merge(place, step.who, step.death);
    case "merge both":
      return void (await Promise.all(step.who.map((who) => merge(place, who))));
    case "commit":
      // Wherever HEAD is; only of what is named.
      commits += 1;
      place.write(`mine/${commits}.txt`, `${commits}\n`);
      return void (await place.sh(`git add mine && git commit -q -m Mine -- mine`));
    case "dirty":
      return place.write("a.txt", "being edited\n");
    case "clean":
      return void (await place.git("checkout", "-q", "HEAD", "--", "a.txt"));
    case "detach":
      return void (await place.git("checkout", "-q", "--detach"));
    case "attach":
      return void (await place.sh("git stash -q; git checkout -q main; git stash pop -q || true"));
  }
}

test("whatever people do and wherever relays die: the base's history only grows, by approved work with green checks alone", async () => {
  const before = { ...process.env };
  onTestFinished(() => void (process.env = before));
  const seen = { merged: 0, unapproved: 0, survived: 0, again: 0, objected: 0, tooLate: 0 };
  await fc.assert(
    fc.asyncProperty(stories, async ({ strategy, judged: first, steps }) => {
      const judged = [...first];
      const texts: string[] = [...issues];
      const place = await openPlace(
        { executor: [works], reviewer: [approves] },
        { issues: [...issues], files: { "a.txt": "one\n" }, settings: `merge: ${strategy}\n` },
      );
      Object.assign(process.env, place.sandbox.env);
      for (const [index, issue] of issues.entries()) await submitted(place, issue, judged[index]!);
      for (const step of steps) {
        const tip = await place.git("rev-parse", "main");
        const edited = await place.sh("cat a.txt; git status --porcelain -- a.txt");
        if (step.do === "put up another" || step.do === "object") {
          const at = issues.indexOf(step.who);
          const taken = await say(place, step);
          if (!taken) seen.tooLate += 1;
          else if (step.do === "object") {
            seen.objected += 1;
            judged[at] = { ...judged[at]!, verdict: "request_changes" };
          } else {
            seen.again += 1;
            judged[at] = { verdict: "approve", green: true };
            texts[at] = `${step.who} again`;
          }
        } else await take(place, step);
        await place.git("merge-base", "--is-ancestor", tip, "main");
        if (step.do.startsWith("merge"))
          expect(await place.sh("cat a.txt; git status --porcelain -- a.txt")).toBe(edited);
        const names = (await place.git("ls-tree", "--name-only", "main")).split("\n");
        for (const [index, issue] of issues.entries()) {
          const { state } = await openIn(place, issue);
          const approved = isGood(judged[index]!);
          const there = names.includes(`${issue}.txt`);
          if (there) expect(approved, issue).toBe(true);
          else if (!approved) seen.unapproved += 1;
          // Once merged it stays, and is merged once.
          if (state.opening?.merged) expect(there, issue).toBe(true);
        }
      }
      // All that is approved can be landed at last, what died on the way too, and none of it twice.
      await place.sh("git checkout -q -f main");
      for (const [index, issue] of issues.entries()) {
        const { state } = await openIn(place, issue);
        if (state.opening?.merge) seen.survived += 1;
        await merge(place, issue);
        const done = place.all("merge.done", issue);
        const approved = isGood(judged[index]!);
        expect(done).toHaveLength(approved ? 1 : 0);
        if (!approved) continue;
        seen.merged += 1;
        const closings = await place.git(
          "log",
          "--first-parent",
          "--format=%s",
          `--grep=^Monoco-Issue: ${issue}$`,
          "main",
        );
        expect(closings.split("\n")).toHaveLength(1);
        expect(await place.git("show", `main:${issue}.txt`)).toBe(texts[index]);
      }
      expect(await place.git("status", "--porcelain", "--untracked-files=no")).toBe("");
    }),
    { numRuns: 8, examples: [[dies], [unheld], [words]] },
  );
  // The laws are not kept by doing nothing.
  for (const often of Object.values(seen)) expect(often).toBeGreaterThan(0);
});
