/** Reads the output of GitHub's `gh` on a pull request: its state, its checks and its remarks. */
import { z } from "zod";
import { plain, plainLine } from "../text/sanitize.ts";
import { remarkCharsMax } from "../limits.ts";

/** `stopped`: neither green nor red, since it was cancelled or needs an action there. */
export type PullCheck = {
  name: string;
  is: "green" | "red" | "pending" | "stopped";
  /** GitHub's own word for the state. */
  says: string;
  url?: string;
  /** The end of the output of its failed steps. */
  log?: string;
};

/** A text on the pull request: a review, a thread on a line, or a comment. */
export type Remark = {
  id: string;
  author: string;
  /** Whether GitHub says that the author may write to the repository. */
  writes: boolean;
  how: "changes_requested" | "on_a_line" | "commented";
  text: string;
  url?: string;
  file?: string;
  line?: number;
};

export type PullRequestLook = {
  state: "open" | "closed" | "merged";
  /** The commit of its branch. */
  head: string;
  /** The commit of the merge. */
  commit?: string;
  decision?: "approved" | "changes_requested" | "review_required";
  conflicts: boolean;
  checks: PullCheck[];
  remarks: Remark[];
};

/** The fields for `gh pr view --json`. */
export const viewFields = [
  "state",
  "headRefOid",
  "mergeCommit",
  "mergeable",
  "reviewDecision",
  "statusCheckRollup",
  "reviews",
  "comments",
] as const;

/** The query for `gh api graphql`: `gh pr view` has no comments on lines. */
export const threadsQuery = `query($owner: String!, $name: String!, $number: Int!, $endCursor: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 50, after: $endCursor) {
      nodes { isResolved path line originalLine comments(last: 100) {
        nodes { id author { login } authorAssociation body url isMinimized state }
      } }
      pageInfo { hasNextPage endCursor }
    }
  } }
}`;

const oid = z.string().regex(/^[0-9a-f]{40,64}$/);
const author = z.object({ login: z.string() }).nullish();
const commentSchema = z.object({
  id: z.string().regex(/^[\w=-]{1,200}$/),
  author,
  authorAssociation: z.string().default("NONE"),
  body: z.string().default(""),
  url: z.string().default(""),
  isMinimized: z.boolean().default(false),
  /** The state of a review, or PENDING for an unsent comment. */
  state: z.string().default(""),
});
type Comment = z.infer<typeof commentSchema>;

