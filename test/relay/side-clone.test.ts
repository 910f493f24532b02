/** The copy of a clone in another folder, which a killed runner may leave. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeLeftCopy } from "../../src/relay/review/side-clone.ts";
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

function linkTo(outside: string): string {
  const link = join(tmpdir(), `w-${basename(outside)}-${process.pid}`);
  symlinkSync(outside, link);
  onTestFinished(() => rmSync(link));
  return link;
}
