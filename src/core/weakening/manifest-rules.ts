/** Lines that leave tests out in the files that build tools read: Cargo, Maven, Gradle. */
import { rule } from "./line-rule.ts";
import type { LineRule } from "./line-rule.ts";

const patterns: readonly (readonly [file: RegExp, line: string])[] = [
  [/(?:^|\/)Cargo\.toml$/, "^\\s*(?:autotests|test|doctest|harness)\\s*=\\s*false\\b"],
  [
    /(?:^|\/)pom\.xml$/,
    "<(?:exclude|excludedGroups|include)>|<(?:skip|skipTests|skipITs|maven\\.test\\.skip|testFailureIgnore|maven\\.test\\.failure\\.ignore)>\\s*true",
  ],
  [
    /\.gradle(?:\.kts)?$/,
    "^\\s*exclude(?:s|Tags|Categories|TestsMatching)?\\b(?!\\W{0,3}(?:group|module)\\b)|\\bincludeTestsMatching\\b|\\b(?:enabled|isEnabled)\\s*=\\s*false|\\bonlyIf\\b|\\b(?:ignoreFailures|setIgnoreFailures)\\b\\W{0,3}true",
  ],
];

export const manifestRules: readonly LineRule[] = patterns.map(([path, line]) =>
  rule("skipped", (file) => path.test(file.path), "line", line),
);
