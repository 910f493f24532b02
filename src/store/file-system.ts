/** Which file systems are shared between machines: kernel locks and atomic renames may not hold there. */
import { statfsSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";

/** Magic numbers of statfs(2), Linux. */
const sharedTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x65735546, "FUSE"],
]);

/** The name of the shared file system that `path` lies on; undefined for a local one, or where nobody tells. */
export function sharedFileSystem(path: string, typeOf = fileSystemType): string | undefined {
  return sharedTypes.get(typeOf(path));
}

/** 0 where the system does not say. The kernel's number is 32 bits wide, and may come with a sign. */
function fileSystemType(path: string): number {
  return attempt(() => statfsSync(path).type >>> 0, 0);
}
