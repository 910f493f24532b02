/** The whole story in a sandbox, with each of the real CLIs: login, hooks, context marks, resume, verdict. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import { vendors } from "../../src/probe/vendors.ts";
import { eventsOf } from "../../test/support/cli.ts";
import { full } from "../../test/support/full.ts";
import { installedDirs } from "./installed.ts";
import { expectStory, issue, makeStoryPlace, storyOf } from "./story.ts";

// OpenCode takes two minutes on a machine that is busy.
vi.setConfig({ testTimeout: 400_000 });
const works = hasBubblewrap();
if (!works) console.warn("SKIPPED: bubblewrap does not work on this machine");

describe.for(Object.values(vendors))("with $settings.kind", (vendor) => {
  const { kind } = vendor.settings;
  const row = kind === "claude" ? test : full;
  row.skipIf(!works || installedDirs[kind as keyof typeof installedDirs] === undefined)(
    "an issue becomes a merge, and every session is held by bubblewrap",
    async () => {
      const place = await makeStoryPlace(vendor, storyOf(vendor));
      // Nobody has set a sandbox: monoco's own default holds the sessions.
      rmSync(join(place.sandbox.folder, "home", ".config", "monoco"), { recursive: true });
      await expectStory(vendor, place).catch(async (e) => {
        console.log(
          await place.sandbox.sh(
            place.project,
            "cat .monoco/relays/*/sessions/*/stderr.log; tail -5 .monoco/relays/*/setup/*.log; cat .monoco/relays/*/sessions/0001*/stream.jsonl | tail -3",
          ),
        );
        throw e;
      });
      const started = eventsOf(place.project, issue).filter((event) => event.type === "session.started");
      expect(new Set(started.map(({ containment }) => containment))).toEqual(new Set(["bubblewrap"]));
    },
  );
});
