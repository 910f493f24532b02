/** The dashboard's key and its page against other pages, in real Chromium: the key leaves no trace, and nothing from elsewhere gets in. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test as always, vi } from "vitest";
import { ask, hasBrowser, openDashboard, openProfile, openTab } from "../support/dashboard.ts";
import { approves, openPlace, run } from "../support/place.ts";
import type { Place } from "../support/place.ts";

vi.setConfig({ testTimeout: 120_000 });
const test = always.skipIf(!hasBrowser);

async function asking(): Promise<Place> {
  const place = await openPlace(
    { executor: [[run("monoco relay ask 'Which port?'")]], reviewer: [approves] },
    { limits: { questionsMax: 1 } },
  );
  await place.monoco("run", "FEAT-0001");
  return place;
}

/** Another site: what was asked of it, with the referrer; and its page. */
async function otherSite(html = "other"): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url, headers }, answer) => {
    if (url !== "/favicon.ico") asked.push(`${url} ${headers.referer ?? "no referrer"}`);
    answer.setHeader("content-type", "text/html").end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const follow = (page: Page, href: string): Promise<unknown> =>
  Promise.all([
    page.waitForURL(`${href}*`),
    page.evaluate((to) => {
      const link = document.createElement("a");
      link.href = to;
      document.body.append(link);
      link.click();
    }, href),
  ]);

test("the key is in no address of the history, no referrer, no process, and no file, and is not printed", async () => {
  const place = await asking();
  const to = await openDashboard(place);
  const other = await otherSite();
  const { page, faults } = await openTab();
  const urls: string[] = [];
  page.on("request", (one) => urls.push(one.url() + JSON.stringify(one.headers().referer ?? "")));
  await page.goto("about:blank");
  await page.goto(await to.address());
  await page.waitForSelector(".row");
  expect(page.url()).toBe(`${to.origin}/`);
  await page.getByRole("link", { name: "FEAT-0001" }).click();
  await page.waitForSelector(".sessions");
  const { entries } = await (await page.context().newCDPSession(page)).send("Page.getNavigationHistory");
  expect(entries.map(({ url }) => url)).toEqual(["about:blank", `${to.origin}/`, `${to.origin}/i/FEAT-0001`]);
  await follow(page, `${other.origin}/from-the-dashboard`);
  expect(await page.evaluate(() => document.referrer)).toBe("");
  // The same link on a page that says nothing about it.
  await follow(page, `${other.origin}/from-elsewhere`);
  expect(other.asked).toEqual([
    "/from-the-dashboard no referrer",
    `/from-elsewhere ${other.origin}/from-the-dashboard`,
  ]);
  await page.goBack();
  await page.goBack();
  await page.waitForSelector(".sessions");
  await page.goBack();
  await page.waitForSelector(".row");
  expect(page.url()).toBe(`${to.origin}/`);
  expect(urls.filter((one) => one.includes(to.token))).toEqual([]);
  expect(faults).toEqual([]);

  expect(to.printed()).not.toContain(to.token);
  const traces = readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .flatMap((pid) => ["cmdline", "environ"].map((name) => `/proc/${pid}/${name}`))
    .filter((path) => textOf(path).includes(to.token));
  expect(traces).toEqual([]);
  expect(textOf(`/proc/${to.pid}/cmdline`)).toContain("dashboard");
  const inFiles = await execa("grep", ["-rlaF", "--", to.token, place.around], { reject: false });
  expect([inFiles.exitCode, inFiles.stdout]).toEqual([1, ""]);
});

test("the printed address in a browser's history opens nothing", async () => {
  const place = await asking();
  const to = await openDashboard(place);
  const profile = join(place.around, "profile");
  const browser = await openProfile(profile);
  const page = await browser.newPage();
  const address = await to.address();
  await page.goto(address);
  await page.waitForSelector(".row");
  await browser.close();
  const filesWith = async (text: string): Promise<string[]> =>
    (await execa("grep", ["-rlaF", "--", text, profile], { reject: false })).stdout
      .split("\n")
      .filter(Boolean);
  expect(await filesWith(address)).not.toEqual([]);
  // Chromium keeps a tab's session storage in a file of its own.
  expect((await filesWith(to.token)).filter((path) => !path.includes("/Session Storage/"))).toEqual([]);
  const headers = { host: `127.0.0.1:${to.port}`, authorization: `Bearer ${new URL(address).hash.slice(1)}` };
  const json = { ...headers, "content-type": "application/json" };
  expect((await ask(to, { headers })).status).toBe(401);
  expect((await ask(to, { method: "POST", path: "/api/do/enter", headers: json })).status).toBe(401);
});

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A process of others, or one that has ended.
    return "";
  }
}

