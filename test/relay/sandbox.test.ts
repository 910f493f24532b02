/** The sandbox: what holds sessions in it, and where it is refused. test/attacks/reach.ts has what they can reach from inside. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { probeContainment } from "../../src/agents/containment.ts";
import { viewOf } from "../../src/relay/sandbox.ts";
import { fixture, openSandbox } from "../support/cli.ts";
import { isHere, skipWithout } from "../support/namespaces.ts";
import { openPlace, run, submit } from "../support/place.ts";
import { full } from "../support/full.ts";

vi.setConfig({ testTimeout: 120_000 });
const works = isHere("bubblewrap");

describe.runIf(works)("in a sandbox", () => {
  test("the status and the merge commit say that it held the sessions", async () => {
    const place = await openPlace(
      {
        executor: [[run("echo x > x; git add -A && git commit -qm Work"), submit]],
        reviewer: [[{ verdict: "approve" }]],
      },
      { settings: "sandbox: bwrap" },
    );
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(place.all("session.started").map(({ containment }) => containment)).toEqual([
      "bubblewrap",
      "bubblewrap",
    ]);
    expect((await place.monoco("status", "FEAT-0001")).stdout).toContain("sandbox   bubblewrap");
    expect(await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)")).toContain(
      "bubblewrap",
    );
  });

  test("a folder beside the repository is beside each clone, and cannot be written", async () => {
    const look = "test -s ../lib/deep/x && ! touch ../lib/y";
    const place = await openPlace(
      {
        executor: [[run(`${look} && echo x > x; git add -A && git commit -qm Work`), submit]],
        reviewer: [[run(`${look} || exit 1`), { verdict: "approve" }]],
      },
      { settings: `sandbox: bwrap\nsiblings: [../lib]\nsetup: ["${look}"]\nchecks: ["${look}"]\n` },
    );
    const lib = join(dirname(place.project), "lib");
    mkdirSync(join(lib, "deep"), { recursive: true });
    writeFileSync(join(lib, "deep/x"), "shown");
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(lib, "y"))).toBe(false);
  });

  /** A relay that ends well if its sessions, and its set-up and checks, see what they look for. */
  const openLooking = (sessions: string, commands: string): ReturnType<typeof openPlace> =>
    openPlace(
      {
        executor: [[run(`(${sessions}) && echo x > x; git add -A && git commit -qm Work`), submit]],
        reviewer: [[run(`(${sessions}) || exit 1`), { verdict: "approve" }]],
      },
      {
        settings: `sandbox: bwrap\nbaseline: strict\nsetup: ['${commands}']\nchecks: ["true", '${commands}']\n`,
      },
    );

  test("a company's certificates can be read by sessions, set-up and checks, whichever variable names them", async () => {
    const variables =
      "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT CARGO_HTTP_CAINFO AWS_CA_BUNDLE npm_config_cafile DENO_CERT";
    const reads = 'test "$(cat $(find "$(printenv "$v")" -type f))" = "$v"';
    const look = `for v in ${variables}; do ${reads} || exit 1; done`;
    const place = await openLooking(look, look);
    const env = Object.fromEntries(
      variables.split(" ").map((name) => {
        const at = join(place.sandbox.env["HOME"]!, "certs", name);
        const file = name.endsWith("DIR") ? join(at, "1.pem") : at;
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, name);
        return [name, at];
      }),
    );
    const ran = await place.sandbox.start(["run", "FEAT-0001"], { cwd: place.project, env });
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
  });

  test("a private key that such a variable names, or that lies in the folder, can be read by sessions, and not by set-up and checks", async () => {
    const [file, within] = ['test -s "$PIP_CERT"', 'test -s "$SSL_CERT_DIR/own.pem"'];
    const place = await openLooking(
      `${file} && ${within}`,
      `test -n "$PIP_CERT" && ! ${file} && ! ${within}`,
    );
    const folder = join(place.sandbox.env["HOME"]!, "certs");
    mkdirSync(folder);
    const key = join(folder, "own.pem");
    writeFileSync(key, "-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5IGF0IGFsbA==\n");
    const options = { cwd: place.project, env: { PIP_CERT: key, SSL_CERT_DIR: folder } };
    const ran = await place.sandbox.start(["run", "FEAT-0001"], options);
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
  });

  full("of what the runner has open, and of the kernel's settings, it can use nothing", async () => {
    const look =
      "ls /proc/self/fd > open.txt; test -w /proc/sys/kernel/core_pattern && echo writable >> open.txt";
    const place = await openPlace(
      {
        executor: [[run(`${look}; git add -A && git commit -qm Work`), submit]],
        reviewer: [[{ verdict: "approve" }]],
      },
      { settings: "sandbox: bwrap" },
    );
    const under = ["bash", "-c", 'exec 200< "$0"; exec "$@"', place.project];
    const ran = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, under });
    expect(ran).toMatchObject({ exitCode: 0 });
    // The last is that of ls itself.
    expect(place.read("open.txt").trim().split("\n")).toEqual(["0", "1", "2", "3"]);
  });

  test.for<[agent: string, folder: string, settings: string]>([
    ["{ kind: command, run: [./mine], state: [~/.mine, ~/.mine.json] }", ".mine", ""],
    ["{ kind: acp, run: [./kimi] }", ".kimi-code", "config.toml"],
    ["{ kind: acp, run: [./qwen] }", ".qwen", "settings.json"],
    ["{ kind: acp, run: [./copilot] }", ".copilot", "mcp-config.json"],
    ["{ kind: acp, run: [./pi-acp] }", ".pi", "agent/settings.json"],
  ])(
    "%s: its sessions write ~/%s, but not your settings in it; checks see nothing of it",
    async ([agent, folder, settings]) => {
      const place = await openPlace(
        { executor: [[]], reviewer: [[]] },
        {
          files: { "acp.mjs": readFileSync(fixture("acp.mjs"), "utf8") },
          settings: `sandbox: bwrap\nchecks: ["! test -e ~/${folder}"]\n`,
        },
      );
      const home = place.sandbox.env["HOME"]!;
      const [, program = ""] = /\.\/([\w-]+)/.exec(agent)!;
      const kept = settings === "" ? "test -s ~/.mine.json" : `! echo x > ~/${folder}/${settings}`;
      const speaks = agent.includes("acp")
        ? `FAKE_ACP='[[{"say":"Done."},{"stop":"end_turn"}]]' FAKE_ACP_LOG=/dev/null exec node acp.mjs`
        : "cat > /dev/null";
      const script = `#!/bin/sh
echo kept >> ~/${folder}/log; { ${kept}; } && touch x
git add -A; git commit -qm Work >&2; monoco issue submit >&2
${speaks}
`;
      writeFileSync(join(place.project, program), script, { mode: 0o755 });
      place.write(
        "monoco.yaml",
        place.read("monoco.yaml").replace(/agents: \{ a: .*/, `agents: { a: ${agent} }`),
      );
      await place.sh("git rm -q story.yaml; git add -A; git commit -qm Agent");
      const own = join(home, folder, settings || "../.mine.json");
      mkdirSync(dirname(own), { recursive: true });
      writeFileSync(own, "{}");
      const ran = await place.monoco("run", "FEAT-0001", "--once");
      expect(ran.stdout + ran.stderr).toContain("submission 1: checks green");
      expect(readFileSync(join(home, folder, "log"), "utf8")).toBe("kept\n");
      expect(readFileSync(own, "utf8")).toBe("{}");
    },
  );
});

