/**
 * A step of `npm run build`: joins the sources and the packages that they import into few files in dist, since each file
 * costs the start of a command. What is imported on demand stays a file of its own. Packages' licences go along.
 */
import { chmodSync, globSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { rolldown } from "rolldown";
import type { CodeSplittingGroup, InputOptions, OutputChunk, OutputOptions, Plugin } from "rolldown";
import { groupsBy } from "./chunks.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
/** Whatever is started by its path, or imported from outside. */
const entries = [
  "cli.ts",
  "index.ts",
  ...globSync("agents/*/{program,plugin}.ts", { cwd: join(root, "src") }),
];

/** A module asks for what lies beside it by its own place; the files that modules are joined into lie in dist itself. */
const placesKept: Plugin = {
  name: "places-kept",
  transform: (code, id) => {
    const place = /\/src\/(.*)\.ts$/.exec(id)?.[1];
    if (place === undefined || !code.includes("import.meta.url")) return null;
    const url = `new URL("./${place}.js", import.meta.url).href`;
    return { code: code.replaceAll("import.meta.url", url), map: null };
  },
};

/** Parts of packages that monoco never calls, and that load with the rest: gray-matter is given another YAML parser, and remark only reads. */
const unused: Readonly<Record<string, string>> = {
  "js-yaml": "export const safeLoad = unused, safeDump = unused;",
  "remark-stringify": "export default () => undefined;",
};

const unusedLeftOut: Plugin = {
  name: "unused-left-out",
  resolveId: (id) => (id in unused ? `\0${id}` : null),
  load: (id) => {
    const code = unused[id.slice(1)];
    return id.startsWith("\0") && code !== undefined
      ? `function unused() { throw new Error("${id.slice(1)} is not part of dist"); }\n${code}`
      : null;
  },
};

/** zod compiles a function for each object's schema at its first use: memory and time for what most commands read once. */
const zodUncompiled: Plugin = {
  name: "zod-uncompiled",
  transform: (code, id) =>
    id.endsWith("/zod/v4/core/core.js")
      ? { code: `${code}\nglobalConfig.jitless = true;\n`, map: null }
      : null,
};

/** What takes long to load, and is used late: each of its functions loads it when it is called. */
const late = new Set(
  [
    "child_process",
    "crypto",
    "dns",
    "dns/promises",
    "fs/promises",
    "http",
    "https",
    "readline",
    "readline/promises",
    "stream/consumers",
    "timers/promises",
    "v8",
    "worker_threads",
    "zlib",
  ].map((name) => `node:${name}`),
);

/**
 * Takes names from Node's own modules as `require` would: an `import` of one name of `node:fs` makes Node load all that it
 * can name, its streams and promises, too, and `node:crypto` brings the web's.
 */
const builtinsByName: Plugin = {
  name: "builtins-by-name",
  renderChunk: (code) => ({ code: code.replaceAll(builtinImport, declared), map: null }),
};

/** As rolldown writes it: `import whole, { name, other as own } from "node:fs";`, or `import * as whole from …`. */
const builtinImport = /^import (?:(?:\* as )?([\w$]+)(?:, | ))?(?:\{ ([^}]+) \} )?from "(node:[\w/]+)";$/gm;

function declared(
  _: string,
  imported: string | undefined,
  names: string | undefined,
  module: string,
): string {
  const from = `globalThis.process.getBuiltinModule("${module}")`;
  const named = names?.split(", ").map((word) => word.split(" as ")) ?? [];
  const wholes = [imported, ...named.map(([name, as]) => (name === "default" ? as : undefined))];
  const parts = named.filter(([name]) => name !== "default");
  const functions = parts.filter(([name = ""]) => isLate(module, name));
  const others = parts.filter((one) => !functions.includes(one)).map((one) => one.join(": "));
  return [
    ...wholes.flatMap((whole) => (whole === undefined ? [] : [`const ${whole} = ${from};`])),
    ...functions.map(([name, as = name]) => `const ${as} = (...words) => ${from}.${name}(...words);`),
    ...(others.length === 0 ? [] : [`const { ${others.join(", ")} } = ${from};`]),
  ].join(" ");
}

/** Not classes and constants, nor functions that `promisify` treats in their own way. */
function isLate(module: string, name: string): boolean {
  const own: unknown = late.has(module) && Reflect.get(process.getBuiltinModule(module) ?? {}, name);
  return typeof own === "function" && /^[a-z]/.test(name) && !(promisify.custom in own);
}

/** The program as one script, an expression: a function of the place that it was loaded from. `src/compiled.ts` calls it. */
const asScript: Plugin = {
  name: "as-script",
  resolveId: (id) => (id === "joined" ? "\0joined" : null),
  load: (id) => {
    if (id !== "\0joined") return null;
    const parts = { main: "main.ts", onceAtWork: "io/at-work.ts", writeDurably: "store/durable.ts" };
    return Object.entries(parts)
      .map(([name, path]) => `export { ${name} } from ${JSON.stringify(join(root, "src", path))};`)
      .join("\n");
  },
  renderChunk: (code) => {
    const [, before = "", names = ""] = /^([^]*)\nexport \{([^}]*)\};?\s*$/.exec(code) ?? [];
    const placed = before.replaceAll("import.meta.url", "scriptUrl");
    const left =
      names === "" ? "no exports" : /\bimport(?:\s*\(|\.meta)|^(?:import|export) /m.exec(placed)?.[0];
    if (left !== undefined) throw new Error(`dist/joined.cjs is no script: it has ${left}`);
    return { code: `(function (scriptUrl) { "use strict"; ${placed}\nreturn {${names}};\n})`, map: null };
  },
};

