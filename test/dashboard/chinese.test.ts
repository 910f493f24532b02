/** The dashboard in Chinese: no text is left in English that the catalogue has in Chinese. */
import { expect, test } from "vitest";
import { hasBrowser, openDashboard, openTab } from "../support/dashboard.ts";
import { englishLeft, textsOf } from "../support/english.ts";
import { issuePath, issueText, openPlace, run } from "../support/place.ts";

test.skipIf(!hasBrowser)(
  `its pages are in the language of the settings${hasBrowser ? "" : ": SKIPPED, no Chromium is here"}`,
  async () => {
    const place = await openPlace(
      {
        executor: [
          [
            run(
              "case $MONOCO_ISSUE in FEAT-0002) monoco relay ask '哪个端口？';; *) echo 1 > a.ts && git add -A && git commit -qm Work && monoco issue submit;; esac",
            ),
          ],
        ],
        reviewer: [[{ verdict: "approve" }]],
      },
      {
        limits: { questionsMax: 1 },
        settings: "language: zh\ngates: { high: human }\n",
        files: {
          [issuePath("FEAT-0001")]: issueText("FEAT-0001", "criticality: high\n"),
          [issuePath("FEAT-0002")]: issueText("FEAT-0002"),
          [issuePath("FEAT-0003")]: issueText("FEAT-0003", "dependencies: [FEAT-0002]\n"),
        },
      },
    );
    await place.monoco("run", "--all");
    const to = await openDashboard(place);
    const { page, faults } = await openTab();
    await page.goto(await to.address());
    await page.waitForSelector(".row");
    expect(await page.getAttribute("html", "lang")).toBe("zh");
    const pages = {
      "/": ".row textarea",
      "/i/FEAT-0001": ".moments",
      "/i/FEAT-0001/review": ".diff",
    };
    for (const [path, ready] of Object.entries(pages)) {
      if (path !== "/") await page.goto(to.origin + path);
      else await page.locator('[data-act="answer"]').click();
      await page.waitForSelector(ready);
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
      expect(englishLeft(await textsOf(page)), path).toEqual([]);
    }
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog");
    expect(englishLeft(await textsOf(page)), "the keys").toEqual([]);
    expect(faults).toEqual([]);
  },
);
