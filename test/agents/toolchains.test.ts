/** What of the toolchains in a home a sandbox shows, and what it never does. test/relay/toolchains.test.ts has them at work. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountsOf } from "../../src/agents/mounts.ts";
import { bubblewrap, hasBubblewrap } from "../../src/agents/sandbox.ts";
import { cachePlaces, looksSecret, toolchainsIn, toolchainVariables } from "../../src/agents/toolchains.ts";
import { openSandbox } from "../support/cli.ts";

function homeWith(files: Readonly<Record<string, string>>): string {
  const { folder, dispose } = openSandbox({ sandbox: "default" });
  onTestFinished(dispose);
  const home = join(folder, "home");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

test("parts of a toolchain are shown, and whatever may hold a secret is not", () => {
  const home = homeWith({
    ".cargo/bin/cargo": "",
    ".cargo/config.toml": "[build]\n",
    ".cargo/credentials.toml": 'token = "x"\n',
    ".npmrc": "//registry/:_authToken=x\n",
    ".yarnrc.yml": "nodeLinker: pnp\n",
    ".asdf/installs/nodejs/20.0.0/etc/npmrc": "",
    ".asdf/installs/nodejs/22.0.0/etc/npmrc": "",
    ".gradle/gradle.properties": "repoPassword=x\n",
    "moved/pip.conf": "index-url = https://me:x@pypi.example\n",
  });
  const { read, secret } = toolchainsIn(home, { PIP_CONFIG_FILE: join(home, "moved/pip.conf") });
  const at = (paths: readonly string[]): string[] => paths.map((path) => path.slice(home.length + 1));
  const names = [".cargo/bin", ".cargo/config.toml", ".yarnrc.yml", ".asdf"];
  expect(at(read)).toEqual(expect.arrayContaining(names));
  expect(at(read)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/credentials|npmrc|gradle\.prop/)]),
  );
  expect(at(secret)).toEqual(
    expect.arrayContaining([
      ".cargo/credentials.toml",
      ".npmrc",
      ".asdf/installs/nodejs/20.0.0/etc/npmrc",
      ".asdf/installs/nodejs/22.0.0/etc/npmrc",
      ".gradle/gradle.properties",
      "moved/pip.conf",
    ]),
  );
});

test("a variable moves a toolchain and its cache; one that names the home shows none of it", () => {
  const home = homeWith({ "rust/bin/cargo": "" });
  const env = { CARGO_HOME: join(home, "rust"), GOROOT: home, npm_config_cache: "/cache/npm" };
  const { read } = toolchainsIn(home, env);
  expect(read).toContain(join(home, "rust/bin"));
  expect(read).not.toContain(home);
  expect(Object.fromEntries(cachePlaces(home, env))).toMatchObject({
    npm: "/cache/npm/_cacache",
    "cargo-registry": join(home, "rust/registry"),
    maven: join(home, ".m2/repository"),
  });
  expect(toolchainVariables).toEqual(expect.arrayContaining(["CARGO_HOME", "JAVA_HOME", "PYENV_ROOT"]));
});

test("each folder of a GOPATH is shown, and the cache is in the first", () => {
  const home = homeWith({ "one/bin/a": "", "two/bin/b": "" });
  const env = { GOPATH: `${home}/one:${home}/two` };
  const { read } = toolchainsIn(home, env);
  expect(read).toEqual(expect.arrayContaining([join(home, "one/bin"), join(home, "two/bin")]));
  expect(Object.fromEntries(cachePlaces(home, env))["go-mod"]).toBe(join(home, "one/pkg/mod"));
});

test("every link on the way to what is shown is made again, and a secret in it is empty", () => {
  const home = homeWith({ "real/bin/tool": "", "real/token": "x" });
  for (const [link, target] of [
    ["first", "second"],
    ["second", "third"],
    ["third", join(home, "real")],
  ] as const)
    symlinkSync(target, join(home, link));
  const words = bubblewrap(
    {
      hidden: [home],
      scratch: [],
      read: [join(home, "first")],
      write: [],
      secret: [join(home, "real/token")],
    },
    "/",
  ).join(" ");
  expect(words).toContain(`--symlink second ${home}/first`);
  expect(words).toContain(`--symlink third ${home}/second`);
  expect(words).toContain(`--symlink ${home}/real ${home}/third`);
  expect(words).toMatch(/--ro-bind (\S+\/real) \1 .*--dev-bind \/dev\/null \1\/token/);
});

test("what the mount above shows already is no mount of its own, and nothing else is left out", () => {
  const home = homeWith({ "tool/bin/run": "", "tool/token": "x", "work/kept/file": "", "closed/in/it": "" });
  const at = (name: string): string => join(home, name);
  const mounts = mountsOf({
    hidden: [at("closed"), at("closed/in")],
    scratch: [home],
    read: ["/bin/sh", at("tool"), at("tool/bin"), at("work/kept"), at("closed/in/it")],
    write: [at("work")],
    secret: [at("tool/token")],
  });
  expect(mounts.map(({ at, as }) => `${as} ${at.slice(home.length + 1)}`)).toEqual([
    "folder ",
    "folder closed",
    "read tool",
    "write work",
    "read work/kept",
    "file tool/token",
    "read closed/in/it",
  ]);
});

test.runIf(hasBubblewrap())(
  "a link that a session left in the place of a cache leads nowhere in the next one",
  () => {
    const home = homeWith({ "secrets/key": "x", "caches/kept": "", "go/pkg/mod/known": "" });
    const shared = join(home, "caches");
    symlinkSync(join(home, "secrets"), join(shared, "go-mod"));
    const at = join(home, "go/pkg/mod");
    const view = { hidden: [], scratch: [], read: [], write: [shared] };
    for (const placed of [[[join(shared, "go-mod"), at]], [[undefined, at]]] as const) {
      const [program = "", ...words] = bubblewrap({ ...view, placed }, "/");
      const look = `ls ${at}; echo new > ${at}/new && cat ${at}/new`;
      expect(execFileSync(program, [...words, "sh", "-c", look], { encoding: "utf8" })).toBe("new\n");
    }
    expect(existsSync(join(home, "secrets/new"))).toBe(false);
    expect(existsSync(join(at, "new"))).toBe(false);
  },
);

test.runIf(hasBubblewrap())("a cache in a hidden folder can be written, and what is beside it", () => {
  const home = homeWith({ ".npm/_npx/known": "", ".npm/_cacache/known": "", "caches/npm/kept": "" });
  const read = [join(home, ".npm/_npx")];
  const at = join(home, ".npm/_cacache");
  const shared = join(home, "caches");
  for (const [from, there] of [
    [join(shared, "npm"), "kept"],
    [undefined, ""],
  ] as const) {
    const view = { hidden: [home], scratch: [], read, write: [shared], placed: [[from, at]] as const };
    const [program = "", ...words] = bubblewrap(view, "/");
    const look = `mkdir -p ${at} ${home}/.npm/_logs && ls ${at} && touch ${at}/new && ls ${at} ${home}/.npm/_npx`;
    const said = execFileSync(program, [...words, "sh", "-c", look], { encoding: "utf8" });
    expect(said.split("\n").filter((line) => ["kept", "new", "known"].includes(line))).toEqual(
      there === "kept" ? ["kept", "kept", "new", "known"] : ["new", "known"],
    );
  }
});

test.runIf(hasBubblewrap())(
  "nothing is written in a hidden folder, nor on the way to what is shown in it",
  () => {
    const home = homeWith({
      "project/.git/objects/pack": "packed",
      "project/.git/config": "",
      "state/x": "",
    });
    const [project, state] = [join(home, "project"), join(home, "state")];
    const shown = join(project, ".git/objects");
    // In a folder that is empty itself, and without one.
    for (const scratch of [[home], []]) {
      const view = { hidden: [project, state], scratch, read: [shown], write: [] };
      const [program = "", ...words] = bubblewrap(view, "/");
      const shut = [project, state, join(project, ".git"), shown].map((path) => `! touch ${path}/new`);
      const look = [`ls -A ${project}/.git`, `cat ${shown}/pack`, ...shut].join(" && ");
      const said = execFileSync(program, [...words, "sh", "-c", look], { encoding: "utf8", stdio: "pipe" });
      expect(said).toBe("objects\npacked");
      // Each mount takes time; in /dev/shm there is none.
      const mounts = words.filter((word) => word === "--tmpfs").length;
      expect(mounts).toBeLessThanOrEqual(scratch.length === 0 ? 2 : 1);
    }
  },
);

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn("SKIPPED: only root can be a setuid bubblewrap");

// A bubblewrap that is setuid root knows by its real user that it is, and does without the rights of a namespace of its own.
test.runIf(hasBubblewrap() && isRoot)(
  "a bubblewrap that is setuid makes folders and links in a hidden one",
  () => {
    const home = homeWith({ "user/known": "", "user/tool": "tool" });
    const [user, tool] = [join(home, "user"), join(home, "user/tool")];
    for (const path of [dirname(home), home, user, tool]) chmodSync(path, 0o755);
    const placed = [["/usr", join(home, "other/cache")]] as const;
    const words = bubblewrap({ hidden: [home], scratch: [user], read: [tool], write: [], placed }, "/");
    const look = `cat ${tool} && touch ${user}/new && ls ${home}/other/cache/bin > /dev/null && ! touch ${home}/new`;
    const setuid = ["--ruid", "1000", "--", ...words, "sh", "-c", look];
    expect(execFileSync("setpriv", setuid, { encoding: "utf8", stdio: "pipe", timeout: 10_000 })).toBe(
      "tool",
    );
  },
);

test("what is mounted over the whole system has a /dev of the machine's own", () => {
  const words = bubblewrap({ hidden: [], scratch: ["/dev/shm"], read: [], write: ["/"] }, "/").join(" ");
  expect(words).toContain("--bind / / --tmpfs /dev/shm");
});

test("a cache that is a hidden folder itself leaves what is around it as it is", () => {
  const home = homeWith({ "repository/file": "", "beside/file": "" });
  const hidden = [join(home, "repository")];
  const words = bubblewrap(
    { hidden, scratch: [], read: [], write: [], placed: [[undefined, hidden[0]!]] },
    "/",
  );
  expect(words).toContain(hidden[0]);
  expect(words).not.toContain(home);
});

test.for([
  ["gpr.key=ghp_0123456789abcdef", true],
  ["channels: [https://conda.example/t/tk-1/acme]", true],
  ["index-url = https://dl.example/0123456789abcdefgh/simple", true],
  ["[env]\nA = 1", true],
  ["a\0b", true],
  ["nodeLinker: pnp\nindex-url = https://pypi.example/simple", false],
] as const)("a settings file that says %j tells a secret: %s", ([text, secret]) => {
  expect(looksSecret(join(homeWith({ settings: text }), "settings"))).toBe(secret);
});

test("a settings file that is a pipe, or too long to tell, counts as secret", () => {
  const home = homeWith({ long: "#\n".repeat(60_000) });
  execFileSync("mkfifo", [join(home, "pipe")]);
  expect(["pipe", "long"].map((name) => looksSecret(join(home, name)))).toEqual([true, true]);
});