const build = {
  cwd: root,
  platform: "node",
  // jsonc-parser's other form asks for its files in a way that no bundler sees.
  resolve: { mainFields: ["module", "main"] },
  // Its addon is found by the place of its own files.
  external: ["fs-native-extensions"],
  // gray-matter can run front matter that is JavaScript; monoco has that refused.
  checks: { eval: false },
  onLog: (level, { message }) => {
    throw new Error(`${level}: ${message}`);
  },
} satisfies InputOptions;
const plugins = [unusedLeftOut, zodUncompiled, placesKept, builtinsByName];

const output = {
  dir: dist,
  sourcemap: true,
  sourcemapExcludeSources: true,
  minifyInternalExports: false,
  // V8 keeps each file's text as long as it runs. Names stay as they are, for whoever reads a stack.
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
} satisfies OutputOptions;

const bundled = async (): Promise<OutputChunk[]> => inChunks(groupsBy(await inChunks(groupsBy())));

async function inChunks(groups: CodeSplittingGroup[]): Promise<OutputChunk[]> {
  const input = Object.fromEntries(entries.map((path) => [path.slice(0, -".ts".length), `src/${path}`]));
  const names = { entryFileNames: "[name].js", chunkFileNames: "[name].js" };
  return write({ ...build, input, plugins }, { ...output, ...names, codeSplitting: { groups } });
}

async function asOne(): Promise<OutputChunk[]> {
  const input = { joined: "joined" };
  const names = { entryFileNames: "[name].cjs" };
  return write(
    { ...build, input, plugins: [...plugins, asScript] },
    { ...output, ...names, codeSplitting: false },
  );
}

async function write(from: InputOptions, to: OutputOptions): Promise<OutputChunk[]> {
  const bundle = await rolldown(from);
  const { output: written } = await bundle.write(to);
  await bundle.close();
  return written.filter((one): one is OutputChunk => one.type === "chunk");
}

/** A program that another file imports would run in the middle of it; a file that was not joined is not found. */
function refuseWhatBreaks(chunks: readonly OutputChunk[]): void {
  const programs = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  for (const { fileName, imports, dynamicImports, code } of chunks) {
    const program = [...imports, ...dynamicImports].find((one) => programs.has(one));
    if (program !== undefined) throw new Error(`dist/${fileName} imports the program dist/${program}`);
    const imported = /\b(?:from|import) ?"node:[^;]*/.exec(code)?.[0];
    if (imported !== undefined) throw new Error(`dist/${fileName} loads all of a module: ${imported}`);
    const missed = /\brequire[$\w]*\(["'`]\.[^)]*\)/.exec(code);
    if (missed) throw new Error(`dist/${fileName} asks for a file that it was not joined with: ${missed[0]}`);
    if (fileName.includes("/") && code.includes("import.meta.url"))
      throw new Error(`dist/${fileName} asks for its place, and does not lie in dist itself`);
  }
}

/** V8 keeps a text with one letter outside of Latin-1 in two bytes a letter, and the joined script is read as Latin-1: all but ASCII is escaped. */
function writeNarrow({ fileName, code, map }: OutputChunk): void {
  if (/\\[\u0080-\uffff]/.test(code)) throw new Error(`dist/${fileName} escapes a letter outside of ASCII`);
  const escape = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const path = join(dist, fileName);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replaceAll(wideLetters, escape));
  if (map) shiftMap(`${path}.map`, text);
}

const wideLetters = /[\u0080-\uffff]/g;
/** An escape has so many letters more. */
const escapeGrowth = 5;

/** Each column of a source map moves by what is escaped before it on its line of `text`. */
function shiftMap(path: string, text: string): void {
  const map = JSON.parse(readFileSync(path, "utf8")) as { mappings: string };
  const lines = decode(map.mappings);
  for (const [at, line] of text.split("\n").entries()) {
    const wide = [...line.matchAll(wideLetters)].map(({ index }) => index);
    let before = 0;
    for (const segment of lines[at] ?? []) {
      while (wide[before] !== undefined && wide[before]! < segment[0]) before += 1;
      segment[0] += escapeGrowth * before;
    }
  }
  writeFileSync(path, JSON.stringify({ ...map, mappings: encode(lines) }));
}

function removeOthers(written: ReadonlySet<string>): void {
  for (const path of globSync("**/*.{js,cjs,map}", { cwd: dist }))
    if (!written.has(path)) rmSync(join(dist, path));
}

/** The licence of each package of which something is in dist. */
function licences(chunks: readonly OutputChunk[]): string {
  const folders = chunks.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  );
  const texts = [...new Set(folders)].map((folder) => {
    const read = (name: string): string => readFileSync(join(folder, name), "utf8").trim();
    const { name, version, license } = JSON.parse(read("package.json")) as Record<string, string>;
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
    return [`${name} ${version}: ${license}`, ...files.toSorted().map(read)].join("\n\n");
  });
  return `${texts.toSorted().join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

const chunks = await bundled();
refuseWhatBreaks(chunks);
chunks.push(...(await asOne()));
for (const chunk of chunks) writeNarrow(chunk);
removeOthers(new Set(chunks.flatMap(({ fileName, map }) => [fileName, ...(map ? [`${fileName}.map`] : [])])));
writeFileSync(join(dist, "THIRD-PARTY-LICENSES"), licences(chunks));
chmodSync(join(dist, "cli.js"), 0o755);
