/** The dashboard in real Chromium: every action by mouse and by keyboard alone, wide and narrow, light and dark. */
import { globSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { expect, test as always, vi } from "vitest";
import { ask, hasBrowser, openDashboard, openTab, violations } from "../support/dashboard.ts";
import type { Dashboard, Tab } from "../support/dashboard.ts";
import { issuePath, issueText, openPlace, run } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { initRepository } from "../support/repository.ts";

vi.setConfig({ testTimeout: 90_000 });
const test = always.skipIf(!hasBrowser);

const evil = `<img src=x onerror="document.title='got you'"> \u202e\u001b[31m`;
const odd = "odd: name b.ts";
const done = "git add -A && git commit -qm Work && monoco issue submit";
const fifo = (name: string): string => `f="$FIFOS/${name}"; mkfifo "$f" 2> /dev/null`;
const first = `case $MONOCO_ISSUE in
FEAT-0002) monoco relay ask 'Which port? <b>bold</b>';;
FEAT-0003) printf 'a\\nx\\n' > '${odd}' && ${done};;
FEAT-0004) ${fifo("begun")}; echo here > "$f"; ${fifo("on")}; cat "$f";;
*) printf 'a\\nb\\nc\\n' > $MONOCO_ISSUE.ts && ${done};; esac`;
const second = `printf 'a\\nb\\nc\\n' > $MONOCO_ISSUE.ts && ${done}`;
const usage = { usage: { contextTokens: 130_000, windowTokens: 200_000, costUsd: 1.2, tokens: 140_000 } };

/** FEAT-0001 and FEAT-0003 wait for an approval, FEAT-0002 asks; FEAT-0004 has not begun. */
async function morning(): Promise<Place> {
  const place = await openPlace(
    {
      executor: [
        [usage, run(first)],
        [usage, run(second)],
      ],
      reviewer: [[{ verdict: "approve" }]],
    },
    {
      issues: ["FEAT-0004"],
      limits: { questionsMax: 1 },
      settings: "gates: { high: human }\n",
      files: {
        [odd]: "a\nb\nc\n",
        [issuePath("FEAT-0001")]: issueText("FEAT-0001", "criticality: high\n").replace(
          "title: Write a file",
          `title: ${JSON.stringify(evil)}`,
        ),
        [issuePath("FEAT-0002")]: issueText("FEAT-0002"),
        [issuePath("FEAT-0003")]: issueText("FEAT-0003", "criticality: high\n"),
      },
    },
  );
  await place.monoco("run", "FEAT-0001", "FEAT-0002", "FEAT-0003");
  return place;
}

async function at(to: Dashboard, { page }: Tab): Promise<void> {
  await page.goto(await to.address());
  await page.waitForSelector(".row");
}

const rowOf = (id: string): string => `.row[data-id="${id}"]`;
const textOf = (page: Page, selector: string): Promise<string> => page.locator(selector).first().innerText();

always("the browser's part has at most 200 kB", () => {
  const root = join(import.meta.dirname, "../..");
  const parts = globSync(["dist/page/*", "src/page/style.css"], { cwd: root });
  expect(parts.length).toBeGreaterThan(2);
  const sizes = parts.map((path) => statSync(join(root, path)).size);
  expect(sizes.reduce((all, size) => all + size, 0)).toBeLessThanOrEqual(200_000);
});

test("the address lets in once, and leaves no trace; a deep link says where to get the key", async () => {
  const place = await morning();
  const to = await openDashboard(place);
  const { page, faults } = await openTab();
  const asked: string[] = [];
  page.on("request", (one) => asked.push(one.url() + JSON.stringify(one.headers()["referer"] ?? "")));
  await page.goto(`${to.origin}/i/FEAT-0002`);
  await page.waitForSelector("text=monoco dashboard");
  expect(await page.textContent("body")).not.toContain("Which port");
  await page.fill("input", `${to.origin}/#${"A".repeat(43)}`);
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=the terminal shows the one that works");
  await page.fill("input", await to.address());
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=Which port?");
  await page.goto(`${to.origin}/i/FEAT-0009`);
  await page.waitForSelector("text=no such issue: FEAT-0009");
  const other = await openTab();
  await at(to, other);
  expect(other.page.url()).toBe(`${to.origin}/`);
  await other.page.reload();
  await other.page.waitForSelector(".row");
  expect(asked.filter((one) => one.includes(to.token))).toEqual([]);
  expect(
    await other.page.evaluate(
      (token) =>
        JSON.stringify([document.cookie, Object.entries(localStorage), location.href]).includes(token),
      to.token,
    ),
  ).toBe(false);
  expect(faults.filter((fault) => !/40[14]/.test(fault))).toEqual([]);
  expect(other.faults).toEqual([]);
});

/** How a person presses what has this role and name, and types into what has the focus or this label. */
type Hand = {
  press(page: Page, within: string, role: "button" | "link", name: string): Promise<void>;
  type(page: Page, label: string, text: string): Promise<void>;
};

const mouse: Hand = {
  press: (page, within, role, name) =>
    page.locator(within).getByRole(role, { name, exact: true }).first().click(),
  type: async (page, label, text) => {
    await page.getByLabel(label, { exact: true }).click();
    await page.keyboard.type(text);
  },
};

/** Only keys: Tab until the element has the focus. */
async function tabTo(page: Page, wanted: ReturnType<Page["locator"]>): Promise<void> {
  await wanted.waitFor();
  for (let pressed = 0; pressed < 200; pressed += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${String(wanted)}`);
}

const keyboard: Hand = {
  press: async (page, within, role, name) => {
    await tabTo(page, page.locator(within).getByRole(role, { name, exact: true }).first());
    await page.keyboard.press("Enter");
  },
  type: async (page, label, text) => {
    await tabTo(page, page.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  },
};

test.for([
  ["mouse", mouse, "light", 1440],
  ["keyboard alone", keyboard, "dark", 390],
] as const)("by %s: every action, and each page sees it by itself", async ([, hand, colorScheme, width]) => {
  const place = await morning();
  const running = place.start("run", "FEAT-0004");
  await place.heard("begun");
  const to = await openDashboard(place);
  const tab = await openTab({ colorScheme, viewport: { width, height: 900 } });
  const { page } = tab;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await at(to, tab);

  // A command to copy.
  const command = await textOf(page, `${rowOf("FEAT-0002")} .copy code`);
  await hand.press(page, rowOf("FEAT-0002"), "button", `Copy ${command}`);
  await page.waitForSelector("text=copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command);

  // An answer, whose draft survives a reload.
  await hand.press(page, rowOf("FEAT-0002"), "button", "Answer");
  await hand.type(page, "Answer: FEAT-0002", "Port 80 <b>&");
  await page.reload();
  await hand.press(page, rowOf("FEAT-0002"), "button", "Answer");
  expect(await page.inputValue("textarea")).toBe("Port 80 <b>&");
  await hand.press(page, rowOf("FEAT-0002"), "button", "Send");
  await expect.poll(() => textOf(page, rowOf("FEAT-0002"))).toContain("nobody runs it");
  expect(place.all("question.answered", "FEAT-0002")).toMatchObject([{ text: "Port 80 <b>&" }]);

  // Words to a running session, a stop with a handoff, and a resume.
  await hand.press(page, rowOf("FEAT-0004"), "link", "FEAT-0004");
  await page.waitForSelector(".tail");
  await hand.press(page, "main", "button", "Say");
  await hand.type(page, "Say: FEAT-0004", "Mind the gap.");
  await hand.press(page, "main", "button", "Send");
  await expect
    .poll(() => place.all("note.said", "FEAT-0004"))
    .toMatchObject([{ text: "Mind the gap.", by: "person" }]);
  await hand.press(page, "main", "button", "Stop with a handoff");
  await hand.press(page, "main", "button", "Yes, stop it");
  await page.waitForSelector(".note.good");
  void place.go("on").catch(() => undefined);
  await running;
  await expect.poll(() => textOf(page, "h1 + p")).toContain("paused");
  await hand.press(page, "main", "button", "Resume");
  await expect.poll(() => textOf(page, "h1 + p"), { timeout: 60_000 }).toContain("done");
  expect(await textOf(page, ".sessions")).toMatch(/context 65 % · \$1\.20 · 140k tokens/);
  const moments = await page.locator(".moments tr").allTextContents();
  expect(new Set(moments).size).toBe(moments.length);

  // Requested changes, with comments at a line and at a removed line of a file with an odd name.
  await hand.press(page, "nav", "link", "Inbox");
  await hand.press(page, rowOf("FEAT-0003"), "link", "Review");
  await hand.press(page, ".diff", "button", `Comment at ${odd}:2`);
  await page.keyboard.type("Why x?");
  await hand.press(page, ".diff", "button", `Comment at ${odd}, removed line 3`);
  await page.keyboard.type("Keep c.");
  await page.reload();
  await page.waitForSelector(".comment textarea");
  await hand.type(page, "About the whole submission", "Not yet.");
  await hand.press(page, "main", "button", "Request changes");
  await page.waitForSelector(".note.good");
  expect(place.all("review.decided", "FEAT-0003").at(-1)).toMatchObject({
    verdict: "request_changes",
    by: "person",
    findings: [
      { title: "Not yet." },
      { title: "Keep c.", file: odd, evidence: { text: "Keep c.\n\n> 3 c" } },
      { title: "Why x?", file: odd, line: 2 },
    ],
  });
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);

  // An approval waits for an answer to each listed place, and goes on to the merge.
  await hand.press(page, "nav", "link", "Inbox");
  await hand.press(page, rowOf("FEAT-0001"), "link", "Review");
  const approve = page.getByRole("button", { name: "Approve" });
  await approve.waitFor();
  expect(await approve.isDisabled()).toBe(true);
  await hand.type(page, "Why W1 may stay", "A sketch.");
  await hand.press(page, "main", "button", "Approve");
  await page.waitForSelector(".note.good");
  expect(place.all("review.decided", "FEAT-0001").at(-1)).toMatchObject({
    verdict: "approve",
    by: "person",
    summary: "W1: A sketch.",
  });
  await expect.poll(() => place.all("merge.done", "FEAT-0001").length, { timeout: 60_000 }).toBe(1);
  expect(tab.faults).toEqual([]);
});

test("keys go from item to item, and nothing that is typed acts or is lost; a verdict on replaced work is refused", async () => {
  const place = await morning();
  const running = place.start("run", "FEAT-0004");
  await place.heard("begun");
  const to = await openDashboard(place);
  const tab = await openTab();
  const { page } = tab;
  await at(to, tab);
  expect(await page.textContent(rowOf("FEAT-0001"))).toContain("<img src=x onerror=");
  expect(await page.locator("img").count()).toBe(0);
  expect(await page.title()).toBe("(3) monoco");
  const html = await page.content();
  // eslint-disable-next-line no-control-regex
  expect(html).not.toMatch(/[\u0000-\u0008\u001b\u202e]/);
  // Without a row that has the focus, none is meant.
  await page.keyboard.press("v");
  expect(page.url()).toBe(`${to.origin}/`);
  await page.keyboard.press("j");
  await page.waitForSelector(`${rowOf("FEAT-0002")} a:focus`);
  await page.keyboard.press("a");
  await page.waitForSelector("textarea:focus");
  await page.keyboard.type("Port 80");
  const sending = Promise.withResolvers<void>();
  await page.route("**/api/do/answer/**", async (route) => (await sending.promise, route.continue()));
  const asked = page.waitForRequest("**/api/do/answer/**");
  await page.keyboard.press("Control+Enter");
  await asked;
  await page.keyboard.type("80");
  sending.resolve();
  await expect.poll(() => page.textContent(rowOf("FEAT-0002"))).toContain("nobody runs it");
  await page.waitForSelector(`${rowOf("FEAT-0002")} .note.good`);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("8");
  expect(await page.inputValue("textarea")).toBe("Port 80880");
  expect(place.all("question.answered", "FEAT-0002")).toMatchObject([{ text: "Port 80" }]);
  await page.keyboard.press("Escape");

  // A stop asks first. A row takes what is typed along to its next group, also to one that is shut.
  await page.keyboard.press("2");
  await page.keyboard.press("x");
  await page.waitForSelector("text=Stop FEAT-0004 with a handoff?");
  await page.keyboard.press("x");
  await expect.poll(() => page.locator("text=Stop FEAT-0004").count()).toBe(0);
  await page.keyboard.press("s");
  await page.keyboard.type("Mid the");
  for (let pressed = 0; pressed < 5; pressed += 1) await page.keyboard.press("ArrowLeft");
  await place.go("on");
  await running;
  await page.waitForSelector(`${rowOf("FEAT-0004")}[data-group=done]`);
  await page.keyboard.type("n");
  await page.keyboard.press("End");
  await page.keyboard.type(" xr");
  expect(await page.inputValue(`${rowOf("FEAT-0004")} textarea`)).toBe("Mind the xr");
  expect(place.all("merge.done", "FEAT-0004").length).toBe(1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("0001");
  await expect.poll(() => page.locator(".row").count()).toBe(1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=What happened");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog");
  await page.keyboard.press("v");
  await page.keyboard.press("Escape");
  expect(new URL(page.url()).pathname).toBe("/i/FEAT-0001");
  expect(await textOf(page, "section:has(> h2:text('Decisions'))")).toContain("take the approval reviewer:");

  // A page may be older than the work that it judges; a comment stays with the lines that it was written at.
  await page.goto(`${to.origin}/i/FEAT-0003/review`);
  await page.click(`[aria-label="Comment at ${odd}:2"]`);
  await page.keyboard.type("Why x?");
  await page.click(`[aria-label="Comment at ${odd}:1"]`);
  await page.keyboard.type("Why a?");
  const headers = {
    host: `127.0.0.1:${to.port}`,
    authorization: `Bearer ${to.token}`,
    "content-type": "application/json",
  };
  const give = (submission: number): Promise<{ text: string }> =>
    ask(to, {
      method: "POST",
      path: "/api/do/request_changes/FEAT-0003",
      headers,
      body: JSON.stringify({ submission, comments: [{ text: "No." }] }),
    });
  expect(JSON.parse((await give(7)).text)).toMatchObject({
    ok: false,
    text: expect.stringContaining("submission 7 is not the one under review"),
  });
  // The first answer comes last.
  const [late, shown] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    await late.promise;
    await route.fulfill({ response });
    shown.resolve();
  };
  await page.route("**/api/review/**", hold, { times: 1 });
  expect(JSON.parse((await give(1)).text)).toMatchObject({ ok: true });
  await place.monoco("resume", "FEAT-0003");
  const older = page.locator("li", { hasText: `on submission 1, not sent: Drop ${odd}:2 Why x?` });
  await older.waitFor({ timeout: 60_000 });
  late.resolve();
  await shown.promise;
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  expect(await textOf(page, "h1")).toContain("submission 2");
  expect(await page.locator(".comment").count()).toBe(0);
  await older.getByRole("button", { name: "Drop" }).click();
  await page.getByLabel("About the whole submission").fill("Nor this.");
  await page.getByRole("button", { name: "Request changes" }).click();
  await page.waitForSelector(".note.good");
  expect(
    place
      .all("review.decided", "FEAT-0003")
      .at(-1)
      ?.findings.map(({ title }) => title),
  ).toEqual(["Nor this."]);
  const kept = await page.evaluate(() =>
    Object.entries(localStorage).filter(([name]) => name.includes("comment:")),
  );
  expect(kept).toEqual([[expect.any(String), "Why a?"]]);
  expect(tab.faults).toEqual([]);
});

test("a hidden tab holds no connection, and later what came meanwhile is replayed once; old state is said to be old", async () => {
  const place = await morning();
  const to = await openDashboard(place);
  const { page, faults } = await openTab();
  const open = new Set<string>();
  const lastIds: string[] = [];
  page.on("request", (one) => {
    if (!one.url().includes("/api/relay/")) return;
    open.add(one.url());
    lastIds.push(one.headers()["last-event-id"] ?? "");
  });
  page.on("requestfailed", (one) => open.delete(one.url()));
  page.on("requestfinished", (one) => open.delete(one.url()));
  await page.goto(await to.address());
  await page.click(`${rowOf("FEAT-0002")} a`);
  const moments = page.locator(".moments tr");
  await expect.poll(() => moments.count()).toBeGreaterThan(5);
  const before = await moments.allTextContents();
  const show = (hidden: boolean): Promise<void> =>
    page.evaluate((is) => {
      Object.defineProperty(document, "hidden", { value: is, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  expect(open.size).toBe(1);
  await show(true);
  await expect.poll(() => open.size).toBe(0);
  await place.monoco("answer", "FEAT-0002", "Port 80");
  expect(await moments.allTextContents()).toEqual(before);
  await show(false);
  await expect.poll(() => moments.count()).toBeGreaterThan(before.length);
  const now = await moments.allTextContents();
  expect(now.slice(0, before.length)).toEqual(before);
  expect(now.slice(before.length)).toEqual([expect.stringContaining("Port 80")]);
  expect(open.size).toBe(1);
  expect(lastIds[0]).toBe("0");
  expect(Number(lastIds[1])).toBeGreaterThan(before.length);
  expect(faults).toEqual([]);

  // What can no longer be read is shown as old.
  renameSync(place.project, `${place.project} 2`);
  await expect.poll(() => textOf(page, "header .bad"), { timeout: 10_000 }).toContain("ENOENT");
  renameSync(`${place.project} 2`, place.project);
  await expect.poll(() => textOf(page, "header .bad"), { timeout: 10_000 }).toBe("");
});

test("all repositories: an action and a link go to the one that is meant, and a look ends the news", async () => {
  const place = await morning();
  const { sandbox, project } = place;
  const other = join(sandbox.folder, "other");
  initRepository(other, { name: "P", email: "p@example.com" });
  await sandbox.sh(other, `cp "${project}/monoco.yaml" "${project}/story.yaml" . && mkdir issues`);
  writeFileSync(join(other, issuePath("FEAT-0002")), issueText("FEAT-0002"));
  await sandbox.sh(other, "git add -A && git commit -qm Begin");
  await sandbox.monoco(["run", "FEAT-0002"], { cwd: other });
  const to = await openDashboard(place, "--everywhere");
  const tab = await openTab();
  const { page } = tab;
  await at(to, tab);
  const row = page.locator(rowOf("FEAT-0002"), { hasText: "other" });
  expect(await row.locator(".copy code").innerText()).toBe(`cd ${other} && monoco answer FEAT-0002 "…"`);
  await row.getByRole("button", { name: "Answer", exact: true }).click();
  await page.keyboard.type("Here.");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => row.textContent()).toContain("nobody runs it");
  expect(place.all("question.answered", "FEAT-0002")).toEqual([]);
  await row.getByRole("link", { name: "FEAT-0002" }).click();
  await page.waitForSelector("text=Here.");
  expect(new URL(page.url()).searchParams.get("in")).toBe(other);

  // Back to the same number in the other repository, nothing of the one before is left.
  const moments = page.locator(".moments tr");
  const before = await moments.allTextContents();
  await page.click("nav a");
  await page.locator(rowOf("FEAT-0002")).filter({ hasNotText: "other" }).getByRole("link").first().click();
  await page.waitForSelector(".moments tr");
  await page.evaluate(() => history.go(-2));
  await page.waitForSelector("text=Here.");
  expect(await moments.allTextContents()).toEqual(before);
  const unclear = page.waitForResponse("**/api/relay/FEAT-0002?in=");
  await page.goto(`${to.origin}/i/FEAT-0002`);
  expect((await unclear).status()).toBe(404);
  await page.waitForSelector("text=several repositories have FEAT-0002: open it from the inbox");

  // Whoever closes the last page has seen what it showed.
  await at(to, tab);
  expect(await page.locator("text=new").count()).toBe(0);
  await page.close();
  const lastLook = async (): Promise<number | null> => {
    const { stdout } = await sandbox.monoco(["inbox", "--json"], { cwd: other });
    return (JSON.parse(stdout) as { lastLookMs: number | null }).lastLookMs;
  };
  await expect.poll(lastLook, { timeout: 20_000 }).not.toBeNull();
});

test("a notice carries the address of its issue's page while a dashboard runs, and never the key", async () => {
  const place = await openPlace(
    { executor: [[run("monoco relay ask 'Which port?'")]], reviewer: [[]] },
    { limits: { questionsMax: 1 }, settings: 'notify: { command: "cat >> \\"$PERSON/../told\\"" }\n' },
  );
  const to = await openDashboard(place);
  const env = { PERSON: place.project };
  await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, env });
  const told = await place.sh(`cat ../told`);
  expect(JSON.parse(told)).toMatchObject({ notices: [{ link: `${to.origin}/i/FEAT-0001` }] });
  expect(told).not.toContain(to.token);
});

test("axe finds nothing on any page, and nothing is cut: light and dark, 1440 and 390 px", async () => {
  const place = await morning();
  const to = await openDashboard(place);
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await openTab({ colorScheme, viewport: { width: 1440, height: 900 }, bypassCSP: true });
    const look = async (path: string, ready: string): Promise<void> => {
      await page.goto(`${to.origin}${path}`);
      await page.waitForSelector(ready);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await violations(page), `${path} ${width}`).toEqual([]);
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(needed, path).toBeLessThanOrEqual(width);
      }
    };
    await look("/", "input");
    await page.goto(await to.address());
    await page.waitForSelector(".row");
    await look("/", ".row");
    await look("/i/FEAT-0001/review", ".diff");
    await look("/i/FEAT-0002", ".sessions");
  }
});
