/** monoco report --html in real Chromium: one file, read without a script, wide and narrow, light and dark, in both languages. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openSandbox } from "../support/cli.ts";
import { hasBrowser, openTab, violations } from "../support/dashboard.ts";
import { englishLeft, textsOf } from "../support/english.ts";

test.skipIf(!hasBrowser)(
  `the page of the demo's relay needs no script and no network${hasBrowser ? "" : ": SKIPPED, no Chromium is here"}`,
  async ({ onTestFinished }) => {
    const sandbox = openSandbox();
    onTestFinished(() => sandbox.dispose());
    const folder = join(sandbox.folder, "demo");
    mkdirSync(folder);
    await sandbox.monoco(["demo", "--folder", folder]);
    const project = join(folder, "project");
    const env = { XDG_STATE_HOME: join(folder, "state") };
    const pages = {
      en: join(sandbox.folder, "en.html"),
      zh: join(sandbox.folder, "zh.html"),
    };
    for (const [language, path] of Object.entries(pages))
      expect(
        await sandbox.monoco(["report", "DEMO-0001", "--html", path], {
          cwd: project,
          env: { ...env, MONOCO_LANGUAGE: language },
        }),
      ).toMatchObject({ exitCode: 0, stderr: "" });

    const read = await openTab({ javaScriptEnabled: false });
    const { page } = read;
    const asked: string[] = [];
    page.on("request", (one) => asked.push(one.url()));
    await page.goto(pathToFileURL(pages.en).href);
    // What is code is shown as code: no mark of Markdown is left in the text.
    expect((await textsOf(page)).filter((text) => /[`]|\*\*|^#+ |^- /.test(text))).toEqual([]);
    const shown = page.getByRole("article");
    expect(await shown.locator("code").allTextContents()).toContain('parseDuration("1h30m")');
    expect(await shown.locator("section > h3").allTextContents()).toEqual([
      "Asked",
      "Evidence by criterion",
      "Changes",
      "Decided",
      "Undo",
      "Sessions: context, cost",
      "Handoffs",
    ]);
    const evidence = shown.locator("table.cards");
    expect(await evidence.locator("tbody tr").count()).toBe(3);
    expect(await evidence.textContent()).toContain("node --test");
    expect(await shown.locator("pre").allTextContents()).toContainEqual(
      expect.stringMatching(/duration\.js +\| +\d+ \++-*\n.*duration\.test\.js[^]*files changed/),
    );
    // Six sessions to scale, each with its curve and the three marks if it reported its context.
    expect(await page.locator(".chart rect.bar").count()).toBe(6);
    const curves = page.locator(".curve svg");
    expect(await curves.first().locator("line.mark").count()).toBe(3);
    expect(await curves.first().getAttribute("aria-label")).toBe(
      "Context: 76 %; marks at 120k, 150k, 170k tokens",
    );
    expect(
      ((await curves.first().locator("polygon").getAttribute("points")) ?? "").split(" ").length,
    ).toBeGreaterThan(3);
    const handoffs = page.locator("section", { has: page.locator("h3", { hasText: /^Handoffs$/ }) });
    expect(await handoffs.locator(":scope details > summary").allTextContents()).toEqual([
      "After session 1 (agent)",
      "After session 2 (generated)",
      "After session 3 (generated)",
    ]);
    expect(await handoffs.locator(".prose").first().textContent()).toContain(
      "Add m and s to the table in duration.js",
    );
    expect(await handoffs.locator(".prose li").count()).toBeGreaterThan(3);
    await handoffs.locator("summary").first().click();
    expect(await handoffs.locator(".prose").first().isVisible()).toBe(true);
    expect(asked).toEqual([pathToFileURL(pages.en).href]);
    expect(read.faults).toEqual([]);

    await page.goto(pathToFileURL(pages.zh).href);
    expect(await page.getAttribute("html", "lang")).toBe("zh");
    expect(englishLeft(await textsOf(page))).toEqual([]);
    // The same words are found where the page is in English.
    await page.goto(pathToFileURL(pages.en).href);
    expect(englishLeft(await textsOf(page)).length).toBeGreaterThan(20);

    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [390, 1440]) {
        // Axe itself needs a script.
        const tab = await openTab({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
        await tab.page.goto(pathToFileURL(pages.en).href);
        await tab.page.evaluate(() =>
          document.querySelectorAll("details").forEach((one) => (one.open = true)),
        );
        expect(await violations(tab.page)).toEqual([]);
        expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
          width,
        );
        expect(tab.faults).toEqual([]);
      }
  },
);
