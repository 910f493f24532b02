/** monoco verify: compares merges with their records, and runs the evidence again. */
import { openHere } from "../app/here.ts";
import { makeTemporary } from "../app/temporary.ts";
import { commitFacts, rangeFacts } from "../app/verify/facts.ts";
import { recordsIn } from "../app/verify/record.ts";
import { verifyCommit } from "../app/verify/verify.ts";
import type { CommitFacts } from "../core/attest/compare.ts";
import { exitStatusOf } from "../core/attest/verified.ts";
import type { Verified } from "../core/attest/verified.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import { gitIn, keepGit } from "../git/git.ts";
import type { Git } from "../git/git.ts";
import { allowedSigners } from "../git/notes/signature.ts";
import { io, pathHere } from "../io/io.ts";
import { printJson } from "../views/json.ts";
import { renderVerified } from "../views/proof/verify.ts";

type VerifyFlags = { run: boolean; trustedOnly: boolean; signers?: string; json: boolean };

/** Exit status 0 if all that was compared holds, 1 if something does not, 2 if there is no record. */
export async function verify(name: string | undefined, flags: VerifyFlags): Promise<number> {
  const here = await openHere();
  const git = gitIn(here.repository.worktree);
  const commits = await commitsIn(git, name ?? "HEAD");
  const given = flags.signers === undefined ? undefined : pathHere(flags.signers);
  const signers = await allowedSigners({ cwd: here.repository.worktree, env: io().env }, given);
  const isRange = name?.includes("..") === true;
  const temporary = makeTemporary("verify");
  const leave = keepGit(here.repository.root);
  try {
    const records = recordsIn(here.repository.git, commits);
    const options = {
      runs: flags.run,
      trustedOnly: flags.trustedOnly || Boolean(io().env["CI"]),
      signers,
      scratch: temporary.folder,
      tell: (line: string) => void io().stderr.write(`${line}\n`),
    };
    const all: Verified[] = [];
    for (const commit of commits) {
      const one = await verifyCommit(here, commit, records, options);
      if (one.is === "no_record" && isRange && !isMerge(commit)) continue;
      all.push(one);
      if (!flags.json) io().stdout.write(renderVerified(one));
    }
    if (flags.json) printJson({ status: exitStatusOf(all), commits: all });
    else if (all.length === 0) io().stdout.write(t`no merge of monoco's in ${name ?? "HEAD"}\n`);
    return exitStatusOf(all);
  } finally {
    leave();
    temporary.remove();
  }
}

/** Whether monoco made the commit, by its own words. */
const isMerge = ({ message }: CommitFacts): boolean => /^Monoco-Submission: /m.test(message);

/** The named commit, or those of a range, oldest first. */
async function commitsIn(git: Git, name: string): Promise<CommitFacts[]> {
  const one = async (): Promise<CommitFacts[]> => [(await commitFacts(git, name)) ?? []].flat();
  const isOption = name.startsWith("-");
  const found = isOption ? undefined : name.includes("..") ? await rangeFacts(git, name) : await one();
  if (found && (found.length > 0 || name.includes(".."))) return found;
  if (name === "HEAD")
    throw new MonocoError("input", t`${name} has no commit`, {
      hint: t`there is something to verify once monoco run has merged an issue`,
    });
  throw new MonocoError("input", t`no such commit: ${name.slice(0, 200)}`, {
    hint: t`monoco verify HEAD, or a range: monoco verify main~10..main`,
  });
}
