/** monoco issue review --next: the submissions that wait for a person's verdict, one after the other, the most urgent first. */
import { createInterface } from "node:readline";
import { MonocoError } from "../../core/error/error.ts";
import { openHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { overviewHere } from "../../app/overview/overview-here.ts";
import { tellFailure } from "../../views/failure.ts";
import { asksToJudge } from "../../views/hint.ts";
import { io } from "../../io/io.ts";
import { diff } from "../relay/diff.ts";
import { goOn, refuseFlags, reviewOne } from "./review.ts";
import type { Reviewed, ReviewFlags } from "./review.ts";
import { t, translatable, translated } from "../../core/language/translate.ts";

/** At a terminal, shows each and asks. Otherwise shows the first, or gives it the flags' verdict. */
export async function reviewNext(ids: readonly string[], flags: ReviewFlags): Promise<number> {
  refuseFlags(ids, flags);
  if (ids.length > 0)
    throw new MonocoError("input", t`--next finds what waits for you: name no issue with it`);
  const here = await openHere();
  const { overview } = await overviewHere(here);
  const issues = overview.items.filter(({ hint }) => asksToJudge(hint)).map(({ id }) => id);
  const [first, ...more] = issues;
  if (first === undefined) {
    io().stdout.write(flags.json ? "null\n" : t`nothing waits for your verdict\n`);
    return 0;
  }
  const asks =
    io().stdin.isTTY && io().stdout.isTTY && !flags.approve && !flags.requestChanges && !flags.json;
  if (asks) return walk(here, issues, flags);
  const came = await reviewOne(here, first, flags);
  if (!flags.json && more.length > 0) io().stdout.write(t`${more.length} more in line: ${more.join(" ")}\n`);
  return goOn([came], flags.detach);
}

const question = translatable("[a]pprove, [r]equest changes, [e]dit comments, [d]iff, [s]kip, [q]uit? ");

async function walk(here: Here, issues: readonly string[], flags: ReviewFlags): Promise<number> {
  const asking = createInterface({ input: io().stdin });
  const lines = asking[Symbol.asyncIterator]();
  const came: Reviewed[] = [];
  let closed = false;
  asking.once("close", () => (closed = true));
  const ask = async (question: string): Promise<string | undefined> => {
    io().stdout.write(question);
    const { value, done } = await lines.next();
    return done ? undefined : value.trim();
  };
  // An editor or a pager reads the same terminal.
  const leave = async <T>(step: () => Promise<T>): Promise<T> => {
    if (!closed) asking.pause();
    return step().finally(() => closed || asking.resume());
  };
  try {
    for (const [index, issue] of issues.entries()) {
      await leave(() => reviewOne(here, issue, flags));
      const verdict = await verdictOn(issue, { ask, leave, place: t`${index + 1} of ${issues.length}` });
      if (verdict === "quit") break;
      if (verdict === "skip") continue;
      const given = leave(() => reviewOne(here, issue, { ...flags, ...verdict }));
      came.push(await given.catch((error: unknown) => ({ code: tellFailure(error, issue) })));
    }
  } finally {
    asking.close();
  }
  return goOn(came, flags.detach);
}

type Verdict = Pick<ReviewFlags, "approve" | "requestChanges" | "edit" | "message">;

type Asking = {
  ask(question: string): Promise<string | undefined>;
  leave(step: () => Promise<unknown>): Promise<unknown>;
  /** The number of this submission and of all, as shown in the question. */
  place: string;
};

async function verdictOn(issue: string, { ask, leave, place }: Asking): Promise<Verdict | "skip" | "quit"> {
  for (;;) {
    // The end of the input decides nothing.
    const word = (await ask(t`${issue} (${place}): ${translated(question)}`))?.toLowerCase()[0] ?? "q";
    if (word === "a") return { approve: true, requestChanges: false, edit: false };
    if (word === "e") return { approve: false, requestChanges: false, edit: true };
    if (word === "s") return "skip";
    if (word === "q") return "quit";
    if (word === "d") await leave(() => diff(issue, { stat: false, file: [] }));
    if (word !== "r") continue;
    const message = await ask(t`What has to change? `);
    if (message) return { approve: false, requestChanges: true, edit: false, message: [message] };
  }
}
