/** The whole story with `network: vendors`, with each of the real CLIs: all that they reach is a model behind the proxy. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, vi } from "vitest";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import { vendors } from "../../src/probe/vendors.ts";
import { eventsOf } from "../../test/support/cli.ts";
import { full as test } from "../../test/support/full.ts";
import { installedDirs } from "./installed.ts";
import { expectStory, issue, makeStoryPlace, storyOf } from "./story.ts";

vi.setConfig({ testTimeout: 400_000 });
const works = hasBubblewrap();
if (!works) console.warn("SKIPPED: bubblewrap does not work on this machine");

/** To a CLI this is no host of its own machine; to the runner, and so to the proxy, its hosts file says where it is. */
const host = "model.test";
const withHosts = 'mount --bind "$0" /etc/hosts && exec "$@"';

describe.for(Object.values(vendors))("with $settings.kind", (vendor) => {
  const { kind } = vendor.settings;
  test.skipIf(!works || installedDirs[kind as keyof typeof installedDirs] === undefined)(
    "an issue becomes a merge through the proxy",
    async () => {
      const named = {
        ...vendor,
        environment: ({ home, modelUrl }: { home: string; modelUrl: string }) =>
          vendor.environment({ home, modelUrl: modelUrl.replace("127.0.0.1", host) }),
      };
      const place = await makeStoryPlace(named, storyOf(vendor));
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
      const events = eventsOf(project, issue);
      const started = events.filter((event) => event.type === "session.started");
      expect(new Set(started.map(({ network }) => network))).toEqual(new Set(["vendors"]));
      const refused = events.flatMap((event) => (event.type === "network.refused" ? event.refused : []));
      const others = refused
        .map(({ host: name }) => name)
        .filter((name) => !/^(api\.)?github\.com$/.test(name));
      // Codex looks for its plugins at GitHub, and goes on without.
      expect(kind === "codex" ? others : refused).toEqual([]);
    },
  );
});
