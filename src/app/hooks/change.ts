/** What installing or uninstalling makes of each file: found out before anything is written. */
import { hash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { faultError } from "../../core/error/fault.ts";
import { MonocoError } from "../../core/error/error.ts";
import { addHook, removeHook } from "../../core/hooks/json-hook.ts";
import type { Edited } from "../../core/hooks/json-hook.ts";
import { addBlock, removeBlock } from "../../core/hooks/marked-block.ts";
import type { InstalledFile } from "../../core/hooks/installed.ts";
import { isThere } from "../../store/document.ts";
import { oursPattern } from "./targets.ts";
import type { HookAgent, Target } from "./targets.ts";

/** `after` is undefined where the file goes. `kept`: it is ours, and a person has changed it since. */
export type Change = {
  agent: HookAgent | undefined;
  path: string;
  before: Buffer | undefined;
  after: Buffer | undefined;
  kept?: true;
};

export const sha256 = (bytes: Buffer): string => hash("sha256", bytes);

/** Throws `input` for settings that do not parse, and where somebody else's file is in the way. */
export function installing(target: Target, known: InstalledFile | undefined): Change {
  const { path, before } = fileOf(target.path);
  const { agent } = target;
  if (target.kind === "own") {
    const after = Buffer.from(target.text);
    const ours = before === undefined || before.equals(after) || sha256(before) === known?.after;
    if (ours) return { agent, path, before, after };
    throw new MonocoError("input", `${path}: there is another one of that name, or you have changed it`, {
      hint: "move it away, then run the same command again",
    });
  }
  const text = before?.toString("latin1");
  if (target.kind === "block")
    return { agent, path, before, after: latin(addBlock(text ?? "", inLatin(target.block))) };
  const dialect = { comments: target.comments, ours: oursPattern };
  return { agent, path, before, after: latin(textOf(addHook(text, target.at, dialect), path)) };
}

/** Undefined where there is nothing of ours. */
export function uninstalling(target: Target, known: InstalledFile | undefined): Change | undefined {
  const { path, before } = fileOf(target.path);
  if (before === undefined) return undefined;
  const { agent } = target;
  const original = known?.before === undefined ? undefined : Buffer.from(known.before, "base64");
  if (known && sha256(before) === known.after) return { agent, path, before, after: original };
  // Written down and then killed, or taken back by hand.
  if (original?.equals(before)) return undefined;
  if (target.kind === "own") {
    if (before.equals(Buffer.from(target.text))) return { agent, path, before, after: undefined };
    return known && { agent, path, before, after: before, kept: true };
  }
  const left = leftOf(target, before.toString("latin1"), path);
  const after = latin(left);
  if (after.equals(before)) return undefined;
  const empty = left.trim() === "" || (target.kind === "hook" && left.trim() === "{}");
  const made = known !== undefined && original === undefined;
  return { agent, path, before, after: made && empty ? undefined : after };
}

function leftOf(target: Exclude<Target, { kind: "own" }>, text: string, path: string): string {
  if (target.kind === "block") return removeBlock(text, inLatin(target.block));
  const dialect = { comments: target.comments, ours: oursPattern };
  return textOf(removeHook(text, target.at.event, dialect), path);
}

/** The file that is written: a link's own target, as dotfiles often are. */
function fileOf(given: string): { path: string; before: Buffer | undefined } {
  if (!isThere(given)) return { path: given, before: undefined };
  const path = realpathSync(given);
  return { path, before: readFileSync(path) };
}

function textOf(result: Edited, path: string): string {
  if ("text" in result) return result.text;
  throw faultError(result.fault, path);
}

/** Byte for byte, whatever encoding a person has chosen. */
function latin(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

function inLatin<B extends { begin: string; end: string; lines: readonly string[] }>(block: B): B {
  const of = (text: string): string => Buffer.from(text).toString("latin1");
  return { ...block, begin: of(block.begin), end: of(block.end), lines: block.lines.map(of) };
}
