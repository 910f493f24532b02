/** `npm run weekend`: 40 issues worked while nobody is there, and the few commands that a person then needs. Writes docs/weekend.md with --write. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { playWeekend } from "./weekend/play.ts";
import { page } from "./weekend/page.ts";

const { values: flags } = parseArgs({
  options: { write: { type: "boolean", default: false }, jobs: { type: "string", default: "4" } },
});

const backlog = { plain: 22, approvals: 12, questions: 2, hopeless: 4 };
const text = page(await playWeekend(backlog, Number(flags.jobs)), backlog);
process.stdout.write(text);
if (flags.write) writeFileSync(join(import.meta.dirname, "../docs/weekend.md"), text);
