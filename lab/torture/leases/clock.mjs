/** Loaded into a worker before anything else: its wall clock is wrong by as many ms as the file says at that moment. */
import { readFileSync } from "node:fs";

const file = process.env["CLOCK_FILE"];
const real = Date.now;
const offset = () => {
  try {
    return Number(readFileSync(file, "utf8")) || 0;
  } catch {
    return 0;
  }
};
if (file) {
  Date.now = () => real() + offset();
  globalThis.Date = class extends Date {
    constructor(...args) {
      super(...(args.length === 0 ? [Date.now()] : args));
    }
  };
}
