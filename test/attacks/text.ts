/** Files and words that monoco reads and shows: front matter, YAML, ids that are paths, terminal escapes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import matter from "gray-matter";
import { parse, parseDocument } from "yaml";
import { issueText, openPlace } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { temporaryFolder } from "../support/repository.ts";
import type { Attack } from "./attack.ts";

type Row = {
  name: string;
  /** Puts the payload into the person's repository. */
  plant: (place: Place) => void;
  /** What a person then gives, one after the other. */
  commands: string[][];
  /** `shown` is all that they printed. */
  fired: (place: Place, shown: string) => boolean;
  /** A program without precautions, for which the payload does what it is for. */
  naive: () => boolean;
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
  load(text: string): unknown;
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

const files = (text: string) => (place: Place) => place.write(path, text);
const frontMatter = (more: string): string => issueText(id, more);
/** What naive code makes of an id: a path. */
const naiveRead = (given: string): boolean => {
  const root = temporaryFolder();
  mkdirSync(join(root, "project/.monoco/relays"), { recursive: true });
  mkdirSync(join(root, "secret"));
  writeFileSync(join(root, "secret/journal.jsonl"), secret);
  return existsSync(join(root, "project/.monoco/relays", given, "journal.jsonl"));
};
/** Beside the repository lies what an id that is a path leads to. */
function keepSecret({ around }: Place): void {
  mkdirSync(join(around, "secret"), { recursive: true });
  for (const name of ["journal.jsonl", "FEAT-0009.md"]) writeFileSync(join(around, "secret", name), secret);
}
const stolen = ({ around }: Place, shown: string): boolean =>
  shown.includes(secret) || !existsSync(join(around, "secret/journal.jsonl"));
const outside = "../../../secret";

const rows: Row[] = [
  ...["---js", "---javascript", "--- js"].map((open): Row => ({
    name: `front matter that is a program (${open})`,
    plant: files(script(open)),
    commands: looks,
    fired: hasRun,
    naive: () => {
      matter(script(open), { language: "yaml" });
      return hasRun();
    },
  })),
  {
    name: "a YAML tag that makes a function",
    plant: files(frontMatter(`tags: { toString: ${tag} }\nowner: { toString: ${tag} }\n`)),
    commands: looks,
    fired: hasRun,
    naive: () => String(oldYaml.load(`toString: ${tag}`)) !== "" && hasRun(),
  },
  {
    name: "YAML aliases that multiply in front matter",
    plant: files(frontMatter(`${laughs}\ntags: *a6\n`)),
    commands: [...looks, ["issue", "list", "--json"], ["issue", "show", id, "--json"]],
    fired: (_, shown) => isHuge(shown),
    naive: () => isHuge(JSON.stringify(parseDocument(laughs).toJS({ maxAliasCount: -1 }))),
  },
  {
    name: "YAML aliases that multiply in monoco.yaml",
    plant: (place) => place.write("monoco.yaml", `${place.read("monoco.yaml")}${laughs}\nchecks: *a6\n`),
    commands: [
      ["config", "show"],
      ["config", "show", "--json"],
      ["run", "FEAT-0001", "--dry-run"],
    ],
    fired: (_, shown) => isHuge(shown),
    naive: () => isHuge(JSON.stringify(parse(laughs, { maxAliasCount: -1 }))),
  },
  {
    name: "a key that is every object's (__proto__)",
    plant: files(frontMatter("__proto__: { polluted: 1 }\nconstructor: { prototype: { polluted: 1 } }\n")),
    commands: looks,
    fired: () => Reflect.get({}, "polluted") !== undefined,
    naive: () => {
      // A merge that goes into what it finds there changes the prototype: here one that is nobody else's.
      const given: unknown = parse("__proto__: { polluted: 1 }");
      const settings = Object.create({});
      for (const key of Object.keys(given ?? {}))
        Object.assign(Reflect.get(settings, key), Reflect.get(given ?? {}, key));
      return Object.keys(settings).length === 0 && Reflect.get(settings, "polluted") === 1;
    },
  },
  {
    name: "an id on the command line that is a path",
    plant: keepSecret,
    commands: ["log", "show", "status", "explain", "diff", "report"]
      .map((verb) => [verb, outside])
      .concat([
        ["relay", "clear", outside],
        ["issue", "show", `${outside}/FEAT-0009`],
        ["issue", "close", outside, "--force"],
      ]),
    fired: stolen,
    naive: () => naiveRead(outside),
  },
  {
    name: "an id in front matter that is a path",
    plant: (place) => {
      keepSecret(place);
      place.write(path, issueText(outside));
    },
    commands: [...looks, ["run", "--all", "--dry-run"], ["issue", "lint", "--fix"], ["status", "--all"]],
    fired: stolen,
    naive: () => naiveRead(outside),
  },
  {
    name: "an id that a dependency names, and that is a path",
    plant: (place) => {
      keepSecret(place);
      place.write(path, issueText(id, `dependencies: ["${outside}/FEAT-0009"]\nparent: "${outside}"\n`));
    },
    commands: looks,
    fired: stolen,
    naive: () => naiveRead(outside),
  },
  {
    name: "a title that is a path",
    plant: () => undefined,
    commands: [
      ["issue", "create", "feature", "-t", "../../../planted"],
      ["issue", "create", "feature", "-t", "/planted"],
    ],
    fired: ({ around }) => existsSync(join(around, "planted.md")) || existsSync("/planted.md"),
    naive: () => join("/a/b/c/issues", "../../../planted.md") === "/a/planted.md",
  },
  {
    name: "an id of an imported story that is a path",
    plant: (place) => {
      const story = {
        id: outside,
        title: "../../../planted",
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
    fired: ({ around }) => existsSync(join(around, "planted.md")) || existsSync(join(around, "secret.md")),
    naive: () => join("/a/b/c/issues", `${outside}.md`) === "/a/secret.md",
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
    naive: () => acts(String(parse(`x: ${JSON.stringify(escape)}`).x)),
  })),
  {
    name: "terminal escapes in the text and the file name of an issue",
    plant: (place) =>
      place.write(`issues/${id}-${escape}.md`, issueText(id).replace("A file.", `A ${escape}.`)),
    commands: looks,
    fired: (_, shown) => acts(shown),
    naive: () => acts(readFileSync(written(`A ${escape}.`), "utf8")),
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
    naive: () => acts(String(new Error(`unknown key ${escape}`))),
  },
];

function written(text: string): string {
  const file = join(temporaryFolder(), "x.md");
  writeFileSync(file, text);
  return file;
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
  control: () => Promise.resolve(row.naive()),
}));
