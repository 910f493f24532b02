/** What failing test runners, compilers and linters printed, shortened from public bug reports: the repository and issue are named. */
export type FailingOutput = { name: string; output: string };

export const outputs: readonly FailingOutput[] = [
  {
    name: "pytest: martymcenroe/AssemblyZero#2320",
    output: `__________________________________ test_t010 __________________________________
tests\\test_issue_7.py:44: in test_t010
    assert False, 'TDD RED: test_t010 not implemented'
E   AssertionError: TDD RED: test_t010 not implemented
E   assert False`,
  },
  {
    name: "pytest: jeffwright13/pytest-fold#51",
    output: `____________________________________ test_b_fail ____________________________________

    def test_b_fail():
>       assert 0
E       assert 0

tests/test_pytest_fold.py:26: AssertionError`,
  },
  {
    name: "pytest: okken/pytest-check#150",
    output: `============================= test session starts ==============================
platform linux -- Python 3.7.9, pytest-7.4.3, pluggy-1.2.0
rootdir: /tmp/pytest-of-mizubuntu/pytest-75/test_message0
collected 2 items / 1 deselected / 1 selected

test_example_short_test_summary_info.py F                                [100%]

FAILURE: check 1 == 2: comment about a=1 != b=2
test_example_short_test_summary_info.py:11 in test_message() -> check.equal(a, b)
------------------------------------------------------------
Failed Checks: 1
=========================== short test summary info ============================
FAILED test_example_short_test_summary_info.py::test_message - FAILURE: check...
======================= 1 failed, 1 deselected in 0.55s ========================`,
  },
  {
    name: "pytest: databrickslabs/sandbox#96",
    output: `20:12:01  INFO ❌ test_install_folder_custom: AssertionError: assert '/custom/folder' != '/custom/folder' (0.000s)
20:12:02  INFO ✅ test_no_state (0.000s)`,
  },
  {
    name: "go: siderolabs/talos#1018",
    output: `--- FAIL: TestCheckSuite/TestHealthChange (0.17s)
    suite.go:62: test panicked: runtime error: invalid memory address or nil pointer dereference
goroutine 51 [running]:
runtime/debug.Stack(0xc0000f58e0, 0x8c93a0, 0xd7b5a0)
/toolchain/go/src/runtime/debug/stack.go:24 +0x9d`,
  },
  {
    name: "go: go-mix/mix#77",
    output: `panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x51e699]

goroutine 7 [running]:
github.com/go-mix/mix/bind/sample.OutNextBytes()
	/home/runner/work/mix/mix/bind/sample/out.go:27 +0x19
FAIL	github.com/go-mix/mix/bind	0.007s`,
  },
  {
    name: "go: stretchr/testify#847",
    output: `--- FAIL: TestTxValidatorSuite/TestCreateCRCAppropriationTransaction (0.00s)
    	suite.go:62: test panicked: runtime error: invalid memory address or nil pointer dereference
    		goroutine 159 [running]:
    		runtime/debug.Stack(0xc4213258a8, 0x992060, 0xd9f920)
    			/home/travis/.gimme/versions/go1.10.linux.amd64/src/runtime/debug/stack.go:24 +0xa7`,
  },
  {
    name: "cargo: llogiq/flame#25",
    output: `	thread 'threads' panicked at 'assertion failed: \`(left == right)\` (left: \`5\`, right: \`6\`)', tests/tests.rs:111`,
  },
  {
    name: "cargo: ankddev/envfetch#52",
    output: `thread 'main' panicked at /home/runner/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cargo2junit-0.1.14/src/main.rs:191:21:
assertion \`left == right\` failed
  left: None
 right: Some("commands::tests::test_interactrive_mode")
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace
     Running tests/cli.rs (target/debug/deps/cli-e06704f7b1241927)
error: io error when listing tests: Os { code: 32, kind: BrokenPipe, message: "Broken pipe" }`,
  },
  {
    name: "cargo: ajrcarey/pdfium-render#266",
    output: `thread '<unnamed>' (7944) panicked at src/pdf/document/page/index_cache.rs:1217:21:
assertion \`left == right\` failed
  left: 2
 right: 1
stack backtrace:
   0:     0x55cc7b554098 - std[1e3c4ec04c5261a9]::backtrace_rs::backtrace::libunwind::trace`,
  },
  {
    name: "cargo: rustation/cargo-test-junit#5",
    output: `thread 'main' panicked at 'Parser error Alt', src/main.rs:43:30
note: Run with \`RUST_BACKTRACE=1\` for a backtrace.
stack backtrace:
   0: std::sys::unix::backtrace::tracing::imp::unwind_backtrace`,
  },
  {
    name: "jest: JeanPaiva42/jest-an-issue#47, the first",
    output: `  ● example tests › test that always fails

    expect(received).toBe(expected) // Object.is equality

    Expected: true
    Received: false

    > 4 |         expect(false).toBe(true);
        |                       ^

      at Object.<anonymous> (tests/example-test.test.js:4:23)`,
  },
  {
    name: "jest: JeanPaiva42/jest-an-issue#47, the second",
    output: `  ● example tests › test that always fails too

    expect(received).toBe(expected) // Object.is equality

    Expected: false
    Received: true

    > 12 |         expect(true).toBe(false);
         |                      ^

      at Object.<anonymous> (tests/example-test.test.js:12:22)`,
  },
  {
    name: "vitest: vitest-dev/vitest#10790",
    output: ` FAIL  broken.test.js [ broken.test.js ]
Error: Failed to resolve import "@nonexistent/pkg-zzz" from "src/widget.js". Does the file exist?
  Plugin: vite:import-analysis

 Test Files  1 failed | 1 passed (2)
      Tests  1 passed (1)
   Start at  11:51:08
   Duration  21.47s (transform 26.64s, setup 9.24s, import 71.65s, tests 6.47s, environment 57ms)`,
  },
  {
    name: "maven: junit-team/junit4#1289",
    output: `Running org.junit.tests.AllTests
Tests run: 941, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 6.984 sec <<< FAILURE! - in org.junit.tests.AllTests
failingTest(org.junit.tests.description.TestDescriptionTest)  Time elapsed: 0.003 sec  <<< ERROR!
java.lang.AssertionError: purposefully failing test
	at org.junit.tests.description.TestDescriptionTest.failingTest(TestDescriptionTest.java:27)`,
  },
  {
    name: "maven: pkiraly/qa-catalogue#457",
    output: `Results :

Failed tests:   pica(de.gwdg.metadataqa.marc.cli.ClassificationAnalysisTest): expected:<...t,percent(..)
  formatRow(de.gwdg.metadataqa.marc.cli.utils.CollocationTest): expected:<lcsh;udc,3416,68[.]32%(..)

Tests run: 1015, Failures: 2, Errors: 0, Skipped: 0

[INFO] BUILD FAILURE
[INFO] Total time:  47.905 s
[INFO] Finished at: 2024-04-16T10:57:14+02:00
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on project qa-catalogue: There are test failures.`,
  },
  {
    name: "maven: apache/maven-pmd-plugin#178",
    output: `[INFO] Tests run: 6, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1.661 s -- in org.apache.maven.plugins.pmd.PmdViolationCheckMojoTest
[INFO] Results:
[ERROR] Failures:
[ERROR]   CpdViolationCheckMojoTest.testException:68 MojoFailureException should be thrown.
[ERROR] Tests run: 50, Failures: 1, Errors: 0, Skipped: 0
[INFO] Total time:  36.845 s`,
  },
];
