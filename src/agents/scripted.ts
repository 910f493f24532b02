/** The built-in agent: a real child process that does what a YAML script says, for the demo, dry runs and tests. */
import { fileURLToPath } from "node:url";
import type { Agent } from "./agent.ts";
import { readCommandLine } from "./command.ts";

/** Beside this file, in the source and in what is built from it. */
const program = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts") ? "./scripted-program.ts" : "./scripted-program.js",
    import.meta.url,
  ),
);

export const scripted: Agent = {
  kind: "scripted",
  capabilities: {
    messageOnInput: false,
    stopHook: false,
    liveUsage: true,
    resume: false,
    verdictBySchema: false,
    reserveTokens: 0,
  },
  program: () => undefined,
  passEnv: [],
  launch: (request) => ({
    argv: [
      request.monoco[0]!,
      program,
      request.settings.script ?? "",
      request.role,
      String(request.sessionOfRole),
    ],
    env: request.settings.env ?? {},
    files: [],
    stdin: request.prompt,
    keepStdinOpen: false,
  }),
  reader: () => readCommandLine,
  message: () => "",
};
