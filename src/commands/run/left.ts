/** A relay that is done, though the base here does not have its work yet. */
import { t } from "../../core/language/translate.ts";
import { isOver, keepsBranch, phaseOf } from "../../core/relay/phase.ts";
import { plainHint, plainLine } from "../../core/text/sanitize.ts";
import { isOnBase } from "../../git/landing.ts";
import { isAncestor } from "../../git/repository.ts";
import { openingOf } from "../../relay/relay.ts";
import type { Relay } from "../../relay/relay.ts";
import { tellingOf } from "../../views/status.ts";
import type { Screen } from "../../views/terminal.ts";

/**
 * Whether the relay is done but the base does not have its commits yet: they are on its branch, or were merged elsewhere.
 * Opening it again would repeat the work.
 */
export async function isLeft({ state, repository }: Pick<Relay, "state" | "repository">): Promise<boolean> {
  const { opening } = state;
  const left = opening?.merged ?? opening?.finished;
  // The base here may lag behind the remote's, and the branch be on another machine.
  const isElsewhere = opening?.merged?.pullRequest !== undefined || opening?.settings.remote?.runs === true;
  if (opening && left && isElsewhere && isOver(opening) && !opening.cleared)
    return !(await isOnBase(repository.git, opening.base, left.commit));
  if (phaseOf(state) !== "done" || !opening?.finished || keepsBranch(opening)) return false;
  const ref = `refs/heads/${opening.branch}`;
  return isAncestor(repository.git, opening.finished.commit, ref);
}

export function tellLeft(relay: Relay, screen: Screen): void {
  const { issue } = relay;
  const { because, hint } = tellingOf(relay.state, { runnerAlive: false, nowMs: relay.nowMs() });
  screen.line({ tone: "plain", text: t`${issue}  is done: ${plainLine(because)}` });
  const anew = t`monoco relay clear ${issue} and monoco run ${issue} do it anew`;
  const { merged, settings, base } = openingOf(relay);
  const pull = `git pull ${settings.remote?.name ?? ""} ${base}`;
  const ways = [hint, !merged ? anew : merged.pullRequest === undefined ? pull : ""].filter(
    (way) => way !== "",
  );
  screen.line({ tone: "dim", text: t`${issue}  hint: ${plainHint(ways.join(t`; `))}` });
}
