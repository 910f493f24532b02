/** The dashboard in real Chromium: every action by mouse and by keyboard alone, wide and narrow, light and dark. */
import { expect, vi } from "vitest";
import { ask, hasBrowser, openDashboard, openTab, violations } from "../support/dashboard.ts";
import type { Dashboard, Tab } from "../support/dashboard.ts";
import { issuePath, issueText, openPlace, run, say, waitFor } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { test as always } from "vitest";

vi.setConfig({ testTimeout: 90_000 });
const test = always.skipIf(!hasBrowser);

const evil = `<img src=x onerror="document.title='got you'"> \u202e\u001b[31m`;
const works =
  "printf 'a\\nb\\nc\\n' > $MONOCO_ISSUE.ts && git add -A && git commit -qm Work && monoco issue submit";

/** FEAT-0001 waits for an approval, FEAT-0002 asks. */
async function morning(): Promise<Place> {
  const place = await openPlace(
    {
      executor: [
        [
          run(
            `case $MONOCO_ISSUE in FEAT-0002) monoco relay ask 'Which port? <b>bold</b>';; *) ${works};; esac`,
          ),
        ],
      ],
      reviewer: [[{ verdict: "approve" }]],
    },
    {
      limits: { questionsMax: 1 },
      settings: "gates: { high: human }\n",
      files: {
        [issuePath("FEAT-0001")]: issueText("FEAT-0001", "criticality: high\n").replace(
          "title: Write a file",
          `title: ${JSON.stringify(evil)}`,
        ),
        [issuePath("FEAT-0002")]: issueText("FEAT-0002"),
      },
    },
  );
  await place.monoco("run", "--all");
  return place;
}

async function at(to: Dashboard, { page }: Tab): Promise<void> {
  await page.goto(to.url);
  await page.waitForSelector(".row");
}

test("the address lets in once, and leaves no trace; a deep link says where to get the key", async () => {
  const place = await morning();
  const to = await openDashboard(place);
  const { page, faults } = await openTab();
  const asked: string[] = [];
  page.on("request", (one) => asked.push(one.url() + JSON.stringify(one.headers()["referer"] ?? "")));
  await page.goto(`${to.origin}/i/FEAT-0002`);
  await page.waitForSelector("text=monoco dashboard");
  expect(await page.textContent("body")).not.toContain("Which port");
  await page.fill("input", to.url);
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=Which port?");
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
  expect([...faults, ...other.faults]).toEqual([]);
});

test("by mouse: a question is answered, and the page sees it by itself", async () => {
  const place = await morning();
  const to = await openDashboard(place);
  const tab = await openTab();
  const { page } = tab;
  await at(to, tab);
  const row = page.locator('.row[data-id="FEAT-0002"]');
  await row.getByRole("button", { name: "Answer", exact: true }).click();
  await row.locator("textarea").fill("Port 80\n& <b>more</b>");
  await page.reload();
  await row.getByRole("button", { name: "Answer", exact: true }).click();
  expect(await row.locator("textarea").inputValue()).toBe("Port 80\n& <b>more</b>");
  await row.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => row.textContent()).toContain("nobody runs it");
  expect(place.all("question.answered", "FEAT-0002")).toMatchObject([{ text: "Port 80\n& <b>more</b>" }]);
  expect(tab.faults).toEqual([]);
});

test("by keyboard alone: j, a, Ctrl+Enter; and what others wrote takes no effect", async () => {
  const place = await morning();
  const to = await openDashboard(place);
  const tab = await openTab();
  const { page } = tab;
  await at(to, tab);
  expect(await page.textContent('.row[data-id="FEAT-0001"]')).toContain("<img src=x onerror=");
  expect(await page.locator("img").count()).toBe(0);
  expect(await page.title()).toBe("(2) monoco");
  const html = await page.content();
  // eslint-disable-next-line no-control-regex
  expect(html).not.toMatch(/[\u0000-\u0008\u001b\u202e]/);
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  await page.keyboard.type("Port 80");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => page.textContent('.row[data-id="FEAT-0002"]')).toContain("nobody runs it");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog");
  await page.keyboard.press("Escape");
  await page.keyboard.press("2");
  await page.keyboard.press("/");
  await page.keyboard.type("0001");
  await expect.poll(() => page.locator(".row").count()).toBe(1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=What happened");
  expect(new URL(page.url()).pathname).toBe("/i/FEAT-0001");
  expect(tab.faults).toEqual([]);
});

