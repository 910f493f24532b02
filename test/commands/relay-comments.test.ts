/** monoco relay comments: people answer, approve and stop from the page of an issue or a pull request, and nobody else can. */
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Ran } from "../support/cli.ts";
import { standInGh } from "../support/gh.ts";
import type { Hub, HubComment, StandInGh } from "../support/gh.ts";
import { approves, issuePath, issueText, run } from "../support/place.ts";
import { openTwoClones } from "../support/two-clones.ts";
import type { TwoClones } from "../support/two-clones.ts";

const asks = `case $MONOCO_ISSUE in *1) monoco relay ask "Which port?";; *) echo text > file.txt; git add -A; git commit -qm work; monoco issue submit;; esac`;

type Scene = TwoClones & {
  gh: StandInGh;
  /** The commit that waits for a person's approval. */
  head: string;
  comments(args?: string): Promise<Ran>;
  letters(): Promise<Record<string, unknown>[]>;
};

/** FEAT-0001 asks, FEAT-0002 waits for a person; both came from issues of the host, and both are on the remote, where clone B reads. */
async function scene(by: "github" | "gitlab" = "github"): Promise<Scene> {
  const [host, repository] =
    by === "github" ? ["github.com", "owner/name"] : ["gitlab.com", "group/sub/name"];
  const name = by === "github" ? "github:owner/name" : "gitlab:gitlab.com/group/sub/name";
  const at = (id: string, number: number): [string, string] => [
    issuePath(id),
    issueText(id, `source: ${name}#${number}\n`),
  ];
  const clones = await openTwoClones(
    { executor: [[run(asks)]], reviewer: [approves] },
    {
      issues: [],
      files: Object.fromEntries([at("FEAT-0001", 12), at("FEAT-0002", 13)]),
      settings: "gates: { medium: human }\nremote: { carry: [journal] }\ncomments: { agents: [Robo] }\n",
    },
  );
  const { a, b, bare, place, there } = clones;
  const gh = standInGh(place.sandbox, []);
  const ran = await a.monoco("run --all");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 1 });
  expect(await a.monoco("relay push --all")).toMatchObject({ exitCode: 0 });
  const url = `https://${host}/${repository}.git`;
  await b.sh(`git config url.'${bare}'.insteadOf ${url} && git remote set-url origin ${url}`);
  const users: Hub["users"] = {
    maria: { permission: "write", id: 11, level: 30 },
    boss: { permission: "admin", id: 12, level: 40 },
    reader: { permission: "read", id: 13, level: 20 },
    Robo: { permission: "write", id: 14, level: 40 },
    "helper[bot]": { permission: "write", type: "Bot", id: 15, level: 40, bot: true },
    "monoco-bot": { permission: "write", id: 16, level: 40 },
  };
  gh.setHub({ users, merge: [{ access_level: 40, user_id: null, group_id: null }] });
  return {
    ...clones,
    gh,
    head: await a.sh("git rev-parse refs/monoco/FEAT-0002/submissions/1"),
    comments: (args = "--json") => b.monoco(`relay comments ${args}`.trim(), { env: gh.env }),
    letters: async () => {
      const bodies = await there(
        "for r in $(git for-each-ref --format='%(refname)' 'refs/monoco/*/letters/*'); do git log -1 --format=%B $r | head -1; done",
      );
      return bodies
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

const soon = (): string => new Date(Date.now() + 60_000).toISOString();
const comment = (id: number, body: string, more: Partial<HubComment> = {}): HubComment => ({
  id,
  place: "issues/12",
  user: "maria",
  body,
  at: soon(),
  ...more,
});

const outcomes = ({ stdout }: { stdout: string }): Record<string, string> =>
  Object.fromEntries(
    (JSON.parse(stdout) as { comment: string; is: string; why?: string }[]).map(
      ({ comment: id, is, why }) => [id.replace(/^.*[_/]/, ""), why === undefined ? is : `${is}: ${why}`],
    ),
  );

test("on GitHub each rule holds: who, what, where, and when", async () => {
  const { gh, head, comments, letters } = await scene();
  const two = { place: "issues/13" };
  const rows: [HubComment, string | undefined][] = [
    [comment(1, "/monoco answer Port 80.\r\nIgnore this line."), "sent"],
    [comment(2, "/monoco answer Port 81", { user: "reader" }), "refused: the host does not confirm"],
    [comment(3, "/monoco answer Port 81", { user: "nobody" }), "refused: the host does not confirm"],
    [comment(4, "/monoco answer Port 81", { user: "helper[bot]" }), "refused: a bot's comments"],
    [comment(5, "/monoco answer Port 81", { user: "robo" }), "refused: agents can write as this account"],
    [comment(6, "/monoco answer Port 81", { user: "monoco-bot" }), undefined],
    [comment(7, "/monoco answer Port 81", { user: null }), "refused: a bot's comments"],
    [comment(8, "/monoco answer Port 81", { edited: soon() }), "refused: the comment was edited"],
    [comment(9, "/monoco answer Port 81", { hidden: true }), "refused: the comment is hidden"],
    [comment(10, "/monoco answer Port 81", { at: "2020-01-01T00:00:00Z" }), "refused: the comment is older"],
    [comment(11, "> /monoco answer Port 81"), undefined],
    [comment(12, "```\n/monoco answer Port 81\n```"), undefined],
    [comment(13, "Yes.\n/monoco answer Port 81"), undefined],
    [comment(14, "／monoco answer Port 81"), undefined],
    [comment(15, " /monoco answer Port 81"), undefined],
    [comment(16, `/monoco say ${"x".repeat(60_000)}`), "refused: 60000 characters are too many"],
    [comment(17, "/monoco say red\u001b[31m \u202ealert\u200b"), "sent"],
    [comment(18, "/monoco approve all"), "refused: the commit is missing"],
    [comment(19, `/monoco approve ${head}`), "refused: no submission waits"],
    [comment(20, `/monoco approve ${head.slice(0, 11)}`, two), "refused: the commit is missing"],
    [comment(21, `/monoco approve ${"0".repeat(40)}`, two), "refused: what waits is"],
    [comment(22, "/monoco answer Port 81", two), "refused: nothing is asked"],
    [comment(23, `/monoco approve ${head.slice(0, 12)}`, two), "sent"],
    [comment(24, "/monoco request-changes Name the file.", { ...two, user: "boss" }), "sent"],
    [comment(25, "/monoco stop", { place: "pulls/3", branch: "monoco/FEAT-0002" }), "sent"],
    [
      comment(26, "/monoco stop now", { place: "pulls/3", branch: "monoco/FEAT-0002", line: true }),
      "refused: /monoco stop takes",
    ],
    [comment(27, "/monoco merge", two), "refused: expected one of"],
    [comment(28, "/monocoanswer x", two), undefined],
  ];
  gh.setHub({ comments: rows.map(([one]) => one) });
  const read = await comments();
  expect(read, read.stdout + read.stderr).toMatchObject({ exitCode: 0 });
  const came = outcomes(read);
  for (const [{ id, body }, expected] of rows)
    expect(came[id]?.slice(0, expected?.length), `${id} ${body.slice(0, 60)}`).toBe(expected);
  const who = { who: "maria", by: "github" };
  const sent = await letters();
  expect(sent).toHaveLength(5);
  expect(sent).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "answer", text: "Port 80.", via: who }),
      expect.objectContaining({ type: "say", text: "red alert", via: who }),
      expect.objectContaining({ type: "review", verdict: "approve", submission: 1, commit: head, via: who }),
      expect.objectContaining({ type: "review", verdict: "request_changes", summary: "Name the file." }),
      expect.objectContaining({ type: "stop", via: who }),
    ]),
  );
  // Each is answered once: the next job finds its own replies.
  const replies = gh
    .hub()
    .comments.filter(({ user, body }) => user === "monoco-bot" && body.startsWith("<!-- monoco re"));
  expect(replies).toHaveLength(Object.keys(came).length);
  expect(replies[0]?.body).toBe(
    "<!-- monoco re IC_1 -->\nTaken for FEAT-0001. Only the first line of the comment counts.\n",
  );
  const again = await comments();
  expect(again.stdout).toBe("[]");
  expect(await letters()).toHaveLength(5);
  expect((await comments("")).stdout).toBe("no new command in a comment");
});

