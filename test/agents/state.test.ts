/** The places of each CLI's own state. */
import { expect, test } from "vitest";
import { statePlaces } from "../../src/agents/state.ts";

test("of a known program, whatever kind runs it, the settings beside its state are kept; what `state` names is added", () => {
  const around = { home: "/home/a", env: {} };
  const run = ["/opt/bin/kimi", "acp"];
  const places = statePlaces(
    { kind: "acp", run, state: ["~/.more", "/srv/more", "~/.more/auth.json"] },
    around,
  );
  expect(places.folders).toEqual(["/home/a/.kimi-code", "/home/a/.more", "/srv/more"]);
  expect(places.files).toEqual(["/home/a/.more/auth.json"]);
  expect(places.kept).toContain("/home/a/.kimi-code/config.toml");
  expect(statePlaces({ kind: "acp", run: ["constructor"] }, around).folders).toEqual([]);
});
