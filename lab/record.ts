/** `npm run record -w lab`: the live suite, with every recorded stream made anew; which were not, and stay as they were, is said. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";

const folder = join(import.meta.dirname, "../test/agents/recorded");
const begunAtMs = Date.now();
const ran = await execa("npm", ["run", "test:live"], {
  cwd: import.meta.dirname,
  env: { MONOCO_RECORD: "1" },
  stdio: "inherit",
  reject: false,
});
const old = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".jsonl") && statSync(join(folder, name)).mtimeMs < begunAtMs)
  .toSorted();
for (const name of old) process.stderr.write(`not made anew: ${name}\n`);
process.exitCode = ran.exitCode === 0 && old.length === 0 ? 0 : 1;
