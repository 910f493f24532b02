/** Commands that only ask a tool for its version, its help, its list or its plan: whatever stands in the project, nothing of it runs. */

/** Tools that are not the project's own: what its own programs answer to `--help` is behaviour. */
const tools = new Set(
  (
    "npm pnpm yarn bun deno corepack tsc eslint oxlint prettier biome jest vitest mocha ava tap playwright cypress vite webpack rollup esbuild turbo nx " +
    "pip pip3 pytest py.test tox nox mypy ruff black flake8 pylint coverage uv poetry pipenv pdm hatch rye " +
    "cargo rustc rustup go gofmt golangci-lint java javac mvn gradle gradlew mvnw kotlinc dotnet msbuild swift dart flutter " +
    "make gmake just task ninja cmake ctest meson bazel rake bundle gem rspec rubocop phpunit composer mix elixir prove " +
    "node python python3 ruby perl php lua docker git"
  ).split(" "),
);

/** Programs that run the one that comes next, with the words that lead to it. */
const carriers: readonly RegExp[] = [
  /^(?:npx|bunx|pnpx|uvx)(?: -\S+)* /,
  /^(?:npm|pnpm) exec (?:-- )?/,
  /^(?:pnpm|yarn) dlx /,
  /^(?:uv|poetry|pipenv|pdm|hatch|rye) run /,
  /^bundle exec /,
  /^python[\d.]* -m /,
];

/** What stands first on the line of a tool, and asks. */
const first: Readonly<Record<string, RegExp>> = {
  node: /^(?:--check|-c)$/,
  ruby: /^-\w*c$/,
  perl: /^-\w*c$/,
  php: /^(?:-l|--syntax-check)$/,
  sh: /^-\w*n$/,
  bash: /^-\w*n$/,
  dash: /^-\w*n$/,
  zsh: /^-\w*n$/,
  go: /^(?:version|help|list|env)$/,
  npm: /^(?:help|ls|list|view|config)$/,
  pip: /^(?:list|show|freeze|check|help)$/,
  cargo: /^(?:tree|metadata|help|-V)$/,
  vitest: /^list$/,
  py_compile: /./,
  compileall: /./,
};

/** Anywhere on the line of a tool. */
const asking =
  /^(?:--version|--help|--collect-only|--co|--list|-list|--list-tests|--listTests|--list-files|--setup-plan|--fixtures|--markers|--show-?config|--print-config|--no-run|--dry-run|--just-print|--recon)$/i;

/** Some read one letter so; elsewhere it is something else. */
const planning: Readonly<Record<string, RegExp>> = {
  make: /^-[a-mo-zA-Z]*n[a-zA-Z]*$/,
  gmake: /^-[a-mo-zA-Z]*n[a-zA-Z]*$/,
  just: /^-n$/,
  ninja: /^-n$/,
  rake: /^-[nTP]$/,
  gradle: /^-m$/,
  ctest: /^-N$/,
};

/** These hand what comes after a script's name to the script. */
const handsOn = new Set("yarn pnpm bun deno node python python3 ruby perl php lua".split(" "));

/** `words`: a simple command, from its program on. */
export function asksOnly(words: readonly string[]): boolean {
  const [program = "", ...rest] = carried(words);
  const name = program.slice(program.lastIndexOf("/") + 1);
  const [start = ""] = rest;
  if (first[name]?.test(start)) return true;
  // `./tool.sh --help` is the project's own; `./gradlew` and `node_modules/.bin/tsc` are not.
  if (!tools.has(name)) return false;
  if (rest.length === 1 && /^(?:-v|-V|-h|version|help)$/.test(start)) return true;
  if (handsOn.has(name)) return asking.test(start);
  // `go run . --help`, `npm pack --dry-run`: something of the project's runs, or is looked at.
  if (start === "run" || start === "pack" || start === "publish") return false;
  const end = rest.indexOf("--");
  const own = end === -1 || /^(?:t|tst|test)$/.test(start) ? rest : rest.slice(0, end);
  return own.some((word) => asking.test(word) || planning[name]?.test(word));
}

function carried(words: readonly string[]): string[] {
  let line = words.join(" ");
  for (const carrier of carriers) line = line.replace(carrier, "");
  return line.split(" ");
}
