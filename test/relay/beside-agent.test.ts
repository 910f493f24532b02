/** What goes wrong beside an agent at work ends its session, and the run once the agent is gone. */
import { expect, test } from "vitest";
import { runRelay } from "../../src/relay/run-relay.ts";
import { processesOf } from "../support/cli.ts";
import { relayHere } from "../support/open-relay.ts";
import { waitFor } from "../support/place.ts";

test("a view that throws beside an agent that never ends leaves neither the agent nor the run", async () => {
  const { place, relay, open } = await relayHere(undefined, [waitFor("unending")]);
  await open();
  relay.journal.verify = () => {
    throw new Error("the journal cannot be read");
  };
  relay.onProgress = ({ type, ...news }) => {
    if (type === "step" && JSON.stringify(news).includes("cannot be read"))
      throw new Error("no view any more");
  };
  await expect(runRelay(relay, { once: true, wait: () => true })).rejects.toThrow("no view any more");
  expect(processesOf(place.around).filter((command) => command.includes("unending"))).toEqual([]);
});
