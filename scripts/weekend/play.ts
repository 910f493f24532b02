/** A weekend: a backlog that is worked while nobody is there, and what a person then finds and does. Real git, real processes, a shell script as agent. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "../../test/support/cli.ts";
import type { Ran } from "../../test/support/cli.ts";

/** How many issues of each kind; every fourth of the plain ones takes two sessions. */
export type Backlog = { plain: number; approvals: number; questions: number; hopeless: number };

export type Shown = { command: string; output: string };

export type Weekend = {
  issues: number;
  sessions: number;
  seconds: number;
  /** What the person types on Monday, and sees. */
  monday: Shown[];
  /** `monoco` before the first of these commands, and after the last. */
  found: string;
  left: string;
  /** How many issues each of the two accounts for. */
  counted: [found: number, left: number];
};

const monocoYaml = (agent: string): string => `agents:
  worker: { kind: command, run: [${JSON.stringify(agent)}] }
roles: { executor: { agents: [worker] }, reviewer: { agents: [worker] } }
checks: ["for t in test/*.sh; do sh $t || exit 1; done"]
gates: { high: human }
limits: { backoffSeconds: 0, questionsMax: 1, sessionsPerHour: 1000 }
breaker: { coolDownMinutes: 0.02, probesMax: 2 }
`;

const agent = `#!/bin/sh
# An Executor and a Reviewer. What the issue's title says decides how it goes.
cat > /dev/null
n=\${MONOCO_ISSUE#FEAT-}
if [ "$MONOCO_ROLE" = reviewer ]; then
  evidence='"command":"test \\"$(sh greet-'$n'.sh)\\" = \\"hello '$n'\\"","exitCode":0'
  probe='"command":"sh greet-'$n'.sh | grep -qv bye","exitCode":0'
  echo '{"type":"verdict","verdict":"approve","criteria":[{"criterion":1,"result":"met",'"$evidence"'}],"probes":[{'"$probe"'}],"summary":"It greets"}'
  exit
fi
title=$(sed -n 's/^title: //p' issues/$MONOCO_ISSUE-*.md)
case "$title" in
*hopeless*) echo "TypeError: nobody is there" >&2; exit 1 ;;
*question*) [ -n "$(grep "The answer is hello" "$MONOCO_SESSION_DIR/prompt.md")" ] || { monoco relay ask "Hello or hi, in greeting $n?"; exit; } ;;
*long*) [ -f greet-$n.sh ] || { echo "echo hello $n" > greet-$n.sh; git add -A; git commit -qm "Greet $n"; monoco relay prepare > /dev/null; exit; } ;;
esac
echo "echo hello $n" > greet-$n.sh
echo "[ \\"\\$(sh greet-$n.sh)\\" = 'hello $n' ]" > test/greet-$n.sh
git add -A && git commit -qm "Greet $n, with a test" && monoco issue submit
`;

const idOf = (n: number): string => `FEAT-${String(n).padStart(4, "0")}`;

function issueText(n: number, kind: string): string {
  const front = kind === "approval" ? "criticality: high\n" : "";
  const nnnn = idOf(n).slice(5);
  return `---
id: ${idOf(n)}
title: Greeting ${n}, ${kind}
status: open
stage: draft
${front}---

## Objective

A script that greets.

## Acceptance Criteria

- [ ] \`sh greet-${nnnn}.sh\` prints \`hello ${nnnn}\`
`;
}

/** Works the backlog with \`jobs\` relays at once, and then does what \`monoco\` proposes. */
export async function playWeekend(backlog: Backlog, jobs: number): Promise<Weekend> {
  const sandbox = openSandbox();
  const project = join(sandbox.folder, "project");
  const began = performance.now();
  const type = async (...args: string[]): Promise<Ran> => sandbox.monoco(args, { cwd: project });
  try {
    const kinds = Object.entries(backlog).flatMap(([kind, count]) =>
      Array.from({ length: count }, () => kind),
    );
    // Spread, as they come in life.
    const order = kinds
      .map((kind, at) => ({ kind, key: (at * 17) % kinds.length }))
      .toSorted((a, b) => a.key - b.key);
    mkdirSync(join(project, "issues"), { recursive: true });
    mkdirSync(join(project, "test"));
    writeFileSync(join(project, "test/there.sh"), "test -d test\n");
    writeFileSync(join(sandbox.folder, "agent.sh"), agent);
    chmodSync(join(sandbox.folder, "agent.sh"), 0o755);
    writeFileSync(join(project, "monoco.yaml"), monocoYaml(join(sandbox.folder, "agent.sh")));
    order.forEach(({ kind }, at) => {
      const word = {
        plain: at % 4 === 0 ? "long" : "short",
        approvals: "approval",
        questions: "question",
        hopeless: "hopeless",
      }[kind]!;
      writeFileSync(join(project, `issues/${idOf(at + 1)}-greeting-${at + 1}.md`), issueText(at + 1, word));
    });
    await sandbox.sh(
      project,
      "git init -q -b main && git config user.name P && git config user.email p@example.com && git add -A && git commit -qm Begin",
    );
    await type("run", "--all", "-j", String(jobs));
    const found = (await type()).stdout;
    const counted = [await countedBy(type)];
    const monday: Shown[] = [];
    const shown = async (command: string, does: () => Promise<Ran>): Promise<void> => {
      const { stdout, stderr } = await does();
      monday.push({ command, output: `${stdout}${stderr}` });
    };
    const approvals = (await type("inbox", "--approvals", "--ids")).stdout.split("\n").filter(Boolean);
    await shown("monoco inbox --approvals --ids | xargs monoco issue review --approve", () =>
      type("issue", "review", ...approvals, "--approve"),
    );
    for (const id of (await type("inbox", "--questions", "--ids")).stdout.split("\n").filter(Boolean))
      await shown(`monoco answer ${id} "The answer is hello"`, () =>
        type("answer", id, "The answer is hello"),
      );
    await shown(`monoco run --all -j ${jobs}`, () => type("run", "--all", "-j", String(jobs)));
    const left = (await type()).stdout;
    counted.push(await countedBy(type));
    const { spent } = JSON.parse((await type("inbox", "--json")).stdout) as { spent: { sessions: number } };
    return {
      issues: kinds.length,
      sessions: spent.sessions,
      seconds: (performance.now() - began) / 1000,
      monday,
      found,
      left,
      counted: [counted[0]!, counted[1]!],
    };
  } finally {
    sandbox.dispose();
  }
}

async function countedBy(type: (...args: string[]) => Promise<Ran>): Promise<number> {
  const { items } = JSON.parse((await type("inbox", "--json")).stdout) as { items: { id: string }[] };
  return new Set(items.map(({ id }) => id)).size;
}
