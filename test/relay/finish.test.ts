/** `finish: branch` and `finish: pr`: the work is left for people to take, on a branch or in a pull request; the base is not touched. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, vi, it } from "vitest";
import { fixture } from "../support/cli.ts";
import type { Ran } from "../support/cli.ts";
import { approves, commit, issuePath, openPlace, run, submit, works } from "../support/place.ts";
import type { Place, Story } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

vi.setConfig({ testTimeout: 300_000 });

const story: Story = { executor: [works], reviewer: [approves] };
const branch = "monoco/FEAT-0001";

const leftOn = (place: Place): Promise<string> => place.git("rev-parse", branch);

/** What a relay that left its work on its branch has to show: the base as it was, the issue closed on the branch alone. */
async function expectLeft(place: Place, base: string): Promise<void> {
  expect(await place.git("rev-parse", "main")).toBe(base);
  expect(await place.git("status", "--porcelain")).toBe("");
  const tip = await leftOn(place);
  expect(place.events().at(-1)).toMatchObject({ type: "relay.finished", commit: tip });
  expect(await place.git("show", `${branch}:${issuePath("FEAT-0001")}`)).toContain("\nstatus: closed\n");
  expect(await place.git("show", `${branch}:file.txt`)).toBe("text");
  expect(await place.git("merge-base", "main", branch)).toBe(base);
  const trailers = await place.sh(`git log -1 --format=%B ${branch} | git interpret-trailers --parse`);
  expect(trailers).toMatch(/^Monoco-Issue: FEAT-0001\nMonoco-Submission: 1 /);
}

describe("finish: branch", () => {
  testRows(["merge", "squash"])(
    "leaves the closed, checked commit on the work branch, by %s; merged by hand it is done",
    async (merge) => {
      const place = await openPlace(story, {
        settings: `finish: branch\nmerge: ${merge}\nchecks: ["test -f file.txt"]\n`,
      });
      const base = await place.git("rev-parse", "main");
      const ran = await place.monoco("run", "FEAT-0001");
      expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
      await expectLeft(place, base);
      const parents = (await place.git("log", "-1", "--format=%P", branch)).split(" ");
      expect(parents).toHaveLength(merge === "merge" ? 2 : 1);
      expect(await place.git("rev-list", "--count", `main..${branch}`)).toBe(merge === "squash" ? "1" : "2");
      expect(ran.stdout).toContain(`FEAT-0001  done: its work is on branch ${branch} (`);
      expect(ran.stdout).toContain(`hint: git merge ${branch} takes it over`);
      const status = JSON.parse((await place.monoco("relay", "status", "FEAT-0001", "--json")).stdout);
      expect(status).toMatchObject({
        phase: "done",
        leftOn: { branch, commit: await leftOn(place), pullRequest: null },
      });
      // It is open on the base still: that is no reason to do it again.
      const before = place.events().length;
      const again = await place.monoco("run", "FEAT-0001");
      expect(again, again.stdout).toMatchObject({ exitCode: 0 });
      expect(again.stdout).toContain(`is done: its work is on branch ${branch}`);
      expect(place.events()).toHaveLength(before);
      await place.git("merge", "--quiet", branch);
      expect((await place.monoco("run", "FEAT-0001")).stdout).toContain("is done: it is closed on the base");
      const { stdout } = await place.monoco("relay", "resume", "FEAT-0001", "--json");
      const onMain = expect.stringContaining("its work is on main (") as string;
      expect(JSON.parse(stdout)).toMatchObject({ phase: "done", because: onMain, hint: "" });
    },
  );

  test("a base that moved meanwhile is merged into it, and the checks run on the whole", async () => {
    const theirs = run('cd "$PERSON" && echo theirs > theirs.txt && git add -A && git commit -qm Theirs');
    const place = await openPlace(
      { executor: [works], reviewer: [[theirs, ...approves]] },
      { settings: 'finish: branch\nmerge: squash\nchecks: ["test -f file.txt"]\n' },
    );
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    await expectLeft(place, await place.git("rev-parse", "main"));
    expect(await place.git("show", `${branch}:theirs.txt`)).toBe("theirs");
    expect(place.all("checks.ran").map(({ target }) => target)).toContain("merge");
  });

  test("commits that the person put on the branch are not replaced: blocked; submitted, they are reviewed and left with the rest", async () => {
    const mine = run(
      `cd "$PERSON" && git update-ref refs/heads/${branch} $(git commit-tree -p ${branch} -m Mine ${branch}^{tree})`,
    );
    const place = await openPlace(
      { executor: [works], reviewer: [[mine, ...approves], approves] },
      { settings: "finish: branch\nmerge: squash\n" },
    );
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain(`blocked: branch ${branch} has commits that were not submitted`);
    expect(await place.git("log", "-1", "--format=%s", branch)).toBe("Mine");
    await place.git("checkout", "-q", branch);
    expect(await place.monoco("issue", "submit")).toMatchObject({ exitCode: 0 });
    await place.git("checkout", "-q", "main");
    const resumed = await place.monoco("relay", "resume", "FEAT-0001");
    expect(resumed, resumed.stdout).toMatchObject({ exitCode: 0 });
    expect(place.events().at(-1)).toMatchObject({ type: "relay.finished", submission: 2 });
    expect(await place.git("rev-list", "--count", `main..${branch}`)).toBe("1");
  });

  test("a checkout of the branch goes along where its commits only grow, and is asked for where they are made anew", async () => {
    const holds = run(`cd "$PERSON" && git worktree add -q ../held ${branch}`);
    const place = await openPlace(
      { executor: [works], reviewer: [[holds, ...approves]] },
      { settings: "finish: branch\nmerge: squash\n" },
    );
    const base = await place.git("rev-parse", "main");
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain(`held has ${branch} checked out, and squash makes its commits anew`);
    expect(ran.stdout).toContain("hint: switch it to another branch, then monoco resume FEAT-0001");
    const grown = await place.monoco("relay", "resume", "FEAT-0001", "--set", "merge=merge");
    expect(grown, grown.stdout).toMatchObject({ exitCode: 0 });
    await expectLeft(place, base);
    const held = join(place.around, "held");
    expect(await place.sandbox.git(held, "status", "--porcelain")).toBe("");
    expect(await place.sandbox.git(held, "rev-parse", "HEAD")).toBe(await leftOn(place));
  });

  // TRAP 49
  test("where a branch `monoco` leaves no room for it, it says so, and goes on when that is renamed", async () => {
    const place = await openPlace(story, { settings: "finish: branch\n" });
    await place.git("branch", "monoco");
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toMatch(/blocked: monoco\/FEAT-0001 cannot be set: .*refs\/heads\/monoco/);
    await place.git("branch", "-m", "monoco", "mine");
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await place.git("show", `${branch}:file.txt`)).toBe("text");
  });
});

