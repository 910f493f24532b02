/** Reads the file of an event: a new comment, a label, or a closed issue, as GitHub Actions and GitLab's webhooks write it. */
import { z } from "zod";
import type { Upstream } from "../exchange/upstream-comment.ts";

/** GitLab's merge requests are pull requests here. */
export type Place = { kind: "issue" | "pull"; number: number };

export type CommentEvent = Pick<Upstream, "by" | "repository"> & { place: Place; id: string; body: string };

/** `labels`: those that the event put on the issue. `sender`: who did it. */
export type IssueEvent = Upstream & {
  closed: boolean;
  labels: string[];
  sender: string;
  title: string;
  body: string;
};

const withoutScheme = z.string().transform((url) => url.replace(/^https?:\/\//, ""));
const githubPart = { repository: z.object({ html_url: withoutScheme }) };
const gitlabPart = { project: z.object({ web_url: withoutScheme }) };
const iid = z.object({ iid: z.number() }).optional();
const labels = z.array(z.object({ title: z.string() }));

const githubComment = z
  .object({
    ...githubPart,
    action: z.literal("created"),
    issue: z.object({ number: z.number(), pull_request: z.unknown().optional() }),
    comment: z.object({ node_id: z.string(), body: z.string() }),
  })
  .transform(({ repository, issue, comment }): CommentEvent => ({
    by: "github",
    repository: repository.html_url,
    place: { kind: issue.pull_request === undefined ? "issue" : "pull", number: issue.number },
    id: comment.node_id,
    body: comment.body,
  }));

const gitlabComment = z
  .object({
    ...gitlabPart,
    object_kind: z.literal("note"),
    object_attributes: z.object({ id: z.number(), note: z.string() }),
    issue: iid,
    merge_request: iid,
  })
  .transform(({ project, object_attributes: { id, note }, issue, merge_request: request }): CommentEvent => ({
    by: "gitlab",
    repository: project.web_url,
    place: { kind: issue ? "issue" : "pull", number: (issue ?? request)?.iid ?? 0 },
    id: `${issue ? "issues" : "merge_requests"}/${(issue ?? request)?.iid}/notes/${id}`,
    body: note,
  }));

const githubIssue = z
  .object({
    ...githubPart,
    action: z.enum(["labeled", "closed"]),
    label: z.object({ name: z.string() }).optional(),
    issue: z.object({
      number: z.number(),
      title: z.string(),
      body: z.string().nullable(),
      pull_request: z.never().optional(),
    }),
    sender: z.object({ login: z.string() }),
  })
  .transform(({ repository, action, label, issue, sender }): IssueEvent => ({
    by: "github",
    repository: repository.html_url,
    number: issue.number,
    closed: action === "closed",
    labels: label ? [label.name] : [],
    sender: sender.login,
    title: issue.title,
    body: issue.body ?? "",
  }));

const gitlabIssue = z
  .object({
    ...gitlabPart,
    object_kind: z.literal("issue"),
    user: z.object({ username: z.string() }),
    object_attributes: z.object({
      iid: z.number(),
      title: z.string(),
      description: z.string().nullable(),
      action: z.string(),
    }),
    changes: z.object({ labels: z.object({ previous: labels, current: labels }).optional() }).default({}),
  })
  .transform(({ project, user, object_attributes: issue, changes }): IssueEvent => {
    const { previous = [], current = [] } = changes.labels ?? {};
    const before = previous.map(({ title }) => title);
    return {
      by: "gitlab",
      repository: project.web_url,
      number: issue.iid,
      closed: issue.action === "close",
      labels: current.map(({ title }) => title).filter((title) => !before.includes(title)),
      sender: user.username,
      title: issue.title,
      body: issue.description ?? "",
    };
  });

/** Undefined for an event that is no new comment on an issue or pull request. */
export const commentEvent = (event: unknown): CommentEvent | undefined =>
  z.union([githubComment, gitlabComment]).safeParse(event).data;

/** Undefined for an event that neither labels nor closes an issue. */
export const issueEvent = (event: unknown): IssueEvent | undefined =>
  z.union([githubIssue, gitlabIssue]).safeParse(event).data;
