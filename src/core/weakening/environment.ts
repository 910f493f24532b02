/** Signs that code detects being tested: it asks for its runner, its caller, the machine, the person, the files around it, or the date. */

/** Variables of test runners, of coverage and of CI: `PYTEST_VERSION`, `BATS_TEST_NAME` … */
const runners =
  "(?:VITEST|CYPRESS|NODE_V8_COVERAGE|GITHUB_ACTIONS|GITLAB_CI|CIRCLECI|BUILDKITE|JENKINS_URL|TF_BUILD|npm_(?:lifecycle_event|command|execpath)|(?:NODE_TEST|PYTEST|PHPUNIT|JEST|VITEST|MOCHA|CYPRESS|PLAYWRIGHT|TEST_WORKER|BATS|TOX_ENV|NEXTEST|RUST_TEST|COVERAGE_(?:RUN|PROCESS|FILE))_\\w+)";

/** Files that a checkout or a test set-up has, and an installation has not. */
const markers =
  "(?:node_modules|\\.bin/|\\.git\\b|__tests__|\\btests?\\b|\\bspecs?\\b|vitest|jest|mocha|pytest|conftest)";

export const asksWhereItRuns: readonly RegExp[] = [
  // Variables.
  new RegExp(`\\bMONOCO_[A-Z]|\\.monoco\\b|\\bRALPH\\.md\\b|(?<!\\w)${runners}\\b`),
  /\benv(?:iron)?\b[.\w?]{0,8}(?:\.|\[\s*["']|\(\s*["'])(?:CI|HOME|USERPROFILE|USER|USERNAME|LOGNAME|HOSTNAME|INIT_CWD|OLDPWD)\b|[gG]etenv\(\s*["'](?:CI|HOME|USER|LOGNAME|HOSTNAME)\b|\$\{?(?:CI\b(?!\s*(?:->|=))|(?:HOME|HOSTNAME|USER|LOGNAME)\b)|\bCI\b[^}]{0,60}\}\s*=\s*process\.env\b/,
  /\b(?:NODE|RAILS|RACK|APP|MIX)_ENV\b.{0,12}={1,3}\s*["':]?test|\b(?:Rails|Mix)\.env\b.{0,8}\btest\b/,
  // The program and its parents. Words after the program's name are its arguments; a file that is also a program has its usual idiom.
  /^(?!\s*if \((?:require\.main === module|import\.meta\.main|process\.argv\[1\] === fileURLToPath\(import\.meta\.url\))\)|.*(?:BASH_SOURCE|__FILE__)).*(?:\bargv(?:\?\.)?\[\s*0\s*\]|\bprocess\??\.argv(?:\?\.)?\[\s*1\s*\]|\bargv\??\.at\(\s*[01]\s*\)|\bos\.Args\[\s*0\s*\]|\brequire\.main\b|\bimport\.meta\.main\b|(?:\bcase\s|\[.{0,20})"?\$\{?0\b|\$PROGRAM_NAME\b)/,
  /\bprocess\??\.(?:execArgv|mainModule|ppid|title)\b|\b(?:process|sys)\.argv\b.{0,60}(?:test|spec)|\bmodule\.parent\b|\brequire\.cache\b|\b(?:posix_)?[gG]etppid\(|\bProcess\.ppid\b|\$PPID\b|\/proc\/(?:self|\$)|\bgetproctitle\(|\bos\.Executable\(|\bcurrent_exe\(|["']sun\.java\.command["']/,
  // The runner's modules.
  /\btypeof (?:global(?:This)?\.)?(?:jest|vi|describe|it|expect|suite)\b|\bglobal(?:This)?\.(?:jest|describe|it|expect)\b|\bsys\.modules\b(?!\[__name__\])|\btesting\.Testing\(|\bflag\.Lookup\(\s*"test\.|^(?!\s*#\[cfg\(test\)\]).*\bcfg!?\((?:not\()?test\b|\bdefined\?\(\s*(?:RSpec|Minitest|Test::Unit|Cucumber)|\bclass_exists\(.{0,20}PHPUnit|\bforName\(.{0,40}(?:junit|testng)|\bGetAssemblies\(\).{0,80}(?:xunit|nunit)/i,
  // The callers.
  /\bError\([^()]{0,80}\)\??\.stack\b|\.stack\b.{0,40}(?:test|spec)|\.stack\??\.(?:includes|split|match|indexOf|search)\b|\b(?:captureStackTrace(?!\(this\b)|prepareStackTrace|getCallSites?)\b|\bsys\._getframe\b|\binspect\.(?:stack|currentframe)\b|\btraceback\.(?:extract|format|walk)_stack\b|\bruntime\.(?:Callers?|Stack)\(|\bdebug\.Stack\(|\bBacktrace::|\bcaller(?:_locations)?(?:\(\d|\.(?:first|grep|join|\w+\?[ ({]))|\bdebug_(?:print_)?backtrace\(|\b(?:currentThread|new (?:Throwable|Exception))\(\)\.getStackTrace\b|\bStackWalker\b|\bnew Stack(?:Trace|Frame)\(|\bEnvironment\.StackTrace\b/,
  // The person and the machine.
  /\bhome_?dir\(|\bexpanduser\(|\bPath\.home\(|\bUserHomeDir\(|\bDir\.home\b|["']user\.home["']|\b(?:get)?hostname\(|\bHostname\(|\buserInfo\(\)|\bgetpass\.getuser\(|\bgetlogin\(|\$\((?:hostname|whoami)\)|^(?!.*\b(?:import|from|require|export)\b).*[\s="']~\//,
  // The files around it.
  new RegExp(
    `\\b(?:exists?\\w*|is_?[fF]ile|is_?[dD]ir\\w*|l?stat(?:Sync)?|access(?:Sync)?|Stat|readdir(?:Sync)?|listdir|glob(?:Sync)?)\\??\\(.{0,60}${markers}|(?:\\[|\\btest)\\s+(?:!\\s+)?-[a-z]\\s.{0,60}${markers}`,
  ),
  // The date.
  /(?:Date\.now\(\)|new Date\(\)(?:\.getTime\(\))?|datetime\.(?:now|today|utcnow)\(\)|date\.today\(\)|time\.Now\(\))\s*(?:[<>]=?|\.(?:After|Before)\()\s*(?:new Date\(\s*["'\d]|Date\.parse\(|Date\.UTC\(|datetime\(|date\(|time\.Date\(|\d{9,})/,
];
