import { describe, expect, it, test } from "vitest";
import { failingTests, lastLine } from "../../../src/core/review/failing-tests.ts";

/** Output of runners as they print it, with the names of its failing tests. */
const outputs: readonly [runner: string, output: string, names: readonly string[]][] = [
  [
    "pytest",
    "=== short test summary info ===\nFAILED tests/test_a.py::test_median - assert 3 == 2\nERROR tests/test_b.py - ImportError\n=== 1 failed, 1 error, 3 passed in 0.04s ===",
    ["tests/test_a.py::test_median", "tests/test_b.py"],
  ],
  [
    "unittest",
    "FAIL: test_median (test_a.Stats.test_median)\n---\nERROR: test_b (test_a.Stats)\n",
    ["test_b (test_a.Stats)", "test_median (test_a.Stats.test_median)"],
  ],
  [
    "go",
    "--- FAIL: TestMedian (0.00s)\n    --- FAIL: TestMedian/even (0.00s)\nFAIL\nFAIL\texample.org/stats\t0.003s\n",
    ["TestMedian", "TestMedian/even", "example.org/stats"],
  ],
  [
    "cargo",
    "test stats::median ... FAILED\ntest stats::mean ... ok\n\nfailures:\n    stats::median\n",
    ["stats::median"],
  ],
  [
    "node",
    "✖ median of four (0.52ms)\n✔ mean (0.1ms)\nℹ fail 1\n\n✖ failing tests:\n\n✖ median of four (0.52ms)\n",
    ["median of four"],
  ],
  [
    "TAP",
    "not ok 1 - median\nok 2 - mean\nnot ok 3 - mode # TODO later\nnot ok 4 - slow # SKIP\n",
    ["median"],
  ],
  [
    "vitest",
    " × stats > median 3ms\n\n FAIL  test/stats.test.ts > stats > median\n",
    ["stats > median", "test/stats.test.ts > stats > median"],
  ],
  [
    "jest",
    "FAIL test/stats.test.js (5.1 s)\n  ● stats › median\n\n    expect(received)\n",
    ["stats › median", "test/stats.test.js"],
  ],
  ["mocha", "  2 passing (9ms)\n  1 failing\n\n  1) stats\n       median:\n     AssertionError\n", ["stats"]],
  [
    "maven",
    "[ERROR] StatsTest.median:12 expected: <2> but was: <3>\n[ERROR] Tests run: 3\n",
    ["StatsTest.median"],
  ],
  [
    "gradle",
    "StatsTest > median() FAILED\n    org.opentest4j.AssertionFailedError\n",
    ["StatsTest > median()"],
  ],
  ["dotnet", "  Failed Stats.Median [12 ms]\n  Error Message:\n", ["Stats.Median"]],
  ["ctest", "The following tests FAILED:\n\t  3 - median (Failed)\n", ["median"]],
  ["rspec", "rspec ./spec/stats_spec.rb:4 # Stats median\n", ["Stats median"]],
  ["minitest", "  1) Failure:\nTestStats#test_median [test/stats.rb:4]:\n", ["TestStats#test_median"]],
  [
    "PHPUnit",
    "There was 1 failure:\n\n1) StatsTest::testMedian\nFailed asserting that 3 matches 2.\n",
    ["StatsTest::testMedian"],
  ],
  ["a script", "FAIL: legacy test 17\n", ["legacy test 17"]],
  ["colours", "\u001b[31m✖ median\u001b[39m (2ms)\n", ["median"]],
];

describe("the names of failing tests", () => {
  it.each(outputs)("%s", (_runner, output, names) => {
    expect(failingTests(output)).toEqual(names);
  });

  it.each([
    ["of a compiler", "src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.\n"],
    ["of a list with numbers", "1) first\n2) second\n"],
    ["of nothing", ""],
    ["of a wreck", Array.from({ length: 300 }, (_, n) => `FAIL: test ${n}`).join("\n")],
  ])("an output %s has none that can be compared", (_kind, output) => {
    expect(failingTests(output)).toBeUndefined();
  });
});

test("the last line is the program's, not npm's", () => {
  expect(
    lastLine(
      "\u001b[31mmedian is wrong\u001b[0m\n\nnpm error Lifecycle script `test` failed\nnpm error code 1\n",
    ),
  ).toBe("median is wrong");
  expect(lastLine("\n")).toBe("");
});

