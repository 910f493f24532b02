/** The links of beads: what an issue waits for, what it is part of, and what beads itself does not wait for. */
import { z } from "zod";
import type { ImportItem } from "./import-item.ts";

const key = z.union([z.string(), z.number()]).transform(String);

/** An entry of a list of dependencies: an id, or an object of beads, which says how the two are related. */
export const link = z.union([
  key.transform((to) => ({ to, kind: "blocks" })),
  z
    .looseObject({ depends_on_id: key, type: z.string().catch("blocks") })
    .transform(({ depends_on_id: to, type: kind }) => ({ to, kind })),
  z
    .looseObject({ id: key, dependency_type: z.string() })
    .transform(({ id: to, dependency_type: kind }) => ({ to, kind })),
]);
export type Link = z.output<typeof link>;

/** The kinds of links for which `bd ready` waits. */
const waitingKinds = ["blocks", "conditional-blocks", "waits-for"];

export function linked(links: readonly Link[]): Pick<ImportItem, "dependencies" | "parent"> {
  const parent = links.find(({ kind }) => kind === "parent-child")?.to;
  const waiting = links.filter(({ kind }) => waitingKinds.includes(kind));
  return { dependencies: waiting.map(({ to }) => to), ...(parent !== undefined && { parent }) };
}

/** The items without dependencies on what is gone, and on what they are part of: a parent waits for its parts. */
export function withoutLooseEnds(items: readonly ImportItem[]): { items: ImportItem[]; dropped: string[] } {
  const parents = new Map(items.map((item) => [item.key, item.parent]));
  const dropped: string[] = [];
  const kept = items.map((item) => {
    const above = new Set<string>();
    for (let at = item.parent; at !== undefined && !above.has(at); at = parents.get(at)) above.add(at);
    const dependencies = item.dependencies.filter((to) => parents.has(to) && !above.has(to));
    const loose = item.dependencies.filter((to) => !dependencies.includes(to));
    dropped.push(...loose.map((to) => `${item.key} → ${to}`));
    return { ...item, dependencies };
  });
  return { items: kept, dropped };
}
