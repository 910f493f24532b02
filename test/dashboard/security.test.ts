/** What may ask the dashboard's server for anything; each refusal has its live control, the same request without the fault. */
import { expect, test } from "vitest";
import { execa } from "execa";
import { ask, openDashboard } from "../support/dashboard.ts";
import type { Asked, Dashboard } from "../support/dashboard.ts";
import { approves, issuePath, issueText, openPlace, run } from "../support/place.ts";
import type { Place } from "../support/place.ts";

const story = { executor: [[run("monoco relay ask 'Which port?'")]], reviewer: [approves] };

type Request = Parameters<typeof ask>[1];
/** A request with one fault; its control is the same request without it. */
type Row = {
  name: string;
  refused: number;
  /** Headers that are other than those of the page; undefined leaves one out. */
  headers?: Record<string, string | undefined>;
  request?: Partial<Request>;
  /** The request without the fault, if the fault is in the request itself. */
  right?: Partial<Request>;
};

const inbox = { path: "/api/inbox" };
const review = { path: "/api/review/FEAT-0001" };
const say = { method: "POST", path: "/api/do/say/FEAT-0001", body: JSON.stringify({ text: "hello" }) };
const noToken = { authorization: undefined };

const hosts: [string, string][] = [
  ["another host", "example.com"],
  ["a name that was bound to this address", "rebound.example:PORT"],
  ["this address at another port", "127.0.0.1:1"],
  ["this address without the port", "127.0.0.1"],
  ["another address of this machine", "127.0.0.2:PORT"],
  ["every address of this machine", "0.0.0.0:PORT"],
  ["this machine by IPv6", "[::1]:PORT"],
  ["a name that ends with this one", "x.localhost:PORT"],
  ["a name that begins with this one", "127.0.0.1:PORT.example.com"],
  ["a name with a user", "127.0.0.1:PORT@example.com"],
  ["two names", "127.0.0.1:PORT, example.com"],
  ["an empty name", ""],
];

const rows: Row[] = [
  // No name of a host has these characters: the request is not even read.
  ...hosts.map(([name, host]): Row => ({
    name,
    refused: /PORT[^\]]/.test(host) ? 400 : 421,
    headers: { host },
  })),
  {
    name: "a bound name with its own origin",
    refused: 421,
    headers: { host: "rebound.example:PORT", origin: "http://rebound.example:PORT" },
  },
  { name: "no name", refused: 400, headers: { host: undefined } },
  {
    name: "a bound name in the line of the request",
    refused: 421,
    headers: { host: "rebound.example:PORT" },
    request: { path: "http://127.0.0.1:PORT/api/inbox" },
    right: { path: "http://127.0.0.1:PORT/api/inbox" },
  },
  ...[
    "https://example.com",
    "null",
    "http://127.0.0.1:1",
    "https://127.0.0.1:PORT",
    "http://localhost:PORT",
    "",
  ].map((origin): Row => ({ name: `the origin ${origin}`, refused: 403, headers: { origin } })),
  {
    name: "an action with another origin",
    refused: 403,
    headers: { origin: "null" },
    request: say,
    right: say,
  },
  ...["cross-site", "same-site", "none"].map((site): Row => ({
    name: `a page that is ${site}`,
    refused: 403,
    headers: { "sec-fetch-site": site },
  })),
  { name: "no token", refused: 401, headers: noToken },
  { name: "another token", refused: 401, headers: { authorization: `Bearer ${"A".repeat(43)}` } },
  { name: "a longer token", refused: 401, headers: { authorization: "Bearer TOKENA" } },
  { name: "an empty token", refused: 401, headers: { authorization: "Bearer " } },
  { name: "two tokens", refused: 401, headers: { authorization: "Bearer A, Bearer TOKEN" } },
  { name: "the token as a password", refused: 401, headers: { authorization: "Basic TOKEN" } },
  {
    name: "the token in the address",
    refused: 401,
    headers: noToken,
    request: { path: "/api/inbox?token=TOKEN" },
  },
  { name: "the token as a cookie", refused: 401, headers: { ...noToken, cookie: "token=TOKEN" } },
  {
    name: "a path that is spelt otherwise",
    refused: 401,
    headers: noToken,
    request: { path: "/%61pi/inbox" },
  },
  { name: "an action without a token", refused: 401, headers: noToken, request: say, right: say },
  {
    name: "an action with the token in its address",
    refused: 401,
    headers: noToken,
    request: { ...say, path: `${say.path}?token=TOKEN` },
    right: say,
  },
  {
    name: "an action with the token in its body",
    refused: 401,
    headers: noToken,
    request: {
      ...say,
      body: JSON.stringify({ text: "hello", token: "TOKEN", authorization: "Bearer TOKEN" }),
    },
    right: say,
  },
  { name: "an action by GET", refused: 405, request: { path: say.path }, right: say },
  { name: "facts by POST", refused: 405, request: { method: "POST" } },
  ...["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "HEAD", "QUERY"].flatMap((method): Row[] => [
    { name: `facts by ${method}`, refused: 405, request: { method } },
    { name: `an action by ${method}`, refused: 405, request: { method, path: say.path }, right: say },
  ]),
  ...[
    undefined,
    "",
    "text/plain",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "application/jsonx",
  ].map((type): Row => ({
    name: `an action of the type ${type}`,
    refused: 415,
    headers: { "content-type": type },
    request: say,
    right: say,
  })),
  {
    name: "an action that is none",
    refused: 404,
    request: { ...say, path: "/api/do/clear/FEAT-0001" },
    right: say,
  },
  {
    name: "an action in place of another",
    refused: 404,
    request: { ...say, path: "/api/do/__proto__/FEAT-0001" },
    right: say,
  },
  { name: "a body that is no object", refused: 404, request: { ...say, body: "null" }, right: say },
  { name: "a body that is cut", refused: 404, request: { ...say, body: say.body.slice(0, 9) }, right: say },
  {
    name: "a body that is too long",
    refused: 413,
    request: { ...say, body: JSON.stringify({ text: "x".repeat(200_000) }) },
    right: say,
  },
  ...[
    "..%2f..%2fetc",
    "%2e%2e%2fFEAT-0001",
    "%252e%252e%252fetc",
    "%2fetc%2fpasswd",
    "FEAT-0001%00",
    "FEAT-0001%2f..%2fFEAT-0001",
    "..%5cFEAT-0001",
    "%ff",
    "__proto__",
  ].flatMap((id): Row[] => [
    { name: `the issue ${id}`, refused: 404, request: { path: `/api/review/${id}` }, right: review },
    {
      name: `the diff of ${id}`,
      refused: 404,
      request: { path: `/api/diff/${id}` },
      right: { path: "/api/diff/FEAT-0001" },
    },
    {
      name: `the relay of ${id}`,
      refused: 404,
      request: { path: `/api/relay/${id}` },
      right: { path: "/api/relay/FEAT-0001" },
    },
    { name: `an action on ${id}`, refused: 404, request: { ...say, path: `/api/do/say/${id}` }, right: say },
  ]),
  ...["/", "/etc", "..", ".", "%00", "ROOT/..", "ROOT/", "AROUND"].map((root): Row => ({
    name: `the repository ${root}`,
    refused: 404,
    request: { path: `${review.path}?in=${root}` },
    right: { path: `${review.path}?in=ROOT` },
  })),
];

