import { expect, test } from "vitest";
import { sharedFileSystem } from "../../src/store/file-system.ts";
import { temporaryFolder } from "../support/repository.ts";

test.for<[string, number, string | undefined]>([
  ["NFS", 0x6969, "NFS"],
  ["Windows shares", 0xfe534d42, "SMB"],
  ["old Windows shares", 0xff534d42, "CIFS"],
  ["FUSE (sshfs, cloud drives)", 0x65735546, "FUSE"],
  ["ext4", 0xef53, undefined],
  ["tmpfs", 0x01021994, undefined],
])("locks may not hold on %s", ([, type, name]) => {
  expect(sharedFileSystem("/anywhere", () => type)).toBe(name);
});

test("a local folder, and one that is not there, give no warning", () => {
  expect(sharedFileSystem(temporaryFolder())).toBeUndefined();
  expect(sharedFileSystem("/not/there")).toBeUndefined();
});
