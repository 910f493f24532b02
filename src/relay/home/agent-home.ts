/**
 * What a session of an agent's CLI sees of the home: the CLI's own state, what the links in it lead to, and the programs that its
 * settings name. A session may have made a link or named a program, to be shown what it leads to: only those that were there
 * before the first session count, by a record that no sandbox shows.
 */
import { hash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { z } from "zod";
import type { AgentSettings } from "../../agents/agent.ts";
import { walker } from "../../agents/mounts.ts";
import { statePlaces } from "../../agents/state.ts";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import { filesNamed } from "../../core/home/named-files.ts";
import type { NamedFile } from "../../core/home/named-files.ts";
import { t } from "../../core/language/translate.ts";
import type { News } from "../../core/session/news.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { writeNew } from "../../store/durable.ts";
import { stateFolder } from "../../store/places.ts";
import { homeOf, inHome, isFile, isFolder, isIn, sightOf, statOr } from "./emptied.ts";
import type { Around } from "./emptied.ts";

type Own = Pick<AgentSettings, "kind" | "run" | "state" | "env">;
type Places = ReturnType<typeof statePlaces>;
type Shown = Pick<Settings, "sandboxRead" | "sandboxWrite">;

/** `secret` is shown empty. `settings`: the files that name programs. */
type AgentNeeds = { read: string[]; write: string[]; secret: string[]; settings: string[] };

/**
 * The paths that an agent's CLI needs in a session. Makes missing folders: a discarded home would lose its conversations. Throws
 * like `needsOf`.
 */
export function agentNeeds(around: Around, settings: Shown, own: Own): AgentNeeds {
  const places = placesOf(around, own);
  for (const folder of places.folders) if (!isFile(folder)) mkdirSync(folder, { recursive: true });
  const path = recordOf(around, own.kind, places);
  if (!existsSync(path)) recordFirst(path, lookAt(places, homeOf(around)));
  return needsOf(around, settings, own);
}

/**
 * What `agentNeeds` would be. Throws `input` if a sandbox cannot show a file or folder that the CLI goes by, or a program that its
 * settings run: a guard would be off without a word, or a missing hook would refuse every command.
 */
export function needsOf(around: Around, settings: Shown, own: Own): AgentNeeds {
  const places = placesOf(around, own);
  const { folders, files, kept } = places;
  const look = lookAt(places, homeOf(around));
  const { read, secret } = judged(around, settings, { kind: own.kind, places, look });
  return {
    read: [...kept, ...read],
    write: [...folders, ...files],
    secret,
    settings: places.settings.filter(isFile),
  };
}

/**
 * Remembers the links in the CLI's folders, which a session can replace. The result puts them back once the session is over, moves
 * aside what it finds in their place, and says so.
 */
export function keepLinks(
  around: Around & { nowMs(): number; onProgress(news: News): void },
  own: Own,
): <T>(exit: T) => T {
  const links = placesOf(around, own).kept.map((at) => ({ at, to: targetOf(at) }));
  return (exit) => {
    for (const { at, to } of links) {
      if (to === undefined || targetOf(at) === to) continue;
      const aside = `${at}.found-${around.nowMs()}`;
      if (lstatSync(at, { throwIfNoEntry: false })) renameSync(at, aside);
      symlinkSync(to, at);
      const text = t`${at} was replaced during the session: it is the link to ${to} again, and what was there is ${aside}`;
      around.onProgress({ type: "warning", text });
    }
    return exit;
  };
}

const placesOf = (around: Around, own: Own): Places =>
  statePlaces(own, { home: homeOf(around), env: { ...around.env, ...own.env } });

function targetOf(path: string): string | undefined {
  return attempt(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined), undefined);
}

const seenSchema = z.object({
  /** What each link leads to, and "" for any other entry that no session can change. */
  kept: z.record(z.string(), z.string()),
  /** What the path of each program leads to. */
  named: z.record(z.string(), z.string()),
});
type Seen = z.infer<typeof seenSchema>;

type Look = { links: string[]; plain: string[]; programs: (NamedFile & { by: string })[] };

/** Links are followed in the folders of skills, commands and the like, too. */
function lookAt({ kept, settings }: Places, home: string): Look {
  const inside = kept.flatMap((path) =>
    isFolder(path) ? attempt(() => readdirSync(path), []).map((name) => join(path, name)) : [],
  );
  return {
    links: [...kept, ...inside].filter((path) => targetOf(path) !== undefined),
    plain: kept.filter((path) => existsSync(path) && targetOf(path) === undefined),
    programs: settings
      .filter(isFile)
      .flatMap((by) => filesNamed(parsed(by), home).map((file) => ({ ...file, by }))),
  };
}

/** A settings file's values; the CLI itself reports a broken one. */
export function parsed(path: string): unknown {
  const read = (text: string): unknown => (path.endsWith(".toml") ? parseToml(text) : parseJson(text));
  return attempt(() => read(readFileSync(path, "utf8")), {});
}

