/** Works out the change of each file for an install or uninstall, before anything is written. */
import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { faultError, notUtf8 } from "../../core/error/fault.ts";
import { MonocoError } from "../../core/error/error.ts";
import { addHook, removeHook } from "../../core/hooks/json-hook.ts";
import type { Edited } from "../../core/hooks/json-hook.ts";
import { addBlock, removeBlock } from "../../core/hooks/marked-block.ts";
import type { InstalledFile } from "../../core/hooks/installed.ts";
import { oursPattern } from "./targets.ts";
import type { HookAgent, Target } from "./targets.ts";
import { t } from "../../core/language/translate.ts";

/** A file's change. `after` is undefined if the file is removed. `kept`: monoco's file, which a person has changed since. */
export type Change = {
  agent: HookAgent | undefined;
  path: string;
  before: Buffer | undefined;
  after: Buffer | undefined;
  kept?: true;
};

export const sha256 = (bytes: Buffer): string => hash("sha256", bytes);

/** The change that installs. Throws `input` for settings that do not parse, and for somebody else's file in the way. */
export function installing(target: Target, files: readonly InstalledFile[]): Change {
  const { path, before } = fileOf(target.path);
  const installed = files.find((one) => one.path === path);
  const { agent } = target;
  if (target.kind === "own") {
    const after = Buffer.from(target.text);
    const ours = before === undefined || before.equals(after) || sha256(before) === installed?.after;
    if (ours) return { agent, path, before, after };
    throw new MonocoError("input", t`${path}: there is another one of that name, or you have changed it`, {
      hint: t`move it away, then run the same command again`,
    });
  }
  if (target.kind === "block") {
    const text = before?.toString("latin1") ?? "";
    return { agent, path, before, after: latin(addBlock(text, inLatin(target.block))) };
  }
  const dialect = { comments: target.comments, ours: oursPattern };
  const text = before && utf8In(before, path);
  return { agent, path, before, after: Buffer.from(textOf(addHook(text, target.at, dialect), path)) };
}

/** The change that uninstalls; undefined if the file has nothing of monoco's. */
export function uninstalling(target: Target, files: readonly InstalledFile[]): Change | undefined {
  const { path, before } = fileOf(target.path);
  if (before === undefined) return undefined;
  const installed = files.find((one) => one.path === path);
  const { agent } = target;
  const original = installed?.before === undefined ? undefined : Buffer.from(installed.before, "base64");
  if (installed && sha256(before) === installed.after) return { agent, path, before, after: original };
  // The file was recorded but never written, or restored by hand.
  if (original?.equals(before)) return undefined;
  if (target.kind === "own") {
    if (before.equals(Buffer.from(target.text))) return { agent, path, before, after: undefined };
    return installed && { agent, path, before, after: before, kept: true };
  }
  const after = leftOf(target, before, path);
  if (after.equals(before)) return undefined;
  const isEmpty = /^(?:\s*|\s*\{\s*\}\s*)$/.test(after.toString("latin1"));
  const made = installed !== undefined && original === undefined;
  return { agent, path, before, after: made && isEmpty ? undefined : after };
}

function leftOf(target: Exclude<Target, { kind: "own" }>, before: Buffer, path: string): Buffer {
  if (target.kind === "block") return latin(removeBlock(before.toString("latin1"), inLatin(target.block)));
  const dialect = { comments: target.comments, ours: oursPattern };
  return Buffer.from(textOf(removeHook(utf8In(before, path), target.at.event, dialect), path));
}

/** The file to write: the target of a link, as dotfiles often are. */
function fileOf(given: string): { path: string; before: Buffer | undefined } {
  const path = resolved(given);
  return { path, before: existsSync(path) ? readFileSync(path) : undefined };
}

/** The real path, the same before and after the file exists: its folder may be a link, too. */
export function resolved(path: string): string {
  const above = dirname(path);
  return existsSync(path) || above === path ? realpathSync(path) : join(resolved(above), basename(path));
}

function utf8In(bytes: Buffer, path: string): string {
  const text = bytes.toString("utf8");
  if (!isUtf8(bytes)) throw faultError(notUtf8(text), path);
  return text;
}

function textOf(result: Edited, path: string): string {
  if ("text" in result) return result.text;
  throw faultError(result.fault, path);
}

/** The bytes of the text in any encoding. */
function latin(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

function inLatin<B extends { begin: string; end: string; lines: readonly string[] }>(block: B): B {
  const of = (text: string): string => Buffer.from(text).toString("latin1");
  return { ...block, begin: of(block.begin), end: of(block.end), lines: block.lines.map(of) };
}
