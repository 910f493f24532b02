/** The answer of a program to the question for its version. */
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

/** Compares the first numbers in `version` (`git version 2.39.5`); a text without numbers is not older. */
export function isOlder(version: string, least: string): boolean {
  const [own, other] = [version, least].map((text) => /\d+(?:\.\d+)+/.exec(text)?.[0].split(".").map(Number));
  const at = own && other ? other.findIndex((number, index) => number !== (own[index] ?? 0)) : -1;
  return at >= 0 && (own![at] ?? 0) < other![at]!;
}
