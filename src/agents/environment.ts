/** The environment of an agent or a check: an allow-list, never the person's other secrets. */
import { accessSync, constants, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { attempt } from "../core/error/attempt.ts";
import { toolchainVariables } from "./toolchains.ts";

/** The variables by which tools are told of a company's certificates; a sandbox shows what they name. */
const certificateVariables = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "PIP_CERT",
  "CARGO_HTTP_CAINFO",
  "AWS_CA_BUNDLE",
  "npm_config_cafile",
  "DENO_CERT",
];

/** The system's configuration of git, and below it a name and an address. */
const gitConfig = fileURLToPath(new URL("../../templates/gitconfig", import.meta.url));

/** The variables that any program needs, including locale, proxies and certificates. */
const common = [
  ...certificateVariables,
  ..."PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TZ XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME".split(
    " ",
  ),
  ..."HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy".split(" "),
  ..."npm_config_registry npm_config_cache NPM_CONFIG_USERCONFIG NODE_COMPILE_CACHE".split(" "),
];

/** The files and folders that these variables name, without those that have a private key. */
export function certificatesIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return certificateVariables
    .flatMap((name) => (env[name] ?? "").split(":"))
    .filter((path) => path.startsWith("/") && ![path, ...filesOf(path)].some(hasPrivateKey));
}

/** The readable files in a folder; a session could not read the others either. */
const filesOf = (folder: string): string[] =>
  attempt(() => readdirSync(folder), [])
    .map((name) => join(folder, name))
    .filter((path) => isFile(path, constants.R_OK));

/** With its text: a program that looks for keys has the first line alone. */
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[\w+/=:, -]{16}/;

export const hasPrivateKey = (path: string): boolean =>
  isFile(path) && attempt(() => privateKey.test(readFileSync(path, "latin1")), true);

/** The variables of credentials for Amazon. */
export const amazonKeys: readonly string[] = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
];

/** The variables of a login to models at Amazon. */
export const amazon = [...amazonKeys, "AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "AWS_REGION"];

/**
 * The variables of `from` that may pass (`names` besides the common ones), then `own`. `binFolder` comes first on the PATH, so
 * that `monoco` is the one that started the session. Relative folders of the PATH are left out: an agent could put a program
 * of its own there. In a `clone`, mise trusts its settings, and git has a name for commits elsewhere that any configuration overrides.
 */
export function scrubbedEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  options: {
    names: readonly string[];
    binFolder: string;
    own: Readonly<Record<string, string>>;
    clone?: string;
  },
): Record<string, string> {
  const kept = namedIn(from, [...common, ...options.names]);
  // Only paths pass: another value of a toolchain variable could be a secret.
  for (const name of toolchainVariables) {
    const value = from[name];
    if (value?.startsWith("/")) kept[name] = value;
  }
  return {
    ...kept,
    TERM: "dumb",
    NO_COLOR: "1",
    GIT_TERMINAL_PROMPT: "0",
    ...(options.clone !== undefined && {
      MISE_TRUSTED_CONFIG_PATHS: options.clone,
      GIT_CONFIG_SYSTEM: gitConfig,
    }),
    ...options.own,
    PATH: [options.binFolder, ...foldersOf(options.own["PATH"] || kept["PATH"] || "")].join(":"),
  };
}

/**
 * What to mask of the variables that set-up and checks get: their values, and the passwords in these, but for numbers, hosts, paths
 * and addresses without a password, which the Reviewer's commands may need as they are. A name may say that any value is a secret,
 * or that a word is none.
 */
export function secretsIn(
  from: Readonly<Record<string, string | undefined>>,
  { setup, checks }: { setup: readonly string[]; checks: readonly string[] },
): string[] {
  return Object.entries(namedIn(from, [...setup, ...checks])).flatMap(([name, value]) =>
    isPlain(name, value) ? [] : [value, ...passwordsIn(value)],
  );
}

function isPlain(name: string, value: string): boolean {
  if (secretName.test(name) || secretPath.test(value) || passwordsIn(value).length > 0) return false;
  if (/WEBHOOK/i.test(name) && value.includes("://")) return false;
  return plainValue.test(value) || (wordName.test(name) && plainWord.test(value));
}

const secretName = /TOKEN|KEY|SECRET|PASS|PWD|AUTH|CRED|COOKIE/i;
/** A part of an address that nobody would make up, as those of webhooks have. */
const secretPath = /^(?!file:)[a-z][a-z\d+.-]*:\/\/[^/]*\/(?:.*[/:=#.])?(?=[\w-]*\d)[\w-]{20}/i;
const plainValue = new RegExp(
  `^(?:${[
    // A number, an address of numbers, a port.
    String.raw`-?[\d.:,]+`,
    "true|false",
    String.raw`(?:localhost|[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,})(?::\d+)?`,
    String.raw`(?:~|\.{1,2})?(?:\/[\w.-]+)+\/?`,
    String.raw`[a-z][a-z\d+.-]*:\/\/[^@?\s]+`,
  ].join("|")})$`,
);

/** A password may be a word; `production` and a host without a domain are words, too. */
const wordName = /(?:ENV|MODE|LEVEL|STAGE|REGION|HOST|HOSTNAME|SERVER|USER|NAME|DATABASE|DB)$/i;
const plainWord = /^[a-z]+(?:[._-][a-z0-9]+)*$/;

/** The passwords of addresses, also in a list, as they are and as a program may print them. */
function passwordsIn(value: string): string[] {
  const passwords = [value, ...value.split(/[\s,;]+/)].flatMap((text) =>
    passwordPatterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, password = ""]) => password)),
  );
  return [...new Set(passwords.flatMap((one) => [one, attempt(() => decodeURIComponent(one), one)]))];
}

/** A user and a password, with a scheme and without, a token in the user's place, a parameter. */
const passwordPatterns = [
  /:\/\/[^:@/\s]*:([^/?#\s]+)@/g,
  /^[^:@/\s]+:([^/?#\s]+)@(?!sha\d+:)[\w.-]*[(/:]/g,
  /^https?:\/\/([^:@/\s]{16,})@/gi,
  /(?:password|passwd|(?<![a-z])(?:pass(?:phrase)?|pwd|secret|token|sig)|(?:api|access|account|secret|private)_?key)["']?\s*[:=]\s*["']?([^"'&;,\s]+)/gi,
];

/** What results depend on of the variables that set-up and checks get: a token for set-up may be another each day, a check's database may not. */
export function givenIn(
  from: Readonly<Record<string, string | undefined>>,
  { setup, checks }: { setup: readonly string[]; checks: readonly string[] },
): [setup: string[], checks: Record<string, string>] {
  return [Object.keys(namedIn(from, setup)), namedIn(from, checks)];
}

/** The variables of `from` that are set and have these names. */
export function namedIn(
  from: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function foldersOf(path: string): string[] {
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  return folders.length > 0 ? folders : ["/usr/local/bin", "/usr/bin", "/bin"];
}

/** Whether `path` is a file; a whole script as an argument (`sh -c …`) is too long for a path, so it is not. */
export function isFile(path: string, mode = constants.F_OK): boolean {
  return attempt(() => {
    accessSync(path, mode);
    return statSync(path).isFile();
  }, false);
}

/** Whether the PATH has the program. Relative folders do not count: they would be in the clone. */
export function isOnPath(program: string, path: string): boolean {
  if (program.includes("/")) return isFile(program, constants.X_OK);
  return path
    .split(delimiter)
    .some((folder) => isAbsolute(folder) && isFile(join(folder, program), constants.X_OK));
}
