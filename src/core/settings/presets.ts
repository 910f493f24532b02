/** Presets for simple, medium and complex work, and the choice of one for an issue. */
import type { PresetReason } from "../reason/reason-schema.ts";
import { counting } from "../issue/contract.ts";
import type { Issue } from "../issue/issue.ts";

export const presetNames = ["simple", "medium", "complex"] as const;
export type PresetName = (typeof presetNames)[number];

/** From the protocol article: done signals 1 / 2 / 3, test sessions 2 / 3 / 4, their share 25 / 30 / 35 %, sessions 10 / 30 / 50. */
export const presets = {
  simple: { exit: { doneSessions: 1, testSessions: 2, testSharePercent: 25 }, limits: { sessionsMax: 10 } },
  medium: { exit: { doneSessions: 2, testSessions: 3, testSharePercent: 30 }, limits: { sessionsMax: 30 } },
  complex: { exit: { doneSessions: 3, testSessions: 4, testSharePercent: 35 }, limits: { sessionsMax: 50 } },
} as const satisfies Record<PresetName, object>;

/** The choice of `preset: auto`, and the counts behind it. */
export type PresetChoice = { name: PresetName; reason: PresetReason };

/** The upper bounds of simple work. */
const simpleMax = { criteria: 3, tasks: 4 } as const;
/** The upper bounds of medium work. */
const mediumMax = { criteria: 8, tasks: 12 } as const;

/** Chooses by the counts of criteria and tasks that are not cancelled, then by criticality, which can only raise the preset. */
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
