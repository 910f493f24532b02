/** What a command that a verdict names can show at all. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commandNatures, natureOf } from "../../../src/core/review/command-nature.ts";
import type { CommandNature } from "../../../src/core/review/command-nature.ts";
import { runs } from "../../support/runs.ts";

const rows: Record<CommandNature, string[]> = {
  constant: [
    "true",
    ":",
    "exit 0",
    "echo ok",
    "sleep 600",
    "npm test || true",
    "npm test; true",
    "npm test\ntrue",
    "npm test | echo done",
    "npm test || { echo no; }",
    "# only words\ntrue",
    "sh -c 'exit 0'",
    "bash -lc 'npm test || :'",
    "cd web && true",
    "A=1 true",
    "timeout 10 true",
    "! false",
    "node -e 'process.exit(0)'",
    'python3 -c "print(1)"',
    "node --version",
    "(npm test; echo $X) || echo failed",
    "eval 'true'",
    "find . -name '*.ts' | wc -l",
    "npm test 2>&1 | tail -20",
    "cd web && npm test | tee log",
    "",
  ],
  reads: [
    "grep -q foo src/a.ts",
    "test -f README.md",
    "[ -s file.txt ]",
    "cat README.md | grep Install",
    "git diff --check HEAD",
    "ls src && grep -c x y",
    "! grep -rn TODO src",
    'test -n "$(git log --oneline main..HEAD)"',
    "npm test; grep -q x y",
    "xargs grep foo",
    "grep '$(node x.js)' file",
    "echo ok | grep ok",
    "cat <<'EOF' | grep -q it\n# it's\nEOF",
    "diff a.txt b.txt # node x.js",
    "find . -maxdepth 0 -exec sh -c 'git log -1 | grep -q work' {} +",
    "find . -name '*.js' -exec cat {} ;",
    `node -e 'process.exit(require("fs").readFileSync("src/a.js", "utf8").includes("x") ? 0 : 1)'`,
    `node -e 'require("child_process").execSync("git log -1 | grep -q work")'`,
    `node -p 'require("./package.json").version'`,
    `node --input-type=module -e 'import { existsSync } from "node:fs"; process.exit(existsSync("a") ? 0 : 1)'`,
    `python3 -c 'import re, sys; sys.exit(0 if re.search("x", open("a.py").read()) else 1)'`,
    `python3 -c 'import subprocess; subprocess.run(["git", "diff", "--quiet"], check=True)'`,
    `ruby -e 'exit File.read("a.rb").include?("x")'`,
    `ruby -rjson -e 'exit JSON.parse(File.read("a.json")).key?("x")'`,
    `perl -MFile::Slurp -ne 'exit 1 if /x/; END { open F, "a.pl" }'`,
    `perl -E 'exit(-e "a.pl" ? 0 : 1); open F, "a.pl"'`,
    `perl -ne 'exit 1 if /x/; END { open F, "a.pl" }'`,
    "npm test | tail -3 && grep -q x y",
    "test -f a.md && grep -c x a.md | awk '{print $1}'",
    "grep -c x a.md | awk 'END{exit $1 < 6}'",
    "for one in a b; do grep -q $one c.md || exit 1; done",
    "if grep -q x y; then exit 0; else exit 1; fi",
    "node -e \"const t = require('fs').readFileSync('./a.md', 'utf8'); if (!t.includes('x')) process.exit(1)\"",
    "python3 -c \"import json; assert 'x' in json.load(open('a.json'))\"",
    "npm --version",
    "pytest --version",
    "python -m pytest --collect-only -q",
    "cargo --version",
    "cargo test -- --list",
    "npx tsc --version",
    "npx --no-install jest --listTests",
    "make -n test",
    "make test --dry-run",
    "./gradlew test --dry-run",
    "uv run pytest --co",
    "go test -list . ./...",
    "go version",
    "node --check src/a.js",
    "bash -n run.sh",
    "php -l a.php",
    "python3 -m py_compile a.py",
    "touch x",
    "rm -f a && mkdir b",
  ],
  runs: [
    "npm test",
    "node --test",
    "node cli.js --help | grep -q usage",
    'test "$(node cli.js)" = 3',
    'out=$(node cli.js); [ "$out" = 3 ]',
    "sh check.sh",
    "cd web && npm test",
    "(cd web && npm test)",
    "cat cases.txt | sh",
    "set -e; npm test; true",
    "if npm test; then true; else exit 1; fi",
    "npm test; test $? -eq 0",
    "printf '1 2' | ./sum",
    "node -e \"require('./sum')(1, 2)\"",
    "python -m pytest -q tests/test_a.py",
    `node -e 'import("./src/a.js").then(({ f }) => process.exit(f(1)))'`,
    `node -e 'require("child_process").execFileSync("./run.sh", ["x"])'`,
    `node -e 'eval(require("fs").readFileSync("a.js", "utf8"))'`,
    `node -e 'const name = "./a.js"; require(name)'`,
    `node -e 'fetch("http://127.0.0.1:1").then((r) => process.exit(r.ok ? 0 : 1))'`,
    `node -e 'require("express")'`,
    `python3 -c 'from app.price import discount; assert discount(200, 10) == 180'`,
    `python3 -c 'import os, app; app.main()'`,
    `python3 -c 'import subprocess; subprocess.run(["python3", "app.py"])'`,
    `ruby -I lib -e 'require "price"; exit Price.new(1).ok?'`,
    `perl -Ilib -e 'use Price; exit Price::ok() ? 0 : 1'`,
    `perl -Ilib -MPrice -e 'exit(Price::ok() ? 0 : 1)'`,
    `ruby -Ilib -rprice -e 'exit Price.ok?'`,
    `php -r 'require "price.php"; exit(discount(200, 10) === 180 ? 0 : 1);'`,
    "find . -name '*.sh' -exec ./{} ;",
    "find tests -name '*.sh' -exec sh -c 'sh {} && node a.js' ;",
    "find . -name '*_test.py' -exec python {} ;",
    "go test ./...",
    "make check",
    "npx vitest run > /dev/null 2>&1",
    "`node which-test.js`",
    "# try it\nnode x.js",
    "cat <<'EOF' > t.py\n# it's a test\nimport app\nEOF\npython3 t.py",
    "node <<'EOF'\nconsole.log(`a ${f(1)}`)\nEOF",
    "diff <(node a.js) <(node b.js)",
    "node a.js > out.txt; grep -q x out.txt",
    "node x.js; rc=$?; exit $rc",
    "timeout 10 node x.js || exit 1",
    "node x.js && echo PASS || { echo FAIL; exit 1; }",
    "node server.js & p=$!; sleep 1; curl -sf localhost:1; s=$?; kill $p; exit $s",
    "set -o errexit; node x.js; echo ok",
    "node cli.js -p 3000",
    "node cli.js --help",
    "./cli.sh --version",
    "npx mycli --help",
    "python -m app --help",
    "go run . --help",
    "npm run cli -- --help",
    "yarn cli --version",
    "npm pack --dry-run",
    "mkdir -p out && node a.js out",
    "python -m pytest -c pytest.ini",
    "python -m pytest -p no:cacheprovider",
    "node -r dotenv/config app.js",
    "echo ${x// /_}",
    `${"$(".repeat(2_600)}${")".repeat(2_600)}`,
    "node -e \"const a = 1;\nimport('./a.js')\"",
    "set -o pipefail; npm test | tail -3",
    "bash -o pipefail -c 'npm test | tail -3'",
    'test "$(node x.js | tail -1)" = ok',
    "node -e \"const fs = require('fs'); require('./a').b(fs.readFileSync('c'))\"",
  ],
};

describe("the nature of a command", () => {
  test.for(commandNatures.flatMap((nature) => rows[nature].map((command) => [command, nature] as const)))(
    "%j: %s",
    ([command, nature]) => {
      expect(natureOf(command)).toBe(nature);
    },
  );

  test("what a command prints is another matter than how it ends", () => {
    expect(natureOf("node bench.js | tail -1")).toBe("constant");
    expect(natureOf("node bench.js | tail -1", "output")).toBe("runs");
  });

  test("what always succeeds behind `||` takes everything away, whatever stands before it", () => {
    const readable = [...rows.runs, ...rows.reads].filter(
      (one) => !/^(?:if|set|for)|pipefail|[#\n]|\$\?|;$|\$\{|\$\(\$\(/.test(one),
    );
    for (const one of readable)
      for (const end of ["true", ":", "echo x"]) expect(natureOf(`${one} || ${end}`)).toBe("constant");
  });

  test("any text has one, and none makes it throw", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(commandNatures).toContain(natureOf(text));
      }),
      { numRuns: runs(2000) },
    );
  });
});
