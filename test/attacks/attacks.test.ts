/** Each payload of the table against monoco, with the sandbox and without one: none fires where monoco promises that. */
import { readFileSync } from "node:fs";
import { execaSync } from "execa";
import { describe, expect, it, vi } from "vitest";
import { firstOfEach, testRows } from "../support/full.ts";
import { isHere, onOwnMounts, skipWithout } from "../support/namespaces.ts";
import { areas, isPromised } from "./attack.ts";
import type { Attack, Stand } from "./attack.ts";
import { attacks } from "./table.ts";

vi.setConfig({ testTimeout: 180_000 });
const works = isHere("bubblewrap");

const rowsAt = (stand: Stand): Attack[] => attacks.filter(({ stands }) => stands.includes(stand));
const short = firstOfEach(attacks, ({ area }) => area);

it("there are forty rows and more, of each area, and none stands twice", () => {
  expect(attacks.length).toBeGreaterThanOrEqual(40);
  expect(new Set(attacks.map(({ area }) => area))).toEqual(new Set(areas));
  const names = attacks.map(({ area, name }) => `${area}: ${name}`);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

it("docs/safety.md has a line for each area", () => {
  const safety = readFileSync(new URL("../../docs/safety.md", import.meta.url), "utf8");
  const lines = safety.split("\n").filter((line) => areas.some((area) => line.startsWith(`| ${area} |`)));
  const promised = areas.map((area) => ({
    area,
    inSandbox: attacks.some((one) => one.area === area && one.promised === "in the sandbox"),
  }));
  const told = lines.map((line) => line.split("|").map((cell) => cell.trim()));
  expect(told.map(([, area, , only]) => ({ area, inSandbox: only !== "" }))).toEqual(promised);
});

it("what is not promised without a sandbox says why", () => {
  expect(attacks.filter(({ promised, why = "" }) => (promised === "always") !== (why === ""))).toEqual([]);
});

it("each row has a control", () => {
  expect(attacks.filter(({ control }) => typeof control !== "function")).toEqual([]);
});

it("what would reach the mounts of the machine runs nowhere but in a mount namespace of its own", (context) => {
  const words = ["sh", "-c", onOwnMounts("echo ran")];
  const ran = (...under: string[]) => execaSync("env", [...under, ...words], { reject: false }).stdout;
  expect(ran()).toBe("");
  skipWithout("a user namespace", context);
  expect(ran("unshare", "-Urm")).toBe("ran");
});

describe("with no defence of monoco's in its way, it fires", () => {
  testRows(attacks, short)("$area: $name", async (attack, context) => {
    if (attack.needs) skipWithout(attack.needs, context);
    expect(await attack.control()).toBe(true);
  });
});

describe("without a sandbox", () => {
  testRows(rowsAt("none"), short)("$area: $name", async (attack, context) => {
    if (attack.needs) skipWithout(attack.needs, context);
    // What is not promised does fire: a row that no longer does is to be promised.
    expect(await attack.fires("none"), "fired").toBe(!isPromised(attack, "none"));
  });
});

describe.runIf(works).for(["vendors", "closed"] as const)(
  "in a sandbox with another network: %s",
  (stand) => {
    testRows(rowsAt(stand))("$area: $name", async (attack) => {
      expect(await attack.fires(stand), "fired").toBe(!isPromised(attack, stand));
    });
  },
);

describe.runIf(works)("in a sandbox", () => {
  testRows(rowsAt("bwrap"), (attack) => attack.area === "reach" && short(attack))(
    "$area: $name",
    async (attack) => {
      expect(await attack.fires("bwrap"), "fired").toBe(!isPromised(attack, "bwrap"));
    },
  );
});
