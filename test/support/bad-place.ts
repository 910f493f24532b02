/** A repository with one issue and the scripted agent in both roles, for tests of bad input and of what goes wrong around a relay. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { RelayEvent } from "../../src/core/journal/event.ts";
import { eventsOf, openSandbox } from "./cli.ts";
import type { Ran, RunOptions, Running, Sandbox } from "./cli.ts";
import { expectWords, pictureOf } from "./picture.ts";
import { transcript } from "./transcript.ts";
import { initRepository } from "./repository.ts";

export type Story = { executor: unknown[][]; reviewer: unknown[][] };

export const issue = "FEAT-0001";
export const issuePath = `issues/${issue}-write-a-file.md`;
export const issueText = `---\nid: ${issue}\ntitle: Write a file\nstatus: open\nstage: draft\n---\n\n## Objective\n\nA file.\n\n## Acceptance Criteria\n\n- [ ] file.txt is there\n`;

export const commit = { run: "git add -A && git commit -qm work" };
export const works = [{ write: { "file.txt": "text\n" } }, commit, { submit: true }];
export const approves = [{ verdict: "approve" }];

export type Expected = { code: number; says: RegExp; hint?: RegExp };

export type Place = {
  sandbox: Sandbox;
  project: string;
  /** The runtime state outside of the repository. */
  state: string;
  journal: string;
  monoco(args: readonly string[], options?: RunOptions): Promise<Ran>;
  start(args: readonly string[], options?: RunOptions): Running;
  sh(command: string): Promise<string>;
  write(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  read(path: string): string;
  events(): RelayEvent[];
  types(): string[];
  /** Runs the command, which has to be refused in words, with nothing changed anywhere. */
  refuses(args: readonly string[], expected: Expected, options?: RunOptions): Promise<Ran>;
  /** What these commands say, which are all refused so; what several say alike is told once. */
  refusals(...commands: readonly (readonly string[])[]): Promise<string>;
};

/** The agents have the project's folder as $PERSON. Deleted when the test is over. */
export async function makePlace(
  story: Story = { executor: [works], reviewer: [approves] },
  settings = 'checks: ["test -f file.txt"]\nlimits: { backoffSeconds: 0 }\n',
): Promise<Place> {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const project = join(sandbox.folder, "a project, 项目");
  const state = join(sandbox.folder, "state");
  const at = (path: string): string => join(project, path);
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  };
  write(issuePath, issueText);
  write("story.yaml", JSON.stringify(story));
  const env = `env: { PERSON: ${JSON.stringify(project)} }`;
  write(
    "monoco.yaml",
    `agents: { a: { kind: scripted, script: story.yaml, ${env} } }\nroles: { executor: { agents: [a] }, reviewer: { agents: [a] } }\nbreaker: { reopen: manual }\n${settings}`,
  );
  const sh = (command: string): Promise<string> => sandbox.sh(project, command);
  initRepository(project, { name: "P", email: "p@example.com" });
  await sh("git add -A && git commit -qm Begin");
  const monoco: Place["monoco"] = async (args, options) => {
    const ran = await sandbox.monoco(args, { cwd: project, ...options });
    expectWords(ran);
    return ran;
  };
  const events = (): RelayEvent[] => (existsSync(at(".monoco")) ? eventsOf(project, issue) : []);
  const refuses: Place["refuses"] = async (args, { code, says, hint = /./ }, options) => {
    const before = pictureOf(project, state);
    const ran = await monoco(args, options);
    const told = { exitCode: ran.exitCode, stderr: ran.stderr, stdout: ran.stdout };
    expect(told, `monoco ${args.join(" ")}`).toEqual({
      exitCode: code,
      stderr: expect.stringMatching(
        new RegExp(`^error: [^\\n]*${says.source}[^\\n]*\\nhint: [^\\n]*${hint.source}`, says.flags),
      ) as string,
      stdout: "",
    });
    expect(pictureOf(project, state)).toEqual(before);
    return ran;
  };
  return {
    sandbox,
    project,
    state,
    journal: at(`.monoco/relays/${issue}/journal.jsonl`),
    monoco,
    start: (args, options) => sandbox.start(args, { cwd: project, ...options }),
    sh,
    write,
    remove: (path) => rmSync(at(path), { recursive: true, force: true }),
    read: (path) => readFileSync(at(path), "utf8"),
    events,
    types: () => events().map((event) => event.type),
    refuses,
    refusals: async (...commands) => {
      const told = new Set<string>();
      for (const args of commands) told.add(transcript(await refuses(args, { code: 2, says: /./ })));
      return [...told].join("\n");
    },
  };
}
