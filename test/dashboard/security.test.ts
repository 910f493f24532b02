/** What may ask the dashboard's server for anything; each refusal has its live control, the same request without the fault. */
import { expect, test } from "vitest";
import { execa } from "execa";
import { ask, openDashboard } from "../support/dashboard.ts";
import type { Asked, Dashboard } from "../support/dashboard.ts";
import { openPlace, run } from "../support/place.ts";

const story = { executor: [[run("monoco relay ask 'Which port?'")]], reviewer: [[{ verdict: "approve" }]] };

type Request = Parameters<typeof ask>[1];
type Row = {
  name: string;
  refused: number;
  /** Headers that are other than those of the page; undefined leaves one out. */
  headers?: Record<string, string | undefined>;
  request?: Partial<Request>;
};

const answer = { method: "POST", path: "/api/do/say/FEAT-0001", body: JSON.stringify({ text: "hello" }) };
const rows: Row[] = [
  { name: "another host", refused: 421, headers: { host: "example.com" } },
  {
    name: "a name that was bound to this address",
    refused: 421,
    headers: { host: "rebound.example:PORT", origin: "http://rebound.example:PORT" },
  },
  { name: "this address at another port", refused: 421, headers: { host: "127.0.0.1:1" } },
  { name: "no name", refused: 400, headers: { host: undefined } },
  { name: "an empty name", refused: 421, headers: { host: "" } },
  { name: "another page", refused: 403, headers: { origin: "https://example.com" } },
  { name: "a page without an origin", refused: 403, headers: { origin: "null" } },
  { name: "a page of this machine at another port", refused: 403, headers: { origin: "http://127.0.0.1:1" } },
  { name: "another site, as the browser says", refused: 403, headers: { "sec-fetch-site": "cross-site" } },
  { name: "the same site, as the browser says", refused: 403, headers: { "sec-fetch-site": "same-site" } },
  { name: "no token", refused: 401, headers: { authorization: undefined } },
  { name: "another token", refused: 401, headers: { authorization: `Bearer ${"A".repeat(43)}` } },
  {
    name: "the token in the address",
    refused: 401,
    headers: { authorization: undefined },
    request: { path: "/api/inbox?token=TOKEN" },
  },
  {
    name: "the token as a cookie",
    refused: 401,
    headers: { authorization: undefined, cookie: "token=TOKEN" },
  },
  { name: "an action by GET", refused: 405, request: { path: answer.path } },
  { name: "facts by POST", refused: 405, request: { method: "POST" } },
  { name: "any other method", refused: 405, request: { method: "OPTIONS" } },
  {
    name: "a form of another page",
    refused: 415,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    request: answer,
  },
  { name: "text of another page", refused: 415, headers: { "content-type": "text/plain" }, request: answer },
  { name: "an action that is none", refused: 404, request: { ...answer, path: "/api/do/clear/FEAT-0001" } },
  {
    name: "a body without end",
    refused: 413,
    request: { ...answer, body: JSON.stringify({ text: "x".repeat(3_000_000) }) },
  },
  { name: "an issue that is a path", refused: 404, request: { path: "/api/review/..%2f..%2fetc" } },
];

function asked(
  to: Dashboard,
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
    text.replaceAll("PORT", `${to.port}`).replaceAll("TOKEN", to.token);
  const given = Object.entries(own).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, filled(value)]],
  );
  return ask(to, {
    ...request,
    path: filled(request.path ?? "/api/inbox"),
    headers: Object.fromEntries(given) as Record<string, string>,
  });
}

test("only the dashboard's own page, with the token, is answered", async () => {
  const place = await openPlace(story);
  await place.monoco("run", "FEAT-0001");
  const to = await openDashboard(place);
  expect((await asked(to, {})).text).toContain("Which port?");
  const controls = { GET: await asked(to, {}), POST: await asked(to, { request: answer }) };
  expect(controls.GET.status).toBe(200);
  expect(controls.POST.status, controls.POST.text).toBe(200);
  expect(JSON.parse(controls.POST.text)).toMatchObject({ ok: true });
  const before = place.events().length;
  const came: Record<string, number | string> = {};
  for (const { name, ...row } of rows) {
    const { status, text } = await asked(to, row).catch((error: unknown) => ({
      status: String(error),
      text: "",
    }));
    came[name] = status;
    expect(text, name).not.toContain("Which port?");
  }
  expect(came).toEqual(Object.fromEntries(rows.map(({ name, refused }) => [name, refused])));
  expect(place.events()).toHaveLength(before);
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
    "/page//etc/passwd",
    "/../../package.json",
    "/page/main.js%00.css",
    "/monoco.yaml",
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
