/** The live suite: the real agent CLIs against a scripted model; see scripts/install-agents.ts. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["live/**/*.test.ts"],
    tags: [{ name: "full", description: "rows that .ci/run runs with --all only" }],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Most of a session is waiting: two files, and three sessions in each, keep two cores busy.
    maxWorkers: 2,
    maxConcurrency: 3,
  },
});
