/** Runs the commands of a record again, in fresh clones of the merge and of the base, in the sandbox and outside of any relay. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { buildsOn, keyOf } from "../../core/attest/runs.ts";
import type { Seen, Side, Wanted } from "../../core/attest/runs.ts";
import type { Predicate } from "../../core/attest/statement-schema.ts";
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { hasBubblewrap } from "../../agents/sandbox.ts";
import { baseRef, makeClone } from "../../git/clone/workspace.ts";
import { gitIn, gitOr } from "../../git/git.ts";
import { keepGitState, treeWith } from "../../git/trees.ts";
import { io } from "../../io/io.ts";
import { openRelay } from "../../relay/relay.ts";
import type { Relay } from "../../relay/relay.ts";
import { restore } from "../../relay/review/side-clone.ts";
import { runCommands, setUp } from "../../relay/run-checks.ts";
import { runName } from "../../relay/run-name.ts";
import { cloneSource } from "../../relay/sandbox.ts";
import { placesOf, repositoryPlaces } from "../../store/places.ts";
import type { Here } from "../here.ts";
import { loadOwnSettings } from "../settings.ts";
import { setUpRelay } from "../wire.ts";

export type RunOptions = {
  commits: Record<Side, string>;
  predicate: Predicate;
  wanted: readonly Wanted[];
  may: (command: string) => boolean;
  /** An own folder for the clones. */
  scratch: string;
  tell(line: string): void;
};

/** How each command ended, by `keyOf`, and the set-ups that failed. */
export type Ran = {
  seen: Map<string, Seen>;
  failed: { side: Side; command: string; exitCode: number | null }[];
};

/** Throws `input` without a sandbox: the commands are a stranger's. */
export function needSandbox(): void {
  if (hasBubblewrap()) return;
  throw new MonocoError("input", t`the commands of a record run in a sandbox only, and none works here`, {
    hint: t`monoco verify --no-run compares without running; bubblewrap (0.8 or newer) and user namespaces let it run them`,
  });
}

export async function runAgain(here: Here, options: RunOptions): Promise<Ran> {
  const stopped = new AbortController();
  const unheard = io().onStop(() => stopped.abort());
  try {
    const relay = openOwn(here, options, stopped.signal);
    const ran: Ran = { seen: new Map(), failed: [] };
    for (const side of ["merge", "base"] as const) {
      const wanted = options.wanted.filter((one) => one.side === side);
      if (wanted.length > 0) await runSide(relay, { ...options, side, wanted }, ran);
      if (stopped.signal.aborted) throw new MonocoError("interrupted", t`interrupted while running commands`);
    }
    return ran;
  } finally {
    unheard();
  }
}

/** A relay whose every file is in an own folder. Its settings are the person's own: those of a stranger's repository could open the sandbox. */
function openOwn(
  here: Here,
  { predicate, commits, scratch, tell }: RunOptions,
  interrupt: AbortSignal,
): Relay {
  const setup = setUpRelay(here, id, {
    control: { interrupt },
    // How a command ended is in the result.
    onProgress: (news) => void (news.type === "step" && news.ms === undefined && tell(news.text)),
  });
  const places = { ...repositoryPlaces(scratch, { XDG_STATE_HOME: scratch }) };
  const { shell } = predicate;
  const own = loadOwnSettings();
  const roles = {
    executor: { agents: own.roles.executor.agents },
    reviewer: { agents: own.roles.reviewer.agents },
  };
  const settings = {
    ...own,
    sandbox: "bwrap" as const,
    roles,
    siblings: [],
    cache: [],
    // Nothing of the person's reaches a stranger's command: no variable, and no filter of their git.
    env: { setup: [], checks: [] },
    filters: "ignore" as const,
    setup: predicate.setup,
    ...(shell === undefined ? {} : { shell }),
  };
  const relay = openRelay({
    ...setup,
    repositoryPlaces: places,
    places: placesOf(places, id),
    binFolder: join(scratch, "bin"),
  });
  const text = `---\nid: ${id}\ntype: chore\ntitle: Verify\n---\n`;
  relay.record({
    type: "relay.opened",
    issue: id,
    title: "Verify",
    contract: { path: "issues/verify.md", text, sha256: hash("sha256", text) },
    base: settings.base,
    baseCommit: commits.base,
    branch: "monoco/verify",
    settings,
    settingsSha256: hash("sha256", JSON.stringify(settings)),
    roleTexts: { executor: "", reviewer: "" },
  });
  return relay;
}

const id = "CHORE-0000";

type OfSide = RunOptions & { side: Side };

async function runSide(relay: Relay, of: OfSide, { seen, failed }: Ran): Promise<void> {
  const { side, commits, predicate, wanted, scratch, may } = of;
  const folder = join(scratch, side);
  // A ref that holds borrowed objects would be the relay's in the person's repository.
  const { hold: _hold, ...source } = cloneSource(relay, commits[side]);
  const { into } = predicate.merge;
  await makeClone({ ...source, base: into }, folder);
  // Evidence may name the base, which has moved on since.
  for (const ref of [`refs/heads/${into}`, baseRef(into)])
    await gitOr(gitIn(folder)(["update-ref", ref, commits.base]), "");
  const logs = join(scratch, "logs", side);
  const broken = await setUp(relay, { folder, logs, trusted: false });
  if (broken) failed.push({ side, command: broken.command, exitCode: broken.exitCode });
  if (broken) return;
  const edits = predicate.added.map(({ path, mode, text }) => ({ path, to: { mode, text } }));
  const tree = await treeWith(relay.repository, { start: commits[side], edits, own: `${folder}.added` });
  keepGitState(folder);
  const once = async (command: string, evidence: boolean): Promise<CheckResult | undefined> => {
    if (relay.control.interrupt.aborted) return undefined;
    await restore(relay, folder, tree);
    const name = side === "merge" ? runName`on the merge` : runName`on the base`;
    const minutes = relay.state.opening!.settings.limits.checkMinutes;
    const run = { commands: [command], folder, logs, name, minutes, evidence };
    return (await runCommands(relay, run, false))[0];
  };
  for (const command of buildsOn(side, predicate, may)) await once(command, false);
  for (const one of wanted) {
    const first = (await once(one.command, one.evidence))?.exitCode ?? null;
    const again =
      first === one.expected ? first : ((await once(one.command, one.evidence))?.exitCode ?? null);
    const flaky = again !== first && again === one.expected;
    seen.set(keyOf(one), { exitCode: again, ...(flaky && { flaky }) });
  }
}
