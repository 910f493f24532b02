// Loaded into the runner: writes the most memory that it ever held, in MB, when it ends. Agents do not inherit it.
import { readFileSync, writeFileSync } from "node:fs";

const path = process.env.BENCH_PEAK;

process.on("exit", () => {
  // What the kernel adds up for a process (maxRSS) begins with that of the process that started it.
  const told =
    process.platform === "linux" && /^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"));
  writeFileSync(path, String(Math.round((told ? Number(told[1]) : process.resourceUsage().maxRSS) / 1024)));
});
