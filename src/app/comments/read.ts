/** Reads commands in comments on the issues and pull requests of relays, and sends what counts as letters; what does not is said once. */
import { hash } from "node:crypto";
import { commandIn } from "../../core/comments/command.ts";
import type { CommentEvent, Place } from "../../core/comments/event.ts";
import { isSameLogin, weigh, whyNobody } from "../../core/comments/weigh.ts";
import type { CommentFacts, Weighed } from "../../core/comments/weigh.ts";
import { MonocoError } from "../../core/error/error.ts";
import { upstreamOf } from "../../core/exchange/upstream-comment.ts";
import type { Upstream } from "../../core/exchange/upstream-comment.ts";
import { issueSource } from "../../core/exchange/upstream.ts";
import { isOpen } from "../../core/relay/phase.ts";
import { inEnglish, t } from "../../core/language/translate.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { githubHost } from "../../git/host/github.ts";
import { gitlabHost } from "../../git/host/gitlab.ts";
import type { Host, Listed } from "../../git/host/host.ts";
import { gitlabRemote, hostedRemote } from "../../git/remotes.ts";
import { io } from "../../io/io.ts";
import type { Carrier } from "../carry/own.ts";
import { sendLetter } from "../letters/send.ts";
import { relaysThere } from "../letters/there.ts";
import type { RelayThere } from "../letters/there.ts";

/** The repository that the remote is at: only there is a person's right to write the right to command here. */
export async function hostOf(
  { here, remote }: Pick<Carrier, "here" | "remote">,
  by: Upstream["by"] | undefined,
): Promise<{ host: Host; by: Upstream["by"]; repository: string }> {
  const { git, root } = here.repository;
  const hosted = await hostedRemote(git, remote.name);
  if (!hosted)
    throw new MonocoError("input", t`the remote ${remote.name} is at no host that has comments`, {
      hint: t`git remote get-url ${remote.name} shows its address`,
    });
  const is = by ?? ((await gitlabRemote(git, remote.name, io().env)) ? "gitlab" : "github");
  const host = (is === "gitlab" ? gitlabHost : githubHost)(hosted, { cwd: root });
  return { host, by: is, repository: `${hosted.host}/${hosted.owner}/${hosted.name}` };
}

/** A comment, and what came of it. */
export type Read = { issue: string; comment: string; login: string; is: Weighed["is"]; why?: string };

type Reader = Awaited<ReturnType<typeof hostOf>> & { carrier: Carrier; settings: Settings; me: string };

/** Reads the comment of the event, else all comments on the relays of these issues that are open; without ids, on all that are. */
export async function readComments(
  carrier: Carrier,
  { ids, event, settings }: { ids: readonly string[]; event: CommentEvent | undefined; settings: Settings },
): Promise<Read[]> {
  const at = await hostOf(carrier, event?.by);
  if (event && (!commandIn(event.body) || !isHere(at, event))) return [];
  const reader = { ...at, carrier, settings, me: await at.host.me() };
  const read: Read[] = [];
  for (const relay of await relaysThere(carrier, ids.length > 0 ? ids : undefined))
    for (const place of await placesOf(reader, relay, event?.place)) {
      const told = await at.host.list(place);
      const mine = event ? told.filter(({ id }) => id === event.id) : told;
      for (const one of mine)
        read.push(...(await take(reader, relay, { place, one: { ...one, ...event }, told })));
    }
  return read;
}

type Repository = Pick<Upstream, "by" | "repository">;

export function isHere(here: Repository, other: Repository): boolean {
  return here.by === other.by && here.repository.toLowerCase() === other.repository.toLowerCase();
}

/**
 * The issue that the relay's contract came from, and its pull requests, in the remote's own repository: those that are `only` one
 * place, else those of an open relay.
 */
async function placesOf(reader: Reader, { state }: RelayThere, only: Place | undefined): Promise<Place[]> {
  const { opening } = state;
  if (!opening || (!only && !isOpen(state))) return [];
  const upstream = upstreamOf(issueSource(opening.contract.text)?.source ?? "");
  const places: Place[] =
    upstream && isHere(reader, upstream) ? [{ kind: "issue", number: upstream.number }] : [];
  if (only?.kind !== "issue" && isOpen(state))
    for (const number of await reader.host.pullsOf(opening.branch)) places.push({ kind: "pull", number });
  return only ? places.filter(({ kind, number }) => kind === only.kind && number === only.number) : places;
}

/** Weighs one comment, sends its letter, and replies. Two jobs that read the same comment send the same letter. */
async function take(
  reader: Reader,
  { issue, state }: RelayThere,
  { place, one, told }: { place: Place; one: Listed; told: readonly Listed[] },
): Promise<Read[]> {
  const { carrier, host, me, settings, by, repository } = reader;
  const { id } = one;
  const marker = `<!-- monoco re ${id} -->`;
  const isAnswered = told.some(({ login, body }) => isSameLogin(login, me) && body.startsWith(marker));
  if (!commandIn(one.body) || isAnswered) return [];
  const comment = await host.see(id);
  if (!comment || isSameLogin(comment.login, me)) return [];
  const agents = settings.comments.agents;
  const command = commandIn(comment.body);
  const isApproval = command && "do" in command && command.do === "approve";
  const into = isApproval ? settings.base : undefined;
  const may = whyNobody(comment, agents) === undefined && (await host.may(comment.login, into));
  const messageId = idOf(`${by}:${repository.toLowerCase()}:${id}`);
  const via = { who: comment.login, by };
  const facts: CommentFacts = { comment, listed: one.body, agents, may, state, messageId, via };
  const weighed = weigh(facts);
  if (!weighed) return [];
  const sent =
    weighed.is === "sent" ? await sendLetter(carrier, issue, { ...weighed.body, id: messageId }) : undefined;
  const outcome = (): Weighed => (sent?.secret ? { is: "refused", why: secretWords() } : weigh(facts)!);
  await host.reply(place, `${marker}\n${inEnglish(() => replyTo(issue, outcome()))}\n`);
  const came = outcome();
  return [{ issue, comment: id, login: via.who, is: came.is, ...("why" in came && { why: came.why }) }];
}

const secretWords = (): string => t`its text looks like a secret: delete the comment, and change the secret`;

function replyTo(issue: string, weighed: Weighed): string {
  return weighed.is === "refused"
    ? t`Not taken: ${weighed.why}.`
    : t`Taken for ${issue}. Only the first line of the comment counts.`;
}

/** An id for the message, in the form of a UUID, that follows from the comment's. */
function idOf(text: string): string {
  return hash("sha256", text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
