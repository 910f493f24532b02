/** The arguments and options that several commands share. */
import { MonocoError } from "../core/error/error.ts";
import { vendors } from "../core/settings/agent-kinds.ts";
import { count, countOr, flag, text, texts } from "./verb.ts";
import { t } from "../core/language/translate.ts";

export const id = [["[ID]"]] as const;
export const json = flag("print JSON");
/** For a relay that runs on another machine. */
export const elsewhere = flag(
  "to a relay on another machine, by a ref of the remote: docs/remote.md#messages-by-refs",
);
export const dryRun = flag("show what would be written, and write nothing");
export const set = texts("<key=value>", "a setting for this run, as limits.sessionsMax=5; repeatable");
export const session = count("<n>", "the session's number");

export const database = text("<url>", "of a fleet: postgres://USER@HOST/NAME; MONOCO_DATABASE without it");

/** The options of every command that runs relays. */
export const running = {
  agent: { ...text("<name>", "play the Executor by this agent"), values: vendors },
  set,
  once: flag("one session, then ask"),
  wait: flag("wait for usage limits at a terminal too"),
};

/** How many relays run at once. */
export const jobsDefault = 3;

/** The options of every command that runs relays of issues. */
export const runningIssues = {
  jobs: { ...countOr("<n>", jobsDefault, "relays at once"), short: "j" },
  ...running,
  policy: text("<file>", "thresholds for this run"),
  followUps: flag("after the merge, write issues for the findings that did not hold the work back"),
  detach: flag("run in the background, with the output in .monoco/run.log"),
  json: flag("print a report of each relay as JSON"),
};

/** The possible ends of a run of relays. */
export const runEnds = ["person", "conflict", "agent", "later", "interrupted"] as const;

/** Reads `2026-11-21` (its beginning, local), or a date and time in ISO 8601. */
export function sinceTime(text: string): number {
  const [, date, time = "T00:00"] = /^(\d{4}-\d\d-\d\d)(T.+)?$/.exec(text) ?? [];
  // 31 February would be 3 March.
  const isDay = date !== undefined && new Date(date).toJSON()?.startsWith(date);
  const ms = isDay ? Date.parse(`${date}${time}`) : NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new MonocoError("input", t`--since ${text}: expected a date`, {
    hint: t`write it like 2026-11-21, or 2026-11-21T17:00:00Z`,
  });
}
