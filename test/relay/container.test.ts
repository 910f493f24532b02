/** `sandbox: container`: what holds sessions in podman, and where it is refused. test/attacks/reach.ts has what they can reach. */
import { describe, expect, test, vi } from "vitest";
import { underPodman } from "../support/container.ts";
import { openPlace, run, submit } from "../support/place.ts";

vi.setConfig({ testTimeout: 120_000 });
const found = underPodman();
const under = found ?? [];

describe.runIf(found)("in a container", () => {
  test("the status, the checks and the merge commit say that it held the sessions", async () => {
    const place = await openPlace(
      {
        executor: [[run("echo x > x; git add -A && git commit -qm Work"), submit]],
        reviewer: [[{ verdict: "approve" }]],
      },
      { settings: "sandbox: container\nchecks: ['test -e x']" },
    );
    const ran = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, under });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(place.all("session.started").map(({ containment }) => containment)).toEqual([
      "container",
      "container",
    ]);
    expect(place.all("checks.ran").map(({ containment }) => containment)).toContain("container");
    expect((await place.monoco("status", "FEAT-0001")).stdout).toContain("sandbox   container");
    expect((await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)")).trim()).toBe(
      "container",
    );
  });
});