test("another page can neither read, act, frame nor rebind; the dashboard's own can", async () => {
  const place = await asking();
  const to = await openDashboard(place);
  const other = await otherSite();
  const { page } = await openTab();
  const events = place.events().length;
  const rebound = await page.goto(`http://rebound.example:${to.port}/`);
  expect([rebound?.status(), await page.textContent("body")]).toEqual([421, "another host"]);
  expect((await page.goto(`${other.origin}/`))?.status()).toBe(200);
  const came = await page.evaluate(
    async ({ origin, token, rebound }) => {
      const tried = (path: string, how: RequestInit): Promise<string> =>
        fetch(path, how).then(
          async (answer) => `${answer.type} ${answer.status} ${(await answer.text()).slice(0, 40)}`,
          () => "refused",
        );
      const authorization = `Bearer ${token}`;
      const body = JSON.stringify({ text: "from elsewhere" });
      const say = `${origin}/api/do/say/FEAT-0001`;
      const came: Record<string, string> = {
        read: await tried(`${origin}/api/inbox`, { headers: { authorization } }),
        blind: await tried(`${origin}/api/inbox`, { mode: "no-cors" }),
        act: await tried(say, {
          method: "POST",
          headers: { authorization, "content-type": "application/json" },
          body,
        }),
        "act blind": await tried(say, { method: "POST", mode: "no-cors", body }),
        rebound: await tried(`${rebound}/api/inbox`, { mode: "no-cors", headers: { authorization } }),
      };
      const framed = document.createElement("iframe");
      framed.src = `${origin}/#${token}`;
      const loaded = new Promise((resolve) => framed.addEventListener("load", resolve));
      document.body.append(framed);
      await loaded;
      came["frame"] = framed.contentDocument?.body.textContent ?? "cross-origin";
      const opened = window.open(`${origin}/`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      came["window"] = opened === null || opened.closed ? "no handle" : "a handle";
      const script = document.createElement("script");
      script.src = `${origin}/page/main.js`;
      came["script"] = await new Promise((resolve) => {
        script.addEventListener("load", () => resolve("loaded"));
        script.addEventListener("error", () => resolve("refused"));
        document.body.append(script);
      });
      return came;
    },
    { origin: to.origin, token: to.token, rebound: `http://rebound.example:${to.port}` },
  );
  expect(came).toEqual({
    read: "refused",
    blind: "refused",
    act: "refused",
    "act blind": "refused",
    rebound: "refused",
    frame: "cross-origin",
    window: "no handle",
    script: "refused",
  });
  const frame = page.frames().find((one) => one !== page.mainFrame());
  expect(await frame?.textContent("body").catch(() => "")).not.toContain("Which port");
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    await page.goto(`${other.origin}/`);
    const [answer] = await Promise.all([
      page.waitForNavigation(),
      page.evaluate(
        ({ type, action }) => {
          const form = Object.assign(document.createElement("form"), {
            action,
            method: "post",
            enctype: type,
          });
          form.append(
            Object.assign(document.createElement("input"), {
              name: '{"text":"from a form","x":"',
              value: '"}',
            }),
          );
          document.body.append(form);
          form.submit();
        },
        { type, action: `${to.origin}/api/do/say/FEAT-0001` },
      ),
    ]);
    expect([type, answer?.status()]).toEqual([type, 403]);
  }
  expect(place.events()).toHaveLength(events);
  // The control: the same by the dashboard's own page.
  await page.goto(await to.address());
  await page.waitForSelector(".row");
  expect(
    await page.evaluate(async (token) => {
      const answer = await fetch("/api/do/say/FEAT-0001", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ text: "from here" }),
      });
      return answer.status;
    }, to.token),
  ).toBe(200);
  expect(place.all("note.said")).toMatchObject([{ text: "from here" }]);
});

test("even a script that got into the page reaches nothing elsewhere, and text does not become a script", async () => {
  const place = await asking();
  const to = await openDashboard(place);
  const attack = async (page: Page, elsewhere: string): Promise<unknown> => {
    await page.goto(await to.address());
    await page.waitForSelector(".row");
    return page.evaluate(async (elsewhere) => {
      const won: string[] = [];
      const at = globalThis as unknown as { won: string[] };
      at.won = won;
      const tried = async (name: string, how: () => unknown): Promise<void> => {
        try {
          await how();
        } catch {
          return;
        }
        if (name !== "") won.push(name);
      };
      const made = (tag: string, of: object): HTMLElement => {
        const one = Object.assign(document.createElement(tag), of);
        document.body.append(one);
        return one;
      };
      await tried("", () => made("div", { innerHTML: `<img src=x onerror="won.push('handler')">` }));
      await tried("", () => made("script", { textContent: "won.push('inline')" }));
      await tried("", () => made("script", { src: `${elsewhere}/script` }));
      await tried("", () => made("img", { src: `${elsewhere}/image` }));
      await tried("", () => made("iframe", { src: `${elsewhere}/frame` }));
      await tried("", () => made("link", { rel: "stylesheet", href: `${elsewhere}/style` }));
      await tried("", () => made("object", { data: `${elsewhere}/object` }));
      await tried("", () => made("video", { src: `${elsewhere}/video` }));
      await tried("", () => made("base", { href: `${elsewhere}/` }));
      // oxlint-disable-next-line no-implied-eval -- the policy has to refuse it
      await tried("", () => setTimeout("won.push('timer')"));
      await tried("fetch", () => fetch(`${elsewhere}/fetch`, { mode: "no-cors" }));
      await tried("", () => navigator.sendBeacon(`${elsewhere}/beacon`));
      await tried(
        "socket",
        () =>
          new Promise((resolve, reject) => {
            const socket = new EventSource(`${elsewhere}/events`);
            socket.addEventListener("error", reject);
            socket.addEventListener("open", resolve);
            setTimeout(reject, 500);
          }),
      );
      made("iframe", { name: "target" });
      const form = made("form", {
        action: `${elsewhere}/form`,
        method: "post",
        target: "target",
      }) as HTMLFormElement;
      await tried("", () => form.submit());
      await new Promise((resolve) => setTimeout(resolve, 700));
      return won;
    }, elsewhere);
  };
  const other = await otherSite();
  const { page } = await openTab();
  expect(await attack(page, other.origin)).toEqual([]);
  expect(other.asked).toEqual([]);
  const control = await otherSite("won.push('foreign')");
  const open = await openTab({ bypassCSP: true });
  expect(await attack(open.page, control.origin)).toEqual(
    expect.arrayContaining(["handler", "inline", "timer", "fetch"]),
  );
  expect(control.asked.map((one) => one.split(" ")[0])).toEqual(
    expect.arrayContaining(["/script", "/image", "/frame", "/style", "/fetch", "/beacon", "/form"]),
  );
});
