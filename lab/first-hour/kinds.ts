/** Small projects of the kinds that `monoco init` knows, each with a page too few, and what a coding agent does about it. */

export type Kind = {
  /** The program that a person with such a project has; without it the kind is skipped by name. */
  tool: string;
  files: Readonly<Record<string, string>>;
  /** Shell: writes the lockfile. */
  lock?: string;
  /** A shell command that prints the status of the page that is its last argument. */
  ask: string;
  /** Shell: adds the page and its test. */
  work: string;
};

/** A tarball in `vendor/` is the dependency: it needs no registry, and its lockfile is real. */
const node = (tool: string, lock: string, test = "node --test"): Kind => ({
  tool,
  files: {
    "package.json": `${JSON.stringify(
      {
        name: "pages",
        version: "1.0.0",
        type: "module",
        scripts: { test },
        dependencies: { ignore: "file:vendor/ignore.tgz" },
      },
      undefined,
      2,
    )}\n`,
    ".gitignore": "node_modules/\n",
    "pages.js":
      'import ignore from "ignore";\n\nconst hidden = ignore().add("private/");\nconst pages = { home: "Welcome" };\n\nexport const answer = (path) => (path in pages && !hidden.ignores(path) ? 200 : 404);\n',
    "pages.test.js":
      'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { answer } from "./pages.js";\n\ntest("the first page is there", () => assert.equal(answer("home"), 200));\n',
    "ask.js": 'import { answer } from "./pages.js";\n\nconsole.log(answer(process.argv[2]));\n',
  },
  lock,
  ask: "node ask.js",
  work: `sed -i 's/home: "Welcome"/home: "Welcome", login: "Your name?"/' pages.js
echo 'test("the login page is there", () => assert.equal(answer("login"), 200));' >> pages.test.js`,
});

export const kinds: Readonly<Record<string, Kind>> = {
  npm: node("npm", "npm install --package-lock-only --silent"),
  pnpm: node("pnpm", "pnpm install --lockfile-only --silent"),
  yarn: node("yarn", "yarn install --silent && rm -rf node_modules"),
  bun: node("bun", "bun install --lockfile-only --silent", "bun test"),
  uv: {
    tool: "uv",
    files: {
      "pyproject.toml":
        '[project]\nname = "pages"\nversion = "1.0.0"\nrequires-python = ">=3.9"\n\n[dependency-groups]\ndev = ["pytest"]\n',
      ".gitignore": ".venv/\n__pycache__/\n",
      "pages.py": 'PAGES = {"home"}\n\n\ndef answer(path):\n    return 200 if path in PAGES else 404\n',
      "ask.py": "import sys\n\nfrom pages import answer\n\nprint(answer(sys.argv[1]))\n",
      "test_pages.py": 'from pages import answer\n\n\ndef test_home():\n    assert answer("home") == 200\n',
    },
    lock: "uv lock",
    ask: "uv run python ask.py",
    work: `sed -i 's/{"home"}/{"home", "login"}/' pages.py
printf '\\n\\ndef test_login():\\n    assert answer("login") == 200\\n' >> test_pages.py`,
  },
  Cargo: {
    tool: "cargo",
    files: {
      "Cargo.toml": '[package]\nname = "pages"\nversion = "1.0.0"\nedition = "2021"\n',
      ".gitignore": "target/\n",
      "src/lib.rs":
        'pub fn answer(path: &str) -> u16 {\n    match path {\n        "home" => 200,\n        _ => 404,\n    }\n}\n',
      "src/main.rs":
        'fn main() {\n    println!("{}", pages::answer(&std::env::args().nth(1).unwrap()));\n}\n',
      "tests/pages.rs": '#[test]\nfn home() {\n    assert_eq!(pages::answer("home"), 200);\n}\n',
    },
    lock: "cargo generate-lockfile --offline --quiet",
    ask: "cargo run -q --",
    work: `sed -i 's/"home" =>/"home" | "login" =>/' src/lib.rs
printf '\\n#[test]\\nfn login() {\\n    assert_eq!(pages::answer("login"), 200);\\n}\\n' >> tests/pages.rs`,
  },
  Go: {
    tool: "go",
    files: {
      "go.mod": "module example.com/pages\n\ngo 1.19\n",
      "pages.go":
        'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nvar pages = map[string]bool{"home": true}\n\nfunc answer(path string) int {\n\tif pages[path] {\n\t\treturn 200\n\t}\n\treturn 404\n}\n\nfunc main() {\n\tfmt.Println(answer(os.Args[1]))\n}\n',
      "pages_test.go":
        'package main\n\nimport "testing"\n\nfunc TestHome(t *testing.T) {\n\tif answer("home") != 200 {\n\t\tt.Fatal("no home page")\n\t}\n}\n',
    },
    ask: "go run .",
    work: `sed -i 's/{"home": true}/{"home": true, "login": true}/' pages.go
printf '\\nfunc TestLogin(t *testing.T) {\\n\\tif answer("login") != 200 {\\n\\t\\tt.Fatal("no login page")\\n\\t}\\n}\\n' >> pages_test.go`,
  },
  Make: {
    tool: "make",
    files: {
      Makefile: "test:\n\tfor each in tests/*.sh; do sh $$each || exit 1; done\n",
      "pages.sh": 'case "$1" in\nhome) echo 200 ;;\n*) echo 404 ;;\nesac\n',
      "tests/home.sh": 'test "$(sh pages.sh home)" = 200\n',
    },
    ask: "sh pages.sh",
    work: `sed -i 's/^home)/home | login)/' pages.sh
echo 'test "$(sh pages.sh login)" = 200' > tests/login.sh`,
  },
};