test("an event brings one comment, no edit and no failure of the API does harm, and no comment is too far down", async () => {
  const { gh, comments, letters, place, there } = await scene();
  const forget = (): Promise<string> =>
    there("git for-each-ref --format='delete %(refname)' 'refs/monoco/*/letters/*' | git update-ref --stdin");
  const one = comment(1, "/monoco answer Port 80");
  gh.setHub({ comments: [one, comment(2, "/monoco say not this one")] });
  const file = join(place.around, "event.json");
  const event = (patch: object = {}): string =>
    JSON.stringify({
      action: "created",
      comment: { id: 1, node_id: "IC_1", body: one.body, user: { login: "maria", type: "User" } },
      issue: { number: 12 },
      repository: { full_name: "owner/name", html_url: "https://github.com/owner/name" },
      ...patch,
    });
  for (const patch of [
    { action: "edited" },
    { repository: { html_url: "https://github.com/evil/name" } },
    { comment: { id: 1, node_id: "IC_1", body: "Thanks!", user: { login: "maria" } } },
  ]) {
    writeFileSync(file, event(patch));
    const before = gh.calls().length;
    expect(await comments(`--json --event ${file}`)).toMatchObject({ exitCode: 0, stdout: "[]" });
    expect(gh.calls().length).toBe(before);
  }
  writeFileSync(file, event());
  const read = await comments(`--json --event ${file}`);
  expect(outcomes(read), read.stderr).toEqual({ 1: "sent" });
  expect(await letters()).toMatchObject([{ type: "answer", text: "Port 80" }]);
  // Two jobs that read the same comment send one letter.
  gh.setHub({ comments: [one] });
  expect(outcomes(await comments(`--json --event ${file}`))).toEqual({ 1: "sent" });
  expect(await letters()).toHaveLength(1);
  writeFileSync(file, "{");
  const bad = await comments(`--event ${file}`);
  expect(bad).toMatchObject({ exitCode: 2 });
  expect(bad.stderr).toContain("expected the JSON of an event");
  await forget();
  // One that is edited after it was listed does not count.
  gh.setHub({
    comments: [
      comment(1, "/monoco answer Port 80"),
      comment(2, "/monoco say yes"),
      comment(3, "/monoco say hello"),
    ],
    afterList: { 1: { body: "/monoco answer Port 22", edited: soon() }, 2: { body: "/monoco say no" } },
  });
  expect(outcomes(await comments())).toEqual({
    1: "refused: the comment was edited: write a new one",
    2: "refused: the comment was edited: write a new one",
    3: "sent",
  });
  expect(await letters()).toMatchObject([{ type: "say", text: "hello" }]);
  await forget();
  const talk = Array.from({ length: 250 }, (_, at) =>
    comment(at + 1, at === 240 ? "/monoco answer Port 80" : "Hm."),
  );
  gh.setHub({ comments: talk, afterList: {} });
  expect(outcomes(await comments("FEAT-0001 --json"))).toEqual({ 241: "sent" });
  await forget();
  // Where the API does not answer, nothing is half done.
  gh.setHub({ comments: [comment(1, "/monoco answer Port 80")] });
  for (const [fail, exitCode, words] of [
    [{ collaborators: "HTTP 403: API rate limit exceeded for user ID 1." }, 75, "rate limit"],
    [
      { collaborators: "Must have push access to view collaborator permission. (HTTP 403)" },
      2,
      "push access",
    ],
    [{ "comments?": "Server Error (HTTP 502)" }, 75, "cannot be reached"],
    [{ "comments?": "Not Found (HTTP 404)" }, 2, "Not Found"],
  ] as const) {
    gh.setHub({ fail });
    const failed = await comments();
    expect(failed, failed.stdout).toMatchObject({ exitCode });
    expect(failed.stderr).toContain(words);
    expect(await letters()).toEqual([]);
    expect(gh.hub().comments).toHaveLength(1);
  }
  // The letter is sent, and the reply is not: the next job says it, and sends no second letter.
  gh.setHub({ fail: { "body=@-": "Resource not accessible by integration (HTTP 403)" } });
  expect(await comments()).toMatchObject({ exitCode: 2 });
  gh.setHub({ fail: {} });
  expect(outcomes(await comments())).toEqual({ 1: "sent" });
  expect(await letters()).toHaveLength(1);
});

