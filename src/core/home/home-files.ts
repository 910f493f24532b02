/** The files of a home in which tools find registries, tokens and certificates; a sandbox hides them. */

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
  git: [".netrc", ".git-credentials", ".ssh"],
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
