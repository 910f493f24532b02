/** monoco init: what it makes of the project that it finds. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { main } from "../../src/main.ts";
import { openSandbox } from "../support/cli.ts";
import type { Ran } from "../support/cli.ts";
import { full } from "../support/full.ts";

type Files = Record<string, string>;
type Expected = { setup?: string[]; cache?: string[]; checks?: string[] };

async function initIn(files: Files): Promise<{ ran: Ran; settings: string; check(): Promise<Ran> }> {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const project = join(sandbox.folder, "project");
  for (const [name, text] of Object.entries({ ...files, "README.md": "# It\n" })) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  const ran = await sandbox.monoco(["init"], { cwd: project });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  const settings = readFileSync(join(project, "monoco.yaml"), "utf8");
  return { ran, settings, check: () => sandbox.monoco(["check", "--fresh"], { cwd: project }) };
}

const manifest = (more: object = {}): string =>
  JSON.stringify({ name: "it", scripts: { test: "x" }, ...more });
const venv = "python3 -m venv .venv && echo '*' > .venv/.gitignore";
const python = "[project]\nname = 'it'\n[dependency-groups]\ndev = ['pytest']\n";

test.for<[string, Files, Expected]>([
  [
    "npm",
    { "package.json": manifest(), "package-lock.json": "{}" },
    { setup: ["npm ci"], cache: ["node_modules"], checks: ["npm test"] },
  ],
  [
    "npm without a lockfile",
    { "package.json": manifest({ dependencies: { a: "1" } }) },
    { setup: ["npm i"], checks: ["npm test"] },
  ],
  [
    "npm without dependencies and tests",
    { "package.json": '{"scripts":{"test":"echo no test specified"}}' },
    {},
  ],
  [
    "a package.json that does not parse",
    { "package.json": "{", "package-lock.json": "{}" },
    { setup: ["npm ci"], cache: ["node_modules"] },
  ],
  [
    "pnpm",
    { "package.json": manifest(), "pnpm-lock.yaml": "" },
    { setup: ["pnpm i --frozen-lockfile"], cache: ["node_modules"], checks: ["pnpm test"] },
  ],
  [
    "a workspace of pnpm",
    {
      "package.json": manifest(),
      "pnpm-lock.yaml": "",
      "pnpm-workspace.yaml": "packages: [a]\n",
      "a/package.json": manifest(),
    },
    { setup: ["pnpm i --frozen-lockfile"], checks: ["pnpm test"] },
  ],
  [
    "pnpm by packageManager alone",
    { "package.json": manifest({ packageManager: "pnpm@10.1.0", dependencies: { a: "1" } }) },
    { setup: ["pnpm i"], checks: ["pnpm test"] },
  ],
  [
    "yarn",
    { "package.json": manifest(), "yarn.lock": "" },
    { setup: ["yarn install --frozen-lockfile"], cache: ["node_modules"], checks: ["yarn test"] },
  ],
  [
    "a newer yarn, by packageManager",
    { "package.json": manifest({ packageManager: "yarn@4.9.1" }), "yarn.lock": "" },
    { setup: ["yarn install --immutable"], cache: ["node_modules"], checks: ["yarn test"] },
  ],
  [
    "bun",
    { "package.json": manifest(), "bun.lock": "" },
    { setup: ["bun install --frozen-lockfile"], cache: ["node_modules"], checks: ["bun run test"] },
  ],
  [
    "uv",
    { "pyproject.toml": python, "uv.lock": "" },
    { setup: ["uv sync --locked"], checks: ["uv run python -m pytest -q"] },
  ],
  [
    "Poetry",
    { "pyproject.toml": python, "poetry.lock": "" },
    {
      setup: ["POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction"],
      checks: ["poetry run python -m pytest -q"],
    },
  ],
  [
    "pip",
    { "requirements.txt": "requests\n", "tests/test_it.py": "" },
    {
      setup: [venv, ".venv/bin/pip install -r requirements.txt"],
      checks: [".venv/bin/python -m unittest -q"],
    },
  ],
  [
    "pip with a package of its own",
    { "pyproject.toml": python, "requirements-dev.txt": "pytest\n" },
    {
      setup: [venv, ".venv/bin/pip install -r requirements-dev.txt -e ."],
      checks: [".venv/bin/python -m pytest -q"],
    },
  ],
  [
    "pip with pytest among the extras",
    { "pyproject.toml": "[project.optional-dependencies]\ntest = ['pytest']\n" },
    { setup: [venv, ".venv/bin/pip install -e . pytest"], checks: [".venv/bin/python -m pytest -q"] },
  ],
  [
    "what git ignores is not looked at",
    {
      ".gitignore": "package-lock.json\nvenv/\n",
      "package-lock.json": "{}",
      "web/package.json": manifest(),
      "venv/requirements.txt": "a\n",
    },
    { checks: ["cd web && npm test"] },
  ],
  ["Cargo", { "Cargo.toml": "", "Cargo.lock": "" }, { checks: ["cargo test --locked"] }],
  ["Go", { "go.mod": "module it\n" }, { setup: ["go mod download"], checks: ["go test ./..."] }],
  ["Maven", { "pom.xml": "", mvnw: "" }, { checks: ["./mvnw -q verify"] }],
  ["Gradle", { "build.gradle.kts": "" }, { checks: ["gradle check"] }],
  [
    "Bundler",
    { Gemfile: "gem 'rspec'\n", "spec/it_spec.rb": "" },
    { setup: ["bundle install"], checks: ["bundle exec rspec"] },
  ],
  [
    "Composer",
    { "composer.json": '{"require-dev":{"phpunit/phpunit":"*"}}', "composer.lock": "{}" },
    { setup: ["composer install --no-interaction"], cache: ["vendor"], checks: ["vendor/bin/phpunit"] },
  ],
  ["Make", { Makefile: "all:\n\ntest: all\n" }, { checks: ["make test"] }],
  [
    "a Makefile that calls npm",
    { Makefile: "test:\n\tnpm test\n", "package.json": manifest() },
    { checks: ["npm test"] },
  ],
  [
    "two kinds: a cache would stand for both set-ups",
    { "package.json": manifest(), "package-lock.json": "{}", "go.mod": "module it\n" },
    { setup: ["npm ci", "go mod download"], checks: ["npm test", "go test ./..."] },
  ],
  [
    "two folders",
    {
      "back end/go.mod": "module it\n",
      "apps/web/package.json": manifest(),
      "apps/web/package-lock.json": "{}",
    },
    {
      setup: ["cd apps/web && npm ci", "cd 'back end' && go mod download"],
      checks: ["cd apps/web && npm test", "cd 'back end' && go test ./..."],
    },
  ],
  [
    "folders of other kinds",
    {
      "services/api/pom.xml": "",
      "services/app/build.gradle": "",
      "services/app/gradlew": "",
      "ruby/Gemfile": "gem 'rake'\n",
      "ruby/Rakefile": "",
      "php/composer.json": '{"scripts":{"test":"phpunit"}}',
      "tools/pyproject.toml": python,
      "tools/poetry.lock": "",
      "crates/core/Cargo.toml": "",
    },
    {
      setup: [
        "cd php && composer install --no-interaction",
        "cd ruby && bundle install",
        "cd tools && POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
      ],
      checks: [
        "cd crates/core && cargo test",
        "cd php && composer test",
        "cd ruby && bundle exec rake test",
        "cd services/api && mvn -q verify",
        "cd services/app && ./gradlew check",
        "cd tools && poetry run python -m pytest -q",
      ],
    },
  ],
])("%s", async ([, files, { setup = [], cache = [], checks = [] }]) => {
  const { ran, settings } = await initIn(files);
  const list = (name: string): unknown =>
    JSON.parse(
      new RegExp(`^${name}: (\\[.*\\])$`, "m")
        .exec(settings)![1]!
        .replaceAll(/(?<=[[ ])([a-z_]+)(?=[,\]])/g, '"$1"'),
    );
  expect({ setup: list("setup"), cache: list("cache"), checks: list("checks") }).toEqual({
    setup,
    cache,
    checks,
  });
  for (const command of [...setup, ...checks]) expect(ran.stdout).toContain(command);
  const because = [...ran.stdout.matchAll(/^found \w+ \((.*?)\): /gm)].flatMap(([, names]) =>
    names!.split(", "),
  );
  expect(Object.keys(files)).toEqual(expect.arrayContaining(because));
  expect(because).not.toEqual([]);
  expect(ran.stdout.includes("found no tests")).toBe(checks.length === 0);
});

const begun = (branch: string): string =>
  `git init -q -b ${branch} . && git commit -q --allow-empty -m Begin`;
const two = `${begun("x")} && git branch y`;
const asks = "The branch that work starts from and is merged into [x]: ";

test.for<[string, { make: string; isTTY: boolean; base: string; says: string }]>([
  [
    "origin/HEAD, whatever is checked out",
    {
      make: `(mkdir ../up && cd ../up && ${begun("develop")}) && git clone -q ../up . && git switch -q -c mine`,
      isTTY: true,
      base: "develop",
      says: "wrote monoco.yaml\n",
    },
  ],
  ["the only branch", { make: begun("x"), isTTY: true, base: "x", says: "wrote monoco.yaml\n" }],
  ["of several what the person answers", { make: two, isTTY: true, base: "y", says: asks }],
  [
    "without a terminal the likely one, and says so",
    { make: two, isTTY: false, base: "x", says: "wrote monoco.yaml, with base: x; change it if" },
  ],
])("the base is %s", async ([, { make, isTTY, base, says }]) => {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const project = join(sandbox.folder, "project");
  mkdirSync(project);
  await sandbox.sh(project, make);
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stdout = Object.assign(new PassThrough(), { isTTY });
  stdin.end("y\n");
  const { env } = sandbox;
  expect(await main(["init"], { cwd: project, env, stdin, stdout, stderr: stdout })).toBe(0);
  stdout.end();
  expect(await text(stdout)).toContain(says);
  expect(readFileSync(join(project, "monoco.yaml"), "utf8")).toContain(`\nbase: ${base}\n`);
});

full("what it found runs in a fresh clone, before it is committed", { timeout: 120_000 }, async () => {
  const { check } = await initIn({
    "package.json": '{"name":"it","version":"1.0.0","scripts":{"test":"node --test"}}',
    "package-lock.json":
      '{"name":"it","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"it","version":"1.0.0"}}}',
    "it.test.js": 'require("node:test")("it", () => {});\n',
  });
  const ran = await check();
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
});
