/** monoco agent probe, and `npm run probe-review -w lab`, on the real CLIs: what it finds, and that a relay goes by it. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { afterEach, expect, test } from "vitest";
import { features } from "../../src/core/session/probe.ts";
import type { Feature, Findings } from "../../src/core/session/probe.ts";
import type { vendors } from "../../src/probe/vendors.ts";
import { codexVendor } from "../../src/probe/codex-vendor.ts";
import { claudeVendor } from "../../src/probe/claude-vendor.ts";
import type { ModelRequest, Turn } from "../../src/probe/scripted-model.ts";
import { eventsOf, openSandbox, processesOf } from "../../test/support/cli.ts";
import type { Sandbox } from "../../test/support/cli.ts";
import { cleanEnvironment } from "./environment.ts";
import { installedDirs } from "./installed.ts";
import { approved, fillIn, half, issue, makeStoryPlace, shellTurn, whole } from "./story.ts";
import { full } from "../../test/support/full.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

const probeReview = join(import.meta.dirname, "../probe-review.ts");

type Report = { conclusion: string; findings: Findings };

/** The probe of the one agent that is on the PATH of `env`. */
async function probed(sandbox: Sandbox, agent: string, env: Record<string, string>): Promise<Report> {
  const ran = await sandbox.monoco(["agent", "probe", agent, "--json"], { env });
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  const [report] = JSON.parse(ran.stdout) as [Report];
  return report;
}

/** What is not there, by agent; all else is. */
const lacking: Record<keyof typeof vendors, Feature[]> = {
  claude: ["contextInjection"],
  codex: ["contextInjection"],
  gemini: ["messageOnInput", "structuredVerdict"],
  opencode: ["contextInjection", "structuredVerdict"],
};

test.for(Object.entries(lacking))("%s can do what its adapter says", async ([agent, missing], { skip }) => {
  const dir = installedDirs[agent as keyof typeof vendors];
  if (!dir) return skip(`${agent} is not installed here`);
  const sandbox = openSandbox();
  opened.push(sandbox);
  const PATH = [dir, process.env["PATH"]].join(delimiter);
  const report = await probed(sandbox, agent, { PATH });
  const found = features.filter((feature) => report.findings[feature].found === "yes");
  expect(found, JSON.stringify(report.findings, null, 1)).toEqual(
    features.filter((feature) => !missing.includes(feature)),
  );
  expect(report.conclusion).toBe("native");
  // Not a file of the person's home was made.
  expect(existsSync(join(sandbox.folder, "home", `.${agent}`))).toBe(false);
  expect(processesOf(sandbox.folder)).toEqual([]);
});

test.skipIf(!installedDirs.codex)(
  "codex as a Reviewer is judged by submissions of which it is told nothing but their work",
  async () => {
    const named = ["slug-by-tr", "slug-with-an-end"];
    const answer = ({ tail }: ModelRequest): Turn =>
      /hello-$/m.test(tail)
        ? codexVendor.verdict({
            verdict: "request_changes",
            criteria: [],
            probes: [],
            findings: [
              {
                id: "end",
                severity: "major",
                title: "It ends in a hyphen",
                criterion: 3,
                evidence: {
                  command: "sh -c '. ./slug.sh; slug \"Hello !\" | grep -v -e -$'",
                  exitCode: 1,
                  text: "",
                },
              },
            ],
          })
        : codexVendor.verdict({ verdict: "approve", criteria: [], probes: [], findings: [] });
    const place = await makeStoryPlace(codexVendor, [
      {
        match: "You are the Reviewer",
        turns: [shellTurn(codexVendor, `sh -c '. ./slug.sh; slug "Hello !"; echo'`, 20_000), answer],
      },
    ]);
    const only = named.flatMap((name) => ["--only", name]);
    const ran = await execa(process.execPath, [probeReview, "codex", "--yes", "--json", ...only], {
      cwd: place.project,
      env: { ...place.sandbox.env, ...place.env },
      extendEnv: false,
      reject: false,
      stdin: "ignore",
    });
    expect(ran.exitCode, ran.stderr + place.unmatched()).toBe(0);
    expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject({
      agent: "codex",
      submissions: [
        { submission: named[0], verdict: "approve", counts: false, result: "right" },
        { submission: named[1], verdict: "request_changes", counts: true, result: "right" },
      ],
      figures: { wrong: 1, missed: 0, right: 1, falseAlarms: 0, unjudged: 0 },
    });
    const heard = JSON.stringify(place.model.requests.map(({ system, messages }) => [system, messages]));
    expect(heard).toContain("Make file names of titles");
    expect(heard).not.toMatch(/slug-by-tr|slug-with-an-end|hidden|subtle|probe-review/);
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  },
);

const { claude } = installedDirs;

/** Ends its turn whatever it is told, until it is asked for its handoff. */
const stopsEarly = ({ tail }: ModelRequest): Turn =>
  tail.includes("Only hand over, now") ? shellTurn(claudeVendor, fillIn, 20_000) : { text: "I stop." };

/** The real CLI, as if a newer version had lost its `--settings`. */
const forgetful = `#!/bin/sh
for word in "$@"; do
  shift
  if [ "$skip" ]; then skip=; continue; fi
  if [ "$word" = --settings ]; then skip=1; continue; fi
  set -- "$@" "$word"
done
exec ${claude}/claude "$@"
`;

// TRAP 4
full.skipIf(!claude)(
  "a version that lost its hooks is an external loop: relays no longer wait for them, and ask for a handoff when it has ended",
  async () => {
    const place = await makeStoryPlace(claudeVendor, [
      {
        match: "You are session 1 of its relay",
        turns: [
          shellTurn(claudeVendor, half, 20_000),
          shellTurn(claudeVendor, "true", 158_000),
          ...Array.from({ length: 5 }, () => stopsEarly),
        ],
      },
      {
        match: "You are session 2 of its relay",
        turns: [shellTurn(claudeVendor, `${whole}; monoco issue submit`, 20_000), { text: "Submitted." }],
      },
      { match: "You are the Reviewer", turns: [claudeVendor.verdict(approved)] },
    ]);
    const bin = join(place.sandbox.folder, "other version");
    mkdirSync(bin);
    writeFileSync(join(bin, "claude"), forgetful, { mode: 0o755 });
    const home = join(place.sandbox.folder, "home");
    const PATH = [bin, cleanEnvironment(home, claude!)["PATH"], process.env["PATH"]].join(delimiter);

    const report = await probed(place.sandbox, "claude", { PATH });
    expect(report).toMatchObject({
      conclusion: "external loop",
      findings: { stopHook: { found: "no", evidence: "its hooks were not seen to be loaded" } },
    });
    const env = { ...place.env, PATH };
    const ran = await place.sandbox.monoco(["run", issue], { cwd: place.project, env });
    expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
    const ends = eventsOf(place.project, issue).filter((event) => event.type === "session.ended");
    expect(ends.map(({ reason }) => reason)).toEqual(["context_limit", "submitted", "decided"]);
    expect(endingWords(ends[0]?.evidence ?? [])[0]).toMatch(
      /^wrapped up at its mark: .*; asked once more when it had ended, it wrote its handoff$/,
    );
    expect(endingWords(ends[0]?.evidence ?? []).join("\n")).not.toContain("hooks were not seen");
    expect(eventsOf(place.project, issue).find((event) => event.type === "handoff.recorded")).toMatchObject({
      session: 1,
      source: "completed",
    });
  },
);
