/** monoco doctor --ci: each thing that a runner's checkout may lack, planted for real, and mended by the command that is printed. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { standInGh } from "../support/gh.ts";
import type { StandInGh } from "../support/gh.ts";
import { isHere, skipWithout } from "../support/namespaces.ts";
import { approves, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";

type Found = { rule: string; state: string; because: string; fix: string | null; safe: boolean };
type Told = { status: number; findings: Found[]; fixed: Found[] };

type Checkout = {
  place: Place;
  gh: StandInGh;
  folder: string;
  bare: string;
  sh(command: string): Promise<string>;
  /** The findings of a runner, by their rules. */
  look(...flags: string[]): Promise<Map<string, Found>>;
  status(): Promise<number>;
  /** Types the printed fix of a rule into a shell. */
  mend(rule: string): Promise<void>;
};

/** A checkout as `commands` of a CI service make it, of a repository with three commits and two branches. */
async function checkout(commands: string, settings = ""): Promise<Checkout> {
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    { sandbox: "default", settings },
  );
  const { sandbox } = place;
  const bare = join(place.around, "bare.git");
  await place.monoco("init", "--ci", "github");
  await place.sh(
    `git add -A && git commit -qm ci && git commit -q --allow-empty -m third && git branch other && git clone -q --bare . '${bare}'`,
  );
  const folder = join(place.around, "runner");
  mkdirSync(folder);
  const gh = standInGh(sandbox, [], bare);
  const env = { ...gh.env, CI: "true" };
  const sh = (command: string): Promise<string> => sandbox.sh(folder, command);
  await sh(commands.replaceAll("BARE", `file://${bare}`));
  await sh("git config user.email a@example.com");
  const doctor = async (flags: string[]): Promise<Told> => {
    const { stdout, stderr } = await sandbox.monoco(["doctor", "--ci", "--json", ...flags], {
      cwd: folder,
      env,
    });
    expect(stderr).toBe("");
    return JSON.parse(stdout) as Told;
  };
  const look = async (...flags: string[]): Promise<Map<string, Found>> => {
    const { findings } = await doctor(flags);
    const ofRunner = /^(?:ci_|repository_refused)/;
    return new Map(findings.filter(({ rule }) => ofRunner.test(rule)).map((one) => [one.rule, one]));
  };
  return {
    place,
    gh,
    folder,
    bare,
    sh,
    look,
    status: async () => (await doctor([])).status,
    mend: async (rule) => void (await sh((await look()).get(rule)!.fix!)),
  };
}

/** As actions/checkout does with `fetch-depth: 0` and a branch. */
const whole =
  "git init -q . && git remote add origin BARE && git fetch -q origin '+refs/heads/*:refs/remotes/origin/*' && git checkout -q -B main refs/remotes/origin/main";
/** As GitLab's runner does with its default depth. */
const shallowAndDetached =
  "git init -q . && git remote add origin BARE && git fetch -q --depth 1 origin +refs/heads/main:refs/remotes/origin/main && git checkout -q --detach refs/remotes/origin/main";
/** As actions/checkout does for a pull request. */
const ofPullRequest =
  "git init -q . && git remote add origin BARE && git fetch -q --depth 1 origin +refs/heads/other:refs/remotes/pull/1/merge && git checkout -q --detach refs/remotes/pull/1/merge";

test("a whole checkout, with all that the workflow brings: nothing is bad", async (context) => {
  skipWithout("bubblewrap", context);
  const { look, status } = await checkout(whole);
  expect([...(await look()).keys()]).toEqual(["ci_ready"]);
  expect(await status()).toBe(0);
});

test.for([
  ["shallow and detached", shallowAndDetached],
  ["of a pull request", ofPullRequest],
] as const)(
  "a checkout that is %s is mended by the commands that are printed, one after the other",
  async ([, how]) => {
    const { look, mend, sh } = await checkout(how);
    // A shallow clone is no repository for monoco: nothing else is looked at.
    expect((await look()).get("repository_refused")).toMatchObject({
      state: "bad",
      fix: "git fetch --unshallow",
    });
    await mend("repository_refused");
    const rules = [...(await look()).keys()];
    expect(rules.filter((rule) => rule !== "ci_sandbox")).toEqual(["ci_base", "ci_detached"]);
    for (const rule of ["ci_base", "ci_detached"]) await mend(rule);
    expect([...(await look()).keys()]).toEqual([isHere("bubblewrap") ? "ci_ready" : "ci_sandbox"]);
    expect(await sh("git rev-list --count main")).toBe("3");
    expect(await sh("git symbolic-ref --short HEAD && git rev-parse --abbrev-ref main@{upstream}")).toBe(
      "main\norigin/main",
    );
  },
);

