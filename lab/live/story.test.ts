/** The whole story with each of the real CLIs: login, hooks, context marks, kill, resume, verdict; without a sandbox, in one, and behind the proxy. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import type { vendors as kinds } from "../../src/core/settings/agent-kinds.ts";
import { configToml } from "../../src/probe/codex-vendor.ts";
import { vendors } from "../../src/probe/vendors.ts";
import { eventsOf } from "../../test/support/cli.ts";
import { full } from "../../test/support/full.ts";
import { installedDirs } from "./installed.ts";
import { expectStory, issue, makeStoryPlace, storyOf } from "./story.ts";
import type { StoryPlace } from "./story.ts";
import type { Homes } from "./subject.ts";

// OpenCode takes two minutes on a machine that is busy.
vi.setConfig({ testTimeout: 900_000 });
const works = hasBubblewrap();
if (!works) console.warn("SKIPPED: bubblewrap does not work on this machine");

type Kind = (typeof kinds)[number];

/** What holds of one vendor's story besides. */
const besides: Partial<Record<Kind, (place: StoryPlace) => void>> = {
  // node_modules came from the cache for the submissions: the set-up ran once.
  claude: ({ project }) =>
    expect(existsSync(join(project, ".monoco/relays", issue, "submissions/1/setup-1.log"))).toBe(false),
  codex: ({ sandbox, model }) =>
    expect(readFileSync(join(sandbox.folder, "home/.codex/config.toml"), "utf8")).toBe(configToml(model.url)),
  opencode: ({ project }) => {
    const ends = eventsOf(project, issue).filter((event) => event.type === "session.ended");
    expect(ends[0]).toMatchObject({ windowTokens: 200_000, costUsd: expect.any(Number) as number });
    expect(endingWords(ends[1]?.evidence ?? []).join()).toContain("opencode ended by itself (SIGKILL)");
  },
};

/** Settings as a link into dotfiles, with a guard's hook. */
function linkGuard(home: string): void {
  const hook = { type: "command", command: "sh ~/dotfiles/guard.sh" };
  mkdirSync(join(home, "dotfiles"));
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(join(home, "dotfiles/guard.sh"), "echo guarded >> ~/.claude/guarded\n");
  writeFileSync(
    join(home, "dotfiles/settings.json"),
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }),
  );
  symlinkSync("../dotfiles/settings.json", join(home, ".claude/settings.json"));
}

/** To a CLI this is no host of its own machine; to the runner, and so to the proxy, its hosts file says where it is. */
const host = "model.test";
const withHosts = 'mount --bind "$0" /etc/hosts && exec "$@"';

describe.for(Object.keys(vendors) as Kind[])("with %s an issue becomes a merge", (kind) => {
  const vendor = vendors[kind];
  const missing = installedDirs[kind] === undefined;

  full.skipIf(missing)("without a sandbox", async () => {
    const place = await makeStoryPlace(vendor, storyOf(vendor));
    await expectStory(vendor, place);
    besides[kind]?.(place);
  });

  const inSandbox = kind === "claude" ? test : full;
  inSandbox.skipIf(!works || missing)("and every session is held by bubblewrap", async () => {
    const place = await makeStoryPlace(vendor, storyOf(vendor));
    // Nobody has set a sandbox: monoco's own default holds the sessions.
    const home = join(place.sandbox.folder, "home");
    rmSync(join(home, ".config", "monoco"), { recursive: true });
    if (kind === "claude") linkGuard(home);
    await expectStory(vendor, place);
    expect(startedBy(place, ({ containment }) => containment)).toEqual(new Set(["bubblewrap"]));
    if (kind === "claude") expect(readFileSync(join(home, ".claude/guarded"), "utf8")).toContain("guarded");
  });

  full.skipIf(!works || missing)("where all that its CLI reaches is a model behind the proxy", async () => {
    const environment = ({ home, modelUrl }: Homes) =>
      vendor.environment({ home, modelUrl: modelUrl.replace("127.0.0.1", host) });
    const place = await makeStoryPlace({ ...vendor, environment }, storyOf(vendor));
    const { sandbox, project, env } = place;
    appendFileSync(
      join(project, "monoco.yaml"),
      `sandbox: bwrap\nsandboxWrite: [~/.npm]\nnetwork: vendors\nnetworkHosts: [${host}]\n`,
    );
    await sandbox.git(project, "commit", "-qam", "A sandbox");
    const hosts = join(sandbox.folder, "hosts");
    writeFileSync(hosts, `${readFileSync("/etc/hosts", "utf8")}\n127.0.0.1 ${host}\n`);
    const under = ["unshare", "-Urm", "sh", "-c", withHosts, hosts];
    await expectStory(vendor, {
      ...place,
      monoco: (...args) => sandbox.monoco(args, { cwd: project, env, under }),
    });
    expect(startedBy(place, ({ network }) => network)).toEqual(new Set(["vendors"]));
    const refused = eventsOf(project, issue)
      .flatMap((event) => (event.type === "network.refused" ? event.refused : []))
      .map(({ host: name }) => name);
    // Codex looks for its plugins at GitHub, and goes on without.
    const tolerated = kind === "codex" ? /^(api\.)?github\.com$/ : /^$/;
    expect(refused.filter((name) => !tolerated.test(name))).toEqual([]);
  });
});

type Started = ReturnType<typeof eventsOf>[number] & { type: "session.started" };

function startedBy<T>({ project }: StoryPlace, of: (event: Started) => T): Set<T> {
  const started = eventsOf(project, issue).filter((event) => event.type === "session.started");
  return new Set(started.map(of));
}
