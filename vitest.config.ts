import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

const pure = ["test/core/**/*.test.ts", "test/views/**/*.test.ts"];

/** They take a minute or more with all their rows, or ten seconds with few: one that began last would keep one core waiting for the other. */
const longest =
  /\/(crash|bad-relay|relay|merge-matrix|two-at-once|liars|person-in-between|left-git|attacks|docs-commands|pull-request|doctor)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: "test/support/set-up.ts",
    tags: [{ name: "full", description: "further rows of a matrix: npm run test:full" }],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    maxConcurrency: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "real",
          include: ["test/**/*.test.ts"],
          exclude: [...pure, "node_modules/**"],
        },
      },
      {
        // Nothing of it changes its process: files share a thread and what they import.
        extends: true,
        test: { name: "pure", include: pure, pool: "threads", isolate: false },
      },
      { extends: true, test: { name: "lab", include: ["lab/test/**/*.test.ts"] } },
    ],
  },
});