test("--fix mends what loses nothing, and leaves the files that are checked out as they are", async () => {
  const { look, sh } = await checkout(shallowAndDetached);
  await sh("git fetch -q --unshallow; echo mine > file.txt");
  expect([...(await look("--fix")).keys()]).toContain("ci_detached");
  const after = await look();
  expect(after.has("ci_base")).toBe(false);
  expect(await sh("git rev-list --count main; cat file.txt; git rev-parse --abbrev-ref HEAD")).toBe(
    "3\nmine\nHEAD",
  );
});

test("a base that tracks nothing, and nobody who commits, are notes with their commands", async () => {
  const { look, mend, sh } = await checkout(whole);
  await sh(
    "git config --unset branch.main.remote; git config --unset branch.main.merge; git config --unset user.email",
  );
  const found = await look();
  expect(found.get("ci_untracked")).toMatchObject({ state: "note" });
  expect(found.get("ci_identity")).toMatchObject({ state: "note" });
  for (const rule of ["ci_untracked", "ci_identity"]) await mend(rule);
  expect([...(await look()).keys()].filter((rule) => rule !== "ci_sandbox" && rule !== "ci_ready")).toEqual(
    [],
  );
});

test("no remote; and a remote that takes no push of a relay, in its own words", async () => {
  const { look, sh } = await checkout(whole);
  await sh("git remote rename origin elsewhere");
  expect((await look()).get("ci_remote")).toMatchObject({ state: "bad", fix: "git remote add origin URL" });
  await sh("git remote rename elsewhere origin");
  expect((await look()).has("ci_push")).toBe(false);
  await sh("git remote set-url --push origin /nowhere");
  expect((await look()).get("ci_push")).toMatchObject({
    state: "bad",
    because: expect.stringMatching(/^origin takes no push of a relay: .*\/nowhere/) as string,
    fix: "gh auth setup-git",
  });
});

test("gh is not logged in, or not there: its token is never asked for", async () => {
  const { look, gh, place } = await checkout(whole);
  gh.be("logged-out");
  expect((await look()).get("ci_host_logged_out")).toMatchObject({
    state: "bad",
    fix: "set GH_TOKEN in the step's env",
  });
  gh.be("well");
  expect(gh.calls().every((call) => call.join(" ") === "auth status")).toBe(true);
  chmodSync(join(place.around, "gh", "bin", "gh"), 0o644);
  // Only a machine without gh of its own can say that none is there.
  const rules = [...(await look()).keys()];
  expect(rules.some((rule) => rule.startsWith("ci_host"))).toBe(true);
});

test("sandbox: none is bad in a runner", async () => {
  const { look, status } = await checkout(whole, "sandbox: none\n");
  expect((await look()).get("ci_sandbox_none")).toMatchObject({
    state: "bad",
    fix: "set sandbox: bwrap in monoco.yaml, and commit that",
  });
  expect(await status()).toBe(1);
});

test("a workflow file that is missing or stale is a note; one that somebody changed is their own", async () => {
  const { look, sh, folder, place } = await checkout(whole);
  const path = join(folder, ".github/workflows/monoco.yml");
  const text = place.read(".github/workflows/monoco.yml");
  rmSync(path);
  expect((await look()).get("ci_workflow")).toMatchObject({ state: "note", fix: "monoco init --ci github" });
  writeFileSync(path, text.replace("max-parallel: 3", "max-parallel: 9"));
  expect((await look()).has("ci_workflow")).toBe(false);
  writeFileSync(path, text);
  await sh("git branch -q -m main trunk && echo 'base: trunk' >> monoco.yaml");
  expect((await look()).get("ci_workflow")).toMatchObject({
    because: "this monoco would write it otherwise: .github/workflows/monoco.yml",
  });
});

test("outside of a repository it is refused, as no runner can work there", async () => {
  const { place } = await checkout(whole);
  const ran = await place.sandbox.monoco(["doctor", "--ci"], { cwd: place.around });
  expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
});
