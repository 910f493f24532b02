/** monoco issue intake: an issue of the host that a person labelled comes in by a pull request; one that is closed there goes again. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { issueEvent } from "../../core/comments/event.ts";
import type { IssueEvent } from "../../core/comments/event.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Reading } from "../../core/exchange/import-item.ts";
import { contentHash } from "../../core/exchange/imported-issue.ts";
import { intakeReading, whyNotTaken } from "../../core/comments/intake.ts";
import { sourceOf } from "../../core/exchange/import-plan.ts";
import { sourceName } from "../../core/exchange/upstream-comment.ts";
import { issueSource } from "../../core/exchange/upstream.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { transition } from "../../core/issue/transitions.ts";
import { intakeRoundsMax } from "../../core/limits.ts";
import { editFrontMatter } from "../../core/text/front-matter-edit.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { inEnglish, t, translatable, translated } from "../../core/language/translate.ts";
import { carrierHere } from "../../app/carry/carrier.ts";
import type { Carrier } from "../../app/carry/own.ts";
import { eventIn } from "../../app/comments/event-file.ts";
import { hostOf, isHere } from "../../app/comments/read.ts";
import { openHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { knownSources } from "../../app/known-sources.ts";
import { refuseFromWithin } from "../../app/session-context.ts";
import { loadSettings } from "../../app/settings.ts";
import { makeTemporary } from "../../app/temporary.ts";
import { fetchRemote, pushMoves } from "../../git/carry/remote.ts";
import type { Host, UpstreamIssue } from "../../git/host/host.ts";
import { commitTree } from "../../git/identity.ts";
import { withFile } from "../../git/landing.ts";
import { commitOf, documentAt } from "../../git/repository.ts";
import { io } from "../../io/io.ts";
import { issueFolderIn } from "../../store/issue-folder.ts";
import { printJson } from "../../views/json.ts";
import { planHere, shortHash } from "../exchange/import.ts";
import { whileMinting } from "./ids.ts";
import type { Settings } from "../../core/settings/settings.ts";

type Came = { is: keyof typeof words; why?: string; issue?: string; url?: string };

export async function intake(flags: { event: string; json: boolean }): Promise<number> {
  const here = await openHere();
  refuseFromWithin(here.repository);
  const came = await cameOf(here, eventIn(flags.event, issueEvent));
  if (flags.json) printJson(came);
  else {
    const { is, issue, why, url } = came;
    const said = [translated(words[is]), why ?? url].filter(Boolean).join(": ");
    io().stdout.write(`${[issue, plainLine(said)].filter(Boolean).join("  ")}\n`);
  }
  return 0;
}

const words = translatable({
  ignored: "nothing to do",
  refused: "not taken",
  landing: "its contract lands by a pull request",
  known: "came in before",
  withdrawn: "closed there, so its pull request is closed",
  closing: "closed there, so a pull request closes it here",
});

type Intake = {
  carrier: Carrier;
  settings: Settings;
  event: IssueEvent;
  host: Host;
  me: string;
  now: UpstreamIssue;
};

async function cameOf(here: Here, event: IssueEvent | undefined): Promise<Came> {
  const settings = loadSettings(here);
  const { label } = settings.intake;
  if (!event) return { is: "ignored", why: t`the event neither labels nor closes an issue` };
  const carrier = carrierHere(here, settings);
  const at = await hostOf(carrier, event.by);
  if (!isHere(at, event)) return { is: "ignored", why: t`the event is of another repository` };
  if (!event.closed && !event.labels.includes(label))
    return { is: "ignored", why: t`the label is not ${label}` };
  const { host } = at;
  const [now, me] = [await host.issue(event.number), await host.me()];
  const of = { carrier, settings, event, host, me, now };
  if (event.closed) return close(of);
  const never = [...settings.comments.agents, me];
  const may = await host.may(event.sender);
  const why = (): string => whyNotTaken({ event, now, label, never, may }) ?? "";
  return why() === "" ? land(of) : refuse(of, why);
}

/** Says on the issue why it does not come in, once for each text of it. */
async function refuse({ host, event, me }: Intake, why: () => string): Promise<Came> {
  const text = inEnglish(() => t`Not taken: ${why()}.`);
  const id = hash("sha256", `${text}\0${event.title}\0${event.body}`).slice(0, 16);
  const marker = `<!-- monoco intake ${id} -->`;
  const place = { kind: "issue", number: event.number } as const;
  const said = (await host.list(place)).some(({ login, body }) => login === me && body.startsWith(marker));
  if (!said) await host.reply(place, `${marker}\n${text}\n`);
  return { is: "refused", why: why() };
}

/** Fetches the base and all contracts that are under way; returns the base's commit. */
async function fetchBase({ carrier, settings }: Intake): Promise<string> {
  const { remote, here } = carrier;
  const tracked = `refs/remotes/${remote.name}`;
  const branches = [settings.base, "monoco-intake/*"].map((name) => `+refs/heads/${name}:${tracked}/${name}`);
  await fetchRemote(remote, branches);
  return (await commitOf(here.repository.git, `${tracked}/${settings.base}`)) ?? settings.base;
}

