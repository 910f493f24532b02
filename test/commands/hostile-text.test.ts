/** Hostile text in every field that others fill: each view shows it as text, and it does nothing anywhere. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { hasBrowser, openDashboard, openTab } from "../support/dashboard.ts";
import { issuePath, issueText, openPlace, run } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { monocoIn, openWindow, skipWithoutTmux } from "../support/tmux.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A field's text: HTML, Markdown with addresses, escapes for terminals, and characters that hide or turn others. */
const evil = (field: string): string =>
  `${seen(field)} onerror="won='${field}'"><script>won='${field}'</script> [a](javascript:won=1) ` +
  `![b](https://evil.example/b.png) <a href="data:text/html,x">c</a> ` +
  `\u001b]0;owned\u0007\u001b[2J\u001b[?1003h\u001b[38;5;201m\u009b31m\u202e\u2066\u200b\u0007 end`;
/** Its begin, which is plain: whoever shows the field shows this. */
const seen = (field: string): string => `${field}<img src=//evil.example/${field}`;
/** Control, direction and invisible characters. */
// oxlint-disable-next-line no-control-regex
const driving = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/;
const name = `<img src=x onerror=won=1>\u202etxt.js`;
const shell = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

/** FEAT-0001 waits for a person, FEAT-0002 asks, and FEAT-0003 runs and prints. */
async function openHostile(): Promise<Place> {
  const does = `
case $MONOCO_ISSUE in
FEAT-0002) monoco relay ask ${shell(evil("question"))};;
FEAT-0003) f="$FIFOS/begun"; mkfifo "$f"; echo here > "$f"; g="$FIFOS/never"; mkfifo "$g"; cat "$g";;
*)
  if [ -f long.txt ]; then monoco relay ask ${shell(evil("again"))}; exit; fi
  printf '%s\\n' ${shell(evil("content"))} > ${shell(name)}
  head -c 10000000 /dev/zero | tr '\\0' x > long.txt
  git add -A && git -c user.name='<b>author</b>' commit -qm ${shell(evil("subject"))} && monoco issue submit;;
esac`;
  const handoff = {
    next: [evil("next")],
    decisions: [evil("decision")],
    warnings: [evil("warning")],
    workingOn: evil("workingOn"),
  };
  const finding = { id: "F1", severity: "major", title: evil("finding"), criterion: 1, file: name, line: 1 };
  // A command holds no control characters: its shell would stumble.
  const command = `false # ${seen("command")} onerror=won=1>\u202e`;
  const issue = (id: string, more = ""): string =>
    issueText(id, more)
      .replace("title: Write a file", `title: ${JSON.stringify(evil(`title${id.at(-1)!}`))}`)
      .replace("A file.", evil("objective"))
      .replace("the file is there", evil("criterion"));
  const place = await openPlace(
    {
      executor: [[{ say: evil("said") }, { handoff }, run(does)]],
      reviewer: [
        [
          {
            verdict: "request_changes",
            summary: evil("summary"),
            findings: [{ ...finding, evidence: { command, exitCode: 1, text: evil("evidence") } }],
          },
        ],
      ],
    },
    {
      issues: [],
      limits: { questionsMax: 1, stalledMax: 9 },
      files: {
        [issuePath("FEAT-0001")]: issue("FEAT-0001"),
        [issuePath("FEAT-0002")]: issue("FEAT-0002"),
        [issuePath("FEAT-0003")]: issue("FEAT-0003"),
      },
    },
  );
  await place.sh("git checkout -qb '<img/src=x/onerror=won=1>'");
  await place.monoco("run", "FEAT-0001", "FEAT-0002");
  void place.start("run", "FEAT-0003");
  await place.heard("begun");
  const stream = join(place.project, ".monoco/relays/FEAT-0003/sessions/0001-executor/stream.jsonl");
  appendFileSync(
    stream,
    `${"y".repeat(10_000_000)}\n${JSON.stringify({ type: "message", text: evil("tail") })}\n`,
  );
  return place;
}

/** What an attack would leave in a page. */
const traces = (page: Page): Promise<unknown> =>
  page.evaluate(() => ({
    won: (globalThis as unknown as { won?: unknown }).won ?? "nothing",
    made: [
      ...document.querySelectorAll(
        "img, iframe, object, embed, video, audio, base, b, [onerror], script:not([src^='/page/'])",
      ),
    ].map(({ outerHTML }) => outerHTML),
    links: [...document.querySelectorAll("a")]
      .map(({ href }) => href)
      .filter((href) => /^(data|java)|evil/.test(href)),
    title: document.title,
  }));
const none = { won: "nothing", made: [], links: [] };

