/** Private and reserved addresses: the proxy lets a name resolve to one only if a person allows it. */
import { networkInterfaces } from "node:os";
import { BlockList, isIPv6 } from "node:net";

/** Addresses of private networks, and those that are not on the internet. IPv4 inside IPv6 is checked as IPv4. */
const blocked = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  blocked.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of [
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fec0::", 10],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  blocked.addSubnet(net, prefix, "ipv6");

export function isPrivate(address: string): boolean {
  return blocked.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** Whether this machine has the address: a server that listens on all addresses can be reached by it. */
export function isOwn(address: string): boolean {
  const own = new BlockList();
  for (const all of Object.values(networkInterfaces()))
    for (const one of all ?? []) own.addAddress(one.address, one.family === "IPv6" ? "ipv6" : "ipv4");
  return own.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
