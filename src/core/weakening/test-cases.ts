/** What a test case and an assertion look like, language by language. */
import type { SourceFile } from "./code-file.ts";

type Counted = Partial<Record<SourceFile["language"], RegExp>>;
const attributed = /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b/g;

/** A test case, once for each. */
export const testCases: Counted = {
  js: /(?<![\w$.])(?:x|f)?(?:it|test|specify)(?:\.\w+){0,4}?(?:\s*[(`]|<)/g,
  dart: /(?<![\w$.])(?:test|testWidgets)\s*\(/g,
  py: /^\s*(?:\w+\s+)?def\s+test\w*\s*\(/g,
  rs: /#\[\s*(?:\w+::){0,3}(?:test|rstest|test_case)\b/g,
  go: /^func\s+(?:Test|Fuzz|Example)\w*\s*\(/g,
  jvm: attributed,
  cs: /\[\s*(?:Fact|Theory|Test|TestMethod|TestCase)\b/g,
  rb: /^\s*(?:it|specify|scenario|test|should)\s+(?:""|do\b|\{)|^\s*def\s+test_/g,
  php: /\bfunction\s+test\w*\s*\(|#\[\s*Test\b/g,
  swift: /\bfunc\s+test\w*\s*\(|@Test\b/g,
  ex: /^\s*test\s+""/g,
  c: /^\s*(?:TEST(?:_F|_P|_CASE)?|BOOST_AUTO_TEST_CASE)\s*\(/g,
};

const calls =
  /(?<![\w$])(?:assert\w*|expect\w*|verify|Assert\.\w+|XCTAssert\w*|\$this->assert\w+)\s*\(|\.should\w*\s*\(/g;

/** An assertion, once for each. */
export const assertions: Counted = {
  js: /(?<![\w$.])(?:expect(?:TypeOf|Type)?|assert(?:\.\w+)?)(?:\.\w+)?\s*\(|\.should\b|(?<![\w$.])t\.(?:is|not|deepEqual|equal|ok|true|false|throws|truthy|falsy|assert)\s*\(/g,
  dart: /(?<![\w$.])expect\w*\s*\(/g,
  py: /^\s*assert\b|\.assert\w+\s*\(|\bpytest\.raises\b/g,
  rs: /(?<!\w)(?:debug_)?assert(?:_eq|_ne|_matches)?!/g,
  go: /(?<!\w)[tb]\.(?:Errorf?|Fatalf?|Fail|FailNow)\s*\(|(?<!\w)(?:assert|require)\.\w+\s*\(/g,
  jvm: calls,
  cs: calls,
  php: calls,
  swift: calls,
  rb: /(?<![\w.])(?:expect|assert\w*|refute\w*)\b|\.(?:must|should)\w*\b/g,
  ex: /(?<![\w.])(?:assert|refute)\w*\b/g,
  c: /(?<!\w)(?:EXPECT|ASSERT|REQUIRE|CHECK)(?:_\w+)?\s*\(/g,
};

/** Whether a file of this name holds tests: in Rust any may, beside what they test. */
export function holdsTests(file: SourceFile): boolean {
  return file.test || file.language === "rs";
}
