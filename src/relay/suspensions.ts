/** Suspends accounts: a limit that one relay meets holds for all that use the same account; a missing login or an old program, for the relay that needs it. */
import { knownSuspensions, tellSuspension } from "../store/suspensions.ts";
import type { Agent, AgentSettings } from "../agents/agent.ts";
import { oldest } from "../agents/registry.ts";
import { accountOf } from "../core/journal/account.ts";
import { isOlder } from "../core/session/version.ts";
import { roles } from "../core/settings/agent-kinds.ts";
import type { Lacking } from "./home/profile-login.ts";
import { openingOf, settingsOf } from "./relay.ts";
import type { Relay, RunnerSetup } from "./relay.ts";

/** Tells the other relays about the journaled limit or outage of `agent`. */
export function tellLimit(relay: Relay, agent: string): void {
  const account = accountOf(settingsOf(relay), agent);
  const { untilMs, reason } = openingOf(relay).sinceResume.suspended.get(account) ?? {};
  if (untilMs === undefined || !reason) return;
  const suspension = { account, untilMs, reason, by: relay.issue, atMs: relay.nowMs() };
  tellSuspension(relay.repositoryPlaces.accounts, suspension);
}

/** What the agent lacks if its program is older than its adapter can use. A version that cannot be read is not older. */
export async function whatIsOld(
  runner: RunnerSetup,
  { agent, settings }: { agent: Agent; settings: AgentSettings },
): Promise<Lacking | undefined> {
  const { kind } = agent;
  const least = oldest[kind];
  if (least === undefined) return undefined;
  const { said } = await runner.versionOf(settings).catch(() => ({ said: null }));
  if (said === null || !isOlder(said, least)) return undefined;
  const { install = "" } = agent.program(settings) ?? {};
  return { lacks: { rule: "program_old", kind, version: said, least }, program: install };
}

/** Records what an agent's account lacks. Another agent may take over until a person has fixed it (`program`). */
export function suspendForPerson(relay: Relay, agent: string, { lacks: reason, program }: Lacking): void {
  const account = accountOf(settingsOf(relay), agent);
  relay.record({ type: "agent.suspended", account, reason, program, by: relay.issue });
}

/** Journals limits of this relay's accounts that other relays met since it was last resumed. */
export function learnLimits(relay: Relay): void {
  const { settings, sinceResume } = openingOf(relay);
  const names = roles.flatMap((role) => settings.roles[role].agents);
  const accounts = new Set(names.map((name) => accountOf(settings, name)));
  for (const suspension of knownSuspensions(relay.repositoryPlaces.accounts)) {
    const { account, untilMs, reason, by, atMs } = suspension;
    if (by === relay.issue || !accounts.has(account)) continue;
    if (untilMs <= relay.nowMs() || atMs <= sinceResume.atMs) continue;
    if ((sinceResume.suspended.get(account)?.untilMs ?? 0) >= untilMs) continue;
    relay.record({ type: "agent.suspended", account, untilMs, reason, by });
  }
}
