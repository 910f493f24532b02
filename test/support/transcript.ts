/** What a person sees of a command, as a snapshot can hold it: what differs from run to run has a name in it. */
import type { Ran } from "./cli.ts";

/** In order: what is replaced by an earlier row is not looked at by a later one. */
const names: readonly (readonly [RegExp, string])[] = [
  // The sandbox's folder, wherever temporary files are, and monoco's name for the repository in its state folder.
  [/(?:\/[\w.-]+)*\/monoco-test-\w{6}/g, "/place"],
  [/(\/state\/monoco\/)[0-9a-f]{16}/g, "$1<repository>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g, "<time>"],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g, "<time>"],
  [/\b\d\d:\d\d:\d\d\b/g, "<time>"],
  [/\bUTC[+-]\d{1,2}(?::\d\d)?(?!\d)/g, "UTC"],
  // A time to come has its date if that is not today's.
  [/(?<=\b(?:as of|at|until) )\d{4}-\d\d-\d\d (?=\d\d:\d\d UTC)/g, ""],
  [/\b\d\d:\d\d(?= UTC)/g, "<time>"],
  [/\b\d{4}-\d\d-\d\d\b/g, "<date>"],
  [/\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{8})\b/g, "<hash>"],
  [/\b\d+\.\d s\b/g, "<duration>"],
  [/\bprocess \d+ on [^\s,)]+/g, "process <pid> on <host>"],
];

/** `$ monoco …` and what it printed, for each command in turn. */
export async function transcriptOf(
  monoco: (...args: string[]) => Promise<Ran>,
  commands: readonly (readonly string[])[],
): Promise<string> {
  const told: string[] = [];
  for (const args of commands) {
    const words = args.map((word) => (/^[\w./,=:-]+$/.test(word) ? word : `'${word}'`));
    told.push([`$ monoco ${words.join(" ")}`, transcript(await monoco(...args))].join("\n"));
  }
  return told.join("\n");
}

/** Standard output, then the lines of standard error behind `! `, then an exit status that is not 0. */
export function transcript({ exitCode, stdout, stderr }: Ran): string {
  const told = [
    ...(stdout === "" ? [] : [stdout]),
    ...(stderr === "" ? [] : [stderr.replaceAll(/^/gm, "! ")]),
    ...(exitCode === 0 ? [] : [`exit ${exitCode}`]),
  ].join("\n");
  return names.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), told);
}
