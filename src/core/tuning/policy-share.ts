/** Two policies tried on one backlog: which of them an issue runs under, the same one whenever it is asked. */

/** The share of `id` among `policies`, by FNV-1a (32 bit) of its characters: even enough, and no state to keep. */
export function policyFor<Policy>(id: string, policies: readonly Policy[]): Policy | undefined {
  let hash = 0x811c9dc5;
  for (const character of id) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  return policies[hash % policies.length];
}
