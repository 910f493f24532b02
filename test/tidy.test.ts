import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  codeOf,
  cyclesIn,
  files,
  importsOf,
  isOurs,
  readImports,
  root,
  textOf,
  textsIn,
} from "../scripts/source.ts";
import { relay } from "../src/commands/relay/verbs.ts";

/** The folder below src; the files of src itself are the edge of everything. */
const ringOf = (path: string): string => (dirname(path) === "src" ? "cli" : path.split("/")[1]!);
const all = [...importsOf.values()].flat();

/** Who may import whom; `types` only as `import type`. */
const rings: Record<string, { may: string[]; types: string[] }> = {
  core: { may: ["core"], types: [] },
  io: { may: ["io"], types: [] },
  agents: { may: ["core", "io", "agents"], types: [] },
  git: { may: ["core", "io", "git"], types: [] },
  store: { may: ["core", "store"], types: [] },
  relay: { may: ["core", "io", "agents", "git", "store", "relay"], types: [] },
  views: { may: ["core", "io", "views"], types: [] },
  hook: { may: ["core", "io", "hook"], types: [] },
  // It runs in a browser.
  page: { may: ["core", "views", "page"], types: [] },
  probe: { may: ["core", "agents", "probe"], types: [] },
  app: { may: ["core", "io", "agents", "git", "store", "relay", "app"], types: [] },
  commands: {
    may: ["core", "io", "agents", "git", "store", "relay", "app", "views", "probe", "hook", "commands"],
    types: [],
  },
  cli: {
    may: [
      "core",
      "io",
      "agents",
      "git",
      "store",
      "relay",
      "app",
      "views",
      "probe",
      "hook",
      "commands",
      "cli",
    ],
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

/** A file with all that is loaded with it, before anything is imported on demand. */
function loadedWith(begin: string): Set<string> {
  const late = /\bimport\(\s*["']([^"']+)["']/g;
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const onDemand = new Set(
      [...(textOf.get(name) ?? "").matchAll(late)].map(([, path = ""]) => basename(path)),
    );
    for (const one of importsOf.get(name) ?? [])
      if (!one.typeOnly && !onDemand.has(basename(one.name))) load(one.name);
  };
  load(begin);
  return loaded;
}

test.for([
  "src/cli.ts",
  "src/commands/verbs.ts",
  "src/commands/relay/status.ts",
  "src/commands/inbox.ts",
  "src/commands/run/run.ts",
  "src/hook/hook.ts",
])("%s loads nothing of watch or the dashboard", (begin) => {
  const heavy =
    /^(?:@earendil|hono|@hono|preact|diff2html|highlight|src\/page|src\/(?:views|commands)\/(?:watch|page|dashboard))/;
  expect([...loadedWith(begin)].filter((name) => heavy.test(name))).toEqual([]);
  expect([...loadedWith("src/commands/dashboard/server.ts")].some((name) => heavy.test(name))).toBe(true);
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

  test("nothing imports the lab", () => {
    const others = ["src", "scripts", "test", "examples"].flatMap((folder) => [...textsIn(folder)]);
    const imports = others.flatMap(([path, text]) => readImports(path, text));
    const ofLab = imports.filter(({ name }) => name.startsWith("lab/"));
    expect(ofLab.map(({ from, name }) => `${from} imports ${name}`)).toEqual([]);
  });

  test("every import is of a file that is there, with its ending", () => {
    const missing = all.filter((one) => isOurs(one) && !textOf.has(one.name) && !one.name.endsWith(".json"));
    expect(missing.map((one) => `${one.from} imports ${one.name}`)).toEqual([]);
  });

  test("nobody imports in a circle, types included", () => {
    const ours = (path: string): string[] =>
      importsOf
        .get(path)!
        .filter(isOurs)
        .map(({ name }) => name);
    expect(cyclesIn(new Map(files.map((path) => [path, ours(path)])))).toEqual([]);
  });

  // TRAP 53
  test("a hook runs at every stop and every tool of an agent: it loads a few modules, and no package", () => {
    const loaded = new Set<string>();
    const load = (name: string): void => {
      if (loaded.has(name)) return;
      loaded.add(name);
      for (const one of importsOf.get(name) ?? []) if (!one.typeOnly) load(one.name);
    };
    load("src/hook/hook.ts");
    expect([...loaded].filter((name) => !name.startsWith("node:")).toSorted()).toEqual([
      "src/core/error/error.ts",
      "src/core/exit/own-words.ts",
      "src/core/exit/promise.ts",
      "src/core/issue/name.ts",
      "src/core/language/translate.ts",
      "src/core/limits.ts",
      "src/core/session/live.ts",
      "src/core/session/own-context.ts",
      "src/core/text/sanitize.ts",
      "src/core/text/template.ts",
      "src/hook/hook.ts",
      "src/hook/own-stop.ts",
      "src/io/io.ts",
    ]);
  });

  test("no live view computes a state: it takes the overview's, and reads no journal", () => {
    const isLive = /^src\/(?:(?:views|commands)\/(?:watch|dashboard|page|overview)|page)\//;
    const makes = /^src\/(?:core\/relay\/|core\/journal\/state\.ts|core\/report\/report\.ts|store\/)/;
    const wrong = all.filter(
      ({ from, name, typeOnly }) => isLive.test(from) && !typeOnly && makes.test(name),
    );
    expect(wrong.map(({ from, name }) => `${from} imports ${name}`)).toEqual([]);
  });

  test("each of these is called in one place only", () => {
    expect({
      "gray-matter": callers("gray-matter"),
      remark: callers("remark"),
      execa: callers("execa"),
      "simple-git": callers("simple-git"),
      commander: callers("commander"),
      // It is large: the one command that needs it loads it.
      "pi-tui": callers("@earendil-works/pi-tui"),
      // By `require`, since its addon is loaded by its place.
      "fs-native-extensions": files.filter((path) => codeOf(path).includes("fs-native-extensions")),
    }).toEqual({
      "gray-matter": ["src/core/text/front-matter.ts"],
      remark: ["src/core/text/markdown-blocks.ts"],
      execa: ["src/agents/child.ts"],
      "simple-git": ["src/git/git.ts"],
      commander: ["src/program.ts"],
      "pi-tui": ["src/commands/watch/terminal.ts"],
      "fs-native-extensions": ["src/store/lock.ts"],
    });
  });
});

/**
 * From the ground up: a floor, with the folders in it, imports from those before it in its list, and from itself. A floor is a
 * folder, or a file beside the folders; "" are the other files there.
 */
const floors: Record<string, string[]> = {
  core: [
    "",
    "language",
    "error",
    "text",
    "home",
    "reason",
    "issue",
    "weakening",
    "trial",
    "review",
    "settings",
    "exit",
    "journal",
    "pulls",
    "relay",
    "session",
    "handoff",
    "prompt",
    "backlog",
    "carry",
    "lease",
    "exchange",
    "comments",
    "tuning",
    "report",
    "attest",
    "doctor",
    "overview",
    "hooks",
  ],
  git: ["start", "git.ts", "killed", "", "history", "clone", "github", "host", "notes", "carry", "trees.ts"],
  relay: ["home", "", "review", "landing", "people", "session", "proposal", "perform.ts", "run-relay.ts"],
};

test.for(Object.entries(floors))("the floors of %s import downwards only", ([ring, list]) => {
  const floorOf = (path: string): number => {
    const [name = "", ...rest] = path.split("/").slice(2);
    return list.indexOf(rest.length > 0 || list.includes(name) ? name : "");
  };
  const own = all.filter((one) => isOurs(one) && ringOf(one.from) === ring && ringOf(one.name) === ring);
  expect(own.filter((one) => floorOf(one.from) === -1).map((one) => one.from)).toEqual([]);
  const upwards = own.filter((one) => floorOf(one.name) > floorOf(one.from));
  expect(upwards.map((one) => `${one.from} imports ${one.name}`)).toEqual([]);
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
  const texts = new Map([...textOf, ...textsIn("lab")]);
  const paths = [...texts.keys()];

  test("and shares its folder with nineteen others at most", () => {
    const sources = paths.filter((path) => !path.endsWith(".test.ts"));
    const folders = Map.groupBy(sources, (path) => dirname(path));
    const full = [...folders].filter(([, { length }]) => length > 20);
    expect(full.map(([folder, { length }]) => `${folder} holds ${length}`)).toEqual([]);
  });

  test("and says it in a sentence at its top", () => {
    // A program begins with its #! line.
    const opens = /^(?:#!.*\n)?\/\*\*\s+(?:\* )?[^\s*][\s\S]*?[.:;]\s*[\s\S]*?\*\//;
    expect(paths.filter((path) => !opens.test(texts.get(path)!))).toEqual([]);
  });

  test("and is called by what it is", () => {
    expect(paths.filter((path) => /util|helper|common|misc|manager|service/i.test(basename(path)))).toEqual(
      [],
    );
  });

  test("no file holds any", () => {
    expect(
      paths.filter((path) =>
        /[:<|&,(]\s*any\b|\bas any\b/.test(
          texts.get(path)!.replace(/\/\*[\s\S]*?\*\/|"[^"\n]*"|`[^`]*`/g, ""),
        ),
      ),
    ).toEqual([]);
  });

  test("only index.ts passes on what others export", () => {
    const passes = /^export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*from\b/m;
    expect(paths.filter((path) => path !== "src/index.ts" && passes.test(texts.get(path)!))).toEqual([]);
  });
});

describe("a sentence of monoco's is for people", () => {
  const read =
    /(?:[./]test|[./]exec|[./]match|[.]matchAll)\([^()]*\b(?:because\b|hint\b|becauseOf\()|\bhint\??\.(?:match|matchAll|replace|replaceAll|search|split)\(|\b(?:because|becauseOf\([^()]*\))\)?\s*(?:[!=]==|\.(?:includes|startsWith|endsWith|match|matchAll|search)\()/;

  test("and so are the READMEs: both name a command by its short form, where there is one", () => {
    const names = relay.verbs.filter(({ short }) => short).map(({ name }) => name);
    const long = new RegExp(`\\bmonoco relay (?:${names.join("|")})\\b`);
    expect(long.test("monoco relay status")).toBe(true);
    const texts = new Map(textOf);
    for (const name of ["README.md", "README.zh.md"]) texts.set(name, readFileSync(join(root, name), "utf8"));
    expect([...texts].filter(([, text]) => long.test(text)).map(([path]) => path)).toEqual([]);
  });

  test("no code tests, parses or compares a because, or parses a hint", () => {
    for (const bad of [
      "/^a/.test(event.because)",
      "because === other",
      "becauseOf(reason).includes(x)",
      "hint?.match(x)",
    ])
      expect(read.test(bad), bad).toBe(true);
    expect(files.filter((path) => read.test(codeOf(path)))).toEqual([]);
  });

  /** Text for agents and trackers. */
  const forAgents = [
    "src/core/comments/command.ts",
    "src/core/comments/weigh.ts",
    "src/core/exchange/upstream-comment.ts",
    "src/core/handoff/lint.ts",
    "src/core/language/handoff-words.ts",
    "src/core/review/verdict/known.ts",
  ];
  const verbs =
    "agent|check|config|demo|hook|import|init|issue|loop|probe|relay|replay|run|stats|answer|say|resume";

  test("the core spells no command of monoco but in these files", () => {
    const command = new RegExp(`["'\`][^"'\n]*\\bmonoco (?:${verbs})\\b`);
    const found = files.filter((path) => ringOf(path) === "core" && command.test(codeOf(path)));
    expect(found).toEqual(forAgents);
  });
});

test("the environment is read by io(), and by programs of their own, or what starts one", () => {
  const allowed = [
    "src/io/io.ts",
    "src/agents/acp/program.ts",
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
  if (path.startsWith("!")) return [];
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
  // `mv -n`, the same in all three, where links are missing: Node has no rename that replaces nothing.
  expect(files.filter((path) => called.test(codeOf(path)))).toEqual([
    "src/agents/sweep.ts",
    "src/store/durable.ts",
  ]);
});
