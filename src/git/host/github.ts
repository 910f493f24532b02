/** GitHub as a host, by `gh api`. */
import { z } from "zod";
import { gh } from "../github/gh.ts";
import type { GhRun } from "../github/gh.ts";
import { openPullRequest } from "../github/publish.ts";
import { MonocoError } from "../../core/error/error.ts";
import { io } from "../../io/io.ts";
import type { Hosted } from "../remotes.ts";
import { readAnswer, unlessMissing } from "./host.ts";
import type { Host, Listed } from "./host.ts";

/** REST tells of an edit by times of a second's precision; GraphQL has a field for it. */
const commentQuery = `query($id: ID!) { node(id: $id) {
  ... on Comment { body createdAt lastEditedAt author { login kind: __typename } }
  ... on Minimizable { isMinimized }
} }`;

const commentSchema = z
  .object({
    body: z.string(),
    createdAt: z.iso.datetime({ offset: true }),
    lastEditedAt: z.string().nullable(),
    author: z.object({ login: z.string(), kind: z.string() }).nullable(),
    isMinimized: z.boolean(),
  })
  .transform(({ body, createdAt, lastEditedAt, author, isMinimized }) => ({
    login: author?.login ?? "ghost",
    isPerson: author?.kind === "User",
    body,
    isEdited: lastEditedAt !== null,
    isHidden: isMinimized,
    createdAtMs: Date.parse(createdAt),
  }));
const nodeSchema = z.object({ data: z.object({ node: commentSchema.nullable() }) });
const listedSchema = z.array(z.object({ id: z.string(), login: z.string(), body: z.string() }));
const rightSchema = z.object({ permission: z.string(), user: z.object({ type: z.string() }).nullish() });
const pullsSchema = z.array(z.object({ number: z.number() }));
const issueSchema = z
  .object({
    title: z.string(),
    body: z.string().nullable(),
    labels: z.array(z.object({ name: z.string() })),
    html_url: z.string(),
    state: z.string(),
    state_reason: z.string().nullish(),
  })
  .transform(({ title, body, labels, html_url: url, state, state_reason: reason }) => ({
    title,
    body: body ?? "",
    labels: labels.map(({ name }) => name),
    url,
    isOpen: state === "open",
    reason,
  }));

/** Comments of strangers are long and many: those that cannot matter stay out, and no page has more than it can. */
const mattering =
  '[.[] | select(.body // "" | startswith("/monoco") or startswith("<!-- monoco")) | {id: .node_id, login: (.user.login // "ghost"), body: .body[:9000]}]';

export function githubHost({ host, owner, name }: Hosted, at: GhRun): Host {
  const path = `repos/${owner}/${name}`;
  const ask = (args: readonly string[], more: Partial<GhRun> = {}): Promise<string> =>
    gh(["api", ...args, "--hostname", host], { ...at, ...more });
  const read = async <T>(schema: z.ZodType<T>, asked: string, args: readonly string[] = []): Promise<T> =>
    readAnswer(schema, await ask([asked, ...args]), asked);
  const commentsOf = async (which: string): Promise<Listed[]> => {
    const asked = `${path}/${which}/comments?per_page=100`;
    const pages = (await ask([asked, "--paginate", "--jq", mattering])).split("\n").filter(Boolean);
    return pages.flatMap((page) => readAnswer(listedSchema, page, asked));
  };
  return {
    async me() {
      // An installation's token, as in GitHub Actions, cannot ask for /user.
      const query = "query=query { viewer { login } }";
      return (await ask(["graphql", "-f", query, "--jq", ".data.viewer.login"])).trim();
    },
    async list({ kind, number }) {
      const above = await commentsOf(`issues/${number}`);
      return kind === "issue" ? above : [...above, ...(await commentsOf(`pulls/${number}`))];
    },
    async see(id) {
      const asked = ["-f", `query=${commentQuery}`, "-f", `id=${id}`];
      return (await unlessMissing(read(nodeSchema, "graphql", asked)))?.data.node ?? undefined;
    },
    async may(login) {
      const asked = `${path}/collaborators/${encodeURIComponent(login)}/permission`;
      const right = await unlessMissing(read(rightSchema, asked));
      return right?.user?.type === "User" && ["admin", "write"].includes(right.permission);
    },
    async reply({ number }, input) {
      const how = ["--method", "POST", "-F", "body=@-", "--silent"];
      await ask([`${path}/issues/${number}/comments`, ...how], { input });
    },
    issue: (number) => read(issueSchema, `${path}/issues/${number}`),
    async pullsOf(branch) {
      const head = encodeURIComponent(`${owner}:${branch}`);
      const pulls = await read(pullsSchema, `${path}/pulls?state=open&per_page=100&head=${head}`);
      return pulls.map(({ number }) => number);
    },
    async openPull(one) {
      const opened = await openPullRequest({ env: io().env, ...at }, one);
      if ("because" in opened) throw new MonocoError("input", opened.because);
      return opened.url;
    },
    async closePull(number) {
      await ask([`${path}/pulls/${number}`, "--method", "PATCH", "-f", "state=closed", "--silent"]);
    },
  };
}
