import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { delayInWords, resetInWords } from "../../../src/core/session/reset-time.ts";

const nowMs = Date.UTC(2026, 10, 22, 12);
const at = (text: string, now = nowMs, zone = "Europe/Berlin"): string | undefined => {
  const ms = resetInWords(text, { nowMs: now, zone });
  return ms === undefined ? undefined : new Date(ms).toISOString().replace(":00.000Z", "");
};

describe("a time of a named zone", () => {
  test.for([
    ["resets 3am (Europe/Berlin)", "2026-11-23T02:00"],
    ["resets 9:36am (UTC)", "2026-11-23T09:36"],
    ["resets 12am (UTC)", "2026-11-23T00:00"],
    ["resets 12:05pm (UTC)", "2026-11-22T12:05"],
    ["resets 3pm (America/Los_Angeles)", "2026-11-22T23:00"],
    ["resets 2pm (Pacific/Auckland)", "2026-11-23T01:00"],
    ["resets 3:20am (Asia/Calcutta)", "2026-11-22T21:50"],
    ["resets at 17:42 UTC", "2026-11-22T17:42"],
    ["Access resets at 10:57 PM GMT-3.", "2026-11-23T01:57"],
    ["resets 3pm", "2026-11-22T14:00"],
    ["You will regain access on 2026-12-01 at 00:00 UTC", "2026-12-01T00:00"],
    ["try again after November 29, 2026 at 2:45 PM", "2026-11-29T13:45"],
    ["try again at Nov 28th, 2026 3:33 PM.", "2026-11-28T14:33"],
    ["resets Jan 4, 8pm (UTC)", "2027-01-04T20:00"],
    ["resets Nov 22, 11am (UTC)", "2026-11-22T11:00"],
    ["您的限额将在 2026-11-22 18:25:00 重置", "2026-11-22T17:25"],
  ])("%s", ([text, when]) => expect(at(text!)).toBe(when));

  test.for([
    ["resets 3am (Europe/Nowhere)"],
    ["resets 3pm IST"],
    ["resets Monday at 9am"],
    ["resets Oct 24"],
    ["resets Foo 24, 3pm"],
    ["resets soon"],
    ["resets at 25:00"],
    ["try again later"],
    ["resets 7"],
    [""],
  ])("is not read from: %s", ([text]) => expect(at(text!)).toBeUndefined());
});

describe("summer time", () => {
  // In Berlin it ends on 2026-10-25 at 3:00, and begins on 2027-03-28 at 2:00.
  test.for([
    ["before it ends", Date.UTC(2026, 9, 24, 20), "resets 1am (Europe/Berlin)", "2026-10-24T23:00"],
    ["after it has ended", Date.UTC(2026, 9, 24, 20), "resets 4am (Europe/Berlin)", "2026-10-25T03:00"],
    ["before it begins", Date.UTC(2027, 2, 27, 20), "resets 1am (Europe/Berlin)", "2027-03-28T00:00"],
    ["after it has begun", Date.UTC(2027, 2, 27, 20), "resets 4am (Europe/Berlin)", "2027-03-28T02:00"],
    ["months ahead", Date.UTC(2027, 0, 1), "resets Jul 4, 8pm (Europe/Berlin)", "2027-07-04T18:00"],
  ] as const)("%s", ([, now, text, when]) => expect(at(text, now)).toBe(when));
});

test.for([
  ["Try again in 5 days 22 hours 11 minutes.", ((5 * 24 + 22) * 60 + 11) * 60_000],
  ["Your quota will reset after 42h1m20s.", (42 * 3600 + 80) * 1000],
  ["Suggested retry after 4000s", 4_000_000],
  ["Please retry in 7.5s", 7_500],
  ["resets in 3 hours", 3 * 3_600_000],
  ["try again in 1 hour and 5 minutes", 65 * 60_000],
  ["Please wait 2 minutes before", 120_000],
  ["retry in 99999999h", undefined],
  ["again in 3 moons", undefined],
] as const)("a span: %s", ([text, ms]) => expect(delayInWords(text)).toBe(ms));

test("the seconds since 1970 are read as they are", () => {
  expect(at("Claude AI usage limit reached|1795253808")).toBe("2026-11-21T09:36:48.000Z");
  expect(at('{"resets_at":1795253808}')).toBe("2026-11-21T09:36:48.000Z");
});

test("no text makes it throw, and a flood takes no time", () => {
  const read = (text: string): void => void resetInWords(text, { nowMs, zone: "UTC" });
  fc.assert(fc.property(fc.string(), read));
  const lead = fc.constantFrom("resets ", "again at ", "retry in ");
  fc.assert(fc.property(lead, fc.string(), (a, b) => read(a + b)));
  for (const part of ["resets ", "again in 1 d", "1h", "resets Jan 1, ", "("]) {
    read(part.repeat(1_000_000 / part.length));
  }
});
