/** monoco check --fresh: set-up and checks in a fresh clone of the base, as a relay finds them before its first session. */
import { join } from "node:path";
import { layOut, loadTerms, setUpRelay } from "../app/wire.ts";
import { openHere } from "../app/here.ts";
import { refuseFromWithin } from "../app/session-context.ts";
import { settledHere } from "../app/settings.ts";
import { makeTemporary } from "../app/temporary.ts";
import { MonocoError } from "../core/error/error.ts";
import { hash } from "node:crypto";
import type { CheckResult } from "../core/review/check-result.ts";
import { commitOf } from "../git/repository.ts";
import { baselineOf } from "../relay/baseline.ts";
import { openRelay } from "../relay/relay.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

/** Runs them whatever is kept, and keeps the results. The relay that this needs is a temporary one, without an issue. */
export async function checksFresh(tell: (line: string) => void): Promise<CheckResult[]> {
  const here = await openHere();
  refuseFromWithin(here.repository);
  const settled = settledHere(here, {});
  const { base } = settled.settings;
  const baseCommit = await commitOf(here.repository.git, `refs/heads/${base}`);
  if (!baseCommit)
    throw new MonocoError("input", t`branch ${base} does not exist or has no commit`, {
      hint: t`make a first commit, or name your branch in monoco.yaml: base: NAME`,
    });
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
    const { setUp, checks } = await baselineOf(relay, baseCommit, true);
    if (interrupted.signal.aborted)
      throw new MonocoError("interrupted", t`interrupted while waiting for the baseline`);
    return setUp ? [setUp] : checks;
  } finally {
    unheard();
    temporary.remove();
  }
}

const id = "CHORE-0000";
