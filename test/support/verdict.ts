/** Verdicts as Reviewers in tests give them: with evidence, which is what an approval needs. */
import { fixture } from "./cli.ts";

/** A shell command that prints an approval with evidence for every criterion of the session's contract. */
export const approvalProgram = `sh '${fixture("bin/approves")}'`;
