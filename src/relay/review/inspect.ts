/** Inspects a submission before its checks: contract and settings, protected paths, weakened tests. */
import { posix } from "node:path";
import { namesBetween } from "../../git/snapshot.ts";
import { blobAt, fileAt } from "../../git/repository.ts";
import { changedFiles } from "../../git/trees.ts";
import { isFollowed, namesIn, scriptsIn } from "../../core/weakening/command-names.ts";
import type { PackageChange } from "../../core/weakening/command-names.ts";
import { sourcesFirst } from "../../core/weakening/sources-first.ts";
import { readDiff } from "../../core/text/diff.ts";
import {
  documentBytesMax,
  inspectedCharsMax,
  inspectedFileBytesMax,
  scriptNamesMax,
} from "../../core/limits.ts";
import { listed } from "../../core/review/inspection.ts";
import type { ProtectedKind } from "../../core/review/protected-kinds.ts";
import { lifeCycleChanged, linksSources } from "../../core/review/protected-contents.ts";
import { protectedPaths } from "../../core/review/protected-paths.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { weakeningsIn } from "../../core/weakening/weakening.ts";
import { isProduct } from "../../core/trial/roles.ts";
import { contractNow, criteriaNow, tamperedAt } from "../contract.ts";
import { openingOf, settingsOf, startOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

/** Runs before the checks, so that after a crash in between it runs again: no review goes without it. */
export async function inspectSubmission(relay: Relay, record: SubmissionRecord): Promise<void> {
  const { submission, head } = record;
  const { contract } = openingOf(relay);
  const start = await startOf(relay, head);
  const changed = await namesBetween(relay.repository.root, start, head);
  const fields = changed.includes(contract.path) ? await tamperedAt(relay, head) : [];
  if (changed.includes("monoco.yaml")) fields.push("monoco.yaml");
  if (fields.length > 0 && record.tampered.length === 0)
    relay.record({ type: "contract.tampered", submission, fields });
  if (record.inspection) return;
  const runs = await filesRun(relay, { start, head, changed });
  const { diff, cut } = await diffOf(relay, start, head);
  const weakened = weakeningsIn(readDiff(diff), new Set(runs.keys()));
  const places = listed({
    protected: protectedPaths({
      changed,
      contract: contract.path,
      patterns: settingsOf(relay).protected,
      allows: contractNow(relay).issue.allows,
      runs,
      shown: await shownByContents(relay, { start, head }),
    }),
    weakened: cut === undefined ? weakened : [{ file: "(the diff)", kind: "hidden", text: cut }, ...weakened],
  });
  if (places.protected.length + places.weakened.length > 0)
    relay.record({ type: "submission.inspected", submission, ...places });
}

/** Changed life-cycle scripts, and links through which code is read. */
async function shownByContents(
  relay: Relay,
  { start, head }: { start: string; head: string },
): Promise<ReadonlyMap<string, { kind: ProtectedKind; by: string }>> {
  const { git } = relay.repository;
  const shown = new Map<string, { kind: ProtectedKind; by: string }>();
  for (const { path, before, after } of await changedFiles(git, start, head)) {
    if (after?.mode === "120000") {
      const target = ((await blobAt(git, after.hash)) ?? "").slice(0, linkCharsMax);
      const wasFile = before !== undefined && before.mode !== after.mode;
      if (linksSources({ path, target, wasFile })) shown.set(path, { kind: "link", by: target });
    } else if (after && /(?:^|\/)package\.json$/.test(path)) {
      const was = before && (await blobAt(git, before.hash));
      const scripts = lifeCycleChanged(was, await blobAt(git, after.hash));
      if (scripts.length > 0) shown.set(path, { kind: "lifecycle", by: scripts.join(", ") });
    }
  }
  return shown;
}

/** The length of a link's target that is read; no path in a repository is longer. */
const linkCharsMax = 300;

/** The files that monoco runs in this repository: named by checks, set-ups and agents' programs. */
export async function filesRun(
  relay: Relay,
  of: { start: string; head: string; changed: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const { setup, agents } = settingsOf(relay);
  const programs = Object.values(agents).flatMap((agent) =>
    "run" in agent && agent.run ? [agent.run.join(" ")] : [],
  );
  const all = await filesRunBy(relay, of, [...contractNow(relay).checks, ...setup, ...programs]);
  const criteria = criteriaNow(relay);
  return new Map([...all].filter(([path]) => !isProduct(path, criteria)));
}

/** The files that these commands run, including scripts behind them, each with its command. */
export async function filesRunBy(
  relay: Relay,
  of: { start: string; head: string; changed: readonly string[] },
  commands: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const manifests = new Set(["package.json", ...of.changed.filter((path) => path.endsWith("/package.json"))]);
  const { git } = relay.repository;
  const packages = await Promise.all(
    [...manifests].slice(0, manifestsMax).map(async (path) => ({
      path,
      before: await fileAt(git, of.start, path),
      after: await fileAt(git, of.head, path),
    })),
  );
  return withScripts(relay, { ...of, packages }, namesIn(commands, packages));
}

/** Adds the scripts that the named files run or load in turn, before or after the change. */
async function withScripts(
  relay: Relay,
  { start, head, packages }: { start: string; head: string; packages: readonly PackageChange[] },
  commandOf: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const { git } = relay.repository;
  const all = new Map(commandOf);
  const open = [...commandOf].filter(([path]) => isFollowed(path));
  for (let next = open.shift(); next && all.size < commandOf.size + scriptNamesMax; next = open.shift()) {
    const [path, command] = next;
    const texts = await Promise.all([start, head].map((at) => fileAt(git, at, path)));
    const scripts = texts.flatMap((text) =>
      text === undefined ? [] : scriptsIn(path, text.slice(0, documentBytesMax), packages),
    );
    for (const name of scripts.map((one) => posix.normalize(one))) {
      if (all.has(name) || name.startsWith("../")) continue;
      all.set(name, command);
      open.push([name, command]);
    }
  }
  return all;
}

/** The number of package.json files that are read; scripts of further ones are not protected. */
const manifestsMax = 50;

/** The diff in one form, whatever the person has configured; a file that is too large appears as binary and is reported. */
export async function diffOf(
  relay: Relay,
  start: string,
  head: string,
): Promise<{ diff: string; cut?: string }> {
  const form = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
    "--unified=0",
    "-M",
  ];
  const prefixes = [
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--no-indent-heuristic",
    "--diff-algorithm=histogram",
  ];
  const diff = await relay.repository.git([
    "-c",
    `core.bigFileThreshold=${inspectedFileBytesMax}`,
    "diff",
    ...form,
    ...prefixes,
    start,
    head,
  ]);
  if (diff.length <= inspectedCharsMax) return { diff };
  const cut = `only the first ${inspectedCharsMax} of ${diff.length} characters were looked through`;
  return { diff: sourcesFirst(diff).slice(0, inspectedCharsMax), cut };
}