test("on GitLab the same rules hold, and an approval needs the right to merge, also where a pattern protects the base", async () => {
  const { gh, head, comments, letters } = await scene("gitlab");
  const two = { place: "issues/13" };
  gh.setHub({
    requests: [{ iid: 3, branch: "monoco/FEAT-0002" }],
    rules: [
      { name: "m*n", merge_access_levels: [{ access_level: 40, user_id: null, group_id: null }] },
      { name: "release/*", merge_access_levels: [{ access_level: 30, user_id: null, group_id: null }] },
      { name: "mai", merge_access_levels: [{ access_level: 30, user_id: null, group_id: null }] },
    ],
    comments: [
      comment(1, "/monoco answer Port 80"),
      comment(2, "/monoco answer Port 81", { user: "reader" }),
      comment(3, "/monoco answer Port 81", { user: "helper[bot]" }),
      comment(4, "/monoco say hello", { system: true }),
      comment(5, "/monoco say hello", { edited: "2030-01-01T00:00:00.000Z" }),
      comment(6, `/monoco approve ${head}`, two),
      comment(7, `/monoco approve ${head}`, { ...two, user: "boss" }),
      comment(8, "/monoco stop", { place: "merge_requests/3" }),
    ],
  });
  const read = await comments();
  expect(read, read.stderr).toMatchObject({ exitCode: 0 });
  expect(outcomes(read)).toEqual({
    1: "sent",
    2: "refused: the host does not confirm that this account may do that here",
    3: "refused: a bot's comments are no commands",
    5: "refused: the comment was edited: write a new one",
    6: "refused: the host does not confirm that this account may do that here",
    7: "sent",
    8: "sent",
  });
  expect(await letters()).toHaveLength(3);
  expect((await comments()).stdout).toBe("[]");
});
