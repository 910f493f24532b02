/** Hostile text through every view of a relay: nothing of it acts, no layout breaks, and what comes out stays small. */
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import stringWidth from "string-width";
import { expect, it, vi } from "vitest";
import { verbs } from "../../src/commands/verbs.ts";
import { main } from "../../src/main.ts";
import { full as test } from "../support/full.ts";
import { issuePath, issueText, openPlace, run } from "../support/place.ts";
import type { Place } from "../support/place.ts";

// Three relays and some sixty commands, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 });

/** What drives a terminal, hides text, turns it round, is markup, or is wider than it is long. */
const inName =
  "\u001b]0;osc\u0007\u001b]8;;http:x\u001b\\\u001b[35m\u001b[2J\u009b35m\u009d0;c1\u009c\u202e\u2066\u200f\u200b\u2060\ufeff" +
  "\b\r\u007f<script>\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u{1f44d}\u{1f3fd}项目宽";
const evil = `${inName}<script>alert(1)</script></pre></td><img src=x>\u0085${"宽😀".repeat(30)}`;
const evilNul = `nul\u0000${evil}`;

const lineLength = 10_000_000;
const outputMax = 2_000_000;
const viewMsMax = 30_000;

/** All control characters but the line end and the tab, and all that changes the direction of text. */
const acts = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
// What monoco itself colours with; the hostile texts use others.
// oxlint-disable-next-line no-control-regex
const liveEnd = /\r(?:\u001b\[\d+A)?\u001b\[J/g;
// eslint-disable-next-line no-control-regex
const ownColours = /\u001b\[(?:0|1|22|31|32|39|90)m/g;

const finding = {
  id: "F-1",
  severity: "minor",
  title: `Look ${evilNul}`,
  criterion: "1",
  file: `a${evil}.txt`,
  evidence: { command: `true # ${evil}`, exitCode: 0, text: evilNul },
};
const check = "printf '\\033]0;c\\007\\302\\2335m' && test -d .";
const hostileLook = "printf '\\033]0;osc\\007x\\302\\23335m\\342\\200\\256z'; echo true | sh";
const seen = { exitCode: 0, text: evilNul };
const blocker = { ...finding, id: "F-2", severity: "blocker" };
const handoff = {
  next: [evilNul],
  decisions: [evilNul],
  warnings: [evilNul],
  patterns: [`A pattern ${evilNul}`],
  workingOn: evilNul,
};
const asksOrSubmits = (file: string): string =>
  'case $MONOCO_ISSUE in *2) monoco relay ask "Which $(cat evil.txt)?";; ' +
  `*) echo $MONOCO_ISSUE > ${file}; git add -A; git commit -qm Work; monoco issue submit;; esac`;
const story = {
  executor: [
    [
      { write: { "evil.txt": `${evil}\r\n${evil}\n`, [`a${inName}.txt`]: "a\n", "nul.bin": evilNul } },
      { write: { message: `Work ${evil}\n\n${evil}\n` } },
      run(
        `{ head -c ${lineLength} /dev/zero | tr '\\0' x; echo $MONOCO_ISSUE; } > wide.txt; ` +
          `mv message .git/message; git add -A && git commit -qF .git/message; cat evil.txt nul.bin`,
      ),
      { say: evilNul },
      { handoff },
    ],
    [{ say: evil }, run(asksOrSubmits("b.txt"))],
    [run(asksOrSubmits("c.txt"))],
  ],
  reviewer: [
    [{ verdict: "request_changes", summary: evilNul, findings: [blocker] }],
    [
      {
        verdict: "approve",
        summary: evilNul,
        findings: [finding],
        // The check is what shows that all stays as it was.
        criteria: [check, hostileLook].map((command) => ({ criterion: 1, result: "met", command, ...seen })),
        probes: [{ command: hostileLook, ...seen }],
      },
    ],
  ],
};

const hostileIssue = (id: string, more = ""): string =>
  issueText(id, `tags: [${JSON.stringify(evil)}]\n${more}`)
    .replace("title: Write a file", `title: ${JSON.stringify(`Write ${evil.slice(0, 120)} a file`)}`)
    .replace("A file.", `A file ${evil}.`)
    .replace("the file is there", `(as before) the file is there ${evil}`);

/** FEAT-0001 is merged, 2 asks, 3 waits for a person's approval, and 4 has not begun. */
async function hostilePlace(): Promise<Place> {
  const place = await openPlace(story, {
    issues: [],
    limits: { questionsMax: 1 },
    settings: `gates: { high: human }\nbreaker: { reopen: manual }\nchecks: [${JSON.stringify(check)}]\n`,
    files: {
      [`issues/FEAT-0001-${inName.replaceAll(/[</>]/g, "")}.md`]: hostileIssue("FEAT-0001"),
      [issuePath("FEAT-0002")]: hostileIssue("FEAT-0002"),
      [issuePath("FEAT-0003")]: hostileIssue("FEAT-0003", "criticality: high\n"),
      [issuePath("FEAT-0004")]: hostileIssue("FEAT-0004", "dependencies: [FEAT-0002]\n"),
      "calm.yaml": "exit: { doneSessions: 1 }\n",
    },
  });
  return place;
}

type Told = { text: string; ms: number; exitCode: number };

/** As at a pipe, or as at a terminal of 80 columns. */
async function look(place: Place, args: readonly string[], terminal: boolean): Promise<Told> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  if (terminal) Object.assign(stdout, { isTTY: true, columns: 80 });
  const printed = Promise.all([text(stdout), text(stderr)]);
  const fromMs = performance.now();
  const exitCode = await main(args, {
    cwd: place.project,
    env: place.sandbox.env,
    stdin: Readable.from([]),
    stdout,
    stderr,
  });
  const ms = performance.now() - fromMs;
  stdout.end();
  stderr.end();
  return { text: (await printed).join(""), ms, exitCode };
}

function wordsOf(line: string): string[] {
  return line.split(" ").filter((word) => word !== "");
}

/** Every view that is given a relay, an issue, or all of them. */
const views = [
  ", inbox --all, inbox --ids, inbox --approvals --ids, inbox --json, inbox --questions",
  "status, status --all, status --json, issue list, issue list --all, issue list --json",
  "issue board, issue board --width 200, issue board --width 60, issue board --json",
  "issue lint, issue lint --kinds, issue lint --json, issue lint --fix --dry-run",
  "issue review --next, issue review --next --json, issue review --next --stat",
  "report, report --json, report --since 2020-01-01, stats, stats --json",
  "report --escapes, report --escapes --json, why evil.txt, why evil.txt:1 --json, why wide.txt",
  "verify, verify --no-run, verify --no-run --json",
  "plan, plan --json, learnings, learnings --json, doctor, doctor --json, agent list, agent list --json",
  "run --all --dry-run, run --all --dry-run --json, config show, config show --json",
  "replay --policy calm.yaml, replay --policy calm.yaml --json, report --html out.html",
  ...["FEAT-0001", "FEAT-0002", "FEAT-0003"].flatMap((id) => [
    `status ${id}, status ${id} --json, log ${id}, log ${id} --json, log ${id} -n 1000`,
    `show ${id}, show ${id} --json, show ${id} --session 1, issue show ${id}`,
    `issue show ${id} --json, explain ${id}, explain ${id} --json, explain ${id} --session 1`,
    `diff ${id}, diff ${id} --stat, diff ${id} --file wide.txt, report ${id}, report ${id} --json`,
    ...(id === "FEAT-0002"
      ? []
      : [
          `issue review ${id}, issue review ${id} --show, issue review ${id} --stat`,
          `issue review ${id} --file wide.txt, issue review ${id} --json`,
        ]),
  ]),
]
  .flatMap((line) => line.split(", "))
  .map(wordsOf);

/** These change something, or show nothing of a relay or an issue. */
const otherVerbs = new Set(
  [
    "init, demo, loop, import, export, completion, agent probe, check",
    "hook install, hook uninstall, hook on-stop, hook on-tool, hook on-session-start, hook on-own-stop",
    "relay prepare, relay resume, relay stop, relay clear, relay answer, relay say, relay ask",
    "relay comments, issue intake, relay extend, relay push, relay pull, issue create, issue start, issue stop, issue close, issue cancel, issue wontfix",
    "issue duplicate, issue push, issue pull, issue reopen, issue submit, issue escaped",
    // It needs a session that runs: test/commands/background.test.ts looks at it.
    "relay attach",
    // They are live: test/commands/hostile-text.test.ts looks at them.
    "watch, dashboard",
    // They need a database: test/commands/fleet.test.ts looks at them.
    "worker, fleet status, fleet migrate",
  ].flatMap((names) => names.split(", ")),
);

/** These fit their lines into the columns of a terminal. */
const fits = /^(?:$|inbox|status$|status --all|issue board$|issue board --width 60)/;

function faultsOf(line: string, told: Told, terminal: boolean): string[] {
  const shown = terminal ? told.text.replace(ownColours, "") : told.text;
  const acting = shown.split("\n").filter((one) => acts.test(one));
  const wide = fits.test(line) && !line.includes("--json") ? shown.split("\n").filter(isWide) : [];
  return [
    ...acting.map((one) => `acts: ${JSON.stringify(one.slice(0, 300))}`),
    ...wide.map((one) => `too wide: ${one.slice(0, 300)}`),
    ...(told.text.trim() === "" ? ["prints nothing"] : []),
    ...(told.text.length > outputMax ? [`prints ${told.text.length} characters`] : []),
    ...(told.ms > viewMsMax ? [`takes ${told.ms} ms`] : []),
    ...(told.exitCode === 0 || /lint|doctor/.test(line)
      ? []
      : [`ends with ${told.exitCode}: ${shown.slice(0, 300)}`]),
  ].map((fault) => `${line}${terminal ? " (terminal)" : ""} ${fault}`);
}

const isWide = (line: string): boolean => stringWidth(line) > 80;

async function faultsIn(place: Place, lines: readonly string[][]): Promise<string[]> {
  const faults: string[] = [];
  for (const args of lines)
    for (const terminal of [false, true]) {
      const told = await look(place, args, terminal);
      faults.push(...faultsOf(args.join(" "), told, terminal));
      if (args.includes("--json")) for (const one of told.text.trim().split("\n")) JSON.parse(one);
    }
  return faults;
}

test("every view shows it, and nothing of it acts, breaks the layout or floods the terminal", async () => {
  const place = await hostilePlace();
  const ran: Record<string, Told> = {};
  for (const id of ["FEAT-0001", "FEAT-0002", "FEAT-0003"]) {
    const terminal = id === "FEAT-0001";
    const told = (ran[id] = await look(place, ["run", id], terminal));
    const lines = terminal ? told.text.replace("\u0007", "").replaceAll(liveEnd, "\n") : told.text;
    expect(faultsOf(`run ${id}`, { text: lines, exitCode: 0, ms: 0 }, terminal)).toEqual([]);
  }
  const ends = Object.values(ran).map(({ exitCode }) => exitCode);
  expect(ends, JSON.stringify(ran, null, 1)).toEqual([0, 1, 1]);
  expect(place.all("question.asked", "FEAT-0002")).toHaveLength(1);
  expect(await faultsIn(place, views)).toEqual([]);

  // What is cut is told, with the command that shows it whole.
  const diff = await look(place, ["diff", "FEAT-0003", "--file", "wide.txt"], false);
  expect(diff.text).toMatch(
    /x… \(99980\d\d more characters\)\n.*whole lines: git diff [\da-f]{40}\.\.\.[\da-f]{40}\n$/s,
  );
  // Whoever reads a diff sees what is hidden in it.
  expect((await look(place, ["diff", "FEAT-0001"], false)).text).toContain("\\u001b]0;osc\\u0007");
  // As data it is whole.
  const shown = await look(place, ["issue", "show", "FEAT-0003", "--json"], false);
  expect(shown.text).toContain("\\u001b]0;osc\\u0007");

  const page = place.read("out.html");
  expect(page).toContain("&lt;script>alert(1)&lt;/script>&lt;/pre>");
  expect(page).not.toMatch(/<script|<img|<\/pre><\/td>/i);
  expect(faultsOf("out.html", { text: page, exitCode: 0, ms: 0 }, false)).toEqual([]);

  for (const args of [
    ["relay", "answer", "FEAT-0002", evil],
    ["relay", "say", "FEAT-0003", evil],
    ["issue", "escaped", "FEAT-0001", "-m", evil],
    ["report", "--escapes"],
    ["why", `a${inName}.txt`],
    ["issue", "review", "FEAT-0003", "--request-changes", "-m", evil],
  ])
    expect(faultsOf(args.slice(0, 3).join(" "), await look(place, args, false), false)).toEqual([]);
  const after = ["", "status FEAT-0002", "status FEAT-0003", "log FEAT-0002", "log FEAT-0002 --json"];
  after.push(
    "log FEAT-0003",
    "explain FEAT-0002",
    "explain FEAT-0003",
    "issue review FEAT-0003 --stat",
    "report",
  );
  expect(await faultsIn(place, after.map(wordsOf))).toEqual([]);
});

it("every command is looked at here, or changes something, or shows nothing that others wrote", () => {
  const names = verbs.flatMap((one) =>
    "verbs" in one ? one.verbs.map(({ name }) => `${one.name} ${name}`) : [one.name],
  );
  const looked = views.map((words) => words.join(" "));
  const isLookedAt = (name: string): boolean =>
    otherVerbs.has(name) ||
    looked.some((line) => [line, `relay ${line}`].some((one) => one.startsWith(name)));
  expect(names.filter((name) => !isLookedAt(name))).toEqual([]);
});