describe("what a view shows of the PATH and the repository", () => {
  /** A home whose `bin` is on the PATH, and what a view of it shows. */
  function homeWith(programs: readonly string[], inRepository: readonly string[] = []) {
    const { folder, env, dispose } = openSandbox({ sandbox: "default" });
    onTestFinished(dispose);
    const home = env["HOME"]!;
    for (const name of ["bin", "tools", ".ssh"]) mkdirSync(join(home, name), { recursive: true });
    const add = (name: string): void => {
      writeFileSync(join(home, "tools", name), "#!/bin/sh\n", { mode: 0o755 });
      symlinkSync(`../tools/${name}`, join(home, "bin", name));
    };
    for (const name of programs) add(name);
    for (const path of ["home/.ssh/id", "project/.env"]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), "a key", { mode: 0o600 });
    }
    const [clones, root] = [join(folder, "clones"), join(folder, "project")];
    const places = { monoco: join(root, ".monoco"), packages: join(folder, "packages"), clones };
    const runner = {
      env: { ...env, PATH: [join(home, "bin"), ...inRepository.map((name) => join(root, name))].join(":") },
      monoco: [process.execPath, join(folder, "monoco/dist/cli.js")],
      binFolder: join(folder, "own"),
      repository: { root, commonDir: join(root, ".git") },
      repositoryPlaces: places,
    };
    const settings = { clones: "borrowed" as const, sandboxRead: [], sandboxWrite: [], siblings: [] };
    const view = (write: string[] = []) => viewOf(runner, settings, { read: [], write, caches: "none" });
    const read = (): readonly string[] => view().read;
    const shown = (): string[] =>
      read()
        .map((path) => path.slice(home.length + 1))
        .filter((path) => /^(?:bin|tools|\.ssh)/.test(path));
    return { home, root, add, shown, read };
  }

  test("is the objects that the repository borrows, by a relative path, too", () => {
    const { root, read } = homeWith([]);
    const objects = join(root, ".git/objects");
    mkdirSync(join(objects, "info"), { recursive: true });
    writeFileSync(join(objects, "info/alternates"), "/srv/mirror/objects\n../../../other/.git/objects\n");
    const other = join(dirname(root), "other/.git/objects");
    expect(read()).toEqual(expect.arrayContaining([objects, "/srv/mirror/objects", other]));
  });

  test("is where its links lead, programs or not", () => {
    const { home, shown } = homeWith(["tool"]);
    writeFileSync(join(home, "tools/env.sh"), "A=1");
    symlinkSync("../tools/env.sh", join(home, "bin/env.sh"));
    symlinkSync("nowhere", join(home, "bin/gone"));
    expect(shown().toSorted()).toEqual(["bin", "bin/env.sh", "bin/tool", "tools/env.sh", "tools/tool"]);
  });

  test.for([
    ["a key", "home/.ssh/id"],
    ["a folder of keys", "home/.ssh"],
    ["a program of another place", "home/tools/tool"],
    ["what the checkout has besides", "project/.env"],
  ] as const)(
    "is, of a folder in the repository, no link to %s: merged work may have put it there",
    ([, target]) => {
      const { home, root, read } = homeWith(["tool"], ["bin", "linked", "lib/bin"]);
      const at = (name: string): string => join(root, name);
      for (const name of ["bin", "lib/bin", "lib/lib"]) mkdirSync(at(name), { recursive: true });
      writeFileSync(at("tool"), "#!/bin/sh\n", { mode: 0o755 });
      symlinkSync("../tool", at("bin/own"));
      for (const name of ["bin/other", "linked", "lib/lib/node_modules"])
        symlinkSync(join(dirname(root), target), at(name));
      const shown = read().filter((path) => path.startsWith(`${root}/`) && !path.includes("/.git/"));
      expect(shown.toSorted()).toEqual(["bin", "bin/own", "lib/bin", "tool"].map(at));
      expect(read().filter((path) => path.startsWith(join(home, ".ssh")))).toEqual([]);
    },
  );
});