it("finish.branch names the branch that the work is left on, and commands there need no id", async () => {
  const place = await openPlace(story, {
    settings: 'finish: { by: branch, branch: "feature/{id}-{slug}" }\n',
  });
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
  const name = "feature/FEAT-0001-write-a-file";
  expect(ran.stdout).toContain(`its work is on branch ${name} (`);
  expect(await place.git("for-each-ref", "--format=%(refname:short)", "refs/heads")).toBe(`${name}\nmain`);
  await place.git("switch", "-q", name);
  expect((await place.monoco("relay", "status")).stdout).toContain("FEAT-0001");
});

/**
 * The real gh cannot be had here: it needs GitHub. In its place stands a program (test/fixtures/bin/gh) that writes down how
 * it is called and remembers the pull requests that it was asked to open. The remotes are real bare repositories.
 */
type Hub = {
  place: Place;
  remote: string;
  monoco(...args: string[]): Promise<Ran>;
  /** How gh was called, oldest first. */
  calls(): { args: string[]; input: string }[];
  remoteGit(...args: string[]): Promise<string>;
};

async function openHub(of: Story, settings = "", gh: "here" | "no login" | "none" = "here"): Promise<Hub> {
  const place = await openPlace(of, { settings: `finish: pr\n${settings}` });
  const remote = join(place.around, "remote.git");
  await place.sandbox.sh(place.around, "git init -q --bare -b main remote.git");
  await place.git("remote", "add", "origin", remote);
  await place.git("push", "-q", "-u", "origin", "main");
  const hub = join(place.around, "hub");
  mkdirSync(hub);
  if (gh !== "none") {
    mkdirSync(join(place.around, "bin"));
    cpSync(fixture("bin/gh"), join(place.around, "bin/gh"));
  }
  if (gh === "no login") writeFileSync(join(hub, "logged-out"), "");
  const env = { PATH: `${join(place.around, "bin")}:${pathWithoutGh(place)}`, GH_STAND_IN: hub };
  return {
    place,
    remote,
    monoco: (...args) => place.sandbox.monoco(args, { cwd: place.project, env }),
    calls: () =>
      existsSync(join(hub, "calls"))
        ? readFileSync(join(hub, "calls"), "utf8")
            .split("\0\0")
            .filter(Boolean)
            .map((call) => {
              const [input = "", ...args] = call.split("\0");
              return { args, input };
            })
        : [],
    remoteGit: (...args) => place.sandbox.git(remote, ...args),
  };
}