test.skipIf(!hasBrowser)(
  `in the browser it is text: no element, no request, no dialog, and the page stays quick${hasBrowser ? "" : " (skipped: no Chromium is installed)"}`,
  async () => {
    const place = await openHostile();
    const to = await openDashboard(place);
    // Without the page's own policy: the text does nothing even where that does not hold.
    const { page, faults } = await openTab({ bypassCSP: true });
    const elsewhere: string[] = [];
    page.on("request", (one) => void (one.url().startsWith(to.origin) || elsewhere.push(one.url())));
    page.on("dialog", (dialog) => void elsewhere.push(dialog.message()));
    await page.addInitScript(() => {
      const at = globalThis as unknown as { longest: number };
      at.longest = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) at.longest = Math.max(at.longest, duration);
      }).observe({ entryTypes: ["longtask"] });
    });
    const longest: Record<string, number> = {};
    const shows = async (path: string, ready: string, fields: readonly string[]): Promise<void> => {
      await page.goto(`${to.origin}${path}`);
      await page.waitForSelector(ready);
      await page.evaluate(() => {
        for (const one of document.querySelectorAll("details")) one.open = true;
      });
      for (const field of fields)
        await expect
          .poll(() => page.textContent("body"), { message: `${path} ${field}` })
          .toContain(seen(field));
      expect(await traces(page)).toMatchObject(none);
      expect((await page.textContent("body"))!.match(driving)).toBeNull();
      expect((await page.title()).match(driving)).toBeNull();
      longest[path] = await page.evaluate(() => (globalThis as unknown as { longest: number }).longest);
    };
    await page.goto(await to.address());
    await page.waitForSelector(".row");
    await shows("/", '[data-id="FEAT-0003"]', ["title1", "title2", "title3", "question"]);
    await shows("/i/FEAT-0002", ".moments tr", [
      "title2",
      "question",
      "objective",
      "next",
      "decision",
      "warning",
      "workingOn",
    ]);
    await shows("/i/FEAT-0003", ".tail div", ["title3", "tail"]);
    await shows("/i/FEAT-0001", ".moments tr", ["title1"]);
    await shows("/i/FEAT-0001/review", ".diff", [
      "criterion",
      "finding",
      "evidence",
      "command",
      "summary",
      "content",
    ]);
    expect(await page.textContent("body")).toContain("<img src=x onerror=won=1>");
    expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] });
    expect(Math.max(...Object.values(longest))).toBeLessThan(1_000);

    const file = join(place.around, "report.html");
    expect(await place.monoco("report", "--html", file)).toMatchObject({ exitCode: 0 });
    const html = readFileSync(file, "utf8");
    expect(html.match(driving)).toBeNull();
    expect(html).not.toMatch(/<script|<img|<b>|href="(?:data|javascript)/i);
    await page.goto(pathToFileURL(file).href);
    for (const field of ["title1", "criterion", "question"])
      expect(await page.textContent("body")).toContain(seen(field));
    expect(await traces(page)).toMatchObject(none);
    expect(elsewhere).toEqual([pathToFileURL(file).href]);
  },
);

test("in the terminal it is text: none of its escapes gets there", async (context) => {
  skipWithoutTmux(context);
  const place = await openHostile();
  const raw = join(place.around, "raw");
  const window = await openWindow(place, { width: 200, height: 60 });
  await window.type(`script -qefc ${shell(monocoIn("watch"))} '${raw}'`);
  await window.keys("Enter");
  const shows = (field: string): Promise<string> => window.shows(seen(field).slice(0, 20));
  for (const field of ["title1", "title2", "question"]) await shows(field);
  for (const id of ["FEAT-0002", "FEAT-0001", "FEAT-0003"]) {
    await window.keys("/");
    await window.shows("words to look for");
    await window.type(id);
    await window.keys("Enter");
    await window.shows(`filter: ${id}`);
    await window.keys("Enter");
    await window.shows("esc back");
    if (id === "FEAT-0002") await shows("next");
    if (id === "FEAT-0003") await window.keys("G");
    if (id === "FEAT-0003") await shows("tail");
    if (id === "FEAT-0001") {
      await shows("finding");
      await window.keys("v");
      await window.shows("y approve");
      await shows("criterion");
      await window.keys("Escape");
      await window.shows("esc back  a answer");
    }
    await window.keys("Escape");
    await window.shows("enter open");
    await window.keys("Escape");
    await window.shows("all that is not done");
  }
  await window.keys("q");
  await expect.poll(window.modes).toMatchObject({ alternate: false });
  const bytes = readFileSync(raw, "utf8");
  expect(bytes).toContain(seen("title1").slice(0, 20));
  // The view's own escapes are others; those of the text may be there as they are spelt.
  const theirs = ["\u001b]0;", "\u001b[?1003h", "\u001b[38;5;201m", "\u009b", "\u202e", "\u2066", "\u200b"];
  expect(theirs.filter((one) => bytes.includes(one))).toEqual([]);
});
