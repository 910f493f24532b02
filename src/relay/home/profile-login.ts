/** Logs an agent in whose model is reached by a profile of AWS: a sandbox hides `~/.aws`, so the session gets the profile's short-lived credentials instead. */
import { join } from "node:path";
import { z } from "zod";
import type { Agent, AgentSettings } from "../../agents/agent.ts";
import { amazonKeys, namedIn } from "../../agents/environment.ts";
import { walker } from "../../agents/mounts.ts";
import type { Containment } from "../../agents/containment.ts";
import { attempt } from "../../core/error/attempt.ts";
import { t } from "../../core/language/translate.ts";
import { profileMsMax } from "../../core/limits.ts";
import type { AccountReason } from "../../core/reason/account-schema.ts";
import { isSandbox } from "../../core/report/sandbox.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { shellWord } from "../../core/text/shell.ts";
import { runAsPerson } from "../../git/person.ts";
import { homeOf, sightOf } from "./emptied.ts";
import type { Around } from "./emptied.ts";

/** The variables that take the profile's place. */
export type ProfileLogin = Readonly<Record<string, string>>;

/** The reason why an account cannot be used, and the command that fixes it (`program`). */
export type Lacking = { lacks: AccountReason; program: string };

type Using = { agent: Agent; settings: AgentSettings };

type Shown = Pick<Settings, "sandboxRead" | "sandboxWrite">;

/** The login, if the agent needs one. */
export async function profileLogin(
  around: Around,
  settings: Shown,
  of: Using & { containment: Containment },
): Promise<{ login: ProfileLogin | undefined } | Lacking> {
  const profile = isSandbox(of.containment) ? lentProfile(around, settings, of) : undefined;
  if (profile === undefined) return { login: undefined };
  const home = homeOf(around);
  const aws = (...args: string[]): ReturnType<typeof runAsPerson> => {
    const at = { cwd: home, env: { ...around.env, ...of.settings.env }, msMax: profileMsMax };
    return runAsPerson("aws", ["configure", ...args, "--profile", profile], at);
  };
  const ran = await aws("export-credentials", "--format", "process");
  const keys = attempt(() => keysSchema.parse(JSON.parse(ran.stdout)), undefined);
  if (ran.exitCode !== 0 || !keys) {
    const said = plainLine(ran.stderr.trim().split("\n").at(-1) ?? "", 300);
    return {
      lacks: { rule: "needs_login", profile, ...(said !== "" && { said }) },
      program: ran.missing
        ? t`install the AWS CLI (2.9 or newer); or show the profile to agents and checks: sandboxRead: [~/.aws]`
        : `aws sso login --profile ${shellWord(profile)}`,
    };
  }
  const region = environmentOf(around, of)["AWS_REGION"] || (await aws("get", "region")).stdout.trim();
  return { login: { ...keys, ...(region !== "" && { AWS_REGION: region }) } };
}

/** The profile whose credentials the agent's sessions get in a sandbox that hides the profile. */
export function lentProfile(around: Around, settings: Shown, of: Using): string | undefined {
  const isShown = sightOf(around, settings).isNamed(walker()(join(homeOf(around), ".aws")).real);
  return isShown ? undefined : profileIn(environmentOf(around, of), of.settings);
}

function environmentOf({ env }: Around, { agent, settings }: Using) {
  return { ...namedIn(env, agent.passEnv), ...settings.env };
}

/** The environment with these credentials, and without a profile, which would go before them. */
export function withLogin(
  env: Record<string, string>,
  login: ProfileLogin | undefined,
): Record<string, string> {
  if (!login) return env;
  const others = Object.entries(env).filter(([name]) => name !== "AWS_PROFILE" && !amazonKeys.includes(name));
  return { ...Object.fromEntries(others), ...login };
}

/** The credentials among these variables, to mask. */
export function secretsOf(login: ProfileLogin = {}): string[] {
  return Object.values(namedIn(login, amazonKeys));
}

/** The profile by which the agent reaches its model. Many people set `AWS_PROFILE` for other programs than the agent. */
function profileIn(
  env: Readonly<Record<string, string | undefined>>,
  { kind, model, env: own }: AgentSettings,
) {
  const { AWS_PROFILE: profile, AWS_BEARER_TOKEN_BEDROCK: bearer, CLAUDE_CODE_USE_BEDROCK: bedrock } = env;
  const uses =
    own?.["AWS_PROFILE"] !== undefined ||
    (kind === "claude" && /^(?:1|true|yes|on)$/i.test(bedrock ?? "")) ||
    (kind === "opencode" && model?.startsWith("amazon-bedrock/") === true);
  return uses && !bearer ? profile || undefined : undefined;
}

const keysSchema = z
  .object({
    AccessKeyId: z.string().min(1),
    SecretAccessKey: z.string().min(1),
    SessionToken: z.string().optional(),
  })
  .transform(({ AccessKeyId, SecretAccessKey, SessionToken }) => ({
    AWS_ACCESS_KEY_ID: AccessKeyId,
    AWS_SECRET_ACCESS_KEY: SecretAccessKey,
    ...(SessionToken !== undefined && { AWS_SESSION_TOKEN: SessionToken }),
  }));
