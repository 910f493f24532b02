/** Keeps what a real CLI said as a fixture of the offline suite, made anew by `npm run record -w lab`: a new version shows as a diff. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../test/agents/recorded");

/** Does nothing unless asked. `change` takes out of a line what says nothing to the adapter, or drops it. */
export function keepRecording(
  agent: string,
  name: string,
  { lines, change }: { lines: readonly string[]; change: (line: string) => string | undefined },
): void {
  if (!process.env["MONOCO_RECORD"]) return;
  mkdirSync(join(folder, agent), { recursive: true });
  const kept = lines.flatMap((line) => change(line) ?? []);
  writeFileSync(join(folder, agent, `${name}.jsonl`), `${steady(kept.join("\n"))}\n`);
}

/** What differs from run to run: ids become numbers in the order of their appearance, folders and ports one each. */
function steady(text: string): string {
  const ids = new Map<string, string>();
  const numbered = (id: string): string => {
    if (!ids.has(id)) ids.set(id, `00000000-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`);
    return ids.get(id)!;
  };
  const named = (id: string, kind: string): string => {
    if (!ids.has(id)) ids.set(id, `${kind}_${ids.size + 1}`);
    return ids.get(id)!;
  };
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered)
    .replaceAll(/\/tmp\/monoco(?: live's |-test-)[A-Za-z0-9]{6}/g, "/w")
    .replaceAll(/-tmp-monoco-(?:live-s|test)-[A-Za-z0-9]{6}/g, "-w")
    .replaceAll(/\/state\/monoco\/[0-9a-f]{16}\//g, "/state/monoco/1/")
    .replaceAll(/\bmonoco-[0-9a-f]{16}\b(?:-FEAT-0001-[A-Za-z0-9]{6}\b)?/g, "monoco-1")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:1")
    .replaceAll(/\b(msg|call|resp)_[0-9a-f]{24}\b/g, "$1_1")
    .replaceAll(/\b(ses|msg|prt|per)_[0-9a-f]{12}[A-Za-z0-9]{14}\b/g, (id, kind: string) => named(id, kind));
}