/** FEAT-0001 waits for an approval, and FEAT-0002 asks. */
async function both(): Promise<Place> {
  const executor = run(
    "case $MONOCO_ISSUE in FEAT-0002) monoco relay ask 'Which port?';; *) echo text > file.txt && git add -A && git commit -qm Work && monoco issue submit;; esac",
  );
  const place = await openPlace(
    { executor: [[executor]], reviewer: [approves] },
    {
      limits: { questionsMax: 1 },
      settings: "gates: { high: human }\n",
      files: {
        [issuePath("FEAT-0001")]: issueText("FEAT-0001", "criticality: high\n"),
        [issuePath("FEAT-0002")]: issueText("FEAT-0002"),
      },
    },
  );
  await place.monoco("run", "--all");
  return place;
}

function asked(
  { place, to }: { place: Place; to: Dashboard },
  { headers = {}, request = {} }: Pick<Row, "headers" | "request">,
): Promise<Asked> {
  const own: Record<string, string | undefined> = {
    host: `127.0.0.1:${to.port}`,
    authorization: `Bearer ${to.token}`,
    "sec-fetch-site": "same-origin",
    ...(request.method === "POST" && { origin: to.origin, "content-type": "application/json" }),
    ...headers,
  };
  const filled = (text: string): string =>
    text
      .replaceAll("PORT", `${to.port}`)
      .replaceAll("TOKEN", to.token)
      .replaceAll("ROOT", encodeURIComponent(place.project))
      .replaceAll("AROUND", encodeURIComponent(place.around));
  const given = Object.entries(own).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, filled(value)]],
  );
  return ask(to, {
    ...request,
    path: filled(request.path ?? inbox.path),
    body: filled(request.body ?? ""),
    headers: Object.fromEntries(given) as Record<string, string>,
  });
}

