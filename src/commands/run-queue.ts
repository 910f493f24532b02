/** What `monoco run` takes next: the issues that were named, or the open ones of the base, each when what it needs is done. */
import { circleThrough, missingOf, nextOf, pathTo } from "../core/backlog.ts";
import type { Progress, Work } from "../core/backlog.ts";
import { MonocoError } from "../core/error.ts";
import { keyLine } from "../core/front-matter.ts";
import type { Issue } from "../core/issue.ts";
import { openPhase, issuesOnBase, worksOnBase } from "./base-issues.ts";
import type { BaseIssues } from "./base-issues.ts";
import type { Here } from "./here.ts";

export type RunQueue = {
  /** What cannot be begun, whatever comes of the others. */
  refused: { id: string; error: MonocoError }[];
  /** The next issue, once there is one; undefined when nothing is left that could be run. */
  take(): Promise<string | undefined>;
  /** Rejects where the base cannot be read: what needs the issue is not begun then. */
  ended(id: string, exitCode: number): Promise<void>;
  /** What could not be begun because of what became of others, in words. */
  left(): string[];
  /** It is begun though something that it needs is not done. */
  waives(id: string): boolean;
};

export type QueueFlags = {
  base: string;
  /** Every open issue of the base; with `named`, those of them that are named. */
  all: boolean;
  /** Begin what waits for others all the same. */
  ignoreDependencies: boolean;
};

/** Relays that are open already, one after the other, as they were named. */
export function resumed(ids: readonly string[]): RunQueue {
  const waiting = [...ids];
  return {
    refused: [],
    take: async () => waiting.shift(),
    ended: async () => undefined,
    left: () => [],
    waives: () => false,
  };
}

/** The queue of `monoco run`. Throws `input` where no issue is named, and where there is no base. */
export async function queueOf(here: Here, named: readonly string[], flags: QueueFlags): Promise<RunQueue> {
  if (named.length === 0 && !flags.all) {
    throw new MonocoError("input", "which issue? No id was given", {
      hint: "monoco run FEAT-0001, or monoco run --all for the whole backlog",
    });
  }
  const onBase = await issuesOnBase(here, flags.base);
  const works = worksOnBase(onBase);
  // What is named and not found, or not readable, is told by the run of that issue.
  const runs = ({ id }: Work): boolean =>
    flags.all
      ? (named.length === 0 || named.includes(id)) && isWork(onBase.sound.get(id)?.issue)
      : named.includes(id) && onBase.sound.has(id);
  const asked = works.filter((work) => work.stands === "open" && runs(work)).map(({ id }) => id);
  const free = new Set(asked.filter((id) => flags.ignoreDependencies || openPhase(here, id) !== undefined));
  const refused = asked.flatMap((id) => {
    const error = free.has(id) ? undefined : whyNot(here, id, { onBase, works, asked, flags });
    return error ? [{ id, error }] : [];
  });
  const lost = flags.all ? [] : named.filter((id) => !asked.includes(id));
  const others = flags.all ? [...onBase.broken].filter(([id]) => !asked.includes(id)) : [];
  const done = new Set(works.filter(({ stands }) => stands === "done").map(({ id }) => id));
  const planned = works
    .filter(({ id }) => !lost.includes(id))
    .map((work) => ({ ...work, needs: free.has(work.id) ? [] : work.needs.filter((id) => !done.has(id)) }))
    .concat(lost.map((id) => ({ id, needs: [], stands: "open" })));
  return queue(here, {
    works: flags.all ? planned : planned.map((work) => ({ ...work, place: named.indexOf(work.id) })),
    asked: [...asked, ...lost],
    refused: [...refused, ...others.map(([id, error]) => ({ id, error }))],
    waived: flags.ignoreDependencies
      ? works.filter((work) => hasMissing(works, work)).map(({ id }) => id)
      : [],
    base: flags.base,
  });
}

/** Epics and what is put off are no work of `--all`; what cannot be read is asked for, and told. */
function isWork(issue: Issue | undefined): boolean {
  return (
    issue === undefined || (issue.status === "open" && issue.stage !== "freezed" && issue.type !== "epic")
  );
}

function hasMissing(works: readonly Work[], work: Work): boolean {
  return Object.values(missingOf(works, work)).some((ids) => ids.length > 0);
}