test.each([
  [
    "npm error code EUSAGE\nnpm error\nnpm error The `npm ci` command can only install with an existing package-lock.json or\nnpm error npm-shrinkwrap.json with lockfileVersion >= 1.\nnpm error Usage:\nnpm error npm ci\n",
    "The `npm ci` command can only install with an existing package-lock.json or",
  ],
  [
    "npm error code ETARGET\nnpm error notarget No matching version found for ignore@99.0.0.\nnpm error A complete log of this run can be found in: /home/me/.npm/_logs/x.log\n",
    "notarget No matching version found for ignore@99.0.0.",
  ],
  ["added 1 package\nnpm error code 1\n", "added 1 package"],
])("of npm's own failure its first sentence is shown: %#", (output, sentence) => {
  expect(lastLine(output)).toBe(sentence);
});

/** The ends of outputs as these programs print them (pnpm 10, yarn 1 and 4, bun 1, cargo, go, make and maven by hand). */
const ends: readonly [program: string, output: string, reason: string][] = [
  [
    "pnpm: a flag",
    "\u2009ERROR\u2009 Unknown option: 'bogus'\nDid you mean 'os'? Use \"--config.unknown=value\" to force an unknown option.\nFor help, run: pnpm help install\n",
    "ERROR Unknown option: 'bogus'",
  ],
  [
    "pnpm: a lock file",
    '\u2009ERR_PNPM_NO_LOCKFILE\u2009 Cannot install with "frozen-lockfile" because pnpm-lock.yaml is absent\n\nNote that in CI environments this setting is true by default.\n',
    'ERR_PNPM_NO_LOCKFILE Cannot install with "frozen-lockfile" because pnpm-lock.yaml is absent',
  ],
  [
    "pnpm: a script",
    "doing\n\u2009ELIFECYCLE\u2009 Command failed with exit code 3.\n\u2009WARN\u2009  Local package.json exists, but node_modules missing, did you mean to install?\n",
    "doing",
  ],
  [
    "pnpm: a script of all packages",
    "doing\n\u2009ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL\u2009 x@1.0.0 bad: `echo doing; exit 3`\nExit status 3\n",
    "doing",
  ],
  [
    "yarn 1",
    "[1/4] Resolving packages...\nerror Error: connect ECONNREFUSED 127.0.0.1:9\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)\ninfo Visit https://yarnpkg.com/en/docs/cli/install for documentation about this command.\n",
    "error Error: connect ECONNREFUSED 127.0.0.1:9",
  ],
  [
    "yarn 4",
    "➤ YN0028: │ The lockfile would have been modified by this install, which is explicitly forbidden.\n➤ YN0000: └ Completed\n➤ YN0000: · Failed with errors in 0s 71ms\n",
    "➤ YN0028: │ The lockfile would have been modified by this install, which is explicitly forbidden.",
  ],
  ["bun: a script", '$ ./build\nno compiler\nerror: script "bad" exited with code 3\n', "no compiler"],
  [
    "bun: a package's script",
    'no compiler\nerror: postinstall script from "x" exited with 7\n',
    "no compiler",
  ],
  [
    "bun: a package",
    "Resolving dependencies\nerror: nope-nope@1.0.0 failed to resolve\n",
    "error: nope-nope@1.0.0 failed to resolve",
  ],
  [
    "pip: a build",
    "  error: subprocess-exited-with-error\n\n  × Getting requirements to build wheel did not run successfully.\n  │ exit code: 1\n  ╰─> [2 lines of output]\n      RuntimeError: no pg_config\n      [end of output]\n\n  note: This error originates from a subprocess, and is likely not a problem with pip.\nerror: subprocess-exited-with-error\n\n× Getting requirements to build wheel did not run successfully.\n│ exit code: 1\n╰─> See above for output.\n\nnote: This error originates from a subprocess, and is likely not a problem with pip.\n",
    "RuntimeError: no pg_config",
  ],
  [
    "pip: a package",
    "ERROR: No matching distribution found for nope\n\n[notice] A new release of pip is available: 24.0 -> 25.0\n",
    "ERROR: No matching distribution found for nope",
  ],
  [
    "uv: a command",
    "error: unrecognized subcommand 'env'\n\n  tip: a similar subcommand exists: 'venv'\n\nUsage: uv [OPTIONS] <COMMAND>\n\nFor more information, try '--help'.\n",
    "error: unrecognized subcommand 'env'",
  ],
  [
    "uv: a build",
    "  × Failed to build `a==1`\n      ModuleNotFoundError: No module named 'distutils'\n\n      hint: This usually indicates a problem with the package or the build environment.\n  help: `a` (v1) was included because `b` depends on `a`\n",
    "ModuleNotFoundError: No module named 'distutils'",
  ],
  [
    "poetry",
    "error: command 'gcc' failed\n\nNote: This error originates from the build backend, and is likely not a problem with poetry but one of the following issues with a\n\n  - not supporting PEP 517 builds\n  - not specifying PEP 517 build requirements correctly\n  - the build requirements are incompatible with your operating system or Python version\n\nYou can verify this by running pip wheel --no-cache-dir --use-pep517 a.\n",
    "error: command 'gcc' failed",
  ],
  [
    "cargo: a package",
    "error: no matching package named `nope` found\nlocation searched: crates.io index\nrequired by package `x v0.1.0 (/x)`\nAs a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures\n",
    "error: no matching package named `nope` found",
  ],
  [
    "cargo: a test",
    "test result: FAILED. 0 passed; 1 failed\n\nerror: test failed, to rerun pass `--lib`\n",
    "test result: FAILED. 0 passed; 1 failed",
  ],
  ["go", "go frob: unknown command\nRun 'go help' for usage.\n", "go frob: unknown command"],
  [
    "make",
    "cc: no such file\nmake[1]: *** [Makefile:4: a] Error 1\nmake[1]: Leaving directory '/m'\nmake: *** [Makefile:2: x] Error 2\nmake: Leaving directory '/m/sub'\n",
    "cc: no such file",
  ],
  [
    "make: a target",
    "make: *** No rule to make target 'b'.  Stop.\n",
    "make: *** No rule to make target 'b'. Stop.",
  ],
  [
    "bundler",
    "An error occurred while installing pg (1.1), and Bundler cannot continue.\n\nIn Gemfile:\n  rails was resolved to 7.0, which depends on\n    pg\n",
    "An error occurred while installing pg (1.1), and Bundler cannot continue.",
  ],
  [
    "bundler 1",
    "An error occurred while installing pg (1.1), and Bundler cannot continue.\nMake sure that `gem install pg -v '1.1'` succeeds before bundling.\n",
    "An error occurred while installing pg (1.1), and Bundler cannot continue.",
  ],
  [
    "composer",
    "  Problem 1\n    - a/b 1.0 requires c/d dev-master -> no matching package found.\n\nUse the option --with-all-dependencies (-W) to allow upgrades, downgrades and removals for packages currently locked to specific versions.\n\nInstallation failed, reverting ./composer.json and ./composer.lock to their original content.\n",
    "- a/b 1.0 requires c/d dev-master -> no matching package found.",
  ],
  [
    "composer: its usage",
    "  Could not scan for classes inside src\n\n\ninstall [--prefer-source] [--prefer-dist] [--dry-run] [--] [<packages>...]\n",
    "Could not scan for classes inside src",
  ],
  [
    "maven",
    "[INFO] BUILD FAILURE\n[ERROR] Plugin a could not be resolved: Cannot access central -> [Help 1]\n[ERROR] \n[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.\n[ERROR] Re-run Maven using the -X switch to enable full debug logging.\n[ERROR] \n[ERROR] For more information about the errors and possible solutions, please read the following articles:\n[ERROR] [Help 1] http://cwiki.apache.org/confluence/display/MAVEN/PluginResolutionException\n",
    "[ERROR] Plugin a could not be resolved: Cannot access central -> [Help 1]",
  ],
  [
    "gradle",
    "* What went wrong:\nExecution failed for task ':compileJava'.\n> Compilation failed; see the compiler error output for details.\n\n* Try:\n> Run with --info option to get more log output.\n> Run with --scan to get full insights.\n\nBUILD FAILED in 3s\n1 actionable task: 1 executed\n",
    "> Compilation failed; see the compiler error output for details.",
  ],
  ["nothing but advice", "For help, run: pnpm help\n", "For help, run: pnpm help"],
];

test.each(ends)("the reason of a failure, not what comes after it: %s", (_program, output, reason) => {
  expect(lastLine(output)).toBe(reason);
});
