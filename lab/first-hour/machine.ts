/** A machine on which nobody has been: a home with nothing in it, a Node of a given version, npm and git; and a project on it. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Kind } from "./kinds.ts";

const root = join(import.meta.dirname, "../..");

export type Ran = { exitCode: number; output: string; seconds: number };

export type Machine = {
  folder: string;
  /** A clone of the last commit, with the package that `npm pack` made of it. */
  clone: string;
  /** A line of the docs, in a new shell of a person's. */
  run(line: string, cwd: string): Ran;
  /** Whether a program is on the person's PATH. */
  has(program: string): boolean;
  /** A repository of that kind; `name` is its folder's. */
  makeProject(name: string, kind: Kind): string;
  dispose(): void;
};

/** The first Node below `below` on the PATH; undefined where there is none. */
export function olderNode(below: readonly [number, number]): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return folders
    .map((folder) => join(folder, "node"))
    .filter((path) => existsSync(path))
    .find((path) => {
      const told = execFileSync(path, ["--version"], { encoding: "utf8" });
      const [major = 0, minor = 0] = told.trim().replace("v", "").split(".").map(Number);
      return major < below[0] || (major === below[0] && minor < below[1]);
    });
}

export type Shell = "bash" | "zsh";

export function openMachine(node: string, shell: Shell): Machine {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "monoco-first-hour-")));
  const [home, bin] = ["home", "bin"].map((name) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  }) as [string, string];
  const clone = join(folder, "clone");
  execFileSync("git", ["clone", "-q", root, clone]);
  const npmFolder = npmHere();
  program(bin, "node", `exec '${node}' "$@"`);
  for (const name of ["npm", "npx"])
    program(bin, name, `exec '${node}' '${npmFolder}/bin/${name}-cli.js' "$@"`);
  program(bin, "my-editor", `exec '${process.execPath}' '${join(import.meta.dirname, "editor.ts")}' "$@"`);
  const prefix = join(home, ".local");
  const env = {
    ...network(),
    HOME: home,
    LANG: "C.UTF-8",
    PATH: `${prefix}/bin:${bin}:${tools()}/usr/local/bin:/usr/bin:/bin`,
    EDITOR: "my-editor",
    npm_config_prefix: prefix,
    npm_config_update_notifier: "false",
  };
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = You\n\temail = you@example.com\n");
  // What a release would ship; its scripts (a build) have run already.
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", clone], { cwd: root });
  return {
    folder,
    clone,
    run: (line, cwd) => run(line, { cwd, env, shell }),
    has: (name) => run(`command -v ${name}`, { cwd: folder, env, shell: "bash" }).exitCode === 0,
    makeProject: (name, kind) => makeProject(join(folder, name), kind, env),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function program(bin: string, name: string, text: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** The npm of the PATH. */
function npmHere(): string {
  const path = execFileSync("/bin/sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim();
  return dirname(dirname(realpathSync(path)));
}

/** Folders of `MONOCO_LAB_TOOLS`, where package managers may be that this machine does not have. */
function tools(): string {
  const folders = process.env["MONOCO_LAB_TOOLS"];
  return folders ? `${folders}:` : "";
}

/** How packages are reached here: a cache, a registry, a proxy. */
function network(): Record<string, string> {
  const names = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
  ];
  const kept = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const asked = (key: string): string =>
    // In the folder of a workspace, npm refuses the question.
    execFileSync("npm", ["config", "get", key, "--no-workspaces"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    npm_config_cache: asked("cache"),
    npm_config_registry: asked("registry"),
    npm_config_prefer_offline: "true",
  };
}

function run(line: string, at: { cwd: string; env: Record<string, string>; shell: Shell }): Ran {
  const startedMs = performance.now();
  const script = `exec 2>&1\n${line}\n`;
  const ended = (exitCode: number, output: string): Ran => ({
    exitCode,
    output,
    seconds: (performance.now() - startedMs) / 1_000,
  });
  try {
    return ended(
      0,
      execFileSync(at.shell, ["-c", script], {
        cwd: at.cwd,
        env: at.env,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
  } catch (error) {
    const { status, stdout } = error as { status: number | null; stdout: string };
    return ended(status ?? 1, stdout);
  }
}

function makeProject(folder: string, kind: Kind, env: Record<string, string>): string {
  mkdirSync(join(folder, "vendor"), { recursive: true });
  const pack = ["pack", join(root, "node_modules/ignore"), "--silent", "--ignore-scripts"];
  const tarball = execFileSync("npm", [...pack, "--pack-destination", join(folder, "vendor")], {
    encoding: "utf8",
  }).trim();
  renameSync(join(folder, "vendor", tarball), join(folder, "vendor/ignore.tgz"));
  for (const [path, text] of Object.entries({ ...kind.files, ask: kind.ask, "work.sh": kind.work })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  writeFileSync(join(folder, "agent.sh"), readFileSync(join(import.meta.dirname, "project/agent.sh")));
  chmodSync(join(folder, "agent.sh"), 0o755);
  const sh = `${kind.lock ?? ":"}\ngit init -q -b main . && git add -A && git commit -qm Begin`;
  execFileSync("/bin/sh", ["-ec", sh], { cwd: folder, env, stdio: "ignore" });
  return folder;
}
