/** The files of a home in which tools find registries, tokens and certificates; a sandbox hides them. */
import type { Advice } from "../error/hint-schema.ts";
import { t } from "../language/translate.ts";

const npm = [".npmrc", ".yarnrc.yml", ".yarnrc"];
const python = [".pip/pip.conf", ".config/pip/pip.conf", ".config/uv/uv.toml", ".pypirc", ".netrc"];

/** By tool, from its documentation. */
const files: Readonly<Record<string, readonly string[]>> = {
  npm,
  npx: npm,
  pnpm: [...npm, ".config/pnpm/rc"],
  yarn: npm,
  bun: [...npm, ".bunfig.toml"],
  pip: python,
  pip3: python,
  python: python,
  python3: python,
  uv: python,
  poetry: [...python, ".config/pypoetry/auth.toml"],
  cargo: [".cargo/credentials.toml", ".cargo/config.toml"],
  mvn: [".m2/settings.xml"],
  mvnw: [".m2/settings.xml"],
  gradle: [".gradle/gradle.properties"],
  gradlew: [".gradle/gradle.properties"],
  dotnet: [".nuget/NuGet/NuGet.Config"],
  bundle: [".bundle/config"],
  gem: [".gem/credentials"],
  composer: [".config/composer/auth.json", ".composer/auth.json"],
  go: [".netrc", ".config/go/env"],
  git: [".gitconfig", ".config/git/config", ".netrc", ".git-credentials", ".ssh"],
  curl: [".netrc", ".curlrc"],
  docker: [".docker/config.json"],
};

/** Places of keys, tokens and passwords besides; names in the home. */
const keys =
  ".ssh .gnupg .aws .azure .kube .password-store .pki .vault-token .pgpass .my.cnf .config/gcloud .config/gh .config/op .config/sops .config/git/credentials .config/rclone .terraform.d .local/share/keyrings .mozilla .config/chromium .config/google-chrome";

/** The places in a home that may hold credentials, by their names in it. */
export const credentialNames: readonly string[] = [
  ...new Set([...keys.split(" "), ...Object.values(files).flat()]),
];

/** The files below the home that the programs of a command may read, by their names in it. */
export function homeFilesOf(command: string): string[] {
  const programs = command.match(/[\w.-]+/g) ?? [];
  return [...new Set(programs.flatMap((name) => (Object.hasOwn(files, name) ? files[name]! : [])))];
}

/** The paths in the home that a text names. */
export function pathsIn(text: string, home: string): string[] {
  const named = text.matchAll(/(?:~|\$HOME|\$\{HOME\}|(?<![\w./-])\/[\w.-]+)(?:\/[\w.@+-]+)+/g);
  const paths = [...named].map(([path]) => path.replace(/^(?:~|\$HOME|\$\{HOME\})/, () => home));
  return [...new Set(paths.map((path) => path.replace(/\.+$/, "")))].filter((path) =>
    path.startsWith(`${home}/`),
  );
}

/** A path in a home (`~/…`) that a sandbox hides, and the command or file that names it. */
export type Hidden = { path: string; by: string };

/** An agent that cannot take over from the first of a role's list: no session may start with its settings. */
export type RefusedAgent = { agent: string; said: string; hint: Advice };

/** An agent whose sessions get the credentials of a profile of AWS. */
export type LentProfile = { agent: string; profile: string };

/** What a person should know of a home before a run. */
export type HomeAhead = { hidden: Hidden[]; fallbacks: RefusedAgent[]; profiles: LentProfile[] };

export const lentWords = ({ agent, profile }: LentProfile): string =>
  t`sessions of ${agent} are to get short-lived credentials of the AWS profile ${profile}`;

export const refusedWords = ({ agent, said }: RefusedAgent): string => t`${agent} cannot take over: ${said}`;

export const hiddenWords = ({ path, by }: Hidden): string =>
  t`the sandbox hides ${path}, which ${by} may need`;

/** The line of monoco.yaml that shows the paths. */
export const showsWords = (paths: readonly string[]): string =>
  t`\`sandboxRead: [${paths.join(", ")}]\` shows it to agents, too`;

/** The end of a sentence about a failure that these hidden paths may have caused. */
export function hidesWords(hidden: readonly string[] = []): string {
  return hidden.length === 0 ? "" : t`; the sandbox hides ${hidden.join(", ")}: ${showsWords(hidden)}`;
}
