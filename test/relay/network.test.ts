/** The network of a relay's sessions and checks: what is refused in it is told, and it is never left open in silence. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { isHere } from "../support/namespaces.ts";
import { openPlace, run, submit } from "../support/place.ts";

vi.setConfig({ testTimeout: 120_000 });
const works = isHere("bubblewrap");

/** Plain HTTP, by the proxy that the environment names. */
const askFor = (url: string): string =>
  `node -e 'require("http").get(process.env.http_proxy, { path: "${url}" }, (a) => { a.pipe(process.stdout); process.exitCode = a.statusCode === 403 ? 0 : 1 })'`;

test.runIf(works)(
  "what a session and a check are refused stands in the log, beside their output; status and merge say what was in force",
  async () => {
    const work = `${askFor("http://one.example/")} && ${askFor("http://one.example/")}; echo x > x; git add -A && git commit -qm Work`;
    const place = await openPlace(
      { executor: [[run(work), submit]], reviewer: [[{ verdict: "approve" }]] },
      {
        settings: `sandbox: bwrap\nnetwork: vendors\nchecks: ['${askFor("http://192.0.2.1:81/").replaceAll("'", "''")}']\n`,
      },
    );
    const TMPDIR = join(place.around, "temporary");
    mkdirSync(TMPDIR);
    const ran = await place.sandbox.start(["run", "FEAT-0001"], { cwd: place.project, env: { TMPDIR } });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    // The baseline ran the check first.
    const [, first, ...checks] = place.all("network.refused");
    expect(first).toMatchObject({
      session: 1,
      refused: [{ host: "one.example", port: 80, why: "unlisted", times: 2 }],
    });
    expect(checks[0]).toMatchObject({
      command: expect.stringContaining("192.0.2.1"),
      refused: [{ host: "192.0.2.1", port: 81, why: "address", times: 1 }],
    });
    const log = (await place.monoco("relay", "log", "FEAT-0001")).stdout;
    expect(log).toContain("session 1: refused by network: vendors: one.example:80, 2 times");
    const folder = join(place.project, ".monoco/relays/FEAT-0001/sessions");
    const [session = ""] = readdirSync(folder);
    expect(readFileSync(join(folder, session, "stderr.log"), "utf8")).toBe(
      "monoco: network: vendors refused one.example:80: networkHosts does not name it\n",
    );
    expect(place.all("session.started").map(({ network }) => network)).toEqual(["vendors", "vendors"]);
    expect((await place.monoco("status", "FEAT-0001")).stdout).toContain(
      "sandbox   bubblewrap, network: vendors",
    );
    expect(await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)")).toContain(
      "bubblewrap, network: vendors",
    );
    // Nothing of the proxies is left.
    expect(readdirSync(TMPDIR)).toEqual([]);
  },
);

test.for(["vendors", "none"])(
  "network: %s without a sandbox is refused before anything is begun",
  async (network) => {
    const place = await openPlace(
      { executor: [[submit]], reviewer: [[submit]] },
      { settings: `sandbox: none\nnetwork: ${network}\n` },
    );
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`network: ${network} needs a sandbox, and none is in force`),
    });
    expect(existsSync(join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl"))).toBe(false);
  },
);
