/** Toolchains and package caches below a home: the parts of each that a sandbox shows, read-only and never a credential, and the places of caches. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { placeOf } from "./state.ts";

/**
 * Lists are words separated by blanks. A place is `VARIABLE`, `VARIABLE/below/it`, or `~/in/the/home`; every existing one
 * counts. Only `shows` may be read of it, where `.` is the folder itself and `*` any one name; `hides` names hidden entries.
 * `settings` are files that may hold a token: each is shown if no line looks like one.
 */
type Toolchain = readonly [at: string, shows: string, hides?: string, settings?: string];

/**
 * The parts of a home that most checks need: Node, Python, Rust, Go, Java, Ruby, PHP and .NET by their usual managers, and Playwright's
 * browsers. A person with another manager (conda, Homebrew, opam …) names its folder in `sandboxRead`. A row is here only if
 * the folders of the PATH, which are shown anyway, are not enough, or if one of them holds a credential.
 */
const toolchains: readonly Toolchain[] = [
  // nvm, fnm and Volta; each Node has a global npmrc: https://docs.npmjs.com/cli/configuring-npm/npmrc
  ["NVM_DIR ~/.nvm ~/.config/nvm", "nvm.sh nvm-exec alias versions", "versions/node/*/etc/npmrc"],
  [
    "FNM_DIR ~/.local/share/fnm ~/.fnm",
    "aliases node-versions fnm",
    "node-versions/*/installation/etc/npmrc",
  ],
  ["VOLTA_HOME ~/.volta", "bin tools layout.v4 hooks.json", "tools/image/node/*/etc/npmrc hooks.json"],
  // https://pnpm.io/settings#store-dir
  ["PNPM_HOME ~/.local/share/pnpm", "*", "store nodejs/*/etc/npmrc"],
  // https://asdf-vm.com/manage/configuration.html
  [
    "ASDF_DIR ASDF_DATA_DIR ~/.asdf",
    ".",
    "installs/nodejs/*/etc/npmrc installs/rust/*/config.toml installs/rust/*/credentials installs/rust/*/credentials.toml installs/python/*/pip.conf installs/maven/*/conf/settings.xml",
  ],
  // https://mise.jdx.dev/directories.html
  [
    "MISE_DATA_DIR ~/.local/share/mise",
    "installs plugins shims",
    "installs/node/*/etc/npmrc installs/python/*/pip.conf installs/maven/*/conf/settings.xml installs/maven/*/*/conf/settings.xml",
  ],
  ["MISE_STATE_DIR ~/.local/state/mise", "trusted-configs"],
  // pyenv and rbenv; pip's file of an environment: https://pip.pypa.io/en/stable/topics/configuration/
  [
    "PYENV_ROOT ~/.pyenv RBENV_ROOT ~/.rbenv",
    "bin libexec shims versions plugins version pyenv.d rbenv.d completions src",
    "versions/*/pip.conf versions/*/envs/*/pip.conf",
  ],
  // uv, pipx and Poetry; Go and Java; Playwright's browsers
  [
    "UV_PYTHON_INSTALL_DIR ~/.local/share/uv/python UV_TOOL_DIR ~/.local/share/uv/tools PIPX_HOME/venvs ~/.local/share/pipx/venvs ~/.local/pipx/venvs ~/.local/share/pypoetry/venv GOROOT JAVA_HOME ~/.jdks PLAYWRIGHT_BROWSERS_PATH ~/.cache/ms-playwright",
    ".",
    "pip.conf */pip.conf",
  ],
  ["GOPATH ~/go", "bin"],
  // rustup and Cargo: https://doc.rust-lang.org/cargo/guide/cargo-home.html
  [
    "RUSTUP_HOME ~/.rustup CARGO_HOME ~/.cargo",
    "toolchains settings.toml update-hashes bin env",
    "credentials.toml credentials",
    "config.toml config",
  ],
  // Passwords in gradle.properties and settings.xml, their key in settings-security.xml
  ["GRADLE_USER_HOME ~/.gradle", "jdks", "gradle.properties init.d"],
  [
    "MAVEN_USER_HOME ~/.m2",
    "wrapper toolchains.xml",
    "settings.xml settings-security.xml settings-security4.xml",
  ],
  // https://guides.rubygems.org/environment-variables
  ["GEM_HOME", ".", "credentials"],
  ["~/.gem ~/.local/share/gem", "ruby", "credentials"],
  // https://getcomposer.org/doc/03-cli.md#composer-home
  ["COMPOSER_HOME ~/.config/composer ~/.composer", "vendor", "auth.json", "config.json"],
  [
    "DOTNET_ROOT ~/.dotnet",
    "dotnet host sdk sdk-manifests shared packs templates library-packs metadata tools",
  ],
  // The home itself: files that name versions and package sources.
  [
    "~",
    ".tool-versions .asdfrc .python-version .ruby-version .node-version .nvmrc",
    "",
    ".npmrc .yarnrc .yarnrc.yml .gemrc .bundle/config .pip/pip.conf .config/pip/pip.conf .config/uv/uv.toml .config/mise.toml .config/mise/config.toml .config/pnpm/rc .config/go/env .nuget/NuGet/NuGet.Config",
  ],
];

