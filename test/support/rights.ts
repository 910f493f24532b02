/** Programs under the rights of an ordinary owner of files: root may write where nobody may. */
import { execaSync } from "execa";
import type { TestContext } from "vitest";

const dropped = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"];

/**
 * Options of a run whose command line makes read-only folders read-only for the program. Skips the test for a root without
 * setpriv(1), for whom every folder can be written.
 */
export function ownersRights(context: TestContext): { under: readonly string[] } {
  if (process.getuid?.() !== 0) return { under: [] };
  const works = execaSync(dropped[0]!, [...dropped.slice(1), "true"], { reject: false }).exitCode === 0;
  return works
    ? { under: dropped }
    : context.skip("root may write everywhere, and there is no setpriv to take that away");
}
