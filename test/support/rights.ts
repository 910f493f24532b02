/** Programs under the rights of an ordinary owner of files: root may write where nobody may. */
import { execaSync } from "execa";
import type { TestContext } from "vitest";

const dropped = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"];

/**
 * A command line that runs a program so that read-only folders are read-only for it; empty where they are anyway. Undefined
 * for a root without setpriv(1): then nothing can be shown here.
 */
export function asOwner(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return [];
  const works = execaSync(dropped[0]!, [...dropped.slice(1), "true"], { reject: false }).exitCode === 0;
  if (!works) console.warn("SKIPPED: setpriv is missing or does not work: root cannot be kept from writing");
  return works ? dropped : undefined;
}

/** The same as the options of a run; skips the test where nothing can be shown. */
export function ownersRights(context: TestContext): { under: readonly string[] } {
  const under = asOwner();
  return under
    ? { under }
    : context.skip("root may write everywhere, and there is no setpriv to take that away");
}
