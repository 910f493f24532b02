/** The variables of the person's environment that set-up, checks and sessions get, by the setting `env` and by themselves. */
import { expect, it, vi } from "vitest";
import { approves, openPlace, run, works } from "../support/place.ts";
import { isHere } from "../support/namespaces.ts";

vi.setConfig({ testTimeout: 120_000 });

const id = "FEAT-0001";
const secrets = { NPM_TOKEN: "a-token-of-npm", DATABASE_URL: "postgres://me:secret@localhost/db" };
const told = 'echo "[$NPM_TOKEN] [$DATABASE_URL] [$OTHER_TOKEN]"';

it("each gets what `env` names for it, agents are said to read it, and no value is kept", async () => {
  const session = run(`${told} > "$HOME/session.txt"; monoco check > "$HOME/check.txt"`);
  const place = await openPlace(
    { executor: [[session, ...works]], reviewer: [approves] },
    {
      limits: { sessionsMax: 2 },
      settings: `env: { setup: [NPM_TOKEN, UNSET], checks: [DATABASE_URL] }
setup: ['${told} | tee "$HOME/set-up.txt"']
checks: ['${told}; test -n "$DATABASE_URL" && test -z "$NPM_TOKEN"']`,
    },
  );
  const env = { ...secrets, OTHER_TOKEN: "a-token-of-nobody" };
  const ran = await place.sandbox.monoco(["run", id], { cwd: place.project, env });
  expect(ran.exitCode, ran.stdout).toBe(0);
  expect(ran.stderr).toMatchInlineSnapshot(`
    "env: set-up gets NPM_TOKEN, UNSET; checks and sessions get DATABASE_URL; code that agents write can read their values
    env: not set in your environment: UNSET"
  `);
  const shown = (name: string): Promise<string> => place.sh(`cat "$HOME/${name}"`);
  expect(await shown("set-up.txt")).toBe(`[${secrets.NPM_TOKEN}] [] []`);
  expect(await shown("session.txt")).toBe(`[] [${secrets.DATABASE_URL}] []`);
  expect(await shown("check.txt")).toContain(`[] [${secrets.DATABASE_URL}] []`);
  const kept = await place.sh(
    `grep -rlF -e '${secrets.NPM_TOKEN}' -e '${secrets.DATABASE_URL}' .monoco || true`,
  );
  expect(kept).toBe("");
  expect(await place.sh("grep -rhF '[] [***] []' .monoco | sort -u")).not.toBe("");
  const { stdout } = await place.monoco("issue", "review", id);
  expect(stdout).toContain("env: set-up gets NPM_TOKEN, UNSET; checks and sessions get DATABASE_URL");
});

it("another set of variables, or another value for checks, is another baseline; another value for set-up is not", async () => {
  const place = await openPlace(
    { executor: [[{ usage: { contextTokens: 1 } }]], reviewer: [approves] },
    {
      settings: `env: { setup: [NPM_TOKEN], checks: [DATABASE_URL] }\nchecks: ['echo run >> "$HOME/n"']\nexit: { ask: false }`,
      limits: { sessionsMax: 1 },
    },
  );
  const fresh = async (env: Record<string, string>): Promise<string> => {
    await place.sandbox.monoco(["run", id], { cwd: place.project, env });
    await place.monoco("relay", "clear", id);
    return place.sh('wc -l < "$HOME/n"');
  };
  const counts: string[] = [];
  for (const env of [
    {},
    { DATABASE_URL: "a" },
    { DATABASE_URL: "a" },
    { DATABASE_URL: "b" },
    { DATABASE_URL: "b", NPM_TOKEN: "a" },
    { DATABASE_URL: "b", NPM_TOKEN: "b" },
  ])
    counts.push(await fresh(env));
  expect(counts).toEqual(["1", "2", "2", "3", "4", "4"]);
});

it.runIf(isHere("bubblewrap"))(
  "checks that commit have a name, which any other overrides, and mise trusts the clone",
  async () => {
    const commits = `cd "$(mktemp -d)" && git init -q && git commit -q --allow-empty -m One &&
git config user.name Own && git commit -q --allow-empty -m Two && git log --format=%an`;
    const check = `test "$MISE_TRUSTED_CONFIG_PATHS" = "$PWD" && (${commits}) > names.txt && printf 'Own\nmonoco\n' | cmp - names.txt`;
    const place = await openPlace(
      { executor: [[run(check), ...works]], reviewer: [approves] },
      { settings: `checks: [${JSON.stringify(check)}]`, sandbox: "default" },
    );
    expect((await place.monoco("run", id)).exitCode).toBe(0);
    expect(await place.git("show", "main:names.txt")).toBe("Own\nmonoco");
  },
);
