/** What of a home a sandbox hides although a command, its output, or the settings of an agent's CLI name it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { walker } from "../../agents/mounts.ts";
import type { View } from "../../agents/mounts.ts";
import { attempt } from "../../core/error/attempt.ts";
import { homeFilesOf, pathsIn } from "../../core/home/home-files.ts";
import type { Hidden } from "../../core/home/home-files.ts";
import { filesNamed } from "../../core/home/named-files.ts";
import { homeOf, isFile, isIn } from "./emptied.ts";
import type { Around } from "./emptied.ts";
import { parsed } from "./agent-home.ts";

/** What the commands and the settings files name, and what the configuration of the commands' programs names. */
export function hiddenOf(
  view: View,
  home: string,
  { commands, settings }: { commands: readonly string[]; settings: readonly string[] },
): Hidden[] {
  const ofCommands = commands.flatMap((by) =>
    homeFilesOf(by).map((name) => ({ path: join(home, name), by })),
  );
  const configured = [...new Set(ofCommands.map(({ path }) => path))].filter(isFile);
  const named = [
    ...ofCommands,
    ...configured.flatMap((by) => pathsIn(textOf(by), home).map((path) => ({ path, by }))),
    ...settings.flatMap((by) => filesNamed(parsed(by), home).map(({ path }) => ({ path, by }))),
  ];
  const isHidden = hidingOf(view);
  const found = new Map<string, Hidden>();
  for (const { path, by } of named)
    if (!found.has(path) && isHidden(path)) found.set(path, { path: tilde(path, home), by: tilde(by, home) });
  return [...found.values()];
}

/** The first of the paths that a text names and the view hides. */
export function hiddenBy({ env }: Pick<Around, "env">, view: View, text: string): string[] {
  const home = homeOf({ env });
  const hidden = pathsIn(text, home).filter(hidingOf(view));
  return hidden.slice(0, hiddenMax).map((path) => tilde(path, home));
}

/** A message that names more of them helps nobody. */
const hiddenMax = 5;

const textOf = (path: string): string => attempt(() => readFileSync(path, "utf8"), "");
const tilde = (path: string, home: string): string =>
  isIn(path, home) ? `~${path.slice(home.length)}` : path;

/** Whether a path is there, and is not in the view. */
function hidingOf({ hidden, scratch, read, write, secret = [] }: View): (path: string) => boolean {
  const walked = walker();
  const among = (paths: readonly string[], real: string): boolean =>
    paths.some((one) => isIn(real, walked(one).real));
  return (path) => {
    const { real, isThere } = walked(path);
    if (!isThere || !among([...hidden, ...scratch], real)) return false;
    return among(secret, real) || !among([...read, ...write], real);
  };
}
