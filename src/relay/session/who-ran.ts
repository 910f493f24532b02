/** The program of a session, for a person who has to act. */
import type { Agent, AgentSettings } from "../../agents/agent.ts";
import { versionWords } from "../../core/session/version.ts";
import { shellWord } from "../../core/text/shell.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";

/** `program`: the version, and how a person logs in. */
export type WhoRan = { who: string; hint: string; measuredOn?: string; program?: string };

/** The program that ran, with its version and a hint; undefined for an agent that comes with the project. */
export async function whoRan(
  relay: Relay,
  { name, agent, settings }: { name: string; agent: Agent; settings: AgentSettings },
): Promise<WhoRan | undefined> {
  const { kind, measuredOn } = agent;
  if (kind === "acp") {
    const run = [...(settings.run ?? []), ...(settings.args ?? [])].map(shellWord).join(" ");
    return { who: `${name} (${run})`, hint: t`see whether it speaks the Agent Client Protocol` };
  }
  if (measuredOn === undefined) return undefined;
  const version = versionWords(await relay.versionOf(settings).catch(() => ({ said: null })));
  const login = agent.program(settings)?.login;
  // With its own environment an agent may use another login than the person's usual one.
  const isOwn = Object.keys(settings.env ?? {}).length > 0;
  return {
    who: `${kind} ${version}`,
    measuredOn,
    hint: t`seen on ${measuredOn}; monoco agent probe ${kind}`,
    program:
      login === undefined
        ? version
        : isOwn
          ? t`${version}; to log in with its \`env\`: ${login}`
          : t`${version}; to log in: ${login}`,
  };
}
