/** Files and words that monoco reads and shows: front matter, YAML, ids that are paths, terminal escapes. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import matter from "gray-matter";
import { parse, parseDocument } from "yaml";
import { issueText, openPlace } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { temporaryFolder } from "../support/repository.ts";
import type { Attack } from "./attack.ts";

/** Where the payload lies: a person's repository, with monoco or without. */
type Ground = Pick<Place, "around" | "project" | "read" | "write">;

type Row = {
  name: string;
  /** Puts the payload into the person's repository. */
  plant: (ground: Ground) => void;
  /** What a person then gives, one after the other. */
  commands: string[][];
  /** `shown` is all that they printed. */
  fired: (ground: Ground, shown: string) => boolean;
  /** A program without precautions, for which what was planted does what it is for. */
  naive: (ground: Ground) => boolean;
};

const id = "FEAT-0002";
const path = `issues/${id}-evil.md`;
const looks = [
  ["issue", "list"],
  ["issue", "show", id],
  ["issue", "lint"],
  ["status"],
  ["run", id, "--dry-run"],
];
const secret = "A SECRET OF THE PERSON'S";

/** JavaScript in front matter tells that it was run. */
let wasRun = false;
Object.defineProperty(globalThis, "fireByFrontMatter", { value: () => (wasRun = true) });
const hasRun = (): boolean => {
  const was = wasRun;
  wasRun = false;
  return was;
};
const script = (open: string): string =>
  `${open}\n{ id: "${id}", title: globalThis.fireByFrontMatter(), status: "open" }\n---\n\n## Objective\n\nx\n`;

