/** Honest work in the sandbox that is the default: toolchains of a home, read-only and without credentials, and package caches by role. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { repositoryPlaces } from "../../src/store/places.ts";
import { isHere } from "../support/namespaces.ts";
import { approves, openPlace, run, submit, works } from "../support/place.ts";

vi.setConfig({ testTimeout: 120_000 });
const sandboxed = isHere("bubblewrap");

const token = "a-token-of-the-person's";

/** Makes files in a folder: a program, a text, or a link to `-> target`. */
function lay(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text.startsWith("-> ")) symlinkSync(text.slice(3), path);
    else writeFileSync(path, text);
    if (text.startsWith("#!")) chmodSync(path, 0o755);
  }
}

/** As the tools lay them out; `PATH`: what they put there. */
const homeFiles = {
  // A file of Node's own is copied below, and called through nvm's folder and fnm's three links.
  ".nvm/versions/node/v24.0.0/etc/npmrc": `//registry/:_authToken=${token}\n`,
  ".nvm/alias/default": "v24.0.0\n",
  ".local/share/fnm/aliases/default": "-> ../node-versions/current",
  ".local/share/fnm/node-versions/current": "-> v24.0.0/installation",
  ".local/share/fnm/node-versions/v24.0.0/installation/bin/fnm-node": '#!/bin/sh\nexec node "$@"\n',
  ".npmrc": `//registry.example/:_authToken=${token}\n`,
  ".yarnrc.yml": "nodeLinker: node-modules\n",
  ".pyenv/shims/python-of-pyenv": '#!/bin/sh\nexec "$HOME/.pyenv/bin/pyenv" exec "${0##*/}" "$@"\n',
  ".pyenv/bin/pyenv": "-> ../libexec/pyenv",
  ".pyenv/libexec/pyenv":
    '#!/bin/sh\nshift; program="$1"; shift; exec "$HOME/.pyenv/versions/$(cat "$HOME/.pyenv/version")/bin/$program" "$@"\n',
  ".pyenv/version": "3.12\n",
  ".pyenv/versions/3.12": "-> 3.12.1",
  ".pyenv/versions/3.12.1/bin/python-of-pyenv": "-> python3.12",
  ".pyenv/versions/3.12.1/bin/python3.12": "#!/bin/sh\necho python 3.12.1\n",
  ".pyenv/versions/3.12.1/pip.conf": `index-url = https://me:${token}@pypi.example\n`,
  ".cargo/bin/cargo": "-> rustup",
  ".cargo/bin/rustup": '#!/bin/sh\nexec "$HOME/.rustup/toolchains/stable/bin/${0##*/}" "$@"\n',
  ".rustup/toolchains/stable/bin/cargo":
    '#!/bin/sh\nmkdir -p "$HOME/.cargo/registry" && echo built >> "$HOME/.cargo/registry/log" && echo cargo 1.80\n',
  ".cargo/credentials.toml": `[registry]\ntoken = "${token}"\n`,
  ".cargo/config.toml": "[build]\njobs = 2\n",
  ".m2/settings.xml": `<password>${token}</password>\n`,
  ".gem/credentials": `:rubygems_api_key: ${token}\n`,
  ".gem/ruby/3.1.0/gems/x/x.rb": "1\n",
  ".config/pip/pip.conf": `[global]\nindex-url = https://me:${token}@pypi.example\n`,
  ".asdf/shims/of-asdf": '#!/bin/sh\nexec asdf-of-home exec of-asdf "$@"\n',
  ".asdf/bin/asdf-of-home": '#!/bin/sh\nshift; exec "$HOME/.asdf/installs/of-asdf/1.0/bin/$1"\n',
  ".asdf/installs/of-asdf/1.0/bin/of-asdf": "#!/bin/sh\necho of asdf\n",
  ".asdf/installs/nodejs/20.0.0/etc/npmrc": `_authToken=${token}\n`,
} as const;

/** Each a check that has to be green. */
const checks = {
  "nvm's Node runs": `node -p 'process.execPath' | grep -q /.nvm/versions/node/v24.0.0/bin/node`,
  "fnm's Node runs, through three links": "fnm-node -p 1",
  "pyenv's shim runs": "python-of-pyenv | grep -q 3.12.1",
  "asdf's shim runs": 'of-asdf | grep -q "of asdf"',
  "a moved toolchain runs, where its variable says":
    'test "$(cat "$VOLTA_HOME/tools/user/platform.json")" = "{}"',
  "cargo runs through rustup, and writes to its registry": "cargo build | grep -q 1.80",
  "settings without a secret are read": 'cat "$HOME/.cargo/config.toml" "$HOME/.yarnrc.yml"',
  "a toolchain cannot be written": '! echo x >> "$HOME/.rustup/toolchains/stable/bin/cargo"',
  "no credential is read": `! grep -rqs "${token}" "$HOME" "$VOLTA_HOME"`,
} as const;

