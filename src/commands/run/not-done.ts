/** The last lines of `monoco run --all`: every issue that is not done, with its next step. */
import type { Here } from "../../app/here.ts";
import { overviewHere } from "../../app/overview/overview-here.ts";
import type { Output } from "../../io/io.ts";
import { renderNotDone } from "../../views/inbox.ts";
import { t } from "../../core/language/translate.ts";

export async function tellNotDone(here: Here, stream: Output): Promise<void> {
  const { overview, states } = await overviewHere(here);
  const width = stream.isTTY ? Math.max(40, stream.columns ?? 80) : 80;
  const left = renderNotDone(overview, states, width);
  if (left !== "") stream.write(t`not done:\n${left}`);
}
