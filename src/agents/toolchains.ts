/** Toolchains and package caches below a home: what of each a sandbox shows, read-only and never a credential, and where caches belong. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { placeOf } from "./state.ts";

/** Lists are words between blanks. A place is `VARIABLE`, `VARIABLE/below/it`, or `~/in/the/home`; in what is shown, `*` is any one name. */
type Toolchain = {
  /** Folders; all that are there count. */
  at: string;
  /** Of each, what may be read; nothing else is. `.` is the folder itself. */
  shows: string;
  /** Files that may hold a token: shown where no line looks like one. */
  settings?: string;
  /** Kept out of sight in what is shown. */
  hides?: string;
};

const npmrc = "etc/npmrc";

/** One row a tool, with the page that says where things are. What a row does not show (credentials, histories) is not there. */
const toolchains: readonly Toolchain[] = [
  // https://github.com/nvm-sh/nvm#git-install; each Node has a global npmrc: https://docs.npmjs.com/cli/configuring-npm/npmrc
  {
    at: "NVM_DIR ~/.nvm ~/.config/nvm",
    shows: "nvm.sh nvm-exec alias versions",
    hides: `versions/node/*/${npmrc}`,
  },
  // https://docs.rs/crate/fnm/latest/source/src/directories.rs: ~/.fnm where it is there
  {
    at: "FNM_DIR ~/.local/share/fnm ~/.fnm",
    shows: "aliases node-versions fnm",
    hides: `node-versions/*/installation/${npmrc}`,
  },
  // https://docs.volta.sh/advanced/installers
  {
    at: "VOLTA_HOME ~/.volta",
    shows: "bin tools layout.v4 hooks.json",
    hides: `tools/image/node/*/${npmrc} hooks.json`,
  },
  // https://asdf-vm.com/manage/configuration.html
  {
    at: "ASDF_DIR ASDF_DATA_DIR ~/.asdf",
    shows: ".",
    hides: `installs/nodejs/*/${npmrc} installs/rust/*/config.toml installs/rust/*/credentials installs/rust/*/credentials.toml installs/python/*/pip.conf installs/maven/*/conf/settings.xml`,
  },
  // https://mise.jdx.dev/directories.html, /configuration/environment-variables.html; age.txt is a key
  {
    at: "MISE_DATA_DIR ~/.local/share/mise",
    shows: "installs plugins shims",
    hides: `installs/node/*/${npmrc} installs/python/*/pip.conf installs/maven/*/conf/settings.xml installs/maven/*/*/conf/settings.xml`,
  },
  { at: "MISE_CONFIG_DIR ~/.config/mise", shows: "", settings: "config.toml settings.toml" },
  { at: "MISE_STATE_DIR ~/.local/state/mise", shows: "trusted-configs" },
  // https://github.com/pyenv/pyenv#environment-variables; pip's file of an environment: https://pip.pypa.io/en/stable/topics/configuration/
  {
    at: "PYENV_ROOT ~/.pyenv",
    shows: "bin libexec shims versions plugins version pyenv.d completions src",
    hides: "versions/*/pip.conf versions/*/envs/*/pip.conf",
  },
  // https://github.com/rbenv/rbenv#environment-variables; secrets of its plugin rbenv-vars in vars
  {
    at: "RBENV_ROOT ~/.rbenv",
    shows: "bin libexec shims versions plugins version rbenv.d completions src",
  },
  // https://rvm.io/rvm/install
  { at: "rvm_path ~/.rvm", shows: "bin environments gems rubies scripts wrappers" },
  // https://rust-lang.github.io/rustup/environment-variables.html
  { at: "RUSTUP_HOME ~/.rustup", shows: "toolchains settings.toml update-hashes" },
  // https://doc.rust-lang.org/cargo/guide/cargo-home.html; tokens in credentials.toml: /cargo/reference/config.html#credentials
  {
    at: "CARGO_HOME ~/.cargo",
    shows: "bin env",
    settings: "config.toml config",
    hides: "credentials.toml credentials",
  },
  // `go help environment`; https://go.dev/doc/manage-install; a GOPROXY in go/env may hold a password
  { at: "GOROOT", shows: "." },
  { at: "GOPATH ~/go", shows: "bin" },
  { at: "~/sdk", shows: "*" },
  { at: "~/.config/go", shows: "", settings: "env" },
  // https://docs.astral.sh/uv/reference/storage; tokens in uv/credentials: /uv/concepts/authentication/http
  { at: "UV_PYTHON_INSTALL_DIR ~/.local/share/uv/python", shows: "." },
  { at: "UV_TOOL_DIR ~/.local/share/uv/tools", shows: "." },
  { at: "~/.config/uv", shows: "", settings: "uv.toml" },
  // https://pipx.pypa.io/latest/how-to/configure-paths/
  { at: "PIPX_HOME ~/.local/share/pipx ~/.local/pipx", shows: "venvs shared" },
  // https://python-poetry.org/docs/configuration; passwords in auth.toml
  { at: "POETRY_HOME ~/.local/share/pypoetry", shows: "venv bin" },
  { at: "POETRY_CONFIG_DIR ~/.config/pypoetry", shows: "", settings: "config.toml", hides: "auth.toml" },
  // https://docs.conda.io/projects/conda/en/stable/user-guide/configuration: channels may hold a token
  {
    at: "CONDA_PREFIX MAMBA_ROOT_PREFIX ~/miniconda3 ~/anaconda3 ~/miniforge3 ~/mambaforge ~/micromamba",
    shows: ".",
    hides:
      "pkgs .condarc condarc pip.conf conda-meta/state etc/conda/activate.d/env_vars.sh envs/*/.condarc envs/*/condarc envs/*/pip.conf envs/*/conda-meta/state envs/*/etc/conda/activate.d/env_vars.sh",
  },
  // https://sdkman.io/usage; https://github.com/jenv/jenv
  {
    at: "SDKMAN_DIR ~/.sdkman",
    shows: "bin candidates etc src var",
    hides: "candidates/maven/*/conf/settings.xml",
  },
  { at: "JENV_ROOT ~/.jenv", shows: "." },
  { at: "JAVA_HOME ~/.jdks", shows: "." },
  // https://docs.gradle.org/current/userguide/directory_layout.html; passwords in gradle.properties
  { at: "GRADLE_USER_HOME ~/.gradle", shows: "jdks", hides: "gradle.properties init.d" },
  // https://maven.apache.org/guides/mini/guide-encryption.html: passwords in settings.xml, their key in settings-security.xml
  {
    at: "MAVEN_USER_HOME ~/.m2",
    shows: "wrapper toolchains.xml",
    hides: "settings.xml settings-security.xml settings-security4.xml",
  },
  // https://get-coursier.io/docs/cache
  { at: "~/.local/share/coursier", shows: "bin" },
  // https://docs.deno.com/runtime/getting_started/installation/
  { at: "DENO_INSTALL ~/.deno", shows: "bin" },
  // https://bun.sh/docs/installation
  { at: "BUN_INSTALL ~/.bun", shows: "bin install/global" },
  // https://pnpm.io/settings#store-dir, https://pnpm.io/cli/config: tokens in auth.ini
  { at: "PNPM_HOME ~/.local/share/pnpm", shows: "*", hides: "store nodejs/*/etc/npmrc" },
  { at: "~/.config/pnpm", shows: "", settings: "rc config.yaml", hides: "auth.ini" },
  // https://classic.yarnpkg.com/en/docs/cli/global
  { at: "~/.yarn", shows: "bin" },
  { at: "~/.config/yarn/global", shows: "." },
  // https://getcomposer.org/doc/03-cli.md#composer-home; tokens in auth.json: /doc/articles/authentication-for-private-packages.md
  {
    at: "COMPOSER_HOME ~/.config/composer ~/.composer",
    shows: "vendor",
    settings: "config.json",
    hides: "auth.json",
  },
  // https://guides.rubygems.org/environment-variables; Gem::ConfigFile#credentials_path: gem/credentials
  { at: "GEM_HOME", shows: ".", hides: "credentials" },
  { at: "~/.gem ~/.local/share/gem", shows: "ruby", hides: "credentials" },
  { at: "BUNDLE_USER_HOME ~/.bundle", shows: "plugin", settings: "config" },
  // https://learn.microsoft.com/en-us/nuget/consume-packages/configuring-nuget-behavior
  {
    at: "DOTNET_ROOT ~/.dotnet",
    shows: "dotnet host sdk sdk-manifests shared packs templates library-packs metadata tools",
  },
  { at: "~/.nuget/NuGet", shows: "", settings: "NuGet.Config" },
  // https://www.haskell.org/ghcup/guide/; https://opam.ocaml.org/doc/Manual.html
  { at: "~/.ghcup", shows: "bin ghc cabal hls" },
  { at: "OPAMROOT ~/.opam", shows: ".", hides: "repo/repos-config" },
  // https://hexdocs.pm/mix/Mix.html; the key of hex is in ~/.hex
  { at: "MIX_HOME ~/.mix", shows: "." },
  // https://docs.brew.sh/Homebrew-on-Linux
  { at: "HOMEBREW_PREFIX", shows: "bin sbin lib libexec include share opt Cellar" },
  // https://playwright.dev/docs/browsers; https://pptr.dev/guides/configuration; https://docs.cypress.io/app/references/advanced-installation
  { at: "PLAYWRIGHT_BROWSERS_PATH ~/.cache/ms-playwright", shows: "." },
  { at: "PUPPETEER_CACHE_DIR ~/.cache/puppeteer", shows: "." },
  { at: "CYPRESS_CACHE_FOLDER ~/.cache/Cypress", shows: "." },
  // The home itself: which versions, and where packages come from.
  {
    at: "~",
    shows: ".tool-versions .asdfrc .python-version .ruby-version .node-version .nvmrc",
    settings:
      ".npmrc .yarnrc .yarnrc.yml .bunfig.toml .gemrc .condarc .pip/pip.conf .config/pip/pip.conf .config/mise.toml",
  },
];

