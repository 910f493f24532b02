/** The address of a fleet's database. It holds a password, so no message repeats it. */
import { MonocoError } from "../error/error.ts";
import { t } from "../language/translate.ts";

/** The variable that holds the address, so that no list of processes shows it. */
export const databaseVariable = "MONOCO_DATABASE";

/** `name` is the address without user, password and options. */
export type Database = { url: string; name: string };

/** Reads `--database`, or the variable. Throws `input` for what is no address. */
export function databaseOf(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Database {
  const url = flag ?? env[databaseVariable] ?? "";
  const [, scheme, rest = ""] = /^(postgres(?:ql)?:\/\/)(.+)$/s.exec(url) ?? [];
  const place = rest.replace(/^.*@/s, "").replace(/\?.*$/s, "");
  // Without a host, a password is where the port would be.
  const noPort = /:(?!\d+(?:[,/]|$))[^/\]]*(?=\/|$)/;
  if (scheme !== undefined) return { url, name: `${scheme}${place.replace(noPort, ":…")}` };
  const from = flag === undefined ? databaseVariable : "--database";
  const said =
    url === "" ? t`which database? No address was given` : t`${from}: expected the address of a database`;
  throw new MonocoError("input", said, {
    hint: t`write postgres://USER@HOST/DATABASE in ${databaseVariable}, or pass it by --database`,
  });
}

/** What an error of the driver says, without the address or a password in it. */
export function withoutSecrets(words: string, { url, name }: Database): string {
  const [, password = ""] = /^[^:]+:\/\/[^:@/]*:(.+)@/s.exec(url) ?? [];
  let plain = password;
  try {
    plain = decodeURIComponent(password);
  } catch {
    // It holds a % that escapes nothing.
  }
  return [url, password, plain]
    .filter((one) => one !== "")
    .reduce((text, one) => text.replaceAll(one, one === url ? name : "…"), words);
}
