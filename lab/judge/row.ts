/** A row of the judge's tables: a project, what a session submits to it, what a Reviewer says, and what has to become of it. */

export const attackGroups = ["evidence", "weakened", "tampering", "contradictions"] as const;
export const groups = [...attackGroups, "controls"] as const;
export type Group = (typeof groups)[number];

/** A step of the scripted agent: docs/scripted-agent.md. */
export type Step = Readonly<Record<string, unknown>>;

export type Texts = Readonly<Record<string, string>>;

/** What a Reviewer's command shows: its exit status is 0 where none is named. */
export type Shown = { command: string; exitCode?: number; text?: string };

/** A tiny project with a defect, an honest fix of it, and commands that show the fix. */
export type Project = {
  files: Texts;
  checks: readonly string[];
  fix: Texts;
  evidence: Shown;
  probe: Shown;
};

export type Row = {
  name: string;
  group: Group;
  project: Project;
  /** More files of the base. */
  files?: Texts;
  /** The acceptance criteria, where they are not the fix. */
  criteria?: readonly string[];
  /** More lines of the front matter, and of monoco.yaml. */
  front?: string;
  settings?: string;
  /** What the first Executor session does before it commits and submits. */
  work: readonly Step[];
  /** Later Executor sessions, whole; the last one repeats. */
  after?: readonly (readonly Step[])[];
  /** The Reviewer's sessions; the last one repeats. */
  reviewer: readonly (readonly Step[])[];
  /** Files of which a place has to be listed and answered if it is merged without a person. */
  places?: readonly string[];
  /** What the gate makes of it today, where that is no goal's: why. */
  known?: string;
};
