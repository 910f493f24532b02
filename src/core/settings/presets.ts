/** Presets: the numbers for simple, medium and complex work, and which of them an issue calls for. */
import type { PresetReason } from "../reason/reason-schema.ts";
import { counting } from "../issue/contract.ts";
import type { Issue } from "../issue/issue.ts";

export const presetNames = ["simple", "medium", "complex"] as const;
export type PresetName = (typeof presetNames)[number];

/** Protocol article: done signals 1 / 2 / 3, test sessions 2 / 3 / 4, their share 25 / 30 / 35 %, sessions 10 / 30 / 50. */
export const presets = {
  simple: { exit: { doneSessions: 1, testSessions: 2, testSharePercent: 25 }, limits: { sessionsMax: 10 } },
  medium: { exit: { doneSessions: 2, testSessions: 3, testSharePercent: 30 }, limits: { sessionsMax: 30 } },
  complex: { exit: { doneSessions: 3, testSessions: 4, testSharePercent: 35 }, limits: { sessionsMax: 50 } },
} as const satisfies Record<PresetName, object>;

/** What `preset: auto` chose, and the counts that it chose by. */
export type PresetChoice = { name: PresetName; reason: PresetReason };

/** Up to these, work is simple. */
const simpleMax = { criteria: 3, tasks: 4 } as const;
/** Above these, it is complex. */
const mediumMax = { criteria: 8, tasks: 12 } as const;

/** By what can be counted: criteria and tasks that are not given up, then criticality, which only ever raises. */
export function choosePreset(issue: Pick<Issue, "criteria" | "tasks" | "criticality">): PresetChoice {
  const criteria = counting(issue).length;
  const tasks = issue.tasks.filter(({ state }) => state !== "cancelled").length;
  const size = sizeOf({ criteria, tasks });
  const name = atLeast(size, issue.criticality);
  const raised = name === size ? {} : { raised: { by: issue.criticality ?? "", to: name } };
  return { name, reason: { rule: "preset_size", criteria, tasks, size, ...raised } };
}

function sizeOf({ criteria, tasks }: { criteria: number; tasks: number }): PresetName {
  if (criteria > mediumMax.criteria || tasks > mediumMax.tasks) return "complex";
  return criteria <= simpleMax.criteria && tasks <= simpleMax.tasks ? "simple" : "medium";
}

function atLeast(size: PresetName, criticality: Issue["criticality"]): PresetName {
  if (criticality === "critical") return "complex";
  return criticality === "high" && size === "simple" ? "medium" : size;
}
