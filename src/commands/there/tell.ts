/** The commands of people with --remote: their message goes to the remote as a ref, and whoever holds the relay hears it. */
import { MonocoError } from "../../core/error/error.ts";
import type { Via } from "../../core/journal/events/fields.ts";
import { t } from "../../core/language/translate.ts";
import { lookMsOf } from "../../core/lease/lease.ts";
import type { Opening } from "../../core/journal/relay-state.ts";
import { currentSubmission, isOver } from "../../core/relay/phase.ts";
import { whyNotApproved, whyNoVerdict } from "../../core/relay/person-verdict.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import type { Carrier } from "../../app/carry/own.ts";
import { sendLetter } from "../../app/letters/send.ts";
import type { RelayThere } from "../../app/letters/there.ts";
import { refuseFromWithin } from "../../app/session-context.ts";
import { nothingToSubmit, refuseUncommitted } from "../../app/submittable.ts";
import { listRemote } from "../../git/carry/remote.ts";
import { gitIn } from "../../git/git.ts";
import { identityOf } from "../../git/identity.ts";
import { commitOf } from "../../git/repository.ts";
import { io } from "../../io/io.ts";
import { printJson } from "../../views/json.ts";
import { holderWords } from "../../views/overview/there.ts";
import { dossier, refuseFlags, verdictOf } from "../issue/review.ts";
import type { ReviewFlags } from "../issue/review.ts";
import { carrierOfHere, theRelayThere } from "./look.ts";

type Flags = { json: boolean };
type Body = { type: string } & Record<string, unknown>;

export async function stopThere(id: string | undefined, flags: Flags): Promise<number> {
  return tell(id, flags, () => ({ type: "stop" }));
}

export async function sayThere(
  type: "say" | "answer",
  { id, text }: { id: string | undefined; text: string },
  flags: Flags,
): Promise<number> {
  return tell(id, flags, ({ issue, state }) => {
    if (type === "answer" && state.opening && !state.opening.question)
      throw new MonocoError("input", t`${issue} has asked nothing that is still open`, {
        hint: t`monoco say ${issue} --remote "…" says something unasked`,
      });
    return { type, text };
  });
}

/** The commit that is checked out comes with the letter. */
export async function submitThere(id: string | undefined, flags: Flags): Promise<number> {
  return tell(id, flags, async (_, { here: { repository } }) => {
    const git = gitIn(repository.worktree);
    await refuseUncommitted(git, repository.worktree);
    const commit = await commitOf(git, "HEAD");
    if (!commit) throw nothingToSubmit("HEAD");
    return { type: "submit", commit };
  });
}

/** Shows the dossier of a submission on the remote, or sends a verdict on it, which names its commit. */
export async function reviewThere(ids: readonly string[], flags: ReviewFlags): Promise<number> {
  refuseFlags(ids, flags);
  const [id, ...more] = ids;
  if (more.length > 0) throw new MonocoError("input", t`--remote is for one issue`);
  const submitted = ({ issue, state: { opening } }: RelayThere) => {
    const submission = opening && currentSubmission(opening);
    if (submission) return { opening, submission, flags };
    throw new MonocoError("input", t`${issue} has no submission to review on the remote`, {
      hint: t`monoco status ${issue} --remote shows where it stands`,
    });
  };
  if (!flags.approve && !flags.requestChanges && !flags.edit) {
    const carrier = await carrierOfHere();
    return dossier(carrier.here, submitted(await theRelayThere(carrier, id ?? "")));
  }
  return tell(id, flags, async (relay, { here }, via) => {
    const of = submitted(relay);
    const { submission, head: commit } = of.submission;
    const { settings } = of.opening;
    const why =
      whyNoVerdict(of.opening, flags.submission ?? submission) ??
      (flags.approve ? whyNotApproved(of.submission, { commit, settings, via }) : undefined);
    if (why !== undefined) throw new MonocoError("input", why);
    return { ...(await verdictOf(here, of)).body, commit };
  });
}

/** Sends what `bodyOf` makes of the relay as the remote has it. */
async function tell(
  id: string | undefined,
  flags: Flags,
  bodyOf: (relay: RelayThere, carrier: Carrier, via: Via) => Body | Promise<Body>,
): Promise<number> {
  if (id === undefined)
    throw new MonocoError("input", t`which relay? --remote needs its id`, {
      hint: t`monoco status --remote lists those that are there`,
    });
  const carrier = await carrierOfHere();
  const { repository } = carrier.here;
  refuseFromWithin(repository);
  const relay = await theRelayThere(carrier, id);
  const { issue } = relay;
  refuseEnded(relay.issue, relay.state.opening);
  const { name, email } = await identityOf(repository.git);
  const via = { who: plainLine(`${name} <${email}>`), by: "ref" } as const;
  const body = await bodyOf(relay, carrier, via);
  const held = body.type === "submit" ? [...(await listRemote(carrier.remote)).values()] : [];
  const { id: letter, secret } = await sendLetter(carrier, issue, { ...body, via }, held);
  if (secret) throw new MonocoError("person", t`it holds a secret (${secret.rule}): nothing is sent`);
  printSent(relay, { letter, type: body.type, json: flags.json });
  return 0;
}

function refuseEnded(issue: string, opening: Opening | undefined): void {
  if (!opening || (!opening.merged && !opening.cleared && !isOver(opening))) return;
  throw new MonocoError("input", t`${issue} is over: nobody hears what is said to it`, {
    hint: t`monoco status ${issue} --remote shows what became of it`,
  });
}

function printSent(
  relay: RelayThere,
  { letter, type, json }: { letter: string; type: string; json: boolean },
): void {
  const { issue, lease, remote } = relay;
  const nowMs = Date.now();
  const heardWithinMs = lease && lease.untilMs > nowMs ? lookMsOf(lease.minutes) : null;
  if (json) return printJson({ issue, type, remote, letter, lease, heardWithinMs });
  const heard =
    heardWithinMs === null
      ? t`whoever runs monoco run ${issue} --remote next hears it`
      : t`a running session hears it within ${Math.ceil(heardWithinMs / 1_000)} s`;
  io().stdout.write(
    t`${issue}: the message is on ${remote}\n${holderWords(relay, nowMs)}; ${heard}\nnext: monoco status ${issue} --remote\n`,
  );
}
