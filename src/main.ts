/** The command line: loads the modules that a command needs, and turns every error into a message and an exit code. */
import { readFileSync } from "node:fs";
import { languageHere, speaking } from "./app/language.ts";
import type { Usage } from "./usage.ts";
import { within } from "./io/io.ts";
import type { Io } from "./io/io.ts";

/**
 * Runs `monoco ARGV` and resolves to its exit code. `surroundings` replaces parts of the process's own. Hooks run often and
 * have to be quick: they load neither commander nor zod.
 */
export async function main(argv: readonly string[], surroundings?: Partial<Io>): Promise<number> {
  const run = (): Promise<number> => carryOut(argv).catch(fail);
  return surroundings ? within(surroundings, run) : run();
}

async function carryOut(argv: readonly string[]): Promise<number> {
  if (argv[0] === "hook" && argv[1]?.startsWith("on-")) return (await import("./hook/hook.ts")).hook(argv[1]);
  if (runs(argv)) (await import("./agents/containment.ts")).beginProbe();
  return carryOutSpeaking(argv);
}

/** Whether a command starts agents: containment is then tried while the rest of the program loads. */
function runs([verb = "", ...others]: readonly string[]): boolean {
  if (others.includes("--help")) return false;
  return ["run", "loop", "resume"].includes(verb) || (verb === "relay" && others[0] === "resume");
}

async function carryOutSpeaking(argv: readonly string[]): Promise<number> {
  if (languageHere(argv) === "en") return carryOutVerb(argv);
  const [{ catalogue }, { usage }] = await Promise.all([
    import("./views/zh/catalogue.ts"),
    import("./usage.ts"),
  ]);
  return speaking(catalogue, () => carryOutVerb(argv, usage).catch(fail));
}

async function carryOutVerb(argv: readonly string[], usage?: Usage): Promise<number> {
  const [{ runProgram }, { verbs }] = await Promise.all([
    import("./program.ts"),
    import("./commands/verbs.ts"),
  ]);
  return runProgram(argv, { verbs, version: version(), ...(usage && { usage }) });
}

function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Prints any error, and returns its exit code. */
async function fail(error: unknown): Promise<number> {
  return (await import("./views/failure.ts")).tellFailure(error);
}