/** A machine may have the real one: it would be asked in earnest. All that stands beside it is there by links. */
function pathWithoutGh(place: Place): string {
  const folders = (place.sandbox.env["PATH"] ?? "").split(":");
  const found = folders.map((folder, index) => {
    if (!existsSync(join(folder, "gh"))) return folder;
    const others = join(place.around, `path-${index}`);
    mkdirSync(others);
    for (const name of readdirSync(folder).filter((one) => one !== "gh"))
      symlinkSync(join(folder, name), join(others, name));
    return others;
  });
  return found.join(":");
}

describe("finish: pr", () => {
  it("pushes the branch and opens a pull request with the dossier", async () => {
    const reviewer = [
      [
        {
          verdict: "approve",
          summary: "Good. @somebody, closes #1",
          findings: [{ id: "n", severity: "note", title: "Could be shorter" }],
        },
      ],
    ];
    const hub = await openHub(
      { executor: [works], reviewer },
      'merge: squash\nchecks: ["test -f file.txt"]\n',
    );
    const { place } = hub;
    const base = await place.git("rev-parse", "main");
    const ran = await hub.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectLeft(place, base);
    expect(await hub.remoteGit("rev-parse", branch)).toBe(await leftOn(place));
    expect(await hub.remoteGit("rev-parse", "main")).toBe(base);
    // What monoco keeps of sessions stays here.
    expect(await place.git("for-each-ref", "refs/monoco/FEAT-0001/sessions")).not.toBe("");
    expect(await hub.remoteGit("for-each-ref", "--format=%(refname)")).toBe(
      `refs/heads/main\nrefs/heads/${branch}`,
    );
    const created = hub.calls().filter(({ args }) => args[1] === "create");
    expect(created).toHaveLength(1);
    expect(created[0]!.args).toEqual([
      "pr",
      "create",
      "--head",
      branch,
      "--base",
      "main",
      "--title",
      "FEAT-0001: Write a file",
      "--body-file",
      "-",
    ]);
    const body = created[0]!.input;
    for (const words of [
      "# FEAT-0001: submission 1, Write a file",
      "**approve** by the Reviewer (session 2)",
      "| 1 | the file is there | behaves (guessed) | met |",
      "[note] n: Could be shorter",
      "- <code>test -f file.txt</code>: green",
      "file.txt",
      "2 files changed",
      "Monoco-Submission: 1 ",
    ]) {
      expect(body).toContain(words);
    }
    // Outside of a fence GitHub would call somebody, and close a ticket.
    expect(body.replaceAll(/^```data\n[^]*?^```$/gm, "")).not.toMatch(/@somebody|#1/);
    expect(ran.stdout).toContain("its pull request is https://hub.invalid/pull/1");
    const status = JSON.parse((await hub.monoco("relay", "status", "FEAT-0001", "--json")).stdout);
    expect(status).toMatchObject({
      phase: "pull_request",
      leftOn: { pullRequest: "https://hub.invalid/pull/1" },
    });
  });

  test("goes to the remote that the base is pulled from", async () => {
    const hub = await openHub(story);
    const { place } = hub;
    await place.sandbox.sh(place.around, "git init -q --bare upstream.git");
    await place.sh("git remote add upstream ../upstream.git && git config branch.main.remote upstream");
    expect(await hub.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    const there = join(place.around, "upstream.git");
    expect(await place.sandbox.git(there, "rev-parse", branch)).toBe(await leftOn(place));
    await expect(hub.remoteGit("rev-parse", "--verify", branch)).rejects.toThrow();
  });

  test("killed after the pull request was opened and before that is journaled: resume finds it, and opens no second", async () => {
    const hub = await openHub(story);
    const { place } = hub;
    writeFileSync(join(place.around, "hub/kill-parent"), "");
    const ran = await hub.monoco("run", "FEAT-0001");
    expect(ran.signal).toBe("SIGKILL");
    expect(place.events().at(-1)).toMatchObject({ type: "merge.prepared" });
    rmSync(join(place.around, "hub/kill-parent"));
    const resumed = await hub.monoco("relay", "resume", "FEAT-0001");
    expect(resumed, resumed.stdout + resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(hub.calls().filter(({ args }) => args[1] === "create")).toHaveLength(1);
    expect(place.events().at(-1)).toMatchObject({ pullRequest: "https://hub.invalid/pull/1" });
    expect(place.all("merge.prepared")).toHaveLength(1);
  });

  test.for<["none" | "no login", string]>([
    ["none", "gh (GitHub CLI) is not on the PATH"],
    ["no login", "gh: To get started with GitHub CLI, please run: gh auth login"],
  ])(
    "with gh: %s, the branch is pushed, and the command that is named opens the pull request",
    async ([gh, because]) => {
      const hub = await openHub(story, "", gh);
      const { place } = hub;
      const ran = await hub.monoco("run", "FEAT-0001");
      expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
      expect(await hub.remoteGit("rev-parse", branch)).toBe(await leftOn(place));
      const hint = / hint: (.*)$/m.exec(ran.stdout)![1]!;
      expect(hint).toContain(
        `${branch} is pushed to origin, but no pull request is opened (${because}): gh pr create `,
      );
      // The person does as told.
      const bin = join(place.around, "bin");
      mkdirSync(bin, { recursive: true });
      cpSync(fixture("bin/gh"), join(bin, "gh"));
      rmSync(join(place.around, "hub/logged-out"), { force: true });
      const command = hint.slice(hint.indexOf("gh pr create"));
      await place.sh(`PATH="${bin}:$PATH" GH_STAND_IN="${join(place.around, "hub")}" ${command}`);
      const file = hub.calls().at(-1)!.args.at(-1)!;
      expect(readFileSync(file, "utf8")).toContain("## Criteria");
      expect(dirname(file)).toContain(".monoco/relays/FEAT-0001/submissions/1");
    },
  );

  it("without a remote the work is on the branch, and it is told how to bring it there", async () => {
    const hub = await openHub(story);
    await hub.place.git("remote", "remove", "origin");
    const ran = await hub.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toMatch(
      /hint: no remote to push monoco\/FEAT-0001 to: git remote add REMOTE URL, git push -u REMOTE monoco\/FEAT-0001, then gh pr create /,
    );
    expect(hub.calls()).toEqual([]);
  });

  test("a remote that refuses: blocked with its words; mended, resume pushes and opens", async () => {
    const hub = await openHub(story);
    const hook = join(hub.remote, "hooks/pre-receive");
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\necho not today >&2\nexit 1\n");
    chmodSync(hook, 0o755);
    const ran = await hub.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toMatch(
      /blocked: monoco\/FEAT-0001 cannot be pushed to origin: not today; .*pre-receive hook declined/,
    );
    rmSync(hook);
    const resumed = await hub.monoco("relay", "resume", "FEAT-0001");
    expect(resumed, resumed.stdout).toMatchObject({ exitCode: 0 });
    expect(hub.place.events().at(-1)).toMatchObject({ pullRequest: "https://hub.invalid/pull/1" });
  });

  test("a remote that refuses the work itself: another commit on top is taken, reviewed, pushed and opened", async () => {
    const hub = await openHub(story);
    const hook = join(hub.remote, "hooks/pre-receive");
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nread -r old new ref; git cat-file -e "$new:mended.txt"\n', {
      mode: 0o755,
    });
    expect(await hub.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 1 });
    await hub.place.sh(
      `git checkout -q ${branch} && echo m > mended.txt && git add . && git commit -qm Mend`,
    );
    const submitted = await hub.monoco("issue", "submit");
    expect(submitted, submitted.stderr).toMatchObject({ exitCode: 0 });
    await hub.place.git("checkout", "-q", "main");
    const resumed = await hub.monoco("relay", "resume", "FEAT-0001");
    expect(resumed, resumed.stdout).toMatchObject({ exitCode: 0 });
    expect(hub.place.events().at(-1)).toMatchObject({
      submission: 2,
      pullRequest: "https://hub.invalid/pull/1",
    });
  });

  test("done anew it replaces what it pushed itself, and nothing that somebody else did", async () => {
    const again = [{ write: { "file.txt": "again\n" } }, commit, submit];
    const hub = await openHub({ executor: [works, again, again], reviewer: [approves] }, "merge: squash\n");
    const { place } = hub;
    expect(await hub.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await hub.monoco("relay", "clear", "FEAT-0001", "--force")).toMatchObject({ exitCode: 0 });
    const anew = await hub.monoco("run", "FEAT-0001");
    expect(anew, anew.stdout).toMatchObject({ exitCode: 0 });
    expect(await hub.remoteGit("show", `${branch}:file.txt`)).toBe("again");
    expect(hub.calls().filter(({ args }) => args[1] === "create")).toHaveLength(1);
    // Somebody pushes to the pull request's branch.
    await place.sh(
      `git push -q origin $(git commit-tree -p ${branch} -m Theirs ${branch}^{tree}):refs/heads/${branch}`,
    );
    const theirs = await hub.remoteGit("rev-parse", branch);
    expect(await hub.monoco("relay", "clear", "FEAT-0001", "--force")).toMatchObject({ exitCode: 0 });
    const refused = await hub.monoco("run", "FEAT-0001");
    expect(refused, refused.stdout).toMatchObject({ exitCode: 1 });
    expect(refused.stdout).toMatch(
      /blocked: monoco\/FEAT-0001 cannot be pushed to origin: .*(rejected|stale info)/,
    );
    expect(await hub.remoteGit("rev-parse", branch)).toBe(theirs);
  });
});
