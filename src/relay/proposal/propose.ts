/** Proposes an issue for a person's text: in at most two sessions of the Executor's agent, or from the last unused proposal. */
import { timeOf } from "../../core/text/figures.ts";
import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { proposalTriesMax } from "../../core/limits.ts";
import { proposalIn } from "../../core/prompt/proposal.ts";
import type { Proposal } from "../../core/prompt/proposal-schema.ts";
import { fence } from "../../core/prompt/fence.ts";
import { endingWords } from "../../core/reason/ending-rows.ts";
import { becauseOf } from "../../core/reason/reason.ts";
import { accountOf } from "../../core/journal/account.ts";
import { beforeRelay } from "../../core/relay/budget.ts";
import type { Amounts } from "../../core/relay/budget.ts";
import { fullHour } from "../../core/relay/rate-limit.ts";
import { checkCommands } from "../../core/settings/check-schema.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { fillTemplate } from "../../core/text/template.ts";
import { visible } from "../../core/text/sanitize.ts";
import { removeTree } from "../../git/folders.ts";
import { makeClone } from "../../git/clone/workspace.ts";
import { isSandbox } from "../../core/report/sandbox.ts";
import { profileLogin } from "../home/profile-login.ts";
import { containmentBy } from "../sandbox.ts";
import { proposalPlaces } from "../../store/places.ts";
import { forgetProposals, keepProposal, openProposal } from "../../store/proposals.ts";
import type { Asked } from "../../store/proposals.ts";
import { knownSuspensions } from "../../store/suspensions.ts";
import { chooseAgent } from "../choose-agent.ts";
import { whatIsOld } from "../suspensions.ts";
import type { RunnerSetup } from "../relay.ts";
import { runAuthor } from "./author-session.ts";
import type { AuthorEnd } from "./author-session.ts";
import { t } from "../../core/language/translate.ts";

export type Request = {
  text: string;
  /** The commit of the base. */
  base: string;
  settings: Settings;
  /** The template with `{{text}}`, `{{base}}`, `{{checks}}` and `{{again}}`, and its file. */
  template: { text: string; path: string };
  /** The folder of the clone; the caller makes and removes it. */
  folder: string;
  /** Why a proposal cannot become a file; undefined if it can. */
  check(proposal: Proposal): string | undefined;
  /** Called before each session. */
  onSession(agent: string): void;
};

/** `name` is the proposal's folder; without a proposal, `because` is the reason. */
export type Proposed =
  | { proposal: Proposal; name: string; agent: string; reused: boolean }
  | { proposal: undefined; because: string };

/** Throws `agent` if none can be used, `later` if a budget, rate limit or account has no room, `interrupted` after Ctrl-C. */
export async function propose(runner: RunnerSetup, request: Request): Promise<Proposed> {
  const { settings, text, base } = request;
  const { proposals } = runner.repositoryPlaces;
  const asked: Asked = { text, base, agents: settings.roles.executor.agents };
  forgetProposals(proposals, runner.nowMs());
  const earlier = openProposal(proposals, asked);
  if (earlier) {
    const { proposal, agent } = earlier.record;
    return { proposal, agent, name: earlier.name, reused: true };
  }
  const faults: string[] = [];
  let names = freeAgents(runner, settings);
  for (let attempt = 1; attempt <= proposalTriesMax; attempt++) {
    const came = await tryOnce(runner, request, { asked, names, attempt, before: faults.at(-1) });
    if ("proposal" in came) return { ...came, reused: false };
    faults.push(`${came.agent}: ${came.fault}`);
    if (came.why === "answer") continue;
    const others = names.slice(names.indexOf(came.agent) + 1);
    if (others.length > 0) names = others;
    // A second session would fail on the same account.
    else if (came.why === "account") break;
  }
  return { proposal: undefined, because: faults.join("; ") };
}

/** The agents in order, without those whose account has reached a limit. */
function freeAgents(runner: RunnerSetup, settings: Settings): string[] {
  const { agents } = settings.roles.executor;
  const limited = knownSuspensions(runner.repositoryPlaces.accounts).filter(
    ({ untilMs }) => untilMs > runner.nowMs(),
  );
  const free = agents.filter((name) => limited.every(({ account }) => account !== accountOf(settings, name)));
  if (free.length > 0) return free;
  const untilMs = Math.min(...limited.map((one) => one.untilMs));
  throw new MonocoError("later", t`${agents.join(", ")}: the usage limit is reached`, {
    hint: t`try again at ${timeOf(untilMs, runner.nowMs())}, or name another agent with --agent`,
  });
}