/** Package caches by name: the first place that a variable names, else the one in the home. */
const caches: Readonly<Record<string, string>> = {
  // Not all of ~/.npm: with `npx monoco`, a folder of the PATH is in it.
  npm: "npm_config_cache/_cacache ~/.npm/_cacache",
  // https://github.com/nodejs/corepack#environment-variables
  corepack: "COREPACK_HOME ~/.cache/node/corepack",
  pip: "PIP_CACHE_DIR ~/.cache/pip",
  uv: "UV_CACHE_DIR ~/.cache/uv",
  poetry: "POETRY_CACHE_DIR ~/.cache/pypoetry",
  "cargo-registry": "CARGO_HOME/registry ~/.cargo/registry",
  "cargo-git": "CARGO_HOME/git ~/.cargo/git",
  "go-mod": "GOMODCACHE GOPATH/pkg/mod ~/go/pkg/mod",
  "go-build": "GOCACHE ~/.cache/go-build",
  "pnpm-store": "PNPM_HOME/store ~/.local/share/pnpm/store",
  pnpm: "~/.cache/pnpm",
  yarn: "YARN_CACHE_FOLDER ~/.cache/yarn",
  "yarn-berry": "YARN_GLOBAL_FOLDER ~/.yarn/berry",
  bun: "BUN_INSTALL_CACHE_DIR BUN_INSTALL/install/cache ~/.bun/install/cache",
  deno: "DENO_DIR ~/.cache/deno",
  maven: "~/.m2/repository",
  gradle: "GRADLE_USER_HOME/caches ~/.gradle/caches",
  "gradle-wrapper": "GRADLE_USER_HOME/wrapper ~/.gradle/wrapper",
  composer: "COMPOSER_CACHE_DIR ~/.cache/composer",
  bundler: "BUNDLE_USER_CACHE ~/.bundle/cache",
  nuget: "NUGET_PACKAGES ~/.nuget/packages",
  pub: "PUB_CACHE ~/.pub-cache",
  coursier: "COURSIER_CACHE ~/.cache/coursier",
};

