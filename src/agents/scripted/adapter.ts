/** The built-in agent: a real child process that follows a YAML script, for the demo, dry runs and tests. */
import { readFileSync } from "node:fs";
import { programOf } from "../lines.ts";
import type { Agent } from "../agent.ts";
import { command } from "../command.ts";
import { readScript } from "./script.ts";

const program = programOf(import.meta.url);

/** The agent speaks the `command` protocol: nothing but its start differs from any other program's. */
export const scripted: Agent = {
  ...command,
  kind: "scripted",
  program: () => undefined,
  check: ({ script = "" }) => void readScript(readFileSync(script, "utf8"), script),
  launch: (request) => ({
    ...command.launch(request),
    argv: [
      request.monoco[0]!,
      program,
      request.settings.script ?? "",
      request.answer === "proposal" ? "author" : request.role,
      String(request.sessionOfRole),
    ],
  }),
};
