/** GitHub as a host, by `gh api`. */
import { z } from "zod";
import { gh } from "../github/gh.ts";
import type { GhRun } from "../github/gh.ts";
import { openPullRequest } from "../github/publish.ts";
import { MonocoError } from "../../core/error/error.ts";
import { io } from "../../io/io.ts";
import type { Hosted } from "../remotes.ts";
import { readAnswer, unlessMissing } from "./host.ts";
import type { Host, HostComments, HostIssues, Place } from "./host.ts";

/** REST tells of an edit by times of a second's precision; GraphQL has a field for it. */
const commentQuery = `query($id: ID!) { node(id: $id) {
  ... on Comment { body createdAt lastEditedAt author { login kind: __typename } }
  ... on Minimizable { isMinimized }
  ... on IssueComment { url pullRequest { headRefName } }
  ... on PullRequestReviewComment { url inPull: pullRequest { headRefName } }
} }`;

const pull = z.object({ headRefName: z.string() }).nullish();
const commentSchema = z.object({
  body: z.string(),
  createdAt: z.iso.datetime({ offset: true }),
  lastEditedAt: z.string().nullable(),
  author: z.object({ login: z.string(), kind: z.string() }).nullable(),
  isMinimized: z.boolean(),
  url: z.string(),
  pullRequest: pull,
  inPull: pull,
});
const nodeSchema = z.object({ data: z.object({ node: commentSchema.nullable() }) });
const listedSchema = z.array(z.object({ id: z.string(), login: z.string(), body: z.string() }));
const rightSchema = z.object({ permission: z.string(), user: z.object({ type: z.string() }).nullish() });
const issueSchema = z.object({
  title: z.string(),
  body: z.string().nullable(),
  labels: z.array(z.object({ name: z.string() })),
  html_url: z.string(),
  state: z.string(),
  state_reason: z.string().nullish(),
});

/** Comments of strangers are long and many: those that cannot matter stay out, and no page has more than it can. */
const mattering =
  '[.[] | select(.body // "" | startswith("/monoco") or startswith("<!-- monoco")) | {id: .node_id, login: (.user.login // "ghost"), body: .body[:9000]}]';

type Api = (args: readonly string[], input?: string) => Promise<string>;
type Asked = { api: Api; path: string; hosted: Hosted };

export function githubHost(hosted: Hosted, at: GhRun): Host {
  const { host, owner, name } = hosted;
  const api: Api = (args, input) =>
    gh(["api", ...args, "--hostname", host], { ...at, ...(input === undefined ? {} : { input }) });
  const asked = { api, path: `repos/${owner}/${name}`, hosted };
  return { ...commentsOn(asked), ...issuesOn(asked, at) };
}

function commentsOn({ api, path, hosted }: Asked): HostComments {
  const commentsOf = async (which: string): Promise<z.infer<typeof listedSchema>> => {
    const asked = `${path}/${which}/comments?per_page=100`;
    const pages = (await api([asked, "--paginate", "--jq", mattering])).split("\n").filter(Boolean);
    return pages.flatMap((page) => readAnswer(listedSchema, page, asked));
  };
  return {
    async me() {
      // An installation's token, as in GitHub Actions, cannot ask for /user.
      const query = "query=query { viewer { login } }";
      return (await api(["graphql", "-f", query, "--jq", ".data.viewer.login"])).trim();
    },
    async list({ kind, number }) {
      const above = await commentsOf(`issues/${number}`);
      return kind === "issue" ? above : [...above, ...(await commentsOf(`pulls/${number}`))];
    },
    async see(id) {
      const asked = ["graphql", "-f", `query=${commentQuery}`, "-f", `id=${id}`];
      const answer = await unlessMissing(api(asked));
      if (answer === undefined) return undefined;
      const { node } = readAnswer(nodeSchema, answer, "graphql").data;
      const [, repository = "", kind, number] =
        /^https:\/\/(.+)\/(issues|pull)\/(\d+)#/.exec(node?.url ?? "") ?? [];
      if (!node || repository.toLowerCase() !== `${hosted.host}/${hosted.owner}/${hosted.name}`.toLowerCase())
        return undefined;
      const { author, body, lastEditedAt, isMinimized, pullRequest, inPull, createdAt } = node;
      return {
        login: author?.login ?? "ghost",
        isPerson: author?.kind === "User",
        body,
        isEdited: lastEditedAt !== null,
        isHidden: isMinimized,
        createdAtMs: Date.parse(createdAt),
        place: { kind: kind === "pull" ? "pull" : "issue", number: Number(number) },
        branch: (pullRequest ?? inPull)?.headRefName,
      };
    },
    async may(login) {
      const asked = `${path}/collaborators/${encodeURIComponent(login)}/permission`;
      const answer = await unlessMissing(api([asked]));
      if (answer === undefined) return false;
      const { permission, user } = readAnswer(rightSchema, answer, asked);
      return ["admin", "write"].includes(permission) && user?.type === "User";
    },
    async reply({ number }: Place, text) {
      await api([`${path}/issues/${number}/comments`, "--method", "POST", "-F", "body=@-", "--silent"], text);
    },
  };
}

function issuesOn({ api, path, hosted }: Asked, at: GhRun): HostIssues {
  return {
    async pullsOf(branch) {
      const head = encodeURIComponent(`${hosted.owner}:${branch}`);
      const asked = `${path}/pulls?state=open&per_page=100&head=${head}`;
      const pulls = readAnswer(z.array(z.object({ number: z.number() })), await api([asked]), asked);
      return pulls.map(({ number }) => number);
    },
    async issue(number) {
      const asked = `${path}/issues/${number}`;
      const one = readAnswer(issueSchema, await api([asked]), asked);
      return {
        title: one.title,
        body: one.body ?? "",
        labels: one.labels.map((label) => label.name),
        url: one.html_url,
        isOpen: one.state === "open",
        reason: one.state_reason ?? undefined,
      };
    },
    async openPull(one) {
      const opened = await openPullRequest({ env: io().env, ...at }, one);
      if ("because" in opened) throw new MonocoError("input", opened.because);
      return opened.url;
    },
    async closePull(number) {
      await api([`${path}/pulls/${number}`, "--method", "PATCH", "-f", "state=closed", "--silent"]);
    },
  };
}
