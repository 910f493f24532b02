/** Reads the file of an event: a new comment, a label, or a closed issue, as GitHub Actions and GitLab's webhooks write it. */
import { z } from "zod";
import type { Upstream } from "../exchange/upstream-comment.ts";

const withoutScheme = z.string().transform((url) => url.replace(/^https?:\/\//, ""));

const githubPart = { repository: z.object({ html_url: withoutScheme }) };
const githubIssue = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string().nullable(),
  pull_request: z.unknown().optional(),
});
const gitlabPart = {
  project: z.object({ web_url: withoutScheme }),
  user: z.object({ username: z.string() }),
};
const labels = z.array(z.object({ title: z.string() }));

const githubComment = z.object({
  ...githubPart,
  action: z.literal("created"),
  comment: z.object({
    node_id: z.string(),
    body: z.string(),
    user: z.object({ login: z.string() }).nullish(),
  }),
});
const gitlabComment = z.object({
  ...gitlabPart,
  object_kind: z.literal("note"),
  object_attributes: z.object({ id: z.number(), note: z.string() }),
  issue: z.object({ iid: z.number() }).optional(),
  merge_request: z.object({ iid: z.number() }).optional(),
});

export type CommentEvent = Pick<Upstream, "by" | "repository"> & { id: string; login: string; body: string };

/** Undefined for an event that is no new comment on an issue or pull request. */
export function commentEvent(event: unknown): CommentEvent | undefined {
  const github = githubComment.safeParse(event).data;
  if (github) {
    const { comment, repository } = github;
    const { node_id: id, body, user } = comment;
    return { by: "github", repository: repository.html_url, id, login: user?.login ?? "ghost", body };
  }
  const gitlab = gitlabComment.safeParse(event).data;
  if (!gitlab) return undefined;
  const { project, user, object_attributes: note, issue, merge_request: request } = gitlab;
  const place = issue ? `issues/${issue.iid}` : request && `merge_requests/${request.iid}`;
  if (place === undefined) return undefined;
  const id = `${place}/notes/${note.id}`;
  return { by: "gitlab", repository: project.web_url, id, login: user.username, body: note.note };
}

const githubIssueEvent = z.object({
  ...githubPart,
  action: z.enum(["labeled", "closed"]),
  label: z.object({ name: z.string() }).optional(),
  issue: githubIssue,
  sender: z.object({ login: z.string() }),
});
const gitlabIssueEvent = z.object({
  ...gitlabPart,
  object_kind: z.literal("issue"),
  object_attributes: z.object({
    iid: z.number(),
    title: z.string(),
    description: z.string().nullable(),
    action: z.string(),
  }),
  changes: z.object({ labels: z.object({ previous: labels, current: labels }).optional() }).default({}),
});

/** `labels`: those that the event put on the issue. `sender`: who did it. */
export type IssueEvent = Upstream & {
  closed: boolean;
  labels: string[];
  sender: string;
  title: string;
  body: string;
};

/** Undefined for an event that neither labels nor closes an issue. */
export function issueEvent(event: unknown): IssueEvent | undefined {
  const github = githubIssueEvent.safeParse(event).data;
  if (github && github.issue.pull_request === undefined) {
    const { issue, action, label, sender, repository } = github;
    return {
      by: "github",
      repository: repository.html_url,
      number: issue.number,
      closed: action === "closed",
      labels: action === "labeled" && label ? [label.name] : [],
      sender: sender.login,
      title: issue.title,
      body: issue.body ?? "",
    };
  }
  const gitlab = gitlabIssueEvent.safeParse(event).data;
  if (!gitlab) return undefined;
  const { project, user, object_attributes: issue, changes } = gitlab;
  const { previous = [], current = [] } = changes.labels ?? {};
  const added = current.filter(({ title }) => !previous.some((before) => before.title === title));
  const closed = issue.action === "close";
  if (!closed && added.length === 0) return undefined;
  return {
    by: "gitlab",
    repository: project.web_url,
    number: issue.iid,
    closed,
    labels: added.map(({ title }) => title),
    sender: user.username,
    title: issue.title,
    body: issue.description ?? "",
  };
}