const checkSchema = z.object({
  name: z.string().nullish(),
  context: z.string().nullish(),
  workflowName: z.string().nullish(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  state: z.string().nullish(),
  startedAt: z.string().nullish(),
  detailsUrl: z.string().nullish(),
  targetUrl: z.string().nullish(),
});
type RawCheck = z.infer<typeof checkSchema>;

const viewSchema = z.object({
  state: z.enum(["OPEN", "CLOSED", "MERGED"]),
  headRefOid: oid,
  mergeCommit: z.object({ oid }).nullish(),
  mergeable: z.string().nullish(),
  reviewDecision: z.string().nullish(),
  statusCheckRollup: z.array(checkSchema).nullish(),
  reviews: z.array(commentSchema).nullish(),
  comments: z.array(commentSchema).nullish(),
});

const threadSchema = z.object({
  isResolved: z.boolean(),
  path: z.string(),
  line: z.number().int().positive().nullish(),
  originalLine: z.number().int().positive().nullish(),
  comments: z.object({ nodes: z.array(commentSchema) }),
});
type Thread = z.infer<typeof threadSchema>;

/** Throws the errors of zod and JSON for any other shape. `threads`: one JSON object a line. */
export function readLook({ view, threads }: { view: string; threads: string }): PullRequestLook {
  const pull = viewSchema.parse(JSON.parse(view));
  const lines = threads.split("\n").filter((line) => line.trim() !== "");
  const onLines = lines.map((line) => threadSchema.parse(JSON.parse(line)));
  const states = { OPEN: "open", CLOSED: "closed", MERGED: "merged" } as const;
  const decision = decisions.get(pull.reviewDecision ?? "");
  return {
    state: states[pull.state],
    head: pull.headRefOid,
    ...(pull.mergeCommit ? { commit: pull.mergeCommit.oid } : {}),
    ...(decision ? { decision } : {}),
    conflicts: pull.mergeable === "CONFLICTING",
    checks: latest(pull.statusCheckRollup ?? []).map(checkOf),
    remarks: [
      ...reviewsIn(pull.reviews ?? [], onLines),
      ...onLines.flatMap(remarksIn),
      ...(pull.comments ?? []).filter(isForUs).map((comment) => remarkOf(comment, "commented")),
    ],
  };
}

const decisions = new Map<string, NonNullable<PullRequestLook["decision"]>>([
  ["APPROVED", "approved"],
  ["CHANGES_REQUESTED", "changes_requested"],
  ["REVIEW_REQUIRED", "review_required"],
]);

/** The latest run of each check: a repeated check is listed twice. */
function latest(checks: readonly RawCheck[]): RawCheck[] {
  const byStart = checks.toSorted((one, other) => ((one.startedAt ?? "") < (other.startedAt ?? "") ? -1 : 1));
  return [...new Map(byStart.map((check) => [nameOf(check), check])).values()];
}

function nameOf({ name, context, workflowName }: RawCheck): string {
  const own = name ?? context ?? "check";
  return plainLine(workflowName ? `${workflowName} / ${own}` : own, 200);
}

const red = ["FAILURE", "ERROR", "TIMED_OUT", "STARTUP_FAILURE"];
const green = ["SUCCESS", "SKIPPED", "NEUTRAL"];
const stopped = ["CANCELLED", "ACTION_REQUIRED"];

/** The check's state as in `gh pr checks`, except that a cancelled check is not green. */
function checkOf(check: RawCheck): PullCheck {
  const ended = check.status === "COMPLETED" ? check.conclusion : check.status;
  const says = plainLine(check.state || ended || "PENDING", 40);
  const is = red.includes(says)
    ? "red"
    : green.includes(says)
      ? "green"
      : stopped.includes(says)
        ? "stopped"
        : "pending";
  const url = check.detailsUrl || check.targetUrl;
  return { name: nameOf(check), is, says, ...(url ? { url: plainLine(url, 500) } : {}) };
}

/** The reviews that count: an approval withdraws its author's earlier ones, and an empty review is about its lines. */
function reviewsIn(reviews: readonly Comment[], threads: readonly Thread[]): Remark[] {
  const login = (comment: Comment): string => comment.author?.login ?? "";
  const onLines = new Set(threads.flatMap(({ comments }) => comments.nodes).map(login));
  return reviews.flatMap((review, index) => {
    const approvedSince = reviews
      .slice(index)
      .some((later) => later.state === "APPROVED" && login(later) === login(review));
    if (approvedSince) return [];
    const isSaid = isShown(review);
    if (review.state === "CHANGES_REQUESTED" && (isSaid || !onLines.has(login(review))))
      return [remarkOf(review, "changes_requested")];
    return review.state === "COMMENTED" && isSaid ? [remarkOf(review, "commented")] : [];
  });
}

/** The remarks of a thread. The comments of people with write access make one remark, with the id of the last one; every other comment is its own. */
function remarksIn({ isResolved, path, line, originalLine, comments }: Thread): Remark[] {
  if (isResolved) return [];
  const shown = comments.nodes.filter((comment) => isShown(comment) && comment.state !== "PENDING");
  const at = line ?? originalLine;
  const place = { file: plainLine(path, 500), ...(at ? { line: at } : {}) };
  const ours = shown.filter(mayWrite);
  const last = ours.at(-1);
  const others = shown.filter((comment) => !mayWrite(comment));
  return [
    ...(last ? [{ ...remarkOf({ ...last, body: conversation(ours) }, "on_a_line"), ...place }] : []),
    ...others.map((comment) => ({ ...remarkOf(comment, "on_a_line"), ...place })),
  ];
}

/** The comments as one text; if it is too long, its newest part. */
function conversation(comments: readonly Comment[]): string {
  const said = comments.map((comment) =>
    comments.length > 1 ? `${authorOf(comment)}: ${comment.body}` : comment.body,
  );
  while (said.length > 1 && said.join("\n\n").length > remarkCharsMax) said.shift();
  return said.join("\n\n");
}

/** Whether a comment is for monoco. People with write access also talk to each other, and sessions cost money: their comments off the lines must begin with monoco's name. */
function isForUs(comment: Comment): boolean {
  return isShown(comment) && (!mayWrite(comment) || /^\s*[@/]?monoco\b/i.test(plain(comment.body)));
}

function isShown({ body, isMinimized }: Comment): boolean {
  return !isMinimized && plain(body).trim() !== "";
}

function mayWrite({ authorAssociation }: Comment): boolean {
  return ["OWNER", "MEMBER", "COLLABORATOR"].includes(authorAssociation);
}

function authorOf({ author: by }: Comment): string {
  return plainLine(by?.login || "ghost", 60);
}

function remarkOf(comment: Comment, how: Remark["how"]): Remark {
  const text = plain(comment.body).trim().toWellFormed();
  return {
    id: comment.id,
    author: authorOf(comment),
    writes: mayWrite(comment),
    how,
    text: text.length > remarkCharsMax ? `${text.slice(0, remarkCharsMax)}\n[cut here]` : text,
    ...(comment.url === "" ? {} : { url: plainLine(comment.url, 500) }),
  };
}