/** `js-yaml` as gray-matter has it: its `load` makes functions of tags. */
const oldYaml = createRequire(createRequire(import.meta.url).resolve("gray-matter"))("js-yaml") as {
  load(text: string): object;
};
const tag = "!!js/function 'function () { return globalThis.fireByFrontMatter() }'";
/** 8 to the power of 7 words. */
const laughs = [
  "a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol]",
  ...Array.from({ length: 6 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(8).fill(`*a${n}`).join(",")}]`),
].join("\n");
const isHuge = (text: string): boolean => text.length > 1_000_000;
const escape = "\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\u202e";
// eslint-disable-next-line no-control-regex
const acts = (text: string): boolean => /[\u001b\u0007\u009b\u202e]/.test(text);

const files = (text: string) => (ground: Ground) => ground.write(path, text);
const frontMatter = (more: string): string => issueText(id, more);
/** The planted front matter as text, and as plain `yaml` has it. */
const yamlOf = ({ read }: Ground): string => read(path).split("---\n")[1]!;
const dataOf = (ground: Ground): Record<string, unknown> => parse(yamlOf(ground));
/** What naive code makes of an id: a path. */
const reads = ({ project }: Ground, ...given: string[]): boolean =>
  readFileSync(join(project, ...given), "utf8") === secret;
const readsRelay = (ground: Ground, given: unknown): boolean =>
  reads(ground, ".monoco/relays", String(given), "journal.jsonl");
const writesIssue = (ground: Ground, name: string): boolean => {
  writeFileSync(join(ground.project, "issues", `${name}.md`), "x");
  return isPlanted(ground);
};
const isPlanted = ({ around }: Ground): boolean =>
  readdirSync(around).some((name) => name.startsWith("planted")) || existsSync("/planted.md");
/** Goes into what it finds, were it the prototype. */
function merge(into: object, given: object): void {
  for (const [key, value] of Object.entries(given)) {
    const old: unknown = Reflect.get(into, key);
    if (isObject(value) && isObject(old)) merge(old, value);
    else Reflect.set(into, key, value);
  }
}
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
/** Beside the repository lies what an id that is a path leads to. */
function keepSecret({ around }: Ground): void {
  mkdirSync(join(around, "secret"), { recursive: true });
  for (const name of ["journal.jsonl", "FEAT-0009.md"]) writeFileSync(join(around, "secret", name), secret);
}
const stolen = ({ around }: Ground, shown: string): boolean =>
  shown.includes(secret) || !existsSync(join(around, "secret/journal.jsonl"));
/** From the folder of relays, and from the folder of issues. */
const outside = "../../../secret";
const outsideIssues = "../../secret/FEAT-0009";
/** Behind `issues/ID-`, and instead of that. */
const title = "../../../../planted";
const storyId = "../../planted";

const rows: Row[] = [
  ...["---js", "---javascript", "--- js"].map((open): Row => ({
    name: `front matter that is a program (${open})`,
    plant: files(script(open)),
    commands: looks,
    fired: hasRun,
    naive: ({ read }) => {
      matter(read(path), { language: "yaml" });
      return hasRun();
    },
  })),
  {
    name: "a YAML tag that makes a function",
    plant: files(frontMatter(`tags: { toString: ${tag} }\nowner: { toString: ${tag} }\n`)),
    commands: looks,
    fired: hasRun,
    naive: (ground) => String(Reflect.get(oldYaml.load(yamlOf(ground)), "tags")) !== "" && hasRun(),
  },
  {
    name: "YAML aliases that multiply in front matter",
    plant: files(frontMatter(`${laughs}\ntags: *a6\n`)),
    commands: [...looks, ["issue", "list", "--json"], ["issue", "show", id, "--json"]],
    fired: (_, shown) => isHuge(shown),
    naive: (ground) => isHuge(JSON.stringify(parseDocument(yamlOf(ground)).toJS({ maxAliasCount: -1 }))),
  },
  {
    name: "YAML aliases that multiply in monoco.yaml",
    plant: ({ read, write }) => write("monoco.yaml", `${read("monoco.yaml")}${laughs}\nchecks: *a6\n`),
    commands: [
      ["config", "show"],
      ["config", "show", "--json"],
      ["run", "FEAT-0001", "--dry-run"],
    ],
    fired: (_, shown) => isHuge(shown),
    naive: ({ read }) => isHuge(JSON.stringify(parse(read("monoco.yaml"), { maxAliasCount: -1 }))),
  },
  {
    name: "a key that is every object's (__proto__)",
    plant: files(frontMatter("__proto__: { polluted: 1 }\nconstructor: { prototype: { polluted: 1 } }\n")),
    commands: looks,
    fired: () => Reflect.get({}, "polluted") !== undefined,
    naive: (ground) => {
      // The prototype that is changed is nobody else's.
      const settings: object = Object.create({});
      merge(settings, dataOf(ground));
      return !Object.hasOwn(settings, "polluted") && Reflect.get(settings, "polluted") === 1;
    },
  },
  {
    name: "an id on the command line that is a path",
    plant: keepSecret,
    commands: ["log", "show", "status", "explain", "diff", "report"]
      .map((verb) => [verb, outside])
      .concat([
        ["relay", "clear", outside],
        ["issue", "show", outsideIssues],
        ["issue", "close", outside, "--force"],
      ]),
    fired: stolen,
    naive: (ground) => readsRelay(ground, outside) && reads(ground, "issues", `${outsideIssues}.md`),
  },
  {
    name: "an id in front matter that is a path",
    plant: (place) => {
      keepSecret(place);
      place.write(path, issueText(outside));
    },
    commands: [...looks, ["run", "--all", "--dry-run"], ["issue", "lint", "--fix"], ["status", "--all"]],
    fired: stolen,
    naive: (ground) => readsRelay(ground, dataOf(ground)["id"]),
  },
  {
    name: "an id that a dependency names, and that is a path",
    plant: (place) => {
      keepSecret(place);
      place.write(
        path,
        issueText(id, `dependencies: ["${outsideIssues}", "${outside}"]\nparent: "${outsideIssues}"\n`),
      );
    },
    commands: looks,
    fired: stolen,
    naive: (ground) =>
      reads(ground, "issues", `${String(dataOf(ground)["parent"])}.md`) &&
      readsRelay(ground, [dataOf(ground)["dependencies"]].flat()[1]),
  },
  {
    name: "a title that is a path",
    plant: () => undefined,
    commands: [
      ["issue", "create", "feature", "-t", title],
      ["issue", "create", "feature", "-t", storyId],
      ["issue", "create", "feature", "-t", "/planted"],
    ],
    fired: isPlanted,
    naive: (ground) => writesIssue(ground, `${id}-${title}`),
  },
  {
    name: "an id of an imported story that is a path",
    plant: (place) => {
      const story = {
        id: storyId,
        title: "x",
        description: "x",
        acceptanceCriteria: ["y"],
        priority: 1,
        passes: false,
      };
      place.write(
        "prd.json",
        JSON.stringify({ project: "x", branchName: "x", description: "x", userStories: [story] }),
      );
    },
    commands: [["import", "prd.json"]],
    fired: isPlanted,
    naive: (ground) => writesIssue(ground, JSON.parse(ground.read("prd.json")).userStories[0].id),
  },
  ...["title", "tags"].map((key): Row => ({
    name: `terminal escapes in the ${key} of an issue`,
    plant: files(
      key === "title"
        ? issueText(id).replace("title: Write a file", `title: ${JSON.stringify(`Write ${escape}`)}`)
        : frontMatter(`tags: [${JSON.stringify(escape)}]\n`),
    ),
    commands: [...looks, ["issue", "board"], ["inbox"]],
    fired: (_, shown) => acts(shown),
    naive: (ground) => acts(String(dataOf(ground)[key])),
  })),
  {
    name: "terminal escapes in the text and the file name of an issue",
    plant: (place) =>
      place.write(`issues/${id}-${escape}.md`, issueText(id).replace("A file.", `A ${escape}.`)),
    commands: looks,
    fired: (_, shown) => acts(shown),
    naive: ({ project }) =>
      readdirSync(join(project, "issues")).every(
        (name) => acts(name) && acts(readFileSync(join(project, "issues", name), "utf8")),
      ),
  },
  {
    name: "terminal escapes in what monoco refuses",
    plant: (place) => place.write("monoco.yaml", `${JSON.stringify(escape)}: 1\n`),
    commands: [
      ["config", "show"],
      ["issue", "show", escape],
      ["run", "FEAT-0001", "--set", `${escape}=1`],
    ],
    fired: (_, shown) => acts(shown),
    naive: ({ read }) =>
      acts(String(new Error(`unknown keys: ${Object.keys(parse(read("monoco.yaml"))).join()}`))),
  },
];

/** The payload in a folder where nothing runs but what falls for it. */
function isLive(row: Row): boolean {
  const around = temporaryFolder();
  const project = join(around, "project");
  const ground: Ground = {
    around,
    project,
    read: (file) => readFileSync(join(project, file), "utf8"),
    write: (file, text) => {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), text);
    },
  };
  mkdirSync(join(project, "issues"), { recursive: true });
  ground.write("monoco.yaml", "sandbox: none\n");
  row.plant(ground);
  return row.naive(ground);
}

async function fires(row: Row): Promise<boolean> {
  const place = await openPlace({ executor: [[]], reviewer: [[]] });
  row.plant(place);
  let shown = "";
  for (const args of row.commands) {
    const { stdout, stderr } = await place.monoco(...args);
    shown += `${stdout}\n${stderr}\n`;
  }
  return row.fired(place, shown);
}

export const textAttacks: Attack[] = rows.map((row) => ({
  area: "text",
  name: row.name,
  promised: "always",
  stands: ["none"],
  fires: () => fires(row),
  control: () => Promise.resolve(isLive(row)),
}));
