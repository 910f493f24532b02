/** In a home as people have it, in monoco's own sandbox: from an issue to a merge with each real CLI, whose hooks and servers work, and which sees no key. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import type { vendors as kinds } from "../../src/core/settings/agent-kinds.ts";
import type { Homes } from "./subject.ts";
import { vendors } from "../../src/probe/vendors.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { testRows } from "../../test/support/full.ts";
import { installedDirs } from "./installed.ts";
import { furnish, guardWords, instruction, lookAt, onPath, secret, sights, tools } from "./lived-in-home.ts";
import { approved, endsOf, issue, makeStoryPlace, shellTurn, whole } from "./story.ts";

vi.setConfig({ testTimeout: 600_000 });

type Kind = (typeof kinds)[number];

const look = "cat ~/.npmrc ~/.netrc ~/.secrets ~/.ssh/* ~/.aws/* ~/.config/gh/* ~/dotfiles/.npmrc";

testRows<Kind>(["claude", "codex", "gemini", "opencode"])("%s", async (kind, { skip }) => {
  skip(!hasBubblewrap() || installedDirs[kind] === undefined);
  const vendor = vendors[kind];
  const bash = (command: string) => shellTurn(vendor, command, 20_000);
  const seen = sights(kind);
  const looks = bash(
    `${lookAt(Object.keys(seen))}; cmp "$NODE_EXTRA_CA_CERTS" ~/certs/company.pem && echo one certificate; echo "lent: $AWS_ACCESS_KEY_ID$AWS_SECRET_ACCESS_KEY."`,
  );
  const place = await makeStoryPlace(
    {
      ...vendor,
      environment: (homes: Homes) => {
        const env = vendor.environment(homes);
        return { ...env, ...furnish(homes.home, kind, process.execPath) };
      },
    },
    [
      {
        match: "You are session 1 of its relay",
        turns: [
          bash("echo forbidden"),
          bash(`${Object.keys(tools).join("; ")}; ${look}; true`),
          looks,
          bash(`${whole}; monoco issue submit`),
          { text: "Submitted." },
        ],
      },
      { match: "You are the Reviewer", turns: [bash("npm test"), vendor.verdict(approved)] },
    ],
  );
  const home = join(place.sandbox.folder, "home");
  // Nobody has set a sandbox.
  rmSync(join(home, ".config/monoco"), { recursive: true });
  const PATH = [...onPath.map((folder) => join(home, folder)), place.env["PATH"]].join(":");
  const options = { cwd: place.project, env: { ...place.env, PATH } };
  const ran = await place.sandbox.monoco(["run", issue, "--set", "breaker.reopen=manual"], options);
  const events = eventsOf(place.project, issue);
  const said = ran.stdout + ran.stderr + place.unmatched();
  expect(endsOf(events), said).toEqual([
    [1, "submitted"],
    [2, "decided"],
  ]);
  expect(ran.exitCode, said).toBe(0);
  const { requests } = place.model;
  expect(requests[1]?.tail).toContain(guardWords);
  for (const name of Object.keys(tools)) expect(requests[2]?.tail).toContain(`${name} of the person`);
  // Gemini CLI tells the model of an output as JSON.
  const looked = (requests[3]?.tail ?? "").replaceAll("\\n", "\n");
  const sight = [...looked.matchAll(/(\S+): (hidden|read|written)$/gm)].map(([, path, what]) => [path, what]);
  expect(Object.fromEntries(sight)).toEqual(seen);
  expect(looked).toContain("one certificate\nlent: .");
  expect(said).toMatch(/the sandbox hides ~\/\.npmrc, .*: `sandboxRead: \[~\/\.npmrc\]` shows it/);
  expect(requests[0]?.tools.join()).toContain("notes");
  const reached = requests
    .flatMap(({ system, messages }) => [system, ...messages.map(({ text }) => text)])
    .join("\n");
  expect(reached).toContain(instruction);
  expect(reached).not.toContain(secret);
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});
