/** The environment of agents and checks: an allow-list, what the agent needs for its login, and never the rest. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import { hasPrivateKey, scrubbedEnvironment, secretsIn } from "../../src/agents/environment.ts";
import { temporaryFolder } from "../support/repository.ts";

const quiet = { TERM: "dumb", NO_COLOR: "1", GIT_TERMINAL_PROMPT: "0" };

test.for<
  [string, Record<string, string | undefined>, Partial<Parameters<typeof scrubbedEnvironment>[1]>, object]
>([
  [
    "a person's secrets stay behind",
    { AWS_SECRET_ACCESS_KEY: "s", GITHUB_TOKEN: "s", SSH_AUTH_SOCK: "s", NODE_OPTIONS: "s", LD_PRELOAD: "s" },
    {},
    {},
  ],
  [
    "what any program needs passes",
    {
      HOME: "/home/p",
      USER: "p",
      LANG: "zh_CN.UTF-8",
      TZ: "Asia/Shanghai",
      https_proxy: "http://proxy",
      NODE_COMPILE_CACHE: "/c",
    },
    {},
    {
      HOME: "/home/p",
      USER: "p",
      LANG: "zh_CN.UTF-8",
      TZ: "Asia/Shanghai",
      https_proxy: "http://proxy",
      NODE_COMPILE_CACHE: "/c",
    },
  ],
  [
    "what the agent needs for its login passes by name",
    { A_KEY: "1", B_KEY: "2" },
    { names: ["A_KEY", "C_KEY"] },
    { A_KEY: "1" },
  ],
  ["a variable that is set to nothing is set to nothing", { LANG: "", HOME: undefined }, {}, { LANG: "" }],
  [
    "our own win over the person's, and over ours for quiet",
    { HOME: "/home/p" },
    { own: { HOME: "/tmp/h", TERM: "xterm", X: "1" } },
    { HOME: "/tmp/h", TERM: "xterm", X: "1" },
  ],
  [
    "names of every object's properties are variables like others",
    { HOME: "/h" },
    { names: ["constructor", "toString"] },
    { HOME: "/h" },
  ],
])("%s", ([, from, options, expected]) => {
  const env = scrubbedEnvironment(Object.assign(Object.create(null), from), {
    names: [],
    binFolder: "/monoco/bin",
    own: {},
    ...options,
  });
  expect(env).toEqual({ ...quiet, PATH: "/monoco/bin:/usr/local/bin:/usr/bin:/bin", ...expected });
});

describe("on the PATH, the monoco that started the session stands first", () => {
  test.for<[string, Record<string, string>, Record<string, string>, string]>([
    ["before the person's", { PATH: "/a:/b" }, {}, "/bin-of-monoco:/a:/b"],
    [
      "before the agent's own, which replaces the person's",
      { PATH: "/a:/b" },
      { PATH: "/c" },
      "/bin-of-monoco:/c",
    ],
    ["before the system's, where there is none", {}, {}, "/bin-of-monoco:/usr/local/bin:/usr/bin:/bin"],
    ["and an empty one is none", { PATH: "" }, {}, "/bin-of-monoco:/usr/local/bin:/usr/bin:/bin"],
    // They would be the workspace's: an agent could put a `git` there.
    ["without folders that are not absolute", { PATH: ".:/a::node_modules/.bin:" }, {}, "/bin-of-monoco:/a"],
  ])("%s", ([, from, own, expected]) => {
    expect(scrubbedEnvironment(from, { names: [], binFolder: "/bin-of-monoco", own })["PATH"]).toBe(expected);
  });
});

const vendors: Record<keyof typeof agents, RegExp> = {
  claude: /^(ANTHROPIC|CLAUDE_CODE|CLAUDE_CONFIG|AWS|GOOGLE|CLOUD_ML)_/,
  codex: /^(CODEX|OPENAI|AZURE_OPENAI|AWS)_/,
  gemini: /^(GEMINI|GOOGLE|CODE_ASSIST)_|^CLOUD_SHELL$/,
  acp: /^$/,
  command: /^$/,
  // It speaks to whom its person has a key for.
  opencode: /^(OPENCODE_|AWS_|GOOGLE_|AZURE_)|^[A-Z]+(_GENERATIVE_AI)?_API_KEY$/,
  scripted: /^$/,
};

test.for(Object.values(agents))(
  "agent $kind asks for no more than names of its own vendor and cloud",
  ({ kind, passEnv }) => {
    expect(passEnv.filter((name) => !vendors[kind].test(name))).toEqual([]);
  },
);

test.for<[name: string, value: string, masked: boolean | string[]]>([
  ["DATABASE_URL", "postgres://me:secret@db.example/x", ["secret"]],
  ["DATABASE_URL", "postgresql+x://me:sec%2Fret@db/x?a=b", ["sec%2Fret", "sec/ret"]],
  ["DATABASE_URL", "postgres://:p@ss@db/x?mail=a@b", ["p@ss"]],
  ["DATABASE_URL", "jdbc:postgresql://me:secret@db/x", ["secret"]],
  ["DATABASE_URL", "jdbc:sqlserver://db;user=me;password=se%2Bcret;encrypt=true", ["se%2Bcret", "se+cret"]],
  ["DATABASE_URL", "Server=db;User Id=me;Pwd=secret", ["secret"]],
  ["DATABASE_URL", "me:secret@tcp(db:3306)/x", ["secret"]],
  ["DATABASE_URL", "postgres://me:se,cret@db/x", ["se,cret"]],
  ["REDIS_URLS", "redis://:one@a:1,redis://:two@b:2", ["one", "two"]],
  ["REPOSITORY", "https://ghp_0123456789abcdef@host.example/x", ["ghp_0123456789abcdef"]],
  ["REPOSITORY", "ssh://git@host.example/x", true],
  ["NOTIFY_WEBHOOK", "https://hooks.example/services/T0/B0/plain", true],
  ["NOTIFY", "https://hooks.example/services/T00/B00/a1B2c3D4e5F6g7H8i9J0", true],
  ["NOTIFY", "https://api.example/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", true],
  ["NOTIFY", "https://api.example/sign?sv=1&sig=abcdefgh%3D", ["abcdefgh%3D", "abcdefgh="]],
  ["OPTIONS", '{"password":"secret one"}', ["secret"]],
  ["VAPID_SUBJECT", "mailto:engineering@example.com", true],
  ["IMAGE", "postgres:16-alpine@sha256:0123abcd", true],
  ["PACKAGE", "npm:typescript@5.9", true],
  ["SONAR_ARGS", "-Dsonar.projectKey=my-project", true],
  ["WEBHOOK_HOST", "localhost", false],
  ["CACHE", "file:///home/me/project-2024-checkout-a/x", false],
  ["DOCS", "https://docs.example/a-long-name-of-a-page-in-words", false],
  ["REPOSITORY", "https://x-access@host.example/x", true],
  ["DB_LOGIN", "correcthorse", true],
  ["DB_LOGIN", "correct-horse-1", true],
  ["DATABASE_URL", "postgres://localhost/test", false],
  ["NPM_TOKEN", "plainwords", true],
  ["SENTRY", "a1B2c3D4e5F6g7H8", true],
  ["TEST_HOST", "localhost", false],
  ["PGHOST", "db-1.internal", false],
  ["PORTS", "127.0.0.1:5432", false],
  ["FIXTURES", "/data/fixtures", false],
  ["FIXTURES", "~/data/fixtures/", false],
  ["FIXTURES", "../data/fixtures", false],
  ["FEATURE", "true", false],
  ["SEED", "123456789", false],
  ["ORIGIN", "db.example.com:5432", false],
  ["ORIGIN", "localhost:5432", false],
  ["NODE_ENV", "production", false],
  ["PGHOST", "postgres", false],
  ["PGHOST", "S3cretValue", true],
  ["SIGNING", "-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5IGF0IGFsbA==\n-----END PRIVATE KEY-----", true],
])("%s=%s is masked: %s", ([name, value, masked]) => {
  const expected = masked === false ? [] : [value, ...(masked === true ? [] : masked)];
  expect(secretsIn({ [name]: value }, { setup: [], checks: [name] })).toEqual(expected);
});

test.for<[string, string, boolean]>([
  ["a key", "-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5IGF0IGFsbA==\n-----END PRIVATE KEY-----\n", true],
  [
    "an old key",
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\nbm90IGE=\n",
    true,
  ],
  [
    "a chain that ends with a key",
    "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n-----BEGIN EC PRIVATE KEY-----\nbm90IGEga2V5IGF0IGFsbA==\n",
    true,
  ],
  ["a program that looks for keys", "grep -q -- '-----BEGIN PRIVATE KEY-----' \"$1\"\n", false],
  ["a certificate", "-----BEGIN CERTIFICATE-----\nbm90IGEga2V5IGF0IGFsbA==\n", false],
])("%s is a file with a private key: %s", ([, text, isOne]) => {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, text);
  expect(hasPrivateKey(path)).toBe(isOne);
});
