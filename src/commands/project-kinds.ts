/** What a project is built and tested with, as its files say: for the monoco.yaml that `init` writes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { detect, resolveCommand } from "package-manager-detector";
import { attempt, jsonOf } from "../core/error/attempt.ts";
import { shellWord } from "../core/text/shell.ts";

/** `because`: the files that say so. */
export type Kind = { name: string; because: string[]; setup: string[]; cache: string[]; checks: string[] };

type Folder = { path: string; has(name: string): boolean; text(name: string): string };
type Reader = (folder: Folder) => Promise<Kind | undefined> | Kind | undefined;

const foldersMax = 6;

/** The settings of all kinds. A cache stands for the whole set-up, so it is for a project of one kind. */
export function settingsOf(kinds: readonly Kind[]): Pick<Kind, "setup" | "cache" | "checks"> {
  const setUps = kinds.filter(({ setup }) => setup.length > 0);
  return {
    setup: kinds.flatMap(({ setup }) => setup),
    cache: setUps.length === 1 ? setUps[0]!.cache : [],
    checks: kinds.flatMap(({ checks }) => checks),
  };
}

/** The kinds of the whole project, else of the folders in it that have one each (`backend`, `packages/web`). `files`: all that git does not ignore. */
export async function kindsIn(top: string, files: readonly string[]): Promise<Kind[]> {
  const own = await kindsOf(top, files);
  if (own.length > 0) return own;
  const folders = new Set<string>();
  for (const path of files) {
    const [first, second, third] = path.split("/");
    if (second !== undefined) folders.add(first!);
    if (third !== undefined) folders.add(`${first}/${second}`);
  }
  const looked = [...folders].filter((name) => !others.test(name)).toSorted();
  const found = await Promise.all(
    looked.map(async (name) => {
      const inside = files
        .filter((path) => path.startsWith(`${name}/`))
        .map((path) => path.slice(name.length + 1));
      return (await kindsOf(join(top, name), inside)).map(within(name));
    }),
  );
  return found.flat().slice(0, foldersMax);
}

/** Folders with the code of others, or with what was built. */
const others = /(?:^|\/)(?:\.|node_modules$|vendor$|target$|dist$)/;

async function kindsOf(path: string, files: readonly string[]): Promise<Kind[]> {
  const there = new Set(files);
  const folder: Folder = {
    path,
    has: (name) => there.has(name) || files.some((file) => file.startsWith(`${name}/`)),
    text: (name) => (there.has(name) ? attempt(() => readFileSync(join(path, name), "utf8"), "") : ""),
  };
  const found = (await Promise.all(readers.map(async (read) => read(folder)))).filter(
    (kind) => kind !== undefined,
  );
  // Where another kind has checks, a Makefile mostly calls those.
  return found.some(({ checks }) => checks.length > 0) ? found : [...found, ...make(folder)];
}

const within =
  (name: string) =>
  ({ because, setup, checks, ...kind }: Kind): Kind => {
    const inside = (command: string): string => `cd ${shellWord(name)} && ${command}`;
    return {
      ...kind,
      because: because.map((path) => join(name, path)),
      setup: setup.map(inside),
      // A cache goes by the lockfiles in the root.
      cache: [],
      checks: checks.map(inside),
    };
  };

const manifestOf = (folder: Folder, name: string): Record<string, unknown> => {
  const manifest = jsonOf(folder.text(name));
  return typeof manifest === "object" && manifest !== null ? (manifest as Record<string, unknown>) : {};
};
const entriesOf = (manifest: Record<string, unknown>, key: string): Record<string, unknown> =>
  ((typeof manifest[key] === "object" && manifest[key]) || {}) as Record<string, unknown>;

const lockfiles =
  "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock".split(" ");

async function javascript(folder: Folder): Promise<Kind | undefined> {
  if (!folder.has("package.json")) return undefined;
  const manifest = manifestOf(folder, "package.json");
  const lock = lockfiles.find(folder.has);
  const agent = (await detect({ cwd: folder.path, stopDir: folder.path }))?.agent ?? "npm";
  const line = (...[verb, words]: [verb: "frozen" | "install" | "run", words?: string[]]): string => {
    const resolved = resolveCommand(agent, verb, words ?? []);
    return resolved ? [resolved.command, ...resolved.args].join(" ") : "";
  };
  const needs = ["dependencies", "devDependencies"].some(
    (key) => Object.keys(entriesOf(manifest, key)).length > 0,
  );
  const { test } = entriesOf(manifest, "scripts");
  const tests = typeof test === "string" && !/no test specified/.test(test);
  const isWorkspace = "workspaces" in manifest || folder.has("pnpm-workspace.yaml");
  return {
    name: agent.replace(/[@-].*/, ""),
    because: ["package.json", ...(lock === undefined ? [] : [lock])],
    setup: lock === undefined ? (needs ? [line("install")] : []) : [line("frozen")],
    // The packages of a workspace may have folders of their own.
    cache: lock === undefined || isWorkspace ? [] : ["node_modules"],
    checks: tests
      ? [/^(?:npm|pnpm|yarn)/.test(agent) ? `${line("run").split(" ")[0]} test` : line("run", ["test"])]
      : [],
  };
}

