import { afterEach, expect, test } from "vitest";
import { inEnglish, speakTo } from "../../src/core/language/translate.ts";
import { momentOf, timeOf, zoneOf } from "../../src/core/text/figures.ts";

const nowMs = Date.UTC(2026, 10, 28, 16, 38, 5);

const clock = (minutes: number): void => speakTo({ catalogue: () => undefined, minutesAhead: () => minutes });
afterEach(() => clock(0));

test.each([
  [0, "16:38 UTC", "2026-11-28 16:38:05"],
  [60, "17:38 UTC+1", "2026-11-28 17:38:05"],
  [-210, "13:08 UTC-3:30", "2026-11-28 13:08:05"],
  [480, "2026-11-29 00:38 UTC+8", "2026-11-29 00:38:05"],
])("a time is told by the reader's clock, %i minutes ahead of UTC", (minutes, time, moment) => {
  clock(minutes);
  const noonMs = Date.UTC(2026, 10, 28, 12);
  expect([timeOf(nowMs, noonMs), momentOf(nowMs)]).toEqual([time, moment]);
  expect(timeOf(nowMs)).toBe(`${moment.slice(0, 16)} ${zoneOf(nowMs)}`);
});

test("texts that others read, too, have times in UTC", () => {
  clock(60);
  expect(inEnglish(() => timeOf(nowMs))).toBe("2026-11-28 16:38 UTC");
});

test("a time that no calendar has is told in milliseconds", () => {
  expect(timeOf(1e17)).toBe("100000000000000000 ms");
});