test("only the dashboard's own page, with the token, is answered", async () => {
  const place = await both();
  const of = { place, to: await openDashboard(place) };
  const came: Record<string, number> = {};
  const controls = new Map<object, Asked>();
  for (const { name, request = inbox, headers = {}, right = inbox } of rows) {
    const { status, text } = await asked(of, { headers, request });
    came[name] = status;
    expect([name, text.length < 100]).toEqual([name, true]);
    // Many rows are one right request, each with another fault.
    const control = controls.get(right) ?? (await asked(of, { request: right }));
    controls.set(right, control);
    expect([name, control.status, control.text]).toEqual([
      name,
      200,
      expect.stringMatching(right === say ? /"ok":true/ : /FEAT-0001|diff --git/) as string,
    ]);
  }
  expect(came).toEqual(Object.fromEntries(rows.map(({ name, refused }) => [name, refused])));
  expect(place.all("note.said")).toMatchObject([{ text: "hello" }]);
});

test("a printed key opens one tab, and does nothing else; then the next one is printed", async () => {
  const to = await openDashboard(await openPlace(story));
  const keyOf = (address: string): string => new URL(address).hash.slice(1);
  const key = keyOf(await to.address());
  const entered = async (bearer: string, method = "POST", more: object = {}): Promise<Asked> => {
    const authorization = `Bearer ${bearer}`;
    const headers = {
      host: `127.0.0.1:${to.port}`,
      authorization,
      "content-type": "application/json",
      ...more,
    };
    return ask(to, { method, path: "/api/do/enter", headers });
  };
  const asks = { host: `127.0.0.1:${to.port}`, authorization: `Bearer ${key}` };
  expect((await ask(to, { headers: asks })).status).toBe(401);
  expect((await entered(to.token)).status).toBe(401);
  expect((await entered(key, "GET")).status).toBe(405);
  expect((await entered(key, "POST", { origin: "http://127.0.0.1:1" })).status).toBe(403);
  expect((await entered(key, "POST", { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect(await entered(key)).toMatchObject({ status: 200, text: to.token });
  expect((await entered(key)).status).toBe(401);
  const next = keyOf(await to.address());
  expect(next).not.toBe(key);
  expect((await entered(next)).status).toBe(200);
});

test("a path leads to no file but the page's own", async () => {
  const place = await openPlace(story);
  const to = await openDashboard(place);
  const own = { host: `127.0.0.1:${to.port}` };
  expect((await ask(to, { path: "/page/main.js", headers: own })).text).toContain("monoco");
  for (const path of [
    "/page/../cli.js",
    "/page/..%2fcli.js",
    "/page/%2e%2e/cli.js",
    "/page/%252e%252e%252fcli.js",
    "/page/..%5ccli.js",
    "/page//etc/passwd",
    "/page/%2fetc%2fpasswd",
    "/page/",
    "/page/__proto__",
    "//etc/passwd",
    "/../../package.json",
    "/page/main.js%00.css",
    "/page/main.js.map",
    "/monoco.yaml",
    "/.git/config",
    "/%2e%2e/%2e%2e/etc/passwd",
  ])
    expect([path, (await ask(to, { path, headers: own })).status]).toEqual([path, 404]);
});

test("no answer can be framed, sniffed, kept, or lend its address; a deep link holds no fact", async () => {
  const place = await openPlace(story);
  await place.monoco("run", "FEAT-0001");
  const to = await openDashboard(place);
  const host = `127.0.0.1:${to.port}`;
  for (const path of ["/", "/i/FEAT-0001", "/page/main.js", "/api/inbox", "/nothing"]) {
    const { headers, text } = await ask(to, { path, headers: { host } });
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringMatching(
        /default-src 'none'.*frame-ancestors 'none'/,
      ) as string,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
    expect(text).not.toMatch(/Which port|FEAT-0001/);
    expect(text).not.toContain(to.token);
  }
});

test("it listens on this machine only, and a second one does not take its port", async () => {
  const place = await openPlace(story);
  const to = await openDashboard(place);
  const { stdout } = await execa("sh", ["-c", "cat /proc/net/tcp /proc/net/tcp6"]);
  const port = to.port.toString(16).toUpperCase().padStart(4, "0");
  const listening = stdout.split("\n").filter((line) => line.includes(`:${port} `) && / 0A /.test(line));
  expect(listening.map((line) => line.trim().split(/\s+/)[1])).toEqual([`0100007F:${port}`]);
  const second = await place.monoco("dashboard", "--port", `${to.port}`);
  expect(second).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`${to.port}`) as string });
});

test("a session cannot open it", async () => {
  const tries = run('monoco dashboard > "$PERSON/said.txt" 2>&1; true');
  const place = await openPlace({ ...story, executor: [[tries, ...story.executor[0]!]] });
  await place.monoco("run", "FEAT-0001");
  expect(place.read("said.txt")).toContain("the dashboard is for people");
});
