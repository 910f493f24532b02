/** The answer of an agent's program to the question for its version. */
import { t } from "../language/translate.ts";

/** `said` is null if the program fails or prints nothing; `waitedSeconds`: it did not answer in this time. */
export type Version = { said: string | null; waitedSeconds?: number };

/** The version as text after the program's name. */
export function versionWords({ said, waitedSeconds }: Version): string {
  if (said !== null) return said;
  return waitedSeconds === undefined
    ? t`of an unknown version`
    : t`(version not answered in ${waitedSeconds} s)`;
}