test("a comment at a line survives a reload and becomes a finding at that line", async () => {
  const place = await morning();
  const to = await openDashboard(place);
  const tab = await openTab();
  const { page } = tab;
  await at(to, tab);
  await page.goto(`${to.origin}/i/FEAT-0001/review`);
  await page.waitForSelector(".diff");
  expect(await page.textContent("table.cards")).toContain("the file is there");
  await page.getByRole("button", { name: "Comment at FEAT-0001.ts:1" }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Why b?");
  await page.reload();
  await page.waitForSelector(".comment textarea");
  expect(await page.inputValue(".comment textarea")).toBe("Why b?");
  await page.fill("#verdict", "Not yet.");
  await page.getByRole("button", { name: "Request changes" }).click();
  await page.waitForSelector(".note.good");
  expect(place.all("review.decided").at(-1)).toMatchObject({
    verdict: "request_changes",
    by: "person",
    findings: [{ title: "Not yet." }, { title: "Why b?", file: "FEAT-0001.ts", line: 2 }],
  });
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  expect(tab.faults).toEqual([]);
});

test("an approval waits for an answer to each listed place, and says it", async () => {
  const place = await morning();
  const to = await openDashboard(place);
  const tab = await openTab();
  const { page } = tab;
  await at(to, tab);
  await page.locator('.row[data-id="FEAT-0001"]').getByRole("link", { name: "Review" }).click();
  const approve = page.getByRole("button", { name: "Approve" });
  await approve.waitFor();
  expect(await approve.isDisabled()).toBe(true);
  await page.getByLabel("Why W1 may stay").fill("A sketch.");
  await approve.click();
  await page.waitForSelector(".note.good");
  expect(place.all("review.decided").at(-1)).toMatchObject({
    verdict: "approve",
    by: "person",
    summary: "W1: A sketch.",
  });
  expect(tab.faults).toEqual([]);
});

test("a relay that runs is shown as it goes: what it prints, then stopped with a handoff, and resumed", async () => {
  const place = await openPlace({
    executor: [[say("begun"), waitFor("on"), run("echo hello")], [run(works)]],
    reviewer: [[{ verdict: "approve" }]],
  });
  const to = await openDashboard(place);
  const tab = await openTab();
  const { page } = tab;
  await page.goto(to.url);
  await page.waitForSelector("text=Nothing needs you");
  const running = place.start("run", "FEAT-0001");
  await place.heard("begun");
  await page.waitForSelector('[data-group="working"] .row');
  await page.keyboard.press("2");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".tail >> text=begun");
  await page.keyboard.press("x");
  await page.waitForSelector(".note.good");
  void place.go("on").catch(() => undefined);
  await running;
  await expect.poll(() => page.textContent("h1 + p")).toContain("paused");
  const moments = await page.locator(".moments tr").allTextContents();
  expect(new Set(moments).size).toBe(moments.length);
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await expect.poll(() => page.textContent("h1 + p"), { timeout: 60_000 }).toContain("done");
  expect(tab.faults).toEqual([]);
});

test("a reconnect is a replay: what came after the last number, and nothing twice", async () => {
  const place = await morning();
  const to = await openDashboard(place);
  const own = { host: `127.0.0.1:${to.port}`, authorization: `Bearer ${to.token}` };
  const last = place.events().at(-1)!.seq;
  const idsAfter = async (seen: number): Promise<number[]> => {
    const headers = { ...own, "last-event-id": `${seen}` };
    const { text } = await ask(to, { path: "/api/relay/FEAT-0001", headers, until: `id: ${last}\n` });
    return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  };
  const all = await idsAfter(0);
  expect(all.length).toBeGreaterThan(5);
  expect(await idsAfter(all.at(-3)!)).toEqual(all.slice(-2));
});

test.for([
  ["light", 1440],
  ["dark", 390],
  ["light", 390],
  ["dark", 1440],
] as const)("axe finds nothing, and nothing is cut: %s, %i px", async ([colorScheme, width]) => {
  const place = await morning();
  const to = await openDashboard(place);
  const { page } = await openTab({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
  const look = async (path: string, ready: string): Promise<void> => {
    await page.goto(`${to.origin}${path}`);
    await page.waitForSelector(ready);
    expect(await violations(page), path).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width);
  };
  await look("/", "input");
  await page.goto(to.url);
  await look("/", ".row");
  await look("/i/FEAT-0001/review", ".diff");
  await look("/i/FEAT-0002", ".sessions");
});
