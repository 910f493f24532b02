/** What holds of every run of a relay, whatever agents, people and machines do. Each law says what breaks it. */
import { isDeepStrictEqual } from "node:util";
import { decide, describeEvent, eventSchema, replay } from "../../../src/index.ts";
import type { RelayEvent } from "../../../src/index.ts";
import type { EventOf } from "../../../src/core/journal/event.ts";
import { limits, stepsMax } from "../../../test/core/support/simulation.ts";
import type { Run } from "../../../test/core/support/simulation.ts";

export type Law = {
  name: string;
  /** What is against it in a run; undefined where it holds. */
  broken(run: Run): string | undefined;
};

const hourMs = 3_600_000;

export const laws: readonly Law[] = [
  {
    name: "it comes to rest",
    broken: ({ last, steps }) =>
      last.do === "rest" && steps < stepsMax ? undefined : `${last.do} after ${steps} steps`,
  },
  { name: "one session at a time, each number once", broken: ({ events }) => sessionsApart(events) },
  { name: "only an approved submission with green checks is merged", broken: ({ events }) => merges(events) },
  { name: "what is merged was put up last", broken: ({ events }) => lastMerged(events) },
  {
    name: "nothing starts while it is stopped, and nothing after its merge",
    broken: ({ events }) => stopped(events),
  },
  { name: "an answer is to a question that is open", broken: ({ events }) => answers(events) },
  { name: "no letter is taken twice", broken: ({ events }) => letters(events) },
  { name: "a person's verdict is on the submission under review", broken: ({ events }) => verdicts(events) },
  { name: "charged Executors stay within their limit", broken: ({ events }) => charged(events) },
  { name: "no hour has more sessions than it may", broken: ({ events }) => hours(events) },
  { name: "its state is its journal, and deciding changes nothing", broken: (run) => pure(run) },
  { name: "every event can be written and told", broken: ({ events }) => told(events) },
];

function sessionsApart(events: readonly RelayEvent[]): string | undefined {
  const numbers = new Set<number>();
  let running: number | undefined;
  for (const event of events) {
    if (event.type === "session.started") {
      if (running !== undefined) return `session ${event.session} started beside ${running}`;
      if (numbers.has(event.session)) return `session ${event.session} started twice`;
      numbers.add((running = event.session));
    }
    if (event.type === "session.ended") {
      if (running !== event.session) return `session ${event.session} ended and did not run`;
      running = undefined;
    }
  }
  return undefined;
}

/** The events since a relay was opened last, before `index`. */
function sinceOpened(events: readonly RelayEvent[], index: number): readonly RelayEvent[] {
  const from = events.findLastIndex((event, at) => at < index && event.type === "relay.opened");
  return events.slice(from, index);
}

function merges(events: readonly RelayEvent[]): string | undefined {
  for (const [index, event] of events.entries()) {
    if (event.type !== "merge.prepared" && event.type !== "merge.done") continue;
    const why = whyNotMerged(sinceOpened(events, index), event.submission);
    if (why !== undefined)
      return `event ${event.seq}, ${event.type} of submission ${event.submission}: ${why}`;
  }
  return undefined;
}

function whyNotMerged(before: readonly RelayEvent[], submission: number): string | undefined {
  const opened = before[0];
  if (opened?.type !== "relay.opened") return "no relay is open";
  const checks = ofType(before, "checks.ran").filter(
    (it) => it.target === "submission" && it.n === submission,
  );
  if (checks.length !== 1 || !checks[0]!.ok) return "its checks are not green";
  // A confirmation adds nothing to an approval.
  const reviews = ofType(before, "review.decided")
    .filter((it) => it.submission === submission)
    .filter((it) => it.by === "person" || it.verdict !== "approve" || !it.onto);
  const questioned = ofType(before, "merge.questioned").findLast((it) => it.submission === submission);
  if (questioned && !isConfirmed(before, questioned)) return "nobody has confirmed it on the merged tree";
  const last = reviews.at(-1);
  if (last?.verdict !== "approve") return "it is not approved";
  if (last.by === "person") return undefined;
  const { gates, reviewers } = opened.settings;
  if ((gates.medium ?? "reviewer") !== "reviewer") return "no person has approved it";
  const since = reviews.slice(reviews.findLastIndex((it) => it.verdict !== "approve") + 1);
  if (new Set(since.map((it) => it.session)).size < (reviewers.medium ?? 1))
    return "too few have approved it";
  const failed = [...ofType(before, "merge.conflicted"), ...ofType(before, "merge.rejected")];
  return failed.some((it) => it.submission === submission) ? "its merge has failed before" : undefined;
}

