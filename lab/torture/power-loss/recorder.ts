/** Stands between a program and node:fs, and notes what is done to the files below one folder; the files are real. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative, resolve } from "node:path";
import { apply, bytesOf, copyOf, top } from "./disk.ts";
import type { Disk, Naming, Node, Step } from "./disk.ts";

/** `disk` is as the program sees it; `steps` is what it did. */
export type Recording = { folder: string; disk: Disk; steps: Step[] };

/** What a descriptor stands for; `at` is where the next write goes, for one that appends its end. */
type Open = { node: Node; at: number; appends: boolean };

/** What the writers under test call. Whatever else changes a file is refused, so that nothing goes by unseen. */
const real = { ...fs };
const unknown = [
  "appendFileSync",
  "copyFileSync",
  "cpSync",
  "createWriteStream",
  "fdatasyncSync",
  "rmdirSync",
  "symlinkSync",
  "truncateSync",
  "unlinkSync",
  "writevSync",
] as const;

/** Runs `work` while all that it does below `folder`, which holds `disk`, is noted. One at a time: it is the process's node:fs. */
export async function recorded(
  folder: string,
  disk: Disk,
  work: (recording: Recording) => Promise<void>,
): Promise<Recording> {
  const recording: Recording = { folder, disk: copyOf(disk), steps: [] };
  const calls = { ...wrappedNames(recording), ...wrappedBytes(recording, new Map()) };
  Object.assign(fs, calls, Object.fromEntries(unknown.map((name) => [name, refuse(name, folder)])));
  syncBuiltinESMExports();
  try {
    await work(recording);
  } finally {
    for (const name of [...Object.keys(calls), ...unknown])
      Object.assign(fs, { [name]: Reflect.get(real, name) });
    syncBuiltinESMExports();
  }
  return recording;
}

function refuse(name: (typeof unknown)[number], folder: string): (...given: unknown[]) => void {
  return (...given) => {
    const inside = given.some((one) => typeof one === "number" || String(one).startsWith(folder));
    if (inside) throw new Error(`the recorder does not know ${name}`);
    return Reflect.apply(real[name], fs, given);
  };
}

function step(recording: Recording, done: Step): void {
  recording.steps.push(done);
  apply(recording.disk, done);
}

type Place = { folder: Node; name: string; node: Node | undefined };

/** Undefined for what does not lie below the folder, or in none that is known. */
function placeOf({ folder, disk }: Recording, path: string): Place | undefined {
  const within = relative(folder, resolve(path));
  if (within.startsWith("..")) return undefined;
  if (within === "") return { folder: top, name: "", node: top };
  const names = within.split("/");
  const name = names.pop()!;
  let at: Node | undefined = top;
  for (const part of names) at = at === undefined ? undefined : disk.folders.get(at)?.get(part);
  return at === undefined ? undefined : { folder: at, name, node: disk.folders.get(at)?.get(name) };
}

function make(recording: Recording, { folder, name }: Place, as: "folder" | "file"): Node {
  const node = recording.disk.next;
  step(recording, { do: "make", node, as });
  step(recording, { do: "name", namings: [{ folder, name, node }] });
  return node;
}

/** Calls that give names and take them. */
function wrappedNames(recording: Recording): object {
  const forget = ({ folder, name, node }: Place): void => {
    for (const [inner, below] of recording.disk.folders.get(node!) ?? [])
      forget({ folder: node!, name: inner, node: below });
    step(recording, { do: "name", namings: [{ folder, name }] });
  };
  return {
    mkdirSync: (path: string, options?: fs.MakeDirectoryOptions) => {
      const first = real.mkdirSync(path, options);
      const within = relative(recording.folder, resolve(path)).split("/");
      for (const end of within.keys()) {
        const place = placeOf(recording, resolve(recording.folder, ...within.slice(0, end + 1)));
        if (place && place.node === undefined) make(recording, place, "folder");
      }
      return first;
    },
    renameSync: (from: string, to: string) => {
      const [old, now] = [placeOf(recording, from), placeOf(recording, to)];
      real.renameSync(from, to);
      if (!old || !now || old.node === undefined) return;
      const namings: Naming[] = [
        { folder: old.folder, name: old.name },
        { folder: now.folder, name: now.name, node: old.node },
      ];
      step(recording, { do: "name", namings });
    },
    linkSync: (from: string, to: string) => {
      const [old, now] = [placeOf(recording, from), placeOf(recording, to)];
      real.linkSync(from, to);
      if (!old || !now || old.node === undefined) return;
      step(recording, { do: "name", namings: [{ folder: now.folder, name: now.name, node: old.node }] });
    },
    rmSync: (path: string, options?: fs.RmOptions) => {
      real.rmSync(path, options);
      const place = placeOf(recording, path);
      if (place && place.node !== undefined) forget(place);
    },
  };
}

/** Calls that write bytes and sync them. What is synced is not: the disk under the folder is none of the matter. */
function wrappedBytes(recording: Recording, opened: Map<number, Open>): object {
  const openSync = (path: string, flags: string | number = "r", mode?: number): number => {
    const fd = real.openSync(path, flags, mode);
    const place = placeOf(recording, path);
    if (!place) return fd;
    const node = place.node ?? make(recording, place, "file");
    if (String(flags).startsWith("w") && place.node !== undefined)
      step(recording, { do: "cut", node, size: 0 });
    opened.set(fd, { node, at: 0, appends: String(flags).startsWith("a") });
    return fd;
  };
  const noteWrite = (fd: number, bytes: Buffer): void => {
    const open = opened.get(fd);
    if (!open) return;
    const at = open.appends ? bytesOf(recording.disk, open.node).length : open.at;
    step(recording, { do: "write", node: open.node, at, bytes });
    open.at = at + bytes.length;
  };
  return {
    openSync,
    closeSync: (fd: number) => {
      opened.delete(fd);
      real.closeSync(fd);
    },
    writeSync: (fd: number, bytes: Buffer, from = 0) => {
      const written = real.writeSync(fd, bytes, from);
      noteWrite(fd, Buffer.from(bytes.subarray(from, from + written)));
      return written;
    },
    writeFileSync: (to: string | number, text: string | Uint8Array, options?: fs.WriteFileOptions) => {
      if (typeof to === "string" && !placeOf(recording, to)) return real.writeFileSync(to, text, options);
      const fd = typeof to === "number" ? to : openSync(to, "w");
      real.writeFileSync(fd, text);
      noteWrite(fd, Buffer.from(text as string));
      if (typeof to === "string") {
        opened.delete(fd);
        real.closeSync(fd);
      }
    },
    ftruncateSync: (fd: number, size = 0) => {
      real.ftruncateSync(fd, size);
      const open = opened.get(fd);
      if (open) step(recording, { do: "cut", node: open.node, size });
    },
    fsyncSync: (fd: number) => {
      const open = opened.get(fd);
      if (open) step(recording, { do: "sync", node: open.node });
      else real.fsyncSync(fd);
    },
  };
}
