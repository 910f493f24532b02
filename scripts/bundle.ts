/**
 * A step of `npm run build`: bundles the sources and the packages that they import into dist, since each file costs the start
 * of a command. What is imported on demand stays a file of its own. Packages' licences go along.
 */
import { chmodSync, globSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import type { OutputChunk, Plugin } from "rolldown";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

/** Whatever is started by its path, or imported from outside. */
const entries = globSync(["cli.ts", "index.ts", "agents/*/{program,plugin}.ts"], { cwd: join(root, "src") });

/** A module finds what lies beside it by its own place; all chunks lie in dist itself. */
const placesKept: Plugin = {
  name: "places-kept",
  transform: (code, id) => {
    const place = /\/src\/(.*)\.ts$/.exec(id)?.[1];
    if (place === undefined || !code.includes("import.meta.url")) return null;
    const url = `new URL("./${place}.js", import.meta.url).href`;
    return { code: code.replaceAll("import.meta.url", url), map: null };
  },
};

/** The licence of each package of which something is in dist. */
function licences(chunks: readonly OutputChunk[]): string {
  const folders = chunks.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  );
  const texts = [...new Set(folders)].map((folder) => {
    const read = (name: string): string => readFileSync(join(folder, name), "utf8").trim();
    const { name, version, license } = JSON.parse(read("package.json")) as Record<string, string>;
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
    return [`${name} ${version}: ${license}`, ...files.toSorted().map(read)].join("\n\n");
  });
  return `${texts.toSorted().join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

const onLog = (level: string, { message }: { message: string }): never => {
  throw new Error(`${level}: ${message}`);
};

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(entries.map((path) => [path.slice(0, -".ts".length), `src/${path}`])),
  platform: "node",
  // jsonc-parser's other form asks for its files in a way that no bundler sees.
  // js-yaml asks for a parser of JavaScript, for functions in YAML, which gray-matter refuses.
  resolve: { mainFields: ["module", "main"], alias: { esprima: false } },
  // The first finds its addon by the place of its own files; the second is installed only for a fleet.
  external: ["fs-native-extensions", "pg-boss"],
  plugins: [placesKept],
  // pi-tui's editor and its Markdown stay out: an import of what is used has no other effect, which its manifest does not say.
  treeshake: { moduleSideEffects: [{ test: /\/(?:pi-tui|marked[^/]*)\//, sideEffects: false }] },
  // gray-matter can run front matter that is JavaScript; monoco has that refused.
  checks: { eval: false },
  onLog,
});
const { output } = await bundle.write({
  dir: dist,
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  sourcemap: true,
  sourcemapExcludeSources: true,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  comments: false,
});
await bundle.close();

/** The browser part of the dashboard. What a page needs later is a file of its own. */
const page = await rolldown({ cwd: root, input: "src/page/main.ts", platform: "browser", onLog });
const { output: pageOutput } = await page.write({
  dir: join(dist, "page"),
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  minify: true,
  comments: false,
});
await page.close();
const chunks = [...output, ...pageOutput].filter((one) => one.type === "chunk");
const written = new Set([
  ...output.map(({ fileName }) => fileName),
  ...pageOutput.map(({ fileName }) => join("page", fileName)),
]);
for (const path of globSync("**/*.{js,cjs,map}", { cwd: dist }))
  if (!written.has(path)) rmSync(join(dist, path));
writeFileSync(join(dist, "THIRD-PARTY-LICENSES"), licences(chunks));
chmodSync(join(dist, "cli.js"), 0o755);
