/** monoco issue intake: an issue of the host that a person labelled comes in by a pull request; one that is closed there goes again. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { issueEvent } from "../../core/comments/event.ts";
import type { IssueEvent } from "../../core/comments/event.ts";
import { MonocoError } from "../../core/error/error.ts";
import { contentHash } from "../../core/exchange/imported-issue.ts";
import { intakeReading, whyNotTaken } from "../../core/comments/intake.ts";
import { sourceOf } from "../../core/exchange/import-plan.ts";
import type { ImportStep } from "../../core/exchange/import-plan.ts";
import { sourceName } from "../../core/exchange/upstream-comment.ts";
import { issueSource } from "../../core/exchange/upstream.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { transition } from "../../core/issue/transitions.ts";
import { documentBytesMax, intakeRoundsMax } from "../../core/limits.ts";
import { bytesOf } from "../../core/text/bytes.ts";
import { editFrontMatter } from "../../core/text/front-matter-edit.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { inEnglish, t, translatable, translated } from "../../core/language/translate.ts";
import { carrierHere } from "../../app/carry/carrier.ts";
import { below } from "../../app/carry/push.ts";
import type { Carrier } from "../../app/carry/own.ts";
import { eventIn } from "../../app/comments/event-file.ts";
import { hostOf, isHere } from "../../app/comments/read.ts";
import { openHere, relayIds } from "../../app/here.ts";
import { knownSources } from "../../app/known-sources.ts";
import { refuseFromWithin } from "../../app/session-context.ts";
import { loadSettings } from "../../app/settings.ts";
import { makeTemporary } from "../../app/temporary.ts";
import { fetchRemote, listRemote, pushMoves } from "../../git/carry/remote.ts";
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

type Came =
  | { is: "ignored" | "refused"; why: string }
  | { is: "landing" | "known" | "withdrawn" | "closing"; issue: string; url?: string };

export async function intake(flags: { event: string; json: boolean }): Promise<number> {
  const here = await openHere();
  refuseFromWithin(here.repository);
  const settings = loadSettings(here);
  const event = eventIn(flags.event, issueEvent);
  const came = await cameOf(carrierHere(here, settings), settings, event);
  if (flags.json) printJson(came);
  else if ("why" in came) io().stdout.write(`${translated(words[came.is])}: ${came.why}\n`);
  else
    io().stdout.write(
      `${came.issue}  ${translated(words[came.is])}${came.url ? `: ${plainLine(came.url)}` : ""}\n`,
    );
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

async function cameOf(carrier: Carrier, settings: Settings, event: IssueEvent | undefined): Promise<Came> {
  const { label } = settings.intake;
  if (!event) return { is: "ignored", why: t`the event neither labels nor closes an issue` };
  const at = await hostOf(carrier, event.by);
  if (!isHere(at, event)) return { is: "ignored", why: t`the event is of another repository` };
  if (!event.closed && !event.labels.includes(label))
    return { is: "ignored", why: t`the label is not ${label}` };
  const of: Intake = {
    carrier,
    settings,
    event,
    host: at.host,
    name: sourceName(event),
    now: await at.host.issue(event.number),
  };
  if (event.closed) return close(of);
  const never = [...settings.comments.agents, await at.host.me()];
  const may = await at.host.may(event.sender, settings.base, "write");
  const why = (): string | undefined => whyNotTaken({ event, now: of.now, label, never, may });
  const refused = why();
  if (refused === undefined) return land(of, label);
  await sayOnce(
    of,
    inEnglish(() => t`Not taken: ${why()}.`),
  );
  return { is: "refused", why: refused };
}

type Intake = {
  carrier: Carrier;
  settings: Settings;
  event: IssueEvent;
  host: Host;
  /** The host's repository as a source. */
  name: string;
  now: UpstreamIssue;
};