/** Package caches by name: the first place named by a variable, else the one in the home. */
const caches: Readonly<Record<string, string>> = {
  // Not the whole ~/.npm: with `npx monoco` it contains a folder of the PATH.
  npm: "npm_config_cache/_cacache ~/.npm/_cacache",
  corepack: "COREPACK_HOME ~/.cache/node/corepack",
  "pnpm-store": "PNPM_HOME/store ~/.local/share/pnpm/store",
  pnpm: "~/.cache/pnpm",
  yarn: "YARN_CACHE_FOLDER ~/.cache/yarn",
  "yarn-berry": "YARN_GLOBAL_FOLDER ~/.yarn/berry",
  pip: "PIP_CACHE_DIR ~/.cache/pip",
  uv: "UV_CACHE_DIR ~/.cache/uv",
  poetry: "POETRY_CACHE_DIR ~/.cache/pypoetry",
  "cargo-registry": "CARGO_HOME/registry ~/.cargo/registry",
  "cargo-git": "CARGO_HOME/git ~/.cargo/git",
  "go-mod": "GOMODCACHE GOPATH/pkg/mod ~/go/pkg/mod",
  "go-build": "GOCACHE ~/.cache/go-build",
  maven: "~/.m2/repository",
  gradle: "GRADLE_USER_HOME/caches ~/.gradle/caches",
  "gradle-wrapper": "GRADLE_USER_HOME/wrapper ~/.gradle/wrapper",
  composer: "COMPOSER_CACHE_DIR ~/.cache/composer",
  bundler: "BUNDLE_USER_CACHE ~/.bundle/cache",
  nuget: "NUGET_PACKAGES ~/.nuget/packages",
};

type Env = Readonly<Record<string, string | undefined>>;

const wordsIn = (list = ""): string[] => list.split(" ").filter((word) => word !== "");

/** The variables that name toolchains and caches: programs in a sandbox need them, too. */
export const toolchainVariables: readonly string[] = [
  ...new Set(
    [...toolchains.map(([at]) => at), ...Object.values(caches)]
      .flatMap(wordsIn)
      .filter((place) => !place.startsWith("~"))
      .map((place) => place.split("/")[0]!),
  ),
];

/** The readable parts of the installed toolchains, and the files and folders whose contents the sandbox hides. */
export function toolchainsIn(home: string, env: Env): { roots: string[]; read: string[]; secret: string[] } {
  const installed = toolchains.flatMap(([at, shows, hides, settings]) =>
    placesAmong(at, home, env).map((root) => {
      const files = wordsIn(settings).map((name) => join(root, name));
      const secret = wordsIn(hides).flatMap((pattern) => matching(root, pattern));
      const shown = wordsIn(shows)
        .flatMap((pattern) => matching(root, pattern))
        .filter((path) => !secret.includes(path));
      const telling = files.filter(looksSecret);
      return {
        root,
        read: [...shown, ...files.filter((path) => !telling.includes(path))],
        secret: [...secret, ...telling],
      };
    }),
  );
  const paths = [env["NPM_CONFIG_USERCONFIG"], env["PIP_CONFIG_FILE"]].filter((path) => path !== undefined);
  return {
    roots: installed.map(({ root }) => root).filter((root) => root !== home),
    read: installed.flatMap(({ read }) => read),
    secret: [...installed.flatMap(({ secret }) => secret), ...paths.filter(looksSecret)],
  };
}

/** The place of each package manager's cache. */
export function cachePlaces(home: string, env: Env): [name: string, at: string][] {
  return Object.entries(caches).map(([name, places]) => [name, placesOf(places, home, env)[0]!]);
}

function placesOf(list: string, home: string, env: Env): string[] {
  return wordsIn(list).flatMap((place) => {
    if (place.startsWith("~")) return [placeOf(place.slice(2), home, env)];
    const [variable = "", ...below] = place.split("/");
    // GOPATH may be a list; a path with a colon could not be on the PATH.
    const values = (env[variable] ?? "").split(":").filter((value) => isAbsolute(value));
    return values.map((value) => join(value, ...below));
  });
}

function placesAmong(list: string, home: string, env: Env): string[] {
  const there = placesOf(list, home, env).filter(
    // A path of another user may be unreadable.
    (path) => attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false, false),
  );
  // A variable that names the home, or all of the disk, names no toolchain.
  return [...new Set(there)].filter((path) => list === "~" || !`${home}/`.startsWith(join(path, "/")));
}

/** The paths in a folder that a pattern matches; `.` is the folder itself. */
function matching(folder: string, pattern: string): string[] {
  if (pattern === ".") return [folder];
  return pattern.split("/").reduce<string[]>(
    (above, part) =>
      above.flatMap((path) => {
        if (part !== "*") return [join(path, part)];
        return existsSync(path) ? attempt(() => readdirSync(path), []).map((name) => join(path, name)) : [];
      }),
    [folder],
  );
}

/** Names of secrets, prefixes of well-known tokens, a login or a token in an address, a list of variables, and a NUL. */
const secretLine =
  /pass|pwd|pw\b|secret|token|auth|credential|key|private|(?:\b|_)pat\b|gh[pousr]_|glpat-|sk-|akia|\[env\]|\0|:\/\/[^\s/]*@|\/t\/|\/[\w-]{16,}(?:\/|\s|$)/im;
const settingsBytesMax = 100_000;

/** Whether a line of the file may be a token or a password. A line that is too long, an unreadable file and a folder count, too. */
export function looksSecret(path: string): boolean {
  // Most files are missing, and an error is slow.
  if (!existsSync(path)) return false;
  return attempt(() => {
    const stat = statSync(path);
    return !stat.isFile() || stat.size > settingsBytesMax || secretLine.test(readFileSync(path, "utf8"));
  }, true);
}
