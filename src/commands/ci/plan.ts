/** monoco plan: the issues that a worker can begin now; as JSON, the matrix of a CI workflow. */
import { readyHere } from "../../app/ci/ready.ts";
import type { Left, Ready } from "../../app/ci/ready.ts";
import { openHere } from "../../app/here.ts";
import { loadSettings } from "../../app/settings.ts";
import { validId } from "../../app/valid-id.ts";
import { t } from "../../core/language/translate.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { io } from "../../io/io.ts";
import { printJson } from "../../views/json.ts";
import { tableLines } from "../../views/table.ts";

type Flags = { remote: boolean; max: number; ids: boolean; json: boolean };

export async function plan(named: readonly string[], flags: Flags): Promise<number> {
  const here = await openHere();
  const settings = loadSettings(here);
  const byRemote = flags.remote || settings.remote?.runs === true;
  const { ready, left } = await readyHere(here, named.map(validId), { ...settings, byRemote });
  const include = ready.slice(0, flags.max);
  if (flags.json) printJson({ include: include.map(short) });
  else io().stdout.write(flags.ids ? lines(include.map(({ issue }) => issue)) : lines(words(include, left)));
  return 0;
}

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

/** A job's name on a host holds the title. */
const titleCharsMax = 100;

const short = (one: Ready): Ready => ({ ...one, title: plainLine(one.title, titleCharsMax) });

function words(ready: readonly Ready[], left: readonly Left[]): string[] {
  return [
    ...(ready.length === 0 ? [t`nothing can begin now`] : []),
    ...tableLines(
      ready.map(short).map(({ issue, title, relay }) => [issue, title, relay === "none" ? "" : relay]),
    ),
    ...left.map(({ issue, because }) => t`${issue}  is left out: ${plainLine(because, 300)}`),
  ];
}