test.runIf(sandboxed)(
  "toolchains of the home work where nothing is set, and their credentials are out of reach",
  async () => {
    const place = await openPlace(
      { executor: [works], reviewer: [approves] },
      { sandbox: "default", settings: `checks: ${JSON.stringify(Object.values(checks))}` },
    );
    const { env, folder } = place.sandbox;
    const home = env["HOME"]!;
    lay(home, homeFiles);
    const node = join(home, ".nvm/versions/node/v24.0.0/bin/node");
    mkdirSync(dirname(node));
    copyFileSync(process.execPath, node);
    chmodSync(node, 0o755);
    lay(folder, {
      "run/fnm_multishells/1": `-> ${home}/.local/share/fnm/aliases/default`,
      "moved/volta/tools/user/platform.json": "{}",
      "moved/volta/tools/image/node/24.0.0/etc/npmrc": `_authToken=${token}\n`,
    });
    env["VOLTA_HOME"] = join(folder, "moved/volta");
    const first =
      ".nvm/versions/node/v24.0.0/bin .pyenv/shims .pyenv/bin .asdf/shims .asdf/bin .cargo/bin".split(" ");
    const PATH = [
      ...first.map((name) => join(home, name)),
      join(folder, "run/fnm_multishells/1/bin"),
      env["PATH"],
    ].join(":");
    const ran = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, env: { PATH } });
    const events = place
      .all("checks.ran")
      .map(({ target, results }) => [
        target,
        results.filter(({ exitCode }) => exitCode !== 0).map(({ command }) => command),
      ]);
    expect(events, ran.stdout + ran.stderr).toEqual([["submission", []]]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(place.all("session.started").map(({ containment }) => containment)).toEqual([
      "bubblewrap",
      "bubblewrap",
    ]);
    expect(existsSync(join(home, ".cargo/registry"))).toBe(false);
  },
);

test.runIf(sandboxed)(
  "caches are kept for an Executor; a review, a trusted set-up and the person see nothing of them",
  async () => {
    const left = '"$HOME/.npm/_cacache/left"';
    const place = await openPlace(
      {
        executor: [
          [
            run(
              `test ! -e ${left} && echo x > ${left} && echo 1 > one.txt && git add -A && git commit -qm One`,
            ),
          ],
          [
            run(`test -e ${left} && echo "$MONOCO_ISSUE" > warm.txt && git add -A && git commit -qm Warm`),
            submit,
          ],
        ],
        reviewer: [
          [
            run(`test ! -e ${left} && mkdir -p "$HOME/.npm/_cacache" && touch ${left}`),
            { verdict: "approve", evidence: "test -f warm.txt" },
          ],
        ],
      },
      {
        sandbox: "default",
        issues: ["FEAT-0001", "FEAT-0002"],
        settings: `checks: ['test ! -e ${left}']\nsetup: ['test ! -e ${left} && mkdir -p "$HOME/.npm/_cacache" && echo set up >> "$HOME/.npm/_cacache/trusted"']\n`,
      },
    );
    const home = place.sandbox.env["HOME"]!;
    lay(home, { ".npm/_cacache/mine": "the person's\n" });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    // What runs on an Executor's behalf sees its cache, and what a review rests on does not.
    expect(place.all("checks.ran").map(({ target, ok }) => [target, ok])).toEqual([
      ["session", false],
      ["submission", true],
    ]);
    const { packages } = repositoryPlaces(place.project, place.sandbox.env);
    expect(existsSync(join(packages, "sessions/npm/left"))).toBe(true);
    expect(existsSync(join(packages, "sessions/npm/mine"))).toBe(false);
    const setUps = (): number => readFileSync(join(packages, "trusted/npm/trusted"), "utf8").length;
    const before = setUps();
    expect(existsSync(join(home, ".npm/_cacache/left"))).toBe(false);
    // The next issue begins with a set-up that sees nothing of it.
    expect(await place.monoco("run", "FEAT-0002", "--once")).toMatchObject({ exitCode: 1 });
    expect(setUps()).toBeGreaterThan(before);
  },
);