type Env = Readonly<Record<string, string | undefined>>;

const words = (list = ""): string[] => list.split(" ").filter((word) => word !== "");

/** The variables that say where toolchains and caches are: programs in a sandbox look there, too. */
export const toolchainVariables: readonly string[] = [
  ...new Set(
    [...toolchains.map(({ at }) => at), ...Object.values(caches)]
      .flatMap(words)
      .filter((place) => !place.startsWith("~"))
      .map((place) => place.split("/")[0]!),
  ),
];

/** What of the toolchains that are here may be read, and the files and folders whose contents nobody in a sandbox sees. */
export function toolchainsIn(home: string, env: Env): { roots: string[]; read: string[]; secret: string[] } {
  const found = toolchains.flatMap(({ at, shows, settings, hides }) =>
    placesAmong(at, home, env).map((root) => {
      const files = words(settings).map((name) => join(root, name));
      const secret = words(hides).flatMap((pattern) => matching(root, pattern));
      const shown = words(shows)
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
  const named = [env["NPM_CONFIG_USERCONFIG"], env["PIP_CONFIG_FILE"]].filter((path) => path !== undefined);
  return {
    roots: found.map(({ root }) => root).filter((root) => root !== home),
    read: found.flatMap(({ read }) => read),
    secret: [...found.flatMap(({ secret }) => secret), ...named.filter(looksSecret)],
  };
}

/** Where each package manager looks for its cache. */
export function cachePlaces(home: string, env: Env): [name: string, at: string][] {
  return Object.entries(caches).map(([name, places]) => [name, placesOf(places, home, env)[0]!]);
}

function placesOf(list: string, home: string, env: Env): string[] {
  return words(list).flatMap((place) => {
    if (place.startsWith("~")) return [placeOf(place.slice(2), home, env)];
    const [variable = "", ...below] = place.split("/");
    // GOPATH may be a list; a path with a colon could not be on the PATH.
    const values = (env[variable] ?? "").split(":").filter((value) => isAbsolute(value));
    return values.map((value) => join(value, ...below));
  });
}

function placesAmong(list: string, home: string, env: Env): string[] {
  const there = placesOf(list, home, env).filter(
    // One of another user may be unreadable.
    (path) => attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false, false),
  );
  // A variable that names the home, or all of the disk, names no toolchain.
  return [...new Set(there)].filter((path) => list === "~" || !`${home}/`.startsWith(join(path, "/")));
}

/** What a pattern finds in a folder; `.` is the folder itself. */
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

/** Names of secrets, beginnings of well-known tokens, a login or a token in an address, a list of variables, and a NUL. */
const secretLine =
  /pass|pwd|pw\b|secret|token|auth|credential|key|private|(?:\b|_)pat\b|gh[pousr]_|glpat-|sk-|akia|\[env\]|\0|:\/\/[^\s/]*@|\/t\/|\/[\w-]{16,}(?:\/|\s|$)/im;
const settingsBytesMax = 100_000;

/** Whether a line of the file may be a token or a password. One that is too long to tell, no file or unreadable counts as one. */
export function looksSecret(path: string): boolean {
  // Most are not there, and an error is slow.
  if (!existsSync(path)) return false;
  return attempt(() => {
    const stat = statSync(path);
    return !stat.isFile() || stat.size > settingsBytesMax || secretLine.test(readFileSync(path, "utf8"));
  }, true);
}
