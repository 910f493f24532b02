/** The source as data, for what measures it and holds it to rules: each file below src with its text, its code and its imports; the text of other folders. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export type Import = { from: string; name: string; typeOnly: boolean };

export const root = join(import.meta.dirname, "..");

export const textOf = textsIn("src");
/** Paths from the root. */
export const files = [...textOf.keys()];
export const importsOf = new Map(files.map((path) => [path, readImports(path, textOf.get(path)!)]));
export const codeOf = (path: string): string => withoutComments(textOf.get(path)!);
export const isOurs = (one: Import): boolean => one.name.startsWith("src/");

/** The text of each TypeScript file below a folder of the root. */
export function textsIn(folder: string): Map<string, string> {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts") && !path.includes("node_modules"))
    .map((path) => join(folder, path))
    .toSorted();
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

/** Imports and re-exports, `import("…")` and `typeof import("…")` (a type); relative ones as paths from the root. */
export function readImports(path: string, text: string): Import[] {
  const code = withoutComments(text);
  const found = [
    ...code.matchAll(/^\s*(?:import|export)(\s+type)?\s+[^;"'`]*?\bfrom\s*["']([^"']+)["']/gm),
    ...code.matchAll(/^\s*import()\s*["']([^"']+)["']/gm),
    ...code.matchAll(/(\btypeof\s+)?\bimport\(\s*["']([^"']+)["']/g),
  ];
  return found.map(([, type, name = ""]) => ({
    from: path,
    name: name.startsWith(".") ? normalize(join(dirname(path), name)) : name,
    typeOnly: type !== undefined && type !== "",
  }));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
}

/** Each way round from a node back to itself that a walk meets, as `a → b → a`. */
export function cyclesIn(next: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const state = new Map<string, "open" | "closed">();
  const visit = (node: string, trail: readonly string[]): void => {
    if (state.get(node) === "closed") return;
    if (state.get(node) === "open") {
      cycles.push([...trail.slice(trail.indexOf(node)), node].join(" → "));
      return;
    }
    state.set(node, "open");
    for (const one of next.get(node) ?? []) visit(one, [...trail, node]);
    state.set(node, "closed");
  };
  for (const node of next.keys()) visit(node, []);
  return cycles;
}
