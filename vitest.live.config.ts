/** The live suite: the real agent CLIs against a scripted model; see scripts/install-agents.ts. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/live/**/*.test.ts"],
    tags: [{ name: "full", description: "rows that .ci/run leaves out while what they cover is unchanged" }],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    // Most of a session is waiting.
    maxConcurrency: 3,
  },
});
