/** monoco check --fresh: set-up and checks in a fresh clone of the base, as a relay finds them before its first session. */
import { join } from "node:path";
import { layOut, loadTerms, setUpRelay } from "../app/wire.ts";
import { openHere } from "../app/here.ts";
import { refuseFromWithin } from "../app/session-context.ts";
import { settledHere } from "../app/settings.ts";
import { makeTemporary } from "../app/temporary.ts";
import { MonocoError } from "../core/error/error.ts";
import { hash } from "node:crypto";
import { becauseOf } from "../core/reason/reason.ts";
import { cannotRun } from "../core/relay/baseline.ts";
import type { CheckResult } from "../core/review/check-result.ts";
import { failureWords, isRed } from "../core/review/red.ts";
import { commitOfBase } from "../git/repository.ts";
import { baselineOf, stopOn } from "../relay/baseline.ts";
import { openRelay } from "../relay/relay.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

/**
 * Runs them whatever is kept, and keeps the results. The relay that this needs is a temporary one, without an issue. `about`: what
 * a failure is about, and what the clone or the sandbox may lack.
 */
export async function checksFresh(
  tell: (line: string) => void,
): Promise<(CheckResult & { about?: string })[]> {
  const here = await openHere();
  refuseFromWithin(here.repository);
  const settled = settledHere(here, {});
  const { base } = settled.settings;
  const baseCommit = await commitOfBase(here.repository.git, base);
  layOut(here);
  const temporary = makeTemporary("check");
  const interrupted = new AbortController();
  const unheard = io().onStop(() => interrupted.abort());
  try {
    const setup = setUpRelay(here, id, {
      control: { interrupt: interrupted.signal },
      onProgress: (news) => void (news.type === "step" && tell(news.text)),
    });
    const { folder } = temporary;
    const places = { ...setup.places, relay: folder, journal: join(folder, "journal.jsonl") };
    const relay = openRelay({ ...setup, places });
    const text = `---\nid: ${id}\ntype: chore\ntitle: Checks\n---\n`;
    relay.record({
      type: "relay.opened",
      issue: id,
      title: "Checks",
      contract: { path: "issues/checks.md", text, sha256: hash("sha256", text) },
      base,
      baseCommit,
      branch: `monoco/${id}`,
      settings: settled.settings,
      settingsSha256: hash("sha256", JSON.stringify(settled.settings)),
      roleTexts: loadTerms(here, settled).roleTexts,
    });
    const measured = await baselineOf(relay, baseCommit, true);
    if (interrupted.signal.aborted)
      throw new MonocoError("interrupted", t`interrupted while waiting for the baseline`);
    const { setUp, checks } = measured;
    const stops = cannotRun(measured);
    const why = stops && becauseOf(await stopOn(relay, stops, false));
    return (setUp ? [setUp] : checks).map((one) => {
      const about = one === stops ? why : isRed(one) ? failureWords(one) : undefined;
      return { ...one, ...(about !== undefined && { about }) };
    });
  } finally {
    unheard();
    temporary.remove();
  }
}

const id = "CHORE-0000";
