/** The seeded submissions that `npm run probe-review` puts before a Reviewer: three small projects, with issues and work on them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { seedKinds } from "./judge-figures.ts";

const files = z.record(z.string(), z.string());
const projectSchema = z.strictObject({
  /** The program without which its checks cannot run. */
  needs: z.string(),
  checks: z.array(z.string()),
  files,
  tasks: z.array(
    z.strictObject({
      title: z.string(),
      objective: z.string(),
      criteria: z.array(z.string()),
      /** A shell script that succeeds on right submissions alone: the truth about them, which no Reviewer is shown. */
      hidden: z.string(),
      submissions: z.array(z.strictObject({ name: z.string(), kind: z.enum(seedKinds), files })),
    }),
  ),
});
type Project = z.infer<typeof projectSchema>;
type Task = Project["tasks"][number];

export type Seed = Omit<Project, "tasks" | "files"> &
  Omit<Task, "submissions"> &
  Omit<Task["submissions"][number], "files"> & { base: Project["files"]; work: Project["files"] };

export function readSeeds(): Seed[] {
  const folder = join(import.meta.dirname, "projects");
  return readdirSync(folder)
    .map((name) => projectSchema.parse(parse(readFileSync(join(folder, name), "utf8"))))
    .flatMap(({ tasks, files: base, ...project }) =>
      tasks.flatMap(({ submissions, ...task }) =>
        submissions.map(({ files: work, ...one }) => ({ ...project, ...task, ...one, base, work })),
      ),
    );
}