function recordOf(around: Around, kind: Own["kind"], { folders }: Places): string {
  const name = hash("sha256", folders.join("\n")).slice(0, 16);
  return join(stateFolder(around.env), "first-seen", `${kind}-${name}.json`);
}

function recordFirst(path: string, look: Look): void {
  try {
    writeNew(path, JSON.stringify(seenIn(look)));
  } catch (error) {
    // Another run was first.
    if (!existsSync(path)) throw error;
  }
}

function seenIn({ links, plain, programs }: Look): Seen {
  const walked = walker();
  const real = (path: string): [string, string] => [path, walked(path).real];
  return {
    kept: Object.fromEntries([...links.map(real), ...plain.map((path): [string, string] => [path, ""])]),
    named: Object.fromEntries(programs.map(({ path }) => real(path))),
  };
}

function judged(
  around: Around,
  settings: Shown,
  { kind, places, look }: { kind: Own["kind"]; places: Places; look: Look },
): Pick<AgentNeeds, "read" | "secret"> {
  const record = recordOf(around, kind, places);
  const seen = existsSync(record) ? seenSchema.parse(JSON.parse(readFileSync(record, "utf8"))) : seenIn(look);
  const { isHidden, isNamed, isPrivate } = sightOf(around, settings);
  const walked = walker();
  const own = [...places.folders, ...places.files];
  const among = (path: string, folders: readonly string[]): boolean =>
    folders.some((one) => isIn(path, one) || isIn(path, walked(one).real));
  const isVisible = (real: string): boolean => !isHidden(real) || isNamed(real) || among(real, own);
  // A link on the way to a file of the system may be hidden. The sandbox's /dev and /proc are its own.
  const isSystem = (real: string): boolean => !isHidden(real) && !/^\/(?:dev|proc)?(?:\/|$)/.test(real);
  const writable = [...own, ...settings.sandboxWrite.map((path) => inHome(path, homeOf(around)))];
  const isFirst = (at: string): boolean =>
    seen.kept[at] === (targetOf(at) === undefined ? "" : walked(at).real);
  const links = look.links.filter((at) => {
    const { real, isThere } = walked(at);
    if (!isThere) return false;
    if (isVisible(real)) return isSystem(real) || isNamed(real);
    const why = isPrivate(real) ? "private" : isFirst(at) ? undefined : "new";
    if (why !== undefined && places.kept.includes(at))
      throw refusal(t`${at} is a link to ${real}`, real, why);
    return why === undefined;
  });
  const programs = look.programs.filter(({ path, by, needed, guards }) => {
    const { real, isThere } = walked(path);
    const said = t`${by} runs ${path}`;
    if (!isThere && needed && guards) throw refusal(said, path, "missing");
    if (!isFile(real) || !(needed || isProgram(real))) return false;
    // A session could change a guard in the CLI's own folder.
    if (isVisible(real)) return isSystem(real) || isNamed(real) || among(real, own);
    const isKnown = seen.named[path] === real || (isFirst(by) && !among(path, writable));
    const why = isPrivate(real) ? "private" : isKnown ? undefined : "new";
    if (why !== undefined && needed) throw refusal(said, path, why);
    return why === undefined;
  });
  const packages = programs
    .flatMap(({ path }) => packageAround(walked(path).real, homeOf(around)))
    .filter((path) => !isPrivate(path) && !among(path, own));
  return {
    read: [...links, ...programs.map(({ path }) => path), ...packages],
    secret: packages.map((path) => join(path, ".env")),
  };
}

function refusal(said: string, path: string, why: "private" | "missing" | "new"): MonocoError {
  const shows = t`if it may be shown: sandboxRead: ${JSON.stringify([path])} in monoco.yaml`;
  if (why === "missing")
    return new MonocoError(
      "input",
      t`${said}, which does not exist: the agent might be refused every command`,
      {
        hint: t`put the program there, or take it out of the settings`,
      },
    );
  if (why === "private")
    return new MonocoError(
      "input",
      t`${said}, which a sandbox does not show: it is among credentials or holds them`,
      {
        hint: t`move it elsewhere; ${shows}`,
      },
    );
  return new MonocoError(
    "input",
    t`${said}, which was not so when monoco first ran this agent: a session may have done it`,
    {
      hint: t`take it out; ${shows}`,
    },
  );
}

const isProgram = (path: string): boolean =>
  ((statOr(path)?.mode ?? 0) & 0o111) !== 0 || /\.(?:sh|bash|zsh|py|[cm]?[jt]s|rb|pl|php|jar)$/.test(path);

const manifests = ["package.json", "pyproject.toml", "pyvenv.cfg", "deno.json"];

/** The package, below the home, that a program belongs to. */
function packageAround(path: string, home: string): string[] {
  const folder = dirname(path);
  if (!isIn(folder, home) || folder === home) return [];
  return manifests.some((name) => existsSync(join(folder, name))) ? [folder] : packageAround(folder, home);
}
