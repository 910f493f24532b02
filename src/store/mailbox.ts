/** A folder of messages: dropped whole by anybody, taken by the runner, which appends first and unlinks then. */
import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { messageBytesMax } from "../core/limits.ts";
import { writeDurably } from "./durable.ts";

/** Drops a message (its id and time are made here) and returns the path under which it lies until it is taken. */
export function dropMessage(folder: string, body: { type: string } & Record<string, unknown>): string {
  mkdirSync(folder, { recursive: true });
  const message = { id: randomUUID(), atMs: Date.now(), ...body };
  const path = join(folder, `${message.atMs}-${message.id}.json`);
  writeDurably(path, JSON.stringify(message));
  return path;
}

export type Letter<M> = { message: M; take(): void };

/**
 * The messages in `folder`, oldest first. What is no regular file of a sane size with a valid message is set aside as
 * `*.rejected`, and told through `onRejected`: an agent may drop anything there.
 */
export function readMailbox<S extends z.ZodType>(
  folder: string,
  schema: S,
  onRejected: (name: string, why: string) => void = () => undefined,
): Letter<z.infer<S>>[] {
  if (!existsSync(folder)) return [];
  const letters: Letter<z.infer<S>>[] = [];
  for (const name of readdirSync(folder)
    .filter((entry) => entry.endsWith(".json"))
    .sort()) {
    const path = join(folder, name);
    const read = readMessage(path, schema);
    if ("why" in read) {
      renameSync(path, `${path}.rejected`);
      onRejected(name, read.why);
    } else {
      letters.push({ message: read.message, take: () => unlinkSync(path) });
    }
  }
  return letters;
}

function readMessage<S extends z.ZodType>(
  path: string,
  schema: S,
): { message: z.infer<S> } | { why: string } {
  const stat = lstatSync(path);
  if (!stat.isFile()) return { why: "not a regular file" };
  if (stat.size > messageBytesMax) return { why: `larger than ${messageBytesMax} bytes` };
  try {
    const parsed = schema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return parsed.success
      ? { message: parsed.data }
      : { why: parsed.error.issues[0]?.message ?? "malformed" };
  } catch {
    return { why: "not JSON" };
  }
}
