/** What one remote run pushes and asks: pushes a session, bytes a push as the journal grows, and looks at the remote while an agent works. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pushesIn, pushHook } from "../fleet/place.ts";
import type { Playground } from "./playground.ts";
import { instant, issueName, makeProject, runMonoco } from "./project.ts";
import { cli } from "./playground.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

/** Of a relay of `sessions` sessions; with `heldSeconds`, a second one's agent works for so long. */
export function pushes(
  playground: Playground,
  { sessions, heldSeconds }: { sessions: number; heldSeconds: number },
): Row[] {
  const { given } = remoteRun(playground, sessions, []);
  const bytes = given.map((one) => one.bytes);
  const third = Math.ceil(bytes.length / 3);
  const { asked } = remoteRun(playground, 1, [`${heldSeconds}`]);
  return [
    rowOf("pushes a session", "", [given.length / sessions], { aim: 3 }),
    rowOf("kB a push, the first third of the relay's", "", bytes.slice(0, third).map(inKb)),
    rowOf(`kB a push, the last third of ${sessions} sessions'`, "", bytes.slice(-third).map(inKb)),
    rowOf("looks at the remote a minute while an agent works", "", [(asked / heldSeconds) * 60]),
  ];
}

const inKb = (bytes: number): number => bytes / 1_000;

/** `asked`: how often git listed the remote's refs while the agent was at work. */
function remoteRun(
  playground: Playground,
  sessions: number,
  agentWords: string[],
): { given: ReturnType<typeof pushesIn>; asked: number } {
  const project = makeProject(playground, { sessions, agent: instant(...agentWords) });
  const at = (name: string): string => join(project.root, "..", name);
  const git = (...args: string[]): unknown =>
    execFileSync("git", args, { cwd: project.root, env: playground.env, stdio: "pipe" });
  git("init", "--quiet", "--bare", "--initial-branch=main", at("bare.git"));
  git("--git-dir", at("bare.git"), "config", "transfer.unpackLimit", "1");
  git("remote", "add", "origin", at("bare.git"));
  git("push", "--quiet", "origin", "main");
  writeFileSync(at("pushes"), "");
  writeFileSync(join(at("bare.git"), "hooks/pre-receive"), pushHook(at("pushes")), { mode: 0o755 });
  writeFileSync(at("asked"), "");
  git("config", "remote.origin.uploadpack", `date +%s.%N >> '${at("asked")}'; git-upload-pack`);
  runMonoco(playground, cli, ["run", issueName(1), "--remote"], project);
  const [began = 0, ended = 0] = readFileSync(project.log, "utf8")
    .trim()
    .split("\n")
    .at(-1)!
    .split(" ")
    .map(Number);
  const asked = readFileSync(at("asked"), "utf8")
    .split("\n")
    .filter((line) => Number(line) > began && Number(line) < ended);
  return { given: pushesIn(at("pushes")), asked: asked.length };
}