async function sayOnce({ host, event }: Intake, text: string): Promise<void> {
  const marker = `<!-- monoco intake ${hash("sha256", `${text}\0${event.title}\0${event.body}`).slice(0, 16)} -->`;
  const place = { kind: "issue", number: event.number } as const;
  const me = await host.me();
  const said = (await host.list(place)).some(({ login, body }) => login === me && body.startsWith(marker));
  if (!said) await host.reply(place, `${marker}\n${text}\n`);
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
async function land(of: Intake, label: string): Promise<Came> {
  const { carrier, settings, event, name, now } = of;
  const { here } = carrier;
  const folder = issueFolderIn(here.repository.worktree);
  const reading = intakeReading(event, now, label);
  const options = { name, folder, language: settings.language, all: false, update: false };
  for (let round = 0; round < intakeRoundsMax; round += 1) {
    const base = await fetchBase(of);
    const [step] = await whileMinting(here, () => planHere(here, reading, options));
    if (step?.id === undefined || step.path === undefined) break;
    const fresh = { ...step, id: step.id, path: step.path };
    if (step.text === undefined) return again(of, { base, fresh, reading });
    if (bytesOf(step.text) > documentBytesMax) break;
    if (await pushFile(of, { base, branch: branchOf(step.id), path: step.path, text: step.text }))
      return { is: "landing", issue: step.id, url: await openPull(of, step.id) };
  }
  throw new MonocoError("conflict", t`#${event.number} got no id that nobody else gave out`, {
    hint: t`the same again`,
  });
}

const branchOf = (id: string): string => `monoco-intake/${id}`;

type Known = Pick<ImportStep, "do"> & { id: string; path: string };

/** The issue came in before: it is on the base, or its pull request is open, was closed, or was never made. */
async function again(
  of: Intake,
  {
    base,
    fresh: { id, path },
    reading,
  }: { base: string; fresh: Known; reading: ReturnType<typeof intakeReading> },
): Promise<Came> {
  const { carrier } = of;
  const { git } = carrier.here.repository;
  const branch = `refs/remotes/${carrier.remote.name}/${branchOf(id)}`;
  const waiting = (await commitOf(git, branch)) && (await documentAt(git, branch, path));
  if (!waiting || (await documentAt(git, base, path))) return { is: "known", issue: id };
  const [item] = reading.items;
  const content = item && contentHash(item, { dependencies: [], hash: shortHash });
  if (issueSource(waiting)?.hashes.split("-")[0] === content)
    return { is: "landing", issue: id, url: await openPull(of, id) };
  const why = (): string =>
    t`${id} came in with another text: close its pull request, delete the branch ${branchOf(id)}, and put the label on again`;
  await sayOnce(
    of,
    inEnglish(() => t`Not taken: ${why()}.`),
  );
  return { is: "refused", why: why() };
}

type NewFile = { base: string; branch: string; path: string; text: string };

/** Commits the file on top of the base as a new branch of the remote; false if that branch is there already. */
async function pushFile({ carrier, event }: Intake, { base, branch, path, text }: NewFile): Promise<boolean> {
  const { here, remote } = carrier;
  const { git } = here.repository;
  const temporary = makeTemporary("issue");
  try {
    const tree = await withFile(git, { tree: base, path, text, scratch: join(temporary.folder, "index") });
    const message = `${branch.slice(branch.indexOf("/") + 1)}: ${plainLine(event.title, 100)}\n`;
    const to = await commitTree(git, { tree, parents: [base], message });
    const pushed = await pushMoves(remote, [{ ref: `refs/heads/${branch}`, from: "", to }]);
    if (pushed.is === "taken") return true;
    if (pushed.is === "moved") return false;
    throw new MonocoError(
      pushed.is === "refused" ? "input" : "later",
      t`${remote.name} does not take ${branch}: ${pushed.said}`,
    );
  } finally {
    temporary.remove();
  }
}

async function openPull(
  { host, settings, event, now }: Intake,
  id: string,
  branch = branchOf(id),
): Promise<string> {
  const sha = hash("sha256", event.body);
  const body = inEnglish(() =>
    event.closed
      ? t`${now.url} was closed by ${event.sender}. Merging this closes ${id}, too.`
      : t`The contract of ${id}, from ${now.url}: ${event.sender} put on the label, when the text had the SHA-256 ${sha}. Merging this lets agents work on it.`,
  );
  const title = `${id}: ${plainLine(event.title, 100)}`;
  return host.openPull({ base: settings.base, branch, title, body: `${body}\n` });
}

/** Closed on the host: the pull request of its contract is closed, and what is on the base is closed by a pull request. */
async function close(of: Intake): Promise<Came> {
  const { carrier, event, host, name, now } = of;
  const { here, remote, prefix } = carrier;
  const { git } = here.repository;
  if (now.isOpen) return { is: "ignored", why: t`the issue is open again` };
  const base = await fetchBase(of);
  const source = sourceOf(name, String(event.number));
  const known = (await knownSources(here, () => false)).find((one) => one.source === source);
  if (!known) return { is: "ignored", why: t`the issue never came in` };
  const { id, path } = known;
  const text = await documentAt(git, base, path);
  if (text === undefined) {
    for (const number of await host.pullsOf(branchOf(id))) await host.closePull(number);
    return { is: "withdrawn", issue: id };
  }
  const issue = parseIssue(text, path);
  if (issue.status !== "open") return { is: "known", issue: id };
  const began = below(await listRemote(remote), `${prefix}/${id}/`).size > 0 || relayIds(here).includes(id);
  if (began)
    return {
      is: "refused",
      why: t`the relay of ${id} has begun: monoco stop ${id}, or monoco issue cancel ${id}`,
    };
  const step = now.reason === "not_planned" ? "wontfix" : now.reason === "duplicate" ? "duplicate" : "cancel";
  const nowIso = new Date().toISOString();
  const changes = { updated_at: nowIso, closed_at: nowIso, ...transition(issue, step) };
  const branch = `${branchOf(id)}-closed`;
  await pushFile(of, { base, branch, path, text: editFrontMatter(text, changes, path) });
  return { is: "closing", issue: id, url: await openPull(of, id, branch) };
}
