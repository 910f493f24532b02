/** The copy of a clone in another folder, which a killed runner may leave. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commitOf } from "../../src/git/repository.ts";
import { openClone, removeLeftCopy } from "../../src/relay/review/side-clone.ts";
import { relayHere } from "../support/open-relay.ts";
import { temporaryFolder } from "../support/repository.ts";

test.for<[string, boolean, (outside: string, copy: string) => string]>([
  ["a copy of monoco's", true, (_, copy) => copy],
  ["another folder", false, (outside) => outside],
  ["a folder by a way around", false, (outside) => join(tmpdir(), "w-x", "..", "..", outside)],
  ["nothing, as after a power loss", false, () => ""],
  ["a link of such a name", false, linkTo],
])("of what a note names, only a copy goes: %s", ([, goes, names]) => {
  const outside = temporaryFolder();
  const kept = join(outside, "kept");
  mkdirSync(kept);
  const copy = mkdtempSync(join(tmpdir(), "w-"));
  const named = names(kept, copy);
  writeFileSync(join(outside, "note"), named);
  removeLeftCopy(join(outside, "note"));
  expect([existsSync(kept), existsSync(copy)]).toEqual([true, !goes]);
  writeFileSync(join(outside, "note"), copy);
  removeLeftCopy(join(outside, "note"));
  expect(existsSync(copy)).toBe(false);
});

test("a set-up that is stopped between two commands is not complete: nothing is cached, and no clone counts as set up", async () => {
  const settings = `setup: ["mkdir -p made", "true"]\ncache: [made]\n`;
  const { relay, here, open } = await relayHere(undefined, undefined, settings);
  await open();
  const stop = new AbortController();
  relay.onProgress = (news) => {
    if (news.type === "step" && news.ms !== undefined) stop.abort();
  };
  const commit = await commitOf(here.repository.git, "HEAD");
  const folder = relay.places.workspace;
  const side = {
    commit: commit!,
    tree: `${commit!}^{tree}`,
    folder,
    trusted: true,
    logs: relay.places.scratch,
  };
  expect(await openClone(relay, { ...side, stop: stop.signal })).toMatchObject({ command: "mkdir -p made" });
  expect([existsSync(join(folder, "made")), existsSync(join(`${folder}.trees`, "set-up-at"))]).toEqual([
    true,
    false,
  ]);
  expect(existsSync(join(relay.repositoryPlaces.clones, "cache"))).toBe(false);
  relay.onProgress = () => undefined;
  expect(await openClone(relay, side)).toBeUndefined();
  expect(readdirSync(join(relay.repositoryPlaces.clones, "cache"))).toHaveLength(1);
});

function linkTo(outside: string): string {
  const link = join(tmpdir(), `w-${basename(outside)}-${process.pid}`);
  symlinkSync(outside, link);
  onTestFinished(() => rmSync(link));
  return link;
}
