/** What a checkout lacks where a CI runner works on relays, and the git commands that mend it. */
import type { RunnerFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";

/** Rules of the general diagnosis that a runner has rules of its own for. */
const replaced: readonly string[] = [
  "sandbox",
  "sandbox_none",
  "sandbox_broken",
  "base_missing",
  "remote",
  "remote_refuses",
];

/** The findings of a diagnosis with those of the runner. */
export function withRunner(findings: readonly Finding[], runner: RunnerFacts): Finding[] {
  return [...findings.filter(({ rule }) => !replaced.includes(rule)), ...ofRunner(runner)];
}

function ofRunner({ base, remote: to, sandbox, host, workflows, ...facts }: RunnerFacts): Finding[] {
  const remote = to.name;
  const found: (Finding | false)[] = [
    to.none && { rule: "ci_remote", state: "bad", remote },
    facts.branch === "missing" && { rule: "ci_base", state: "bad", base, remote },
    facts.branch === "untracked" && { rule: "ci_untracked", state: "note", base, remote },
    facts.detached && { rule: "ci_detached", state: "note", base },
    !facts.identity && { rule: "ci_identity", state: "note" },
    sandbox.asked.includes("none")
      ? { rule: "ci_sandbox_none", state: "bad" }
      : !sandbox.works && { rule: "ci_sandbox", state: "bad" },
    host.refused !== undefined && { rule: `ci_host_${host.refused}`, state: "bad", program: host.program },
    to.refuses !== undefined && {
      rule: "ci_push",
      state: "bad",
      remote,
      program: host.program,
      said: to.refuses,
    },
    (workflows.none || workflows.paths.length > 0) && { rule: "ci_workflow", state: "note", ...workflows },
  ];
  const faults = found.filter((one) => one !== false);
  return faults.some(({ state }) => state === "bad")
    ? faults
    : [...faults, { rule: "ci_ready", state: "good" }];
}

const heads = (remote: string): string => `+refs/heads/*:refs/remotes/${remote}/*`;

/** The arguments of git for the faults that git mends and that lose nothing. */
export const mends = {
  ci_base: ({ base, remote }: { base: string; remote: string }) => [
    ["fetch", remote, heads(remote)],
    ["branch", "--track", base, `${remote}/${base}`],
  ],
  ci_untracked: ({ base, remote }: { base: string; remote: string }) => [
    ["branch", `--set-upstream-to=${remote}/${base}`, base],
  ],
};

/** The commands that give a runner with Ubuntu or Debian its sandbox, on one line. */
export const sandboxCommands =
  "sudo apt-get update -qq && sudo apt-get install -qq -y bubblewrap && sudo sysctl -e -q -w kernel.apparmor_restrict_unprivileged_userns=0";
