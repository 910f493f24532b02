/** monoco config show: each setting with its value and source. */
import { plainLine } from "../core/text/sanitize.ts";
import { inWords } from "../core/settings/change.ts";
import { placeOf } from "../core/settings/layers.ts";
import { leaves, valueAt } from "../core/settings/values.ts";
import type { Origin, Settled } from "../core/settings/layers.ts";
import { printJson } from "../views/json.ts";
import { tableLines } from "../views/table.ts";
import { paint } from "../views/paint.ts";
import { openHere } from "../app/here.ts";
import { settledHere } from "../app/settings.ts";
import { io } from "../io/io.ts";
import { translatable, translated } from "../core/language/translate.ts";

/** The schema of `config show --json`, one setting. */
type Shown = { key: string; value: unknown; from: Origin["from"]; where: string; line: number | null };

export async function show(flags: { set: string[]; json: boolean }): Promise<number> {
  const shown = allOf(settledHere(await openHere(), flags));
  if (flags.json) printJson(shown);
  else io().stdout.write(`${table(shown).join("\n")}\n`);
  return 0;
}

const noOrigin: Origin = { from: "default", where: translatable("default") };
const hidden = translatable("(hidden)");

function allOf({ settings, origins }: Settled): Shown[] {
  return leaves(settings).map((path) => {
    const key = path.join(".");
    const { from, where, line } = origins[key] ?? noOrigin;
    // These variables hold keys and tokens.
    const secret = path[0] === "agents" && path[2] === "env";
    return { key, value: secret ? hidden : valueAt(settings, path), from, where, line: line ?? null };
  });
}

function table(shown: readonly Shown[]): string[] {
  const rows = shown.map(({ key, value, from, where, line }) => {
    const place =
      from === "default" ? translated(where) : placeOf({ from, where, ...(line === null ? {} : { line }) });
    const origin = paint(from === "default" ? "dim" : "good", plainLine(place));
    return [plainLine(key), value === hidden ? translated(hidden) : plainLine(inWords(value)), origin];
  });
  return tableLines(rows);
}
