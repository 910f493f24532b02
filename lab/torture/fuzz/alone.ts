/** One input read in a process of its own, whose heap has a limit: `node --max-old-space-size=MB alone.ts TARGET FILE`. */
import { readFileSync } from "node:fs";
import { MonocoError } from "../../../src/core/error/error.ts";
import { targets } from "./table.ts";

const [name, file = ""] = process.argv.slice(2);
const target = targets.find((one) => one.name === name);
if (!target) throw new Error(`no target ${name}`);
try {
  target.read(readFileSync(file, "utf8"));
} catch (error) {
  if (!(error instanceof MonocoError)) throw error;
}
