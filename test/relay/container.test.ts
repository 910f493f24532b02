/** `sandbox: container`: what holds sessions in podman, and where it is refused. test/attacks/reach.ts has what they can reach. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { processesOf } from "../support/cli.ts";
import { underPodman } from "../support/container.ts";
import { openPlace, run, say, submit } from "../support/place.ts";

vi.setConfig({ testTimeout: 180_000 });
const found = underPodman();
const under = found ?? [];

/** Plain HTTP, by the proxy that the environment names. */
const asks =
  'node -e \'require("http").get(process.env.http_proxy, { path: "http://one.example/" }, (a) => (process.exitCode = a.statusCode === 403 ? 0 : 1))\'';

describe.runIf(found)("in a container", () => {
  test("work is done, checked and merged; status and merge commit say what held it, and the proxy is its only way out", async () => {
    const place = await openPlace(
      {
        executor: [[run(`${asks} && echo x > x; git add -A && git commit -qm Work`), submit]],
        reviewer: [[{ verdict: "approve" }]],
      },
      { settings: "sandbox: container\nnetwork: vendors\nchecks: ['test -e x']" },
    );
    const ran = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, under });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(place.all("session.started").map(({ containment }) => containment)).toEqual([
      "container",
      "container",
    ]);
    expect(place.all("checks.ran").map(({ containment }) => containment)).toContain("container");
    expect(place.all("network.refused")).toMatchObject([{ session: 1, refused: [{ host: "one.example" }] }]);
    expect((await place.monoco("status", "FEAT-0001")).stdout).toContain(
      "sandbox   container, network: vendors",
    );
    expect((await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)")).trim()).toBe(
      "container, network: vendors",
    );
  });

  test("a session is gone when its runner was killed", async () => {
    const place = await openPlace({
      executor: [[say("begun"), run("setsid sleep 300 & sleep 300")]],
      reviewer: [[submit]],
    });
    const ways = ["--set", "sandbox=container", "--set", `sandboxWrite=[${join(place.around, "fifos")}]`];
    const running = place.sandbox.start(["run", "FEAT-0001", ...ways], { cwd: place.project, under });
    await place.heard("begun");
    expect(processesOf(place.around).length).toBeGreaterThan(1);
    running.kill("SIGKILL");
    await running;
    await expect.poll(() => processesOf(place.around), { timeout: 10_000 }).toEqual([]);
  });
});

test("where no container can be had, it refuses before anything is begun", async () => {
  const place = await openPlace(
    { executor: [[submit]], reviewer: [[submit]] },
    { settings: "sandbox: container" },
  );
  // A namespace in which nobody may make another.
  const none = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
  const refused = await place.sandbox.monoco(["run", "FEAT-0001"], {
    cwd: place.project,
    under: ["unshare", "-Ur", "sh", "-c", none, "sh"],
  });
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("sandbox: container does not work on this machine: "),
  });
  expect(existsSync(join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl"))).toBe(false);
});
