/** A person's MCP server that never answers: each real CLI starts without it, or its session ends as one that did not start. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { expect, test } from "vitest";
import { vendors } from "../../src/probe/vendors.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { installedDirs } from "./installed.ts";
import { addServer } from "./lived-in-home.ts";
import { issue, makeStoryPlace } from "./story.ts";
import type { StoryPlace } from "./story.ts";
import { full } from "../../test/support/full.ts";

type Kind = keyof typeof vendors;
type Homes = { home: string; modelUrl: string };

/** It reads what it is asked, and never answers. */
const hangs = { command: "/bin/sh", args: ["-c", "cat > /dev/null; exec sleep 1000"] };

async function placeOf(kind: Kind, limits: string): Promise<StoryPlace> {
  const vendor = vendors[kind];
  const environment = (homes: Homes): Record<string, string> => {
    const made = vendor.environment(homes);
    addServer[kind](homes.home, "hangs", hangs);
    return made;
  };
  return makeStoryPlace(
    { ...vendor, environment },
    [{ match: "FEAT", turns: [{ text: "Done." }, { text: "Done." }, { text: "Done." }] }],
    `backoffSeconds: 0, ${limits}`,
  );
}

for (const kind of ["claude", "codex", "gemini", "opencode"] as const) {
  // Gemini CLI waits a minute for the server.
  const here = (kind === "gemini" ? full : test).skipIf(installedDirs[kind] === undefined);
  // TRAP 58
  here(`${kind} works without an MCP server that never answers`, { timeout: 180_000 }, async () => {
    const place = await placeOf(kind, "startSeconds: 100");
    const ran = await place.monoco("run", issue, "--once");
    const end = eventsOf(place.project, issue).find((event) => event.type === "session.ended");
    expect(end, ran.stdout + ran.stderr).toMatchObject({ reason: "completed_without_submit" });
    if (process.env["MEASURE"]) console.log(kind, end!.durationMs, end!.evidence);
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  });
}

test.skipIf(installedDirs.gemini === undefined)(
  "gemini's session ends as one that did not start, where its server may take longer than `startSeconds`",
  { timeout: 180_000 },
  async () => {
    const place = await placeOf("gemini", "startSeconds: 10");
    const ran = await place.monoco("run", issue, "--once");
    const end = eventsOf(place.project, issue).find((event) => event.type === "session.ended");
    expect(end, ran.stdout + ran.stderr).toMatchObject({ reason: "not_started" });
    expect(endingWords(end!.evidence)[0]).toBe(
      "stopped by monoco: nothing came of its start within 10 seconds",
    );
    expect(place.model.requests).toEqual([]);
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  },
);
