/** monoco stop --all: ends the run in the background as Ctrl-C ends one at a terminal. */
import { statSync } from "node:fs";
import { MonocoError } from "../../core/error/error.ts";
import { isStopped } from "../../agents/process-identity.ts";
import { openHere } from "../../app/here.ts";
import { backgroundRun } from "../../app/runner-lock.ts";
import { refuseFromWithin } from "../../app/session-context.ts";
import { plain } from "../../core/text/sanitize.ts";
import { isLocked } from "../../store/lock.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { printJson } from "../../views/json.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";
import { linesIn, printTail } from "./tail.ts";

/** Asks the run to stop, and prints its last lines. A second call ends it at once. */
export async function stopAll(id: string | undefined, flags: { json: boolean }): Promise<number> {
  if (id !== undefined) throw new MonocoError("input", t`an ID or --all, not both`);
  const { repository } = await openHere();
  refuseFromWithin(repository);
  const { runLog, runLock } = repositoryPlaces(repository.root, io().env);
  const { pid } = backgroundRun({ runLock }) ?? {};
  if (pid === undefined)
    throw new MonocoError(
      "input",
      isLocked(runLock) ? t`the run goes on on another machine` : t`no run goes on in the background`,
      {
        hint: t`Ctrl-C ends a run at its own terminal; monoco stop ID ends the session of one relay`,
      },
    );
  if (isStopped(pid))
    throw new MonocoError("conflict", t`the run, process ${pid}, is stopped by a signal`, {
      hint: t`kill -CONT ${pid} lets it go on`,
    });
  const lines = linesIn(runLog, statSync(runLog, { throwIfNoEntry: false })?.size ?? 0);
  process.kill(pid, "SIGTERM");
  const printed = (): string[] => lines().map(plain);
  await printTail({
    last: Infinity,
    read: flags.json ? () => [] : printed,
    isOver: () => !isLocked(runLock),
  });
  if (flags.json) printJson({ stopped: pid });
  return 0;
}
