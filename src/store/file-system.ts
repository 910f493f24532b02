/** Recognizes file systems that are shared between machines, where kernel locks and atomic renames may not work. */
import { statfsSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";

/** Magic numbers of statfs(2) on Linux. */
const sharedTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x65735546, "FUSE"],
]);

/** The name of the shared file system of `path`; undefined if it is local or unknown. */
export function sharedFileSystem(path: string, typeOf = fileSystemType): string | undefined {
  return sharedTypes.get(typeOf(path));
}

/** The file system's number, 0 if the system does not report it. The kernel's 32-bit number may come with a sign. */
function fileSystemType(path: string): number {
  return attempt(() => statfsSync(path).type >>> 0, 0);
}