/** The amounts that a session may use. Throws `later` if it may not begin. */
function allowed(runner: RunnerSetup, { budgets, limits }: Settings): Omit<Amounts, "sessions"> {
  const nowMs = runner.nowMs();
  const sinceMs = Math.min(nowMs - 24 * 60 * 60_000, runner.run.startedAtMs);
  const elsewhere = runner.spendings({ sinceMs, except: "" });
  const hour = fullHour(elsewhere, limits, nowMs);
  if (hour)
    throw new MonocoError("later", becauseOf(hour.reason), {
      hint: t`try again at ${timeOf(hour.untilMs, nowMs)}, or raise limits.${hourSettings[hour.reason.rule]}`,
    });
  const { spent, may } = beforeRelay(budgets, { elsewhere, run: runner.run.id, nowMs });
  if (!spent) return may;
  const { span, unit, used, reserve, max } = spent;
  throw new MonocoError("later", becauseOf({ rule: "budget", span, unit, used, reserve, max }), {
    hint: t`raise budgets.${span}.${unit}, or write the issue yourself: monoco issue create --edit "…"`,
  });
}

const hourSettings = { sessions_per_hour: "sessionsPerHour", tokens_per_hour: "tokensPerHour" } as const;

type Try = { asked: Asked; names: readonly string[]; attempt: number; before: string | undefined };

/** What went wrong: the answer, which the next session is shown; the login, plan or budget; or the session. */
type Fault = { fault: string; why: "answer" | "account" | "session" };
type Came = { agent: string } & ({ proposal: Proposal; name: string } | Fault);

async function tryOnce(runner: RunnerSetup, request: Request, of: Try): Promise<Came> {
  const { settings, folder } = request;
  const may = allowed(runner, settings);
  const chosen = chooseAgent(runner, settings, { role: "executor", names: of.names });
  const containment = containmentBy(settings, "executor");
  const found =
    (await whatIsOld(runner, chosen)) ?? (await profileLogin(runner, settings, { ...chosen, containment }));
  if ("lacks" in found)
    return { agent: chosen.name, fault: `${becauseOf(found.lacks)} (${found.program})`, why: "account" };
  request.onSession(chosen.name);
  const startedAtMs = runner.nowMs();
  const name = `${new Date(startedAtMs).toISOString().replaceAll(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}`;
  const { proposals } = runner.repositoryPlaces;
  const started = { v: 1, ...of.asked, agent: chosen.name, run: runner.run.id, startedAtMs } as const;
  keepProposal(proposals, name, started);
  const workspace = join(folder, "project");
  await cloneBase(runner, settings, workspace);
  const end = await runAuthor(runner, {
    agent: chosen.agent,
    entry: chosen.settings,
    settings,
    prompt: promptOf(request, of.before),
    attempt: of.attempt,
    places: proposalPlaces(runner.repositoryPlaces, name),
    workspace,
    temporary: join(folder, "tmp"),
    agentSessionId: randomUUID(),
    may,
    ...found,
  });
  removeTree(workspace);
  removeTree(join(folder, "tmp"));
  const came = cameOf(end, request.check);
  const { tokens, costUsd, contextTokens } = end.seen;
  const used = tokens ?? contextTokens;
  keepProposal(proposals, name, {
    ...started,
    endedAtMs: runner.nowMs(),
    ...(used === undefined ? {} : { tokens: used }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...("proposal" in came ? came : { because: came.fault }),
  });
  if (end.reason === "user_interrupt")
    throw new MonocoError("interrupted", t`interrupted: no issue was written`, {
      hint: t`run the same command again`,
    });
  return "proposal" in came ? { ...came, agent: chosen.name, name } : { ...came, agent: chosen.name };
}

async function cloneBase(runner: RunnerSetup, settings: Settings, folder: string): Promise<void> {
  const { base, clones, filters } = settings;
  const { root } = runner.repository;
  const stop = runner.control.interrupt;
  const sandboxed = isSandbox(containmentBy(settings, "executor"));
  const source = { root, base, ref: `refs/heads/${base}`, branch: base, clones, filters, sandboxed, stop };
  await makeClone(source, folder);
}

function promptOf({ text, settings, template }: Request, before: string | undefined): string {
  const { base, language } = settings;
  const checks = checkCommands(settings.checks);
  const none = { en: "none", zh: "无" }[language];
  const again = { en: "An earlier answer could not be used:", zh: "之前的回答无法使用：" }[language];
  return fillTemplate(
    template.text,
    {
      text: fence(visible(text)),
      base,
      checks: checks.length === 0 ? none : checks.map((command) => `\`${command}\``).join(", "),
      again: before === undefined ? "" : `${again} ${before}`,
    },
    template.path,
  );
}

/** Ends of a session that may have answered; any other end explains why there is no answer. */
const answered = new Set<AuthorEnd["reason"]>(["completed_without_submit", "question", "unknown"]);

const ofAccount = new Set<AuthorEnd["reason"]>(["needs_login", "usage_limit", "budget"]);

function cameOf(
  { seen, reason, evidence }: AuthorEnd,
  check: Request["check"],
): { proposal: Proposal } | Fault {
  const said = proposalIn(seen.answer);
  if (!("fault" in said)) {
    const fault = check(said);
    return fault === undefined ? { proposal: said } : { fault, why: "answer" };
  }
  if (answered.has(reason)) return { fault: said.fault, why: "answer" };
  const fault = [reason.replaceAll("_", " "), ...endingWords(evidence)].join(": ");
  return { fault, why: ofAccount.has(reason) ? "account" : "session" };
}
