/** monoco learnings: lists the facts that merged relays learned about the repository; a person promotes an entry to AGENTS.md, or drops it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { learningsIn, withSetAside } from "../core/handoff/learnings.ts";
import type { Learning } from "../core/handoff/learnings.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { isThere, readDocument } from "../store/document.ts";
import { repositoryPlaces } from "../store/places.ts";
import type { RepositoryPlaces } from "../store/places.ts";
import { readLearnings, updateLearnings } from "../store/learnings.ts";
import { printJson } from "../views/json.ts";
import { tableLines } from "../views/table.ts";
import { openHere } from "../app/here.ts";
import type { Here } from "../app/here.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

const placesOf = (here: Here): RepositoryPlaces => repositoryPlaces(here.repository.root, io().env);

type Flags = { promote: boolean; drop: boolean; json: boolean };

/** `numbers` are those of the list. */
export async function learnings(numbers: readonly string[], flags: Flags): Promise<number> {
  if (flags.promote && flags.drop) throw new MonocoError("input", t`--promote or --drop, not both`);
  if ((flags.promote || flags.drop) === (numbers.length === 0))
    throw new MonocoError(
      "input",
      t`--promote and --drop take the numbers of entries, and nothing else does`,
      {
        hint: t`monoco learnings shows the numbers; monoco learnings 2 --promote`,
      },
    );
  const here = await openHere();
  if (numbers.length === 0) return list(here, flags.json);
  let chosen: Learning[] = [];
  await updateLearnings(placesOf(here), (text) => {
    chosen = chosenOf(offeredIn(text), numbers);
    if (flags.promote) promote(join(here.repository.worktree, "AGENTS.md"), chosen);
    return withSetAside(text, chosen);
  });
  if (flags.json) printJson({ [flags.promote ? "promoted" : "dropped"]: chosen.map(asJson) });
  else if (flags.promote)
    io().stdout.write(t`AGENTS.md: ${chosen.length} added\nnext: look at it, and commit it\n`);
  else io().stdout.write(t`${chosen.length} dropped: no session is given them any more\n`);
  return 0;
}

const offeredIn = (text: string): Learning[] => learningsIn(text).filter((one) => !one.isSetAside);
const asJson = ({ text, from }: Learning): object => ({ text, from });

function list(here: Here, json: boolean): number {
  const offered = offeredIn(readLearnings(placesOf(here)));
  if (json) printJson(offered.map((one, index) => ({ number: index + 1, ...asJson(one) })));
  else if (offered.length === 0)
    io().stdout.write(t`nothing yet: what merged relays note as patterns in RALPH.md will stand here\n`);
  else {
    const rows = offered.map((one, index) => [String(index + 1), plainLine(one.from), plainLine(one.text)]);
    io().stdout.write(`${tableLines(rows).join("\n")}\n`);
  }
  return 0;
}

function chosenOf(offered: readonly Learning[], numbers: readonly string[]): Learning[] {
  return [...new Set(numbers)].map((number) => {
    const one = /^\d{1,6}$/.test(number) ? offered[Number(number) - 1] : undefined;
    if (one) return one;
    const message = t`expected a number from 1 to ${offered.length}, got "${plainLine(number)}"`;
    throw new MonocoError("input", message, { hint: t`monoco learnings shows the numbers` });
  });
}

const heading = "## Learnings";

/** Adds entries below their heading, which is appended if missing; all other bytes stay. */
function promote(path: string, chosen: readonly Learning[]): void {
  const text = isThere(path) ? readDocument(path) : "";
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const items = chosen.map((one) => `- ${one.text}${end}`).join("");
  const at = new RegExp(`^${heading}[ \\t]*\\r?\\n(?:[ \\t]*\\r?\\n)?`, "m").exec(text);
  const gap = text === "" ? "" : text.endsWith("\n") ? end : end + end;
  const changed = at
    ? text.slice(0, at.index + at[0].length) + items + text.slice(at.index + at[0].length)
    : `${text}${gap}${heading}${end}${end}${items}`;
  writeFileSync(path, changed);
}
