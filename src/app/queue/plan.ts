/** The plan of `monoco run`, by the current base: which issues to run (those named, or the open ones), and why some cannot begin. */
import { byId, circleThrough, missingOf, pathTo } from "../../core/backlog/backlog.ts";
import type { Work } from "../../core/backlog/backlog.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Card } from "../../core/issue/card.ts";
import type { Planned } from "../../core/backlog/queue.ts";
import { t } from "../../core/language/translate.ts";
import { linesIn, openPhase, worksOnBase } from "../base-issues.ts";
import type { BaseIssue, BaseIssues } from "../base-issues.ts";
import { mayHaveRelay } from "../here.ts";
import type { Here } from "../here.ts";

export type PlanFlags = {
  base: string;
  /** Run every open issue of the base; with `ids`, those of them that are named. */
  all: boolean;
  /** Begin issues even if others that they wait for are not done. */
  ignoreDependencies: boolean;
};

export type Refused = { id: string; error: MonocoError };

export type Plan = Planned & {
  refused: Refused[];
  /** Issues that begin although a dependency is not done. */
  waived: readonly string[];
};

type Backlog = ReadonlyMap<string, Work>;

export async function planOf(
  here: Here,
  ids: readonly string[],
  { flags, onBase }: { flags: PlanFlags; onBase: BaseIssues },
): Promise<Plan> {
  const works = worksOnBase(onBase);
  const backlog = byId(works);
  // An issue that is missing or unreadable is reported when it is run.
  const runs = ({ id }: Work): boolean =>
    flags.all
      ? (ids.length === 0 || ids.includes(id)) && isWork(onBase.sound.get(id)?.card)
      : ids.includes(id) && onBase.sound.has(id);
  const asked = new Set(works.filter((work) => work.stands === "open" && runs(work)).map(({ id }) => id));
  const hasRelay = mayHaveRelay(here);
  const goesOn = (id: string): boolean => hasRelay(id) && openPhase(here, id) !== undefined;
  const free = new Set([...asked].filter((id) => flags.ignoreDependencies || goesOn(id)));
  const reasons = [...asked].flatMap((id) => {
    const why = free.has(id) ? undefined : whyNot(here, id, { onBase, backlog, asked, flags });
    return why ? [{ id, why }] : [];
  });
  const misledIssues = reasons.flatMap(({ why }) => (why instanceof MonocoError ? [] : [why.issue]));
  const lines = await linesIn(here, misledIssues, "dependencies");
  const refused = reasons.map(({ id, why }): Refused => {
    if (why instanceof MonocoError) return { id, error: why };
    const { path } = why.issue;
    return { id, error: why.errorAt(`${path}:${lines.get(path)}`) };
  });
  const lost = flags.all ? [] : ids.filter((id) => !asked.has(id));
  const others = flags.all ? [...onBase.broken].filter(([id]) => !asked.has(id)) : [];
  const planned = works
    .filter(({ id }) => !lost.includes(id))
    .map((work) => ({ ...work, needs: free.has(work.id) ? [] : work.needs }))
    .concat(lost.map((id) => ({ id, needs: [], stands: "open" })));
  return {
    works: flags.all ? planned : planned.map((work) => ({ ...work, place: ids.indexOf(work.id) })),
    blobOf: (id) => onBase.sound.get(id)?.object,
    asked: [...asked, ...lost],
    refused: [...refused, ...others.map(([id, error]) => ({ id, error }))],
    waived: flags.ignoreDependencies
      ? works.filter((work) => hasMissing(backlog, work)).map(({ id }) => id)
      : [],
  };
}

/** `--all` leaves out epics and frozen issues; an issue that cannot be read is included, so that its error is reported. */
function isWork(issue: Card | undefined): boolean {
  return (
    issue === undefined || (issue.status === "open" && issue.stage !== "freezed" && issue.type !== "epic")
  );
}

function hasMissing(backlog: Backlog, work: Work): boolean {
  return Object.values(missingOf(backlog, work)).some((ids) => ids.length > 0);
}

type Asked = { onBase: BaseIssues; backlog: Backlog; asked: ReadonlySet<string>; flags: PlanFlags };

/** A fault of the issue's file. The lines of all faults are looked up at once. */
type Misled = { issue: BaseIssue; errorAt(place: string): MonocoError };

/** Why an issue can never begin in this run: it is unreadable, depends on itself through others, or waits for an issue that will not be done. */
function whyNot(
  here: Here,
  id: string,
  { onBase, backlog, asked, flags }: Asked,
): MonocoError | Misled | undefined {
  const issue = onBase.sound.get(id);
  const work = backlog.get(id);
  if (!issue || !work) return onBase.broken.get(id);
  if (work.needs.length === 0) return undefined;
  const anyway = t`or go on all the same: monoco run ${id} --ignore-dependencies`;
  const misled = (errorAt: Misled["errorAt"]): Misled => ({ issue, errorAt });
  const circle = circleThrough(backlog, id)?.join(" → ");
  if (circle !== undefined) {
    const hint = t`take one of them out of the other's dependencies (a parent waits for its open children), and commit that`;
    return misled(
      (at) => new MonocoError("input", t`${at}: these issues wait for each other: ${circle}`, { hint }),
    );
  }
  const { open, dropped, unknown } = missingOf(backlog, work);
  if (unknown.length > 0) {
    const ids = unknown.join(", ");
    const hint = t`fix the id, or commit that issue on ${flags.base}; ${anyway}`;
    return misled(
      (at) =>
        new MonocoError("input", t`${at}: ${id} depends on ${ids}, which ${flags.base} does not have`, {
          hint,
        }),
    );
  }
  if (dropped.length > 0) {
    const how = dropped.map((other) => `${other} (${onBase.sound.get(other)?.card.solution})`).join(", ");
    const hint = t`take it out of the dependencies, or name what replaces it, and commit that; ${anyway}`;
    return misled(
      (at) => new MonocoError("input", t`${at}: ${id} waits for ${how}: closed, and never done`, { hint }),
    );
  }
  const alone = open.filter((other) => !asked.has(other));
  if (alone.length === 0 || flags.all) return undefined;
  const how = alone.map((other) => `${other} (${standing(here, onBase, other)})`);
  return new MonocoError("input", t`${id} waits for ${how.join(", ")}`, {
    hint: `${wayTo(id, { onBase, backlog })}; ${anyway}`,
  });
}

function standing(here: Here, onBase: BaseIssues, id: string): string {
  const issue = onBase.sound.get(id)?.card;
  const phase = openPhase(here, id);
  const stands = issue ? `${issue.status}, ${issue.stage}` : t`cannot be read`;
  return phase === undefined ? stands : t`${stands}, its relay: ${phase}`;
}

/** The commands that run the issue, and pull others out of the backlog first. */
function wayTo(id: string, { onBase, backlog }: Pick<Asked, "onBase" | "backlog">): string {
  const path = pathTo(backlog, id);
  const away = path.filter((other) => onBase.sound.get(other)?.card.status === "backlog");
  const run = t`monoco run ${path.join(" ")} runs them in order`;
  return away.length > 0 ? t`monoco issue pull ${away.join(" ")}, commit that; then ${run}` : run;
}
