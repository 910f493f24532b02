/** Who may ask the dashboard's server what. Other people's pages, and programs in a sandbox that shares the loopback, reach its port. */

/** A request as its headers show it. */
export type Asked = {
  method: string;
  path: string;
  host: string | undefined;
  origin: string | undefined;
  /** Sec-Fetch-Site. */
  site: string | undefined;
  contentType: string | undefined;
  authorization: string | undefined;
};

export type Refusal = { status: 401 | 403 | 405 | 415 | 421; why: string };

/** The names of the server itself; a rebound name of another site is none of them. */
export function namesOf(port: number): string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

/** Why a request is refused; undefined if it may be answered. `fits` says whether a key may ask for a path. */
export function refusalOf(
  asked: Asked,
  { port, fits }: { port: number; fits(key: string, path: string): boolean },
): Refusal | undefined {
  const { method, path, host, origin, site, contentType, authorization } = asked;
  if (host === undefined || !namesOf(port).includes(host)) return { status: 421, why: "another host" };
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403, why: "another origin" };
  const isApi = path.startsWith("/api/");
  // A link in a mail or chat leads to a page, which shows nothing without a token.
  if (isApi && site !== undefined && site !== "same-origin") return { status: 403, why: "another site" };
  const needed = path.startsWith("/api/do/") ? "POST" : "GET";
  if (method !== needed) return { status: 405, why: `only ${needed}` };
  if (!isApi) return undefined;
  const key = /^Bearer ([\w-]{1,100})$/.exec(authorization ?? "")?.[1];
  if (key === undefined || !fits(key, path)) return { status: 401, why: "no token" };
  if (needed === "POST" && !/^application\/json(?:;|$)/.test(contentType ?? ""))
    return { status: 415, why: "only JSON" };
  return undefined;
}

/** Of every answer: nothing from elsewhere loads, nothing frames it, and no address leaves it. */
export const safeHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
