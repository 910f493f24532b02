/** The variables of the person's environment that set-up and checks get, by the setting `env`, in words. */
import { t } from "../language/translate.ts";
import type { Settings } from "../settings/settings.ts";

/** The names, and who can read the values; "" if there are none. */
export function givenWords({ setup, checks }: Settings["env"]): string {
  const to = [
    ...(setup.length > 0 ? [t`set-up gets ${setup.join(", ")}`] : []),
    ...(checks.length > 0 ? [t`checks and sessions get ${checks.join(", ")}`] : []),
  ];
  return to.length === 0 ? "" : t`env: ${to.join("; ")}; code that agents write can read their values`;
}

/** The names that are not set in the environment. */
export function unsetIn(
  env: Readonly<Record<string, string | undefined>>,
  { setup, checks }: Settings["env"],
): string[] {
  return [...new Set([...setup, ...checks])].filter((name) => env[name] === undefined);
}

export function unsetWords(names: readonly string[]): string {
  return t`env: not set in your environment: ${names.join(", ")}`;
}