function python(folder: Folder): Kind | undefined {
  const manifests = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"].filter(folder.has);
  const first = manifests[0];
  if (first === undefined) return undefined;
  const settings = [...manifests, "requirements-dev.txt", "tox.ini"].map(folder.text).join("\n");
  const isPytest =
    /pytest/.test(settings) || ["pytest.ini", "conftest.py", "tests/conftest.py"].some(folder.has);
  const runs = isPytest ? "pytest -q" : ["tests", "test"].some(folder.has) ? "unittest -q" : undefined;
  const by = (name: string, file: string, setup: string[], run: string): Kind => ({
    name,
    because: [file],
    setup,
    // A virtual environment knows its own path.
    cache: [],
    checks: runs === undefined ? [] : [`${run} ${runs}`],
  });
  if (folder.has("uv.lock")) return by("uv", "uv.lock", ["uv sync --locked"], "uv run python -m");
  // A sandbox keeps nothing of the home in which Poetry would put the environment.
  const install = "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction";
  if (folder.has("poetry.lock")) return by("poetry", "poetry.lock", [install], "poetry run python -m");
  const lists = ["requirements.txt", "requirements-dev.txt"].filter(folder.has).map((name) => `-r ${name}`);
  const own = first === "requirements.txt" ? [] : ["-e ."];
  const named = ["requirements.txt", "requirements-dev.txt"].some((name) => /pytest/.test(folder.text(name)));
  const runner = isPytest && !named ? ["pytest"] : [];
  const pip = [".venv/bin/pip install", ...lists, ...own, ...runner].join(" ");
  // Before Python 3.13 git would take the environment for work.
  const venv = "python3 -m venv .venv && echo '*' > .venv/.gitignore";
  return by("pip", first, [venv, pip], ".venv/bin/python -m");
}

/** Kinds with one file that says all: its name, then set-up, cached folders and checks, each a list. */
const simple = (
  name: string,
  file: string,
  of: (folder: Folder) => Omit<Kind, "name" | "because">,
): Reader => {
  return (folder) => (folder.has(file) ? { name, because: [file], ...of(folder) } : undefined);
};

const readers: readonly Reader[] = [
  javascript,
  python,
  simple("cargo", "Cargo.toml", ({ has }) => ({
    setup: [],
    cache: [],
    checks: [has("Cargo.lock") ? "cargo test --locked" : "cargo test"],
  })),
  simple("go", "go.mod", () => ({ setup: ["go mod download"], cache: [], checks: ["go test ./..."] })),
  simple("maven", "pom.xml", ({ has }) => ({
    setup: [],
    cache: [],
    checks: [`${has("mvnw") ? "./mvnw" : "mvn"} -q verify`],
  })),
  (folder) => {
    const file = ["build.gradle", "build.gradle.kts"].find(folder.has);
    const check = `${folder.has("gradlew") ? "./gradlew" : "gradle"} check`;
    return file === undefined
      ? undefined
      : { name: "gradle", because: [file], setup: [], cache: [], checks: [check] };
  },
  simple("bundler", "Gemfile", ({ has, text }) => ({
    setup: ["bundle install"],
    cache: [],
    checks:
      has("spec") && /rspec/.test(text("Gemfile"))
        ? ["bundle exec rspec"]
        : has("Rakefile")
          ? ["bundle exec rake test"]
          : [],
  })),
  simple("composer", "composer.json", (folder) => {
    const manifest = manifestOf(folder, "composer.json");
    const has = (key: string, name: string): boolean => name in entriesOf(manifest, key);
    const test = has("scripts", "test")
      ? ["composer test"]
      : has("require-dev", "phpunit/phpunit")
        ? ["vendor/bin/phpunit"]
        : [];
    return {
      setup: ["composer install --no-interaction"],
      cache: folder.has("composer.lock") ? ["vendor"] : [],
      checks: test,
    };
  }),
];

function make({ has, text }: Folder): Kind[] {
  const file = ["GNUmakefile", "makefile", "Makefile"].find(has);
  const target = file && /^(test|check)\s*:(?!=)/m.exec(text(file))?.[1];
  return target ? [{ name: "make", because: [file], setup: [], cache: [], checks: [`make ${target}`] }] : [];
}
