/** Runner and agent are stopped, let go and killed in a random order: within 2 s every view says so, and how it knows. */
import { readFileSync } from "node:fs";
import { expect, vi } from "vitest";
import type { InboxFacts, Row } from "../../src/views/page/facts.ts";
import { followInbox, hasBrowser, openDashboard, openTab } from "../support/dashboard.ts";
import { testRows } from "../support/full.ts";
import { skipWithout } from "../support/namespaces.ts";
import { openPlace } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { hasTmux, monocoIn, openWindow } from "../support/tmux.ts";
import type { Window } from "../support/tmux.ts";

vi.setConfig({ testTimeout: 120_000 });

/** The promise, ms. */
const soonMs = 2_000;

type Status = {
  because: string;
  runner: string;
  stoppedRunner: number | null;
  current: {
    session: number;
    processAlive: boolean;
    stoppedProcess: { pid: number; group: number } | null;
  } | null;
  sessions: { session: number; reason: string | null; evidence: string[] }[];
};
type Item = { kind: string; because: string; rule: string | null };

/** What was done to whom. */
type World = {
  runner: number;
  /** The first process of the session, and what is stopped of it: that with its group, or the agent alone. */
  group: number;
  agent: number;
  session: number;
  stopped: Set<"runner" | "agent">;
};
type Views = {
  watch: string | undefined;
  /** What the dashboard sent its page. */
  page: Row | undefined;
  /** What the page shows in Chromium. */
  shown: string | null | undefined;
  inbox: string;
  item: Item;
  status: string;
  json: Status;
  all: string;
};

/** The window in which each place's `monoco watch` runs. */
const windows = new Map<Place, Window>();

/** What the dashboard's page was last told. */
const pages = new WeakMap<Place, () => InboxFacts | undefined>();

/** The section in which the page shows the issue, and its row. */
const shownIn = new WeakMap<Place, () => Promise<string | null>>();

async function lookAround(place: Place): Promise<Views> {
  const printed = async (...args: string[]): Promise<string> => (await place.monoco(...args)).stdout;
  // The views that follow are read first, and those of a command take as long as the command.
  const page = pages.get(place)?.()?.rows[0];
  const [watch, shown, inbox, told, status, json, all] = await Promise.all([
    windows.get(place)?.screen(),
    shownIn.get(place)?.(),
    printed("inbox"),
    printed("inbox", "--json"),
    printed("status", "FEAT-0001"),
    printed("status", "FEAT-0001", "--json"),
    printed("status"),
  ]);
  return {
    watch,
    shown,
    inbox,
    item: (JSON.parse(told) as { items: Item[] }).items[0]!,
    page,
    status,
    json: JSON.parse(json) as Status,
    all,
  };
}

/** Polled until it holds, or the promise is broken. */
const soon = (place: Place, says: (views: Views) => void): Promise<void> =>
  vi.waitFor(async () => says(await lookAround(place)), { timeout: soonMs, interval: 50 });

function tellsTruth({ runner, agent, group, session, stopped }: World): (views: Views) => void {
  return ({ watch = `> FEAT-0001`, shown, inbox, item, page, status, json, all }) => {
    expect(json).toMatchObject({ runner: "alive", stoppedRunner: stopped.has("runner") ? runner : null });
    expect(json.current).toMatchObject({
      session,
      processAlive: true,
      stoppedProcess: stopped.has("agent") ? { pid: agent, group } : null,
    });
    expect(status).toContain(
      stopped.has("runner") ? `(/proc/${runner}/stat; kill -CONT ${runner} lets` : "alive (it holds",
    );
    expect(status).toContain(
      stopped.has("agent") ? `(/proc/${agent}/stat; kill -CONT -${group} lets` : "process alive, ",
    );
    if (stopped.size === 0) {
      expect(item.kind).toBe("working");
      expect(page).toMatchObject({ kind: "working", running: { session } });
      expect(inbox).toContain("nothing needs you");
      expect(watch).toMatch(/> FEAT-0001/);
      if (shown !== undefined) expect(shown).toMatch(new RegExp(`^working .*session ${session}, a, `));
      expect(all).not.toContain("stopped");
      return;
    }
    const [who, pid, to] = stopped.has("runner") ? ["runner", runner, runner] : ["session", agent, -group];
    const because = `its ${who}, process ${pid}, is stopped by a signal`;
    expect(item).toMatchObject({ kind: "frozen", because, rule: `${who}_stopped` });
    if (windows.size > 0) expect(watch).toMatch(new RegExp(`# FEAT-0001 .*${because}`));
    expect(page).toMatchObject({ kind: "frozen", text: because, command: `kill -CONT ${to}` });
    if (shown !== undefined) expect(shown).toMatch(new RegExp(`^needs_you .*${because}.*kill -CONT ${to}`));
    expect(inbox).toMatch(new RegExp(`${because}\n +kill -CONT ${to}`));
    expect(all).toContain(because);
  };
}

