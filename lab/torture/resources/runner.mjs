/** Loaded into a runner: its clock is `shift` ms beside the true one, and at its end it says in the file `peak` how much memory it took. */
import { appendFileSync } from "node:fs";

const asked = new URL(import.meta.url).searchParams;
const shift = Number(asked.get("shift"));
const trueNow = Date.now;

Date.now = () => trueNow() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, to) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], to),
});

process.on("exit", () =>
  appendFileSync(asked.get("peak"), `${Math.round(process.resourceUsage().maxRSS / 1024)}\n`),
);