/** The branch is new on the remote or nothing happens: of two jobs, one gives out the id, and the other one looks again. */
async function land(of: Intake): Promise<Came> {
  const { carrier, settings, event, now } = of;
  const { here } = carrier;
  const folder = issueFolderIn(here.repository.worktree);
  const { label } = settings.intake;
  const reading = intakeReading(event, now, label);
  const options = { name: sourceName(event), folder, language: settings.language, all: false, update: false };
  for (let round = 0; round < intakeRoundsMax; round += 1) {
    const base = await fetchBase(of);
    const [step] = await whileMinting(here, () => planHere(here, reading, options));
    if (step?.id === undefined || step.path === undefined) break;
    const { id, path, text } = step;
    if (text === undefined) return again(of, { base, id, path, content: contentOf(reading) });
    if (await pushFile(of, { base, id, branch: branchOf(id), path, text }))
      return { is: "landing", issue: id, url: await openPull(of, id, branchOf(id)) };
  }
  throw new MonocoError("conflict", t`#${event.number} got no id that nobody else gave out`, {
    hint: t`the same again`,
  });
}

const branchOf = (id: string): string => `monoco-intake/${id}`;

const contentOf = ({ items }: Reading): string =>
  items.map((item) => contentHash(item, { dependencies: [], hash: shortHash })).join("");

type Known = { base: string; id: string; path: string; content: string };

/** The issue came in before: it is on the base, or its pull request is open, was closed, or was never made. */
async function again(of: Intake, { base, id, path, content }: Known): Promise<Came> {
  const { here, remote } = of.carrier;
  const { git } = here.repository;
  const branch = branchOf(id);
  const waiting = await documentAt(git, `refs/remotes/${remote.name}/${branch}`, path);
  if (waiting === undefined || (await documentAt(git, base, path))) return { is: "known", issue: id };
  if (issueSource(waiting)?.hashes.split("-")[0] === content)
    return { is: "landing", issue: id, url: await openPull(of, id, branch) };
  const why = (): string =>
    t`${id} came in with another text: close its pull request, delete the branch ${branch}, and put the label on again`;
  return refuse(of, why);
}

type NewFile = { base: string; id: string; branch: string; path: string; text: string };

/** Commits the file on top of the base as a new branch of the remote; false if that branch is there already. */
async function pushFile(of: Intake, { base, id, branch, path, text }: NewFile): Promise<boolean> {
  const { here, remote } = of.carrier;
  const { git } = here.repository;
  const temporary = makeTemporary("issue");
  try {
    const tree = await withFile(git, { tree: base, path, text, scratch: join(temporary.folder, "index") });
    const to = await commitTree(git, { tree, parents: [base], message: `${titleOf(of, id)}\n` });
    const pushed = await pushMoves(remote, [{ ref: `refs/heads/${branch}`, from: "", to }]);
    if (pushed.is === "taken" || pushed.is === "moved") return pushed.is === "taken";
    const kind = pushed.is === "refused" ? "input" : "later";
    throw new MonocoError(kind, t`${remote.name} does not take ${branch}: ${pushed.said}`);
  } finally {
    temporary.remove();
  }
}

const titleOf = ({ event }: Intake, id: string): string => `${id}: ${plainLine(event.title, 100)}`;

async function openPull(of: Intake, id: string, branch: string): Promise<string> {
  const { host, settings, event, now } = of;
  const sha = hash("sha256", event.body);
  const body = inEnglish(() =>
    event.closed
      ? t`${now.url} was closed by ${event.sender}. Merging this closes ${id}, too.`
      : t`The contract of ${id}, from ${now.url}: ${event.sender} put on the label, when the text had the SHA-256 ${sha}. Merging this lets agents work on it.`,
  );
  return host.openPull({ base: settings.base, branch, title: titleOf(of, id), body: `${body}\n` });
}

/** Closed on the host: the pull request of its contract is closed, and what is on the base is closed by a pull request. */
async function close(of: Intake): Promise<Came> {
  const { carrier, event, host, now } = of;
  const { here } = carrier;
  if (now.isOpen) return { is: "ignored", why: t`the issue is open again` };
  const base = await fetchBase(of);
  const source = sourceOf(sourceName(event), String(event.number));
  const known = (await knownSources(here, () => false)).find((one) => one.source === source);
  if (!known) return { is: "ignored", why: t`the issue never came in` };
  const { id, path } = known;
  const text = await documentAt(here.repository.git, base, path);
  if (text === undefined) {
    for (const number of await host.pullsOf(branchOf(id))) await host.closePull(number);
    return { is: "withdrawn", issue: id };
  }
  const issue = parseIssue(text, path);
  if (issue.status !== "open") return { is: "known", issue: id };
  const step = now.reason === "not_planned" ? "wontfix" : now.reason === "duplicate" ? "duplicate" : "cancel";
  const nowIso = new Date().toISOString();
  const changes = { updated_at: nowIso, closed_at: nowIso, ...transition(issue, step) };
  const branch = `${branchOf(id)}-closed`;
  await pushFile(of, { base, id, branch, path, text: editFrontMatter(text, changes, path) });
  return { is: "closing", issue: id, url: await openPull(of, id, branch) };
}