function isConfirmed(before: readonly RelayEvent[], by: EventOf<"merge.questioned">): boolean {
  return ofType(before, "review.decided").some(
    ({ submission, onto, verdict }) =>
      submission === by.submission && onto === by.baseCommit && verdict === "approve",
  );
}

function lastMerged(events: readonly RelayEvent[]): string | undefined {
  let last = 0;
  for (const event of events) {
    if (event.type === "submission.requested") last = event.submission;
    if ((event.type === "merge.prepared" || event.type === "merge.done") && event.submission !== last)
      return `event ${event.seq}: submission ${event.submission}, and ${last} was put up since`;
  }
  return undefined;
}

const begins: ReadonlySet<string> = new Set(["session.started", "merge.prepared", "merge.done"]);
const halts: ReadonlySet<string> = new Set(["relay.paused", "relay.blocked", "relay.cancelled"]);

function stopped(events: readonly RelayEvent[]): string | undefined {
  let by: string | undefined;
  for (const { type, seq } of events) {
    if (type === "relay.opened") by = undefined;
    else if (by !== "merge.done" && type === "relay.resumed") by = undefined;
    else if (by !== undefined && begins.has(type)) return `event ${seq}, ${type}, after ${by}`;
    if (halts.has(type) || type === "merge.done" || type === "relay.cleared") by = type;
  }
  return undefined;
}

/** One answer is to all that a session has asked; a relay that is opened anew has no questions. */
function answers(events: readonly RelayEvent[]): string | undefined {
  let asked: number | undefined;
  for (const event of events) {
    if (event.type === "relay.opened") asked = undefined;
    if (event.type === "question.asked") asked = event.session;
    if (event.type !== "question.answered") continue;
    if (asked === undefined)
      return `event ${event.seq} answers session ${event.session}, which asked nothing`;
    asked = undefined;
  }
  return undefined;
}

function letters(events: readonly RelayEvent[]): string | undefined {
  const ids = events.flatMap(({ messageId }) => messageId ?? []);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  return twice === undefined ? undefined : `${twice} was taken twice`;
}

function verdicts(events: readonly RelayEvent[]): string | undefined {
  let last = 0;
  let running = false;
  for (const event of events) {
    if (event.type === "submission.requested") last = event.submission;
    if (event.type === "session.started") running = true;
    if (event.type === "session.ended") running = false;
    if (event.type !== "review.decided" || event.by !== "person") continue;
    if (event.submission !== last)
      return `event ${event.seq}: on ${event.submission}, and ${last} is under review`;
    if (running) return `event ${event.seq}: while a session was at work`;
  }
  return undefined;
}

/** Ends that nobody is charged for. */
const uncharged: ReadonlySet<string> = new Set(["usage_limit", "user_interrupt", "needs_login"]);

function charged(events: readonly RelayEvent[]): string | undefined {
  const sessions = new Set<number>();
  for (const event of events) {
    if (event.type === "relay.opened" || event.type === "relay.resumed") sessions.clear();
    if (event.type === "session.started") {
      // Finished work is reviewed: a Reviewer's session comes on top.
      if (event.role === "executor" && sessions.size >= limits.sessionsMax)
        return `event ${event.seq}: session ${event.session} is one too many`;
      sessions.add(event.session);
    }
    if (event.type !== "session.ended" || event.cause === "runner_died") continue;
    if (uncharged.has(event.reason) || (event.cause !== undefined && !event.progress))
      sessions.delete(event.session);
  }
  return undefined;
}

function hours(events: readonly RelayEvent[]): string | undefined {
  const starts = ofType(events, "session.started").map(({ atMs }) => atMs);
  const full = starts.find(
    (atMs) =>
      starts.filter((other) => other > atMs - hourMs && other <= atMs).length > limits.sessionsPerHour,
  );
  return full === undefined ? undefined : `more than ${limits.sessionsPerHour} in the hour before ${full} ms`;
}

function pure({ events, state, nowMs }: Run): string | undefined {
  const again = replay(events);
  if (!isDeepStrictEqual(again, state)) return "a replay makes another state of it";
  const first = decide(again, limits, nowMs);
  if (!isDeepStrictEqual(decide(again, limits, nowMs), first))
    return `it decides ${first.do}, and then otherwise`;
  return isDeepStrictEqual(again, state) ? undefined : `to decide ${first.do} changes the state`;
}

function told(events: readonly RelayEvent[]): string | undefined {
  for (const event of events) {
    if (!eventSchema.safeParse(event).success) return `event ${event.seq}, ${event.type}, has not its shape`;
    describeEvent(event);
  }
  return undefined;
}

function ofType<T extends RelayEvent["type"]>(
  events: readonly RelayEvent[],
  type: T,
): (RelayEvent & EventOf<T>)[] {
  return events.filter((event): event is RelayEvent & EventOf<T> => event.type === type);
}