type Planned = {
  works: Work[];
  asked: readonly string[];
  refused: RunQueue["refused"];
  waived: readonly string[];
  base: string;
};

function queue(here: Here, { works, asked, refused, waived, base }: Planned): RunQueue {
  const progress = new Map<string, Progress>();
  // What is not run here is nobody's to wait for.
  for (const { id, stands } of works)
    if (stands === "open" && !asked.includes(id)) progress.set(id, "failed");
  for (const { id } of refused) progress.set(id, "failed");
  let changed = Promise.withResolvers<void>();
  return {
    refused,
    take: async () => {
      for (;;) {
        const next = nextOf(works, progress);
        if ("start" in next) {
          progress.set(next.start, "running");
          return next.start;
        }
        if ("blocked" in next) return undefined;
        await changed.promise;
      }
    },
    ended: async (id, exitCode) => {
      let became: Progress = "failed";
      try {
        // Done is what the base has: work that was left on a branch is not there for those that need it.
        const issue = exitCode === 0 ? (await issuesOnBase(here, base)).sound.get(id)?.issue : undefined;
        if (issue?.status === "closed") became = "done";
      } finally {
        progress.set(id, became);
        changed.resolve();
        changed = Promise.withResolvers();
      }
    },
    left: () => {
      const next = nextOf(works, progress);
      return "blocked" in next
        ? next.blocked.map(({ id, by }) => `${id}  was not begun: it waits for ${by.join(", ")}`)
        : [];
    },
    waives: (id) => waived.includes(id),
  };
}

type Asked = { onBase: BaseIssues; works: readonly Work[]; asked: readonly string[]; flags: QueueFlags };

/** Why an issue can never be begun in this run, if so: it cannot be read, goes round in a circle, or waits for what does not come. */
function whyNot(here: Here, id: string, { onBase, works, asked, flags }: Asked): MonocoError | undefined {
  const found = onBase.sound.get(id);
  const work = works.find((one) => one.id === id);
  if (!found || !work) return onBase.broken.get(id);
  const at = `${found.path}:${keyLine(found.text, "dependencies")}`;
  const anyway = `or go on all the same: monoco run ${id} --ignore-dependencies`;
  const circle = circleThrough(works, id);
  if (circle) {
    return new MonocoError("input", `${at}: these issues wait for each other: ${circle.join(" → ")}`, {
      hint: "take one of them out of the other's dependencies (a parent waits for its open children), and commit that",
    });
  }
  const { open, dropped, unknown } = missingOf(works, work);
  if (unknown.length > 0) {
    return new MonocoError(
      "input",
      `${at}: ${id} depends on ${unknown.join(", ")}, which ${flags.base} does not have`,
      {
        hint: `mend the id, or commit that issue on ${flags.base}; ${anyway}`,
      },
    );
  }
  if (dropped.length > 0) {
    const how = dropped.map((other) => `${other} (${onBase.sound.get(other)?.issue.solution})`);
    return new MonocoError("input", `${at}: ${id} waits for ${how.join(", ")}: closed, and never done`, {
      hint: `take it out of the dependencies, or name what replaces it, and commit that; ${anyway}`,
    });
  }
  const alone = open.filter((other) => !asked.includes(other));
  if (alone.length === 0 || flags.all) return undefined;
  const how = alone.map((other) => `${other} (${standing(here, onBase, other)})`);
  return new MonocoError("input", `${id} waits for ${how.join(", ")}`, {
    hint: `${wayTo(id, { onBase, works })}; ${anyway}`,
  });
}

function standing(here: Here, onBase: BaseIssues, id: string): string {
  const issue = onBase.sound.get(id)?.issue;
  const phase = openPhase(here, id);
  const relay = phase === undefined ? "" : `, its relay: ${phase}`;
  return `${issue ? `${issue.status}, ${issue.stage}` : "cannot be read"}${relay}`;
}

/** What to run, or to pull out of the backlog first. */
function wayTo(id: string, { onBase, works }: Pick<Asked, "onBase" | "works">): string {
  const path = pathTo(works, id);
  const away = path.filter((other) => onBase.sound.get(other)?.issue.status === "backlog");
  const pull = away.length > 0 ? `monoco issue pull ${away.join(" ")}, commit that; then ` : "";
  return `${pull}monoco run ${path.join(" ")} runs them in order`;
}