test.runIf(works)("each role can have its own, and what is told of all is the weakest", async () => {
  const place = await openPlace(
    {
      executor: [[run('test ! -e "$HOME/seen" && echo x > x && git add -A && git commit -qm Work'), submit]],
      reviewer: [[run('test -e "$HOME/seen"'), { verdict: "approve" }]],
    },
    { sandbox: "default", settings: `checks: ['test -e "$HOME/seen"']` },
  );
  writeFileSync(join(place.sandbox.env["HOME"] ?? "", "seen"), "");
  const ran = await place.monoco("run", "FEAT-0001", "--set", "roles.reviewer.sandbox=none");
  expect(ran).toMatchObject({ exitCode: 0 });
  const outside = probeContainment();
  expect(place.all("session.started").map(({ containment }) => containment)).toEqual(["bubblewrap", outside]);
  // They are part of the review.
  expect(place.all("checks.ran").map(({ containment }) => containment)).toEqual([outside]);
  const status = await place.monoco("relay", "status", "FEAT-0001");
  expect(status.stdout).toContain(
    `  sandbox   bubblewrap (session 1)\n            none; process tree held by ${outside} (session 2)\n`,
  );
  const trailer = await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)");
  expect(trailer.trim()).toBe(`none (${outside})`);
});

test("where bubblewrap does not work, bwrap refuses before anything is begun, and auto goes on and says so", async (context) => {
  skipWithout("a user namespace", context);
  const place = await openPlace(
    {
      executor: [[run("echo x > x && git add -A && git commit -qm Work"), submit]],
      reviewer: [[{ verdict: "approve" }]],
    },
    { settings: "sandbox: bwrap" },
  );
  // A namespace in which nobody may make another.
  const none = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
  const under = ["unshare", "-Ur", "sh", "-c", none, "sh"];
  const refused = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, under });
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("sandbox: bwrap does not work on this machine"),
  });
  expect(existsSync(join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl"))).toBe(false);
  const ran = await place.sandbox.monoco(["run", "FEAT-0001", "--set", "sandbox=auto"], {
    cwd: place.project,
    under,
  });
  expect(ran).toMatchObject({
    exitCode: 0,
    stderr:
      "no sandbox: agents and checks run with your rights: bubblewrap is installed, and the system refuses it user namespaces: where AppArmor does (Ubuntu 24.04 and newer), give bwrap a profile, else sysctl kernel.unprivileged_userns_clone=1; docs/safety.md has both; sandbox: none in monoco.yaml ends this notice",
  });
  expect(await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)")).toMatch(
    /^none \(/,
  );
});