const end = {
  async agent(place: Place, world: World): Promise<void> {
    process.kill(-world.group, "SIGKILL");
    await soon(place, ({ json, status }) => {
      expect(json.sessions[world.session - 1]).toMatchObject({
        reason: "failure",
        evidence: ["killed by SIGKILL"],
      });
      expect(status).toMatch(
        new RegExp(`^ +${world.session} +executor +a +failure .*killed by SIGKILL$`, "m"),
      );
    });
  },
  async runner(place: Place, world: World): Promise<void> {
    process.kill(world.runner, "SIGKILL");
    await soon(place, ({ watch, shown, inbox, item, page, json, status, all }) => {
      const because = `session ${world.session} was cut off: its runner died`;
      if (watch !== undefined) expect(watch).toContain(because);
      if (shown !== undefined) expect(shown).toMatch(new RegExp(`${because}.*monoco resume FEAT-0001`));
      expect(item).toMatchObject({ kind: "cut_off", because });
      expect(page).toMatchObject({ kind: "cut_off", text: because, command: "monoco resume FEAT-0001" });
      expect(json).toMatchObject({ because, runner: "none", stoppedRunner: null });
      expect(json.current).toMatchObject({ processAlive: false, stoppedProcess: null });
      expect(inbox).toContain("monoco resume FEAT-0001");
      expect(status).toContain("process NOT alive");
      expect(all).toContain(because);
    });
  },
};

/** Numerical Recipes' generator: the same order for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** The last of the only children below a process: the agent, below what contains it. */
function innermost(pid: number): number {
  const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
  return child === 0 ? pid : innermost(child);
}

async function atWork(place: Place, session: number, whole: boolean): Promise<World> {
  const path = `.monoco/relays/FEAT-0001/sessions/000${session}-executor/session.json`;
  await place.heard("at-work");
  const holder = place.read(".monoco/locks/FEAT-0001.runner");
  // The runner writes it down while the agent begins.
  const { pid } = await vi.waitFor(() => JSON.parse(place.read(path)) as { pid: number });
  return {
    runner: Number(/^process (\d+) /.exec(holder)?.[1]),
    group: pid,
    agent: whole ? pid : innermost(pid),
    session,
    stopped: new Set(),
  };
}

const hangs = 'f="$FIFOS/at-work"; mkfifo "$f" 2> /dev/null; echo here > "$f"; exec sleep 600';
const agents = (place: Place): string =>
  JSON.stringify({
    a: { kind: "command", run: ["sh", "-c", hangs], env: { FIFOS: `${place.around}/fifos` } },
  });

testRows([1, 2, 3, 4, 5, 6], (seed) => seed <= 2)(
  "seed %i: whatever is done to runner and agent is told",
  async (seed, context) => {
    skipWithout("a PID namespace", context);
    const roll = dice(seed);
    const whole = seed % 2 === 0;
    const place = await openPlace({ executor: [], reviewer: [] }, { limits: { stalledMax: 9 } });
    place.write("monoco.yaml", place.read("monoco.yaml").replace(/^agents: .*/, `agents: ${agents(place)}`));
    await place.sh("git commit -qam Agent");
    if (hasTmux()) {
      const window = await openWindow(place, { width: 150, height: 24 });
      windows.set(place, window);
      await window.type(monocoIn("watch"));
      await window.keys("Enter");
      await window.shows("FEAT-0001");
    }
    const to = await openDashboard(place);
    pages.set(place, followInbox(to));
    if (seed === 1 && hasBrowser) {
      const { page } = await openTab();
      await page.goto(await to.address());
      shownIn.set(place, () =>
        page.evaluate(() => {
          const row = document.querySelector('[data-id="FEAT-0001"]');
          return row && `${row.closest("[data-group]")?.getAttribute("data-group")} ${row.textContent}`;
        }),
      );
    }
    const running = place.start("run", "FEAT-0001");
    let world = await atWork(place, 1, whole);
    const turn = async (who: "runner" | "agent"): Promise<void> => {
      const goesOn = world.stopped.delete(who);
      if (!goesOn) world.stopped.add(who);
      const whom = who === "runner" ? world.runner : whole ? -world.group : world.agent;
      process.kill(whom, goesOn ? "SIGCONT" : "SIGSTOP");
      await soon(place, tellsTruth(world));
    };
    for (let deed = 0; deed < 5; deed++) await turn(roll(2) === 0 ? "runner" : "agent");
    if (!world.stopped.has("runner")) await turn("runner");
    const refused = await place.monoco("run", "FEAT-0001");
    expect(refused).toMatchObject({ exitCode: 3 });
    expect(refused.stderr).toContain(`stopped by a signal; kill -CONT ${world.runner} lets it go on`);
    if (roll(2) === 0) {
      await turn("runner");
      await end.agent(place, world);
      world = await atWork(place, 2, whole);
      await soon(place, tellsTruth(world));
    }
    await end.runner(place, world);
    await running;
  },
);
