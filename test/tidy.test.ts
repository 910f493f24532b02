import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

type Import = { from: string; name: string; typeOnly: boolean };

const root = new URL("../", import.meta.url).pathname;
const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
  .map((path) => join("src", path))
  .toSorted();
const textOf = new Map(files.map((path) => [path, readFileSync(join(root, path), "utf8")]));
const importsOf = new Map(files.map((path) => [path, readImports(path, textOf.get(path)!)]));

/** Imports and re-exports, `import("…")` and `typeof import("…")` (a type); relative ones as paths from the root. */
function readImports(path: string, text: string): Import[] {
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

const codeOf = (path: string): string => withoutComments(textOf.get(path)!);

/** The folder below src; the files of src itself are the edge of everything. */
const ringOf = (path: string): string => (dirname(path) === "src" ? "cli" : path.split("/")[1]!);
const isOurs = (one: Import): boolean => one.name.startsWith("src/");
const all = [...importsOf.values()].flat();

/** Who may import whom; `types` only as `import type`. */
const rings: Record<string, { may: string[]; types: string[] }> = {
  core: { may: ["core"], types: [] },
  io: { may: ["io"], types: [] },
  agents: { may: ["core", "agents"], types: [] },
  git: { may: ["core", "io", "git"], types: [] },
  store: { may: ["core", "store"], types: [] },
  relay: { may: ["core", "io", "relay"], types: ["agents", "git", "store"] },
  views: { may: ["core", "io", "views"], types: [] },
  probe: { may: ["core", "agents", "probe"], types: [] },
  app: { may: ["core", "io", "agents", "git", "store", "relay", "app"], types: [] },
  commands: {
    may: ["core", "io", "agents", "git", "store", "relay", "app", "views", "probe", "commands"],
    types: [],
  },
  cli: {
    may: ["core", "io", "agents", "git", "store", "relay", "app", "views", "probe", "commands", "cli"],
    types: [],
  },
};

test("the import parser sees every form", () => {
  const text = `
/** import { no } from "./comment.ts"; */
import a, { b } from "./a.ts";
import type { T } from "../core/t.ts";
import {
  c,
  d,
} from "c";
import "./side.ts";
export { e } from "./e.ts";
export type { F } from "./f.ts";
const late = await import("./late.ts"); // import("./no.ts")
type Edge = typeof import("./edge.ts");
`;
  expect(
    readImports("src/relay/x.ts", text).map(({ name, typeOnly }) => `${typeOnly ? "type " : ""}${name}`),
  ).toEqual([
    "src/relay/a.ts",
    "type src/core/t.ts",
    "c",
    "src/relay/e.ts",
    "type src/relay/f.ts",
    "src/relay/side.ts",
    "src/relay/late.ts",
    "type src/relay/edge.ts",
  ]);
});

const callers = (name: string): string[] => [
  ...new Set(all.filter((one) => one.name === name && !one.typeOnly).map((one) => one.from)),
];

describe("who may import whom", () => {
  test.for([...new Set(files.map(ringOf))].map((ring) => [ring]))("%s", ([ring]) => {
    const rule = rings[ring!];
    expect(rule, `src/${ring} has no rule in this table`).toBeDefined();
    const wrong = all
      .filter((one) => isOurs(one) && ringOf(one.from) === ring)
      .filter((one) => !rule!.may.includes(ringOf(one.name)))
      .filter((one) => !(one.typeOnly && rule!.types.includes(ringOf(one.name))))
      .map((one) => `${one.from} imports ${one.name}`);
    expect(wrong).toEqual([]);
  });

  test("every import is of a file that is there, with its ending", () => {
    const missing = all.filter((one) => isOurs(one) && !textOf.has(one.name));
    expect(missing.map((one) => `${one.from} imports ${one.name}`)).toEqual([]);
  });

  test("nobody imports in a circle, types included", () => {
    const circles: string[] = [];
    const state = new Map<string, "open" | "closed">();
    const visit = (path: string, trail: readonly string[]): void => {
      if (state.get(path) === "closed") return;
      if (state.get(path) === "open") {
        circles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
        return;
      }
      state.set(path, "open");
      for (const one of importsOf.get(path) ?? []) if (isOurs(one)) visit(one.name, [...trail, path]);
      state.set(path, "closed");
    };
    for (const path of files) visit(path, []);
    expect(circles).toEqual([]);
  });

  test("each of these is called in one place only", () => {
    expect({
      "gray-matter": callers("gray-matter"),
      remark: callers("remark"),
      execa: callers("execa"),
      "simple-git": callers("simple-git"),
      commander: callers("commander"),
      "fs-native-extensions": callers("fs-native-extensions"),
    }).toEqual({
      "gray-matter": ["src/core/text/front-matter.ts"],
      remark: ["src/core/text/markdown.ts"],
      execa: ["src/agents/child.ts"],
      "simple-git": ["src/git/git.ts"],
      commander: ["src/main.ts"],
      "fs-native-extensions": ["src/store/lock.ts"],
    });
  });
});

/** From the ground up: a room imports from those above it in this list, and from itself. */
const coreRooms = [
  "error",
  "text",
  "issue",
  "weakening",
  "review",
  "settings",
  "exit",
  "journal",
  "relay",
  "session",
  "handoff",
  "prompt",
  "backlog",
  "exchange",
  "tuning",
  "report",
];
const roomOf = (path: string): string => path.split("/").slice(2, -1).join("/");

test("the rooms of the core import downwards only", () => {
  const floor = (path: string): number => ["", ...coreRooms].indexOf(roomOf(path));
  const core = all.filter((one) => isOurs(one) && ringOf(one.from) === "core");
  expect(core.filter((one) => floor(one.from) === -1).map((one) => one.from)).toEqual([]);
  const upwards = core.filter((one) => floor(one.name) > floor(one.from));
  expect(upwards.map((one) => `${one.from} imports ${one.name}`)).toEqual([]);
});

test("no folder holds more files than a person takes in at once", () => {
  const counts = Map.groupBy(files, (path) => dirname(path));
  const full = [...counts].filter(([, { length }]) => length > 20).map(([folder]) => folder);
  expect(full).toEqual([]);
});

describe("the core is pure", () => {
  const core = files.filter((path) => ringOf(path) === "core");

  test("no node module, nor any package but text to data and validation", () => {
    const packages = new Set(
      core.flatMap((path) =>
        importsOf
          .get(path)!
          .filter((one) => !isOurs(one))
          .map((one) => one.name),
      ),
    );
    expect([...packages].toSorted()).toEqual([
      "gray-matter",
      "ignore",
      "jsonc-parser",
      "mdast",
      "remark",
      "yaml",
      "zod",
    ]);
  });

  test.for<[string, RegExp]>([
    ["clock", /\bDate\.now\b|\bnew Date\(\)|\bperformance\b/],
    ["randomness", /\bMath\.random\b|\bcrypto\b|\brandomUUID\b/],
    ["environment", /\bprocess\b(?!es|ing)\.|\bglobalThis\b/],
    ["waiting", /\bawait\b|\basync\b|\bsetTimeout\b|\bPromise\b/],
    ["output", /\bconsole\./],
  ])("no %s", ([, pattern]) => {
    expect(core.filter((path) => pattern.test(codeOf(path)))).toEqual([]);
  });
});

describe("each file is one idea", () => {
  test("and says it in a sentence at its top", () => {
    // A program begins with its #! line.
    const opens = /^(?:#!.*\n)?\/\*\*\s+(?:\* )?[^\s*][\s\S]*?[.:;]\s*[\s\S]*?\*\//;
    expect(files.filter((path) => !opens.test(textOf.get(path)!))).toEqual([]);
  });

  test("and is called by what it is", () => {
    expect(files.filter((path) => /util|helper|common|misc|manager|service/i.test(basename(path)))).toEqual(
      [],
    );
  });

  test("no file holds any", () => {
    expect(
      files.filter((path) =>
        /[:<|&,(]\s*any\b|\bas any\b/.test(
          textOf.get(path)!.replace(/\/\*[\s\S]*?\*\/|"[^"\n]*"|`[^`]*`/g, ""),
        ),
      ),
    ).toEqual([]);
  });

  test("only index.ts passes on what others export", () => {
    const passes = /^export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*from\b/m;
    expect(files.filter((path) => path !== "src/index.ts" && passes.test(textOf.get(path)!))).toEqual([]);
  });
});

test("the environment is read by io(), and by programs of their own, or what starts one", () => {
  const allowed = [
    "src/io/io.ts",
    "src/agents/gemini/program.ts",
    "src/agents/opencode/program.ts",
    "src/agents/opencode/server.ts",
    "src/agents/scripted/program.ts",
  ];
  const readers = files.filter((path) => textOf.get(path)!.includes("process.env"));
  expect(readers.filter((path) => !allowed.includes(path))).toEqual([]);
});

// TRAP 44
test("no command prints JSON but by the one printer, which escapes what a terminal would act on", () => {
  const raw = /(?:stdout|stderr)\.write\([^;]*JSON\.stringify/;
  expect(raw.test("process.stdout.write(`${JSON.stringify(report)}\\n`)")).toBe(true);
  expect(files.filter((path) => ringOf(path) === "commands" && raw.test(codeOf(path)))).toEqual([]);
});

// TRAP 39
test("nothing that is shipped names a folder of the machine that it was written on", () => {
  const { files: shipped } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    files: string[];
  };
  const named = shipped
    .flatMap((path) => filesBelow(path))
    .filter((path) => /\.(?:js|ts|md|json|yaml)$/.test(path))
    .filter((path) =>
      /(?<![\w.~])\/(?:home|root|Users|work|tmp\/work)\/\w/.test(readFileSync(join(root, path), "utf8")),
    );
  expect(named).toEqual([]);
});

function filesBelow(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => filesBelow(join(path, name)));
}

// TRAP 42: their options differ between GNU, BSD and busybox.
test("no shell tool is run where Node or git does it", () => {
  const tools =
    "awk|basename|cat|chmod|cp|cut|date|dirname|du|find|flock|grep|head|kill|killall|ln|ls|lsof|mkdir|mktemp|mv|pgrep|pkill|ps|readlink|realpath|rm|sed|sleep|sort|stat|tail|tar|timeout|touch|tr|uniq|wc|which|xargs";
  const called = new RegExp(
    `(?:\\b(?:execa|execaSync|spawn|spawnSync|exec|execSync|execFile|execFileSync)\\(\\s*|argv: \\[)["'\`](?:/\\w+)*/?(?:${tools})\\b`,
  );
  expect(called.test('execaSync("sed", [])')).toBe(true);
  // `cat` alone, and on Linux only: a read of /proc that hangs can be given up with the process that reads.
  expect(files.filter((path) => called.test(codeOf(path)))).toEqual(["src/agents/sweep.ts"]);
});
