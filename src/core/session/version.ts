/** What an agent's program answers when it is asked for its version. */
import { t } from "../language/translate.ts";

/** `said` is null where it fails or says nothing; `waitedSeconds`: it did not answer in this time. */
export type Version = { said: string | null; waitedSeconds?: number };

/** Behind the program's name. */
export function versionWords({ said, waitedSeconds }: Version): string {
  if (said !== null) return said;
  return waitedSeconds === undefined
    ? t`of an unknown version`
    : t`(version not answered in ${waitedSeconds} s)`;
}
